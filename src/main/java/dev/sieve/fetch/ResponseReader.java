package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.url.Fragment;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLException;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** Converts a response, or the failure of a request, to a {@link FetchResult}. */
final class ResponseReader {
    /** Most header fields accepted: more than any real server sends. A parsed field takes some hundred bytes. */
    /** In the message of the JDK about a server that does not speak TLS. */
    private static final String NO_TLS = "unrecognized SSL message";

    private static final int MAX_HEADERS = 1000;

    /** How much of a body is read at a time. */
    private static final int PART = 8 << 10;

    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final WireLimit wire;

    /**
     * Creates a reader.
     *
     * @param wire limits the bytes of headers and framing
     */
    ResponseReader(WireLimit wire) {
        this.wire = wire;
    }

    /**
     * Reads a response and its body.
     *
     * @param url the requested URL
     * @param room the memory of the body
     * @param bodyLimit the largest number of bytes to read from the body, decoded
     * @param anyType whether to read bodies other than HTML
     * @throws IOException when the response is incomplete
     */
    FetchResult read(String url, Response response, BodyMemory.Body room, int bodyLimit, boolean anyType)
            throws IOException {
        return REDIRECTS.contains(response.code()) ? redirect(url, response) : page(response, room, bodyLimit, anyType);
    }

    /** Reads the head of a response: a page has an empty body. */
    static FetchResult head(String url, Response response, BodyMemory.Body room) {
        if (REDIRECTS.contains(response.code())) {
            return redirect(url, response);
        }
        return head(response);
    }

    private static Page head(Response response) {
        return new Page(response.code(), headers(response), type(response), new byte[0], 0, false);
    }

    /** Reads a response and passes its body to a reader, if the status is 2xx. */
    FetchResult stream(String url, Response response, BodyMemory.Body room, BodyReader reader) throws IOException {
        if (response.code() < 200 || response.code() >= 300) {
            return read(url, response, room, 0, false);
        }
        String encoding = unknownEncoding(response);
        if (encoding != null) {
            return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
        }
        reader.read(watched(response.body().byteStream()));
        return new Page(response.code(), headers(response), type(response), new byte[0], 0, false);
    }

    /** Refuses a response that the client accepts although it cannot be meant, before the client handles it. */
    static void check(Response response) throws ProtocolException {
        if (response.code() < 200) {
            throw new ProtocolException("status " + response.code());
        }
        if (response.headers().size() > MAX_HEADERS) {
            throw new ProtocolException("more than " + MAX_HEADERS + " header fields");
        }
        List<String> lengths = response.headers("Content-Length");
        if (lengths.stream().distinct().count() > 1 || lengths.stream().anyMatch(each -> each.startsWith("-"))) {
            throw new ProtocolException("Content-Length " + lengths);
        }
    }

    private static FetchResult redirect(String url, Response response) {
        String location = response.header("Location");
        if (location == null) {
            return new Failed(response.code(), Reason.BAD_REDIRECT, "no Location");
        }
        String target = UrlNormalizer.base(url).resolve(location);
        return target == null
                ? new Failed(response.code(), Reason.BAD_REDIRECT, "to " + Printable.of(location))
                : new Redirect(
                        response.code(), target, Fragment.of(location), response.header("Set-Cookie") != null, null);
    }

    /** Returns a stream that notes each part of the body that is read. */
    private InputStream watched(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read() throws IOException {
                int read = super.read();
                wire.restart();
                return read;
            }

            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                int read = super.read(target, from, length);
                wire.restart();
                return read;
            }
        };
    }

    private FetchResult page(Response response, BodyMemory.Body room, int bodyLimit, boolean anyType)
            throws IOException {
        String type = type(response);
        byte[] body = new byte[0];
        boolean isCut = false;
        String encoding = unknownEncoding(response);
        boolean isRead = anyType || Page.mayBeHtml(type);
        if (isRead && encoding != null && response.isSuccessful()) {
            return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
        }
        if (isRead && encoding == null) {
            Buffer read = new Buffer();
            body = body(response.body(), room, bodyLimit, read);
            isCut = read.size() > 0;
        }
        return new Page(response.code(), headers(response), type, body, body.length, isCut);
    }

    /** Returns the body up to its limit; what is left in {@code read} is beyond it. */
    private byte[] body(ResponseBody source, BodyMemory.Body room, int bodyLimit, Buffer read) throws IOException {
        long announced = source.contentLength();
        room.expect(announced < 0 ? bodyLimit + 1L : Math.min(announced, bodyLimit + 1L));
        readBody(source.source(), bodyLimit + 1L, room, read);
        byte[] body = read.readByteArray(Math.min(read.size(), bodyLimit));
        room.keep(body);
        return body;
    }

    private void readBody(BufferedSource source, long most, BodyMemory.Body room, Buffer read) throws IOException {
        // Copied, since moving it into the buffer could keep other bytes of the response in memory with it.
        byte[] part = new byte[PART];
        try {
            for (int length = 0; length >= 0 && read.size() < most; ) {
                room.grow(read.size() + PART);
                length = source.read(part, 0, (int) Math.min(most - read.size(), PART));
                read.write(part, 0, Math.max(0, length));
                wire.restart();
            }
        } catch (IOException e) {
            throw room.reason(e);
        }
    }

    /** Returns the encoding that the client did not decode; null when there is none. */
    private static @Nullable String unknownEncoding(Response response) {
        String encoding = response.header("Content-Encoding", "identity");
        return encoding.equalsIgnoreCase("identity") ? null : encoding;
    }

    private static String type(Response response) {
        MediaType media = response.body().contentType();
        return media == null ? "" : (media.type() + "/" + media.subtype()).toLowerCase(Locale.ROOT);
    }

    private static Map<String, List<String>> headers(Response response) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        response.headers().toMultimap().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        return headers;
    }

    /**
     * Returns the result of a request that ended in an exception.
     *
     * @param cancellation why it was cancelled; null when it was not
     */
    static FetchResult failure(IOException e, @Nullable Reason cancellation) {
        FetchResult refused = AddressGuard.refusal(e);
        return refused == null
                ? new Failed(
                        0,
                        reason(e, cancellation),
                        Printable.of(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage())
                                + (String.valueOf(e.getMessage()).contains(NO_TLS) ? "; is this http?" : ""))
                : refused;
    }

    /** Returns the result of a request whose body could not be read: the status of an error does not depend on its body. */
    static FetchResult failure(Response response, IOException e, @Nullable Reason cancellation) {
        return response.isSuccessful() || cancellation == Reason.STOPPED
                ? failure(e, cancellation)
                : head(response).cut();
    }

    /** A connection that was kept for further requests was closed, before or during the next one. */
    private static final class KeptConnectionException extends IOException {
        private static final long serialVersionUID = 1;

        KeptConnectionException(IOException cause) {
            super("the server has closed a connection that was kept open", cause);
        }
    }

    /** Returns what to throw when a request over a connection that was used before gets no response. */
    static IOException closed(IOException e) {
        Reason reason = reason(e, null);
        return reason == Reason.BROKEN || reason == Reason.TLS ? new KeptConnectionException(e) : e;
    }

    static Reason reason(IOException e, @Nullable Reason cancellation) {
        if (cancellation != null) {
            return cancellation;
        } else if (e instanceof InterruptedIOException || e instanceof DnsLookups.LookupTimeoutException) {
            return Reason.TIMEOUT;
        } else if (e instanceof KeptConnectionException) {
            return Reason.CLOSED;
        } else if (e instanceof UnknownHostException) {
            return Reason.DNS;
        } else if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return Reason.CONNECT;
        } else if (e instanceof SSLException) {
            return Reason.TLS;
        }
        return e instanceof ProtocolException && !isIncomplete(e) ? Reason.PROTOCOL : Reason.BROKEN;
    }

    /** The client throws one exception for a response that is not valid and for one that is shorter than announced. */
    private static boolean isIncomplete(IOException e) {
        return e.getCause() instanceof EOFException || "unexpected end of stream".equals(e.getMessage());
    }
}
