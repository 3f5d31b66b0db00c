package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
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
import okio.Buffer;
import okio.BufferedSource;

/** Converts a response, or the failure of a request, to a {@link FetchResult}. */
final class ResponseReader {
    /** More than any real server sends; a parsed field takes some hundred bytes. */
    private static final int MAX_HEADERS = 1000;

    /** How much of a body is read at a time. */
    private static final int PART = 8 << 10;

    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private ResponseReader() {}

    /**
     * Reads a response and its body.
     *
     * @param url the requested URL
     * @param bodyLimit the largest number of bytes to read from the body, decoded
     * @param anyType whether to read bodies other than HTML
     * @param wire limits what is read besides the body
     * @throws IOException when the response is incomplete
     */
    static FetchResult read(String url, Response response, int bodyLimit, boolean anyType, WireLimit wire)
            throws IOException {
        return REDIRECTS.contains(response.code()) ? redirect(url, response) : page(response, bodyLimit, anyType, wire);
    }

    /** Reads a response and passes its body to a reader, if the status is 2xx. */
    static FetchResult stream(String url, Response response, BodyReader reader, WireLimit wire) throws IOException {
        if (response.code() < 200 || response.code() >= 300) {
            return read(url, response, 0, false, wire);
        }
        String encoding = unknownEncoding(response);
        if (encoding != null) {
            return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
        }
        reader.read(watched(response.body().byteStream(), wire));
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
                : new Redirect(response.code(), target);
    }

    /** Returns a stream that notes each part of the body that is read. */
    private static InputStream watched(InputStream body, WireLimit wire) {
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

    private static FetchResult page(Response response, int bodyLimit, boolean anyType, WireLimit wire)
            throws IOException {
        String type = type(response);
        byte[] body = new byte[0];
        long length = Math.max(0, response.body().contentLength());
        boolean isCut = false;
        if (anyType || Page.mayBeHtml(type)) {
            String encoding = unknownEncoding(response);
            if (encoding != null) {
                return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
            }
            Buffer read = new Buffer();
            readBody(response.body().source(), bodyLimit, read, wire);
            isCut = read.size() > bodyLimit;
            body = read.readByteArray(Math.min(read.size(), bodyLimit));
            length = isCut ? Math.max(length, bodyLimit + 1L) : body.length;
        }
        return new Page(response.code(), headers(response), type, body, length, isCut);
    }

    /** Reads a body until its end or until one byte more than its limit. */
    private static void readBody(BufferedSource source, int bodyLimit, Buffer read, WireLimit wire) throws IOException {
        long left = bodyLimit + 1L;
        while (left > 0 && source.read(read, Math.min(left, PART)) >= 0) {
            wire.restart();
            left = bodyLimit + 1L - read.size();
        }
    }

    /** Returns the encoding that the client did not decode; null when there is none. */
    private static String unknownEncoding(Response response) {
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

    /** Returns the result of a request that ended in an exception. */
    static FetchResult failure(IOException e, boolean isCanceled) {
        FetchResult refused = AddressGuard.refusal(e);
        return refused == null
                ? new Failed(0, reason(e, isCanceled), Printable.of(String.valueOf(e.getMessage())))
                : refused;
    }

    private static Reason reason(IOException e, boolean isCanceled) {
        if (e instanceof InterruptedIOException || e instanceof DnsLookups.LookupTimeoutException) {
            return Reason.TIMEOUT;
        } else if (isCanceled) {
            return Reason.STOPPED;
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
