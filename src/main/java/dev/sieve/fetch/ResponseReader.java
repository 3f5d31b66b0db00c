package dev.sieve.fetch;

import dev.sieve.fetch.ContentCoding.WrongCodingException;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.SetCookie;
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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** Converts a response, or the failure of a request, to a {@link FetchResult}. */
final class ResponseReader {
    /** In the message of the JDK about a server that does not speak TLS. */
    private static final String NO_TLS = "unrecognized SSL message";

    /** In the message of the client about the certificate of another host. */
    private static final Pattern WRONG_NAME =
            Pattern.compile("Hostname (\\S+) not verified(?:.*subjectAltNames: \\[([^]]+)]|.*)");

    /** Most header fields accepted: more than any real server sends. A parsed field takes some hundred bytes. */
    static final int MAX_HEADERS = 1000;

    /** How much of a body is read at a time. */
    private static final int PART = 8 << 10;

    private static final String CHUNKED = "chunked";

    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final WireLimit wire;

    /** Creates a reader; a limit holds for the bytes of headers and framing. */
    ResponseReader(WireLimit wire) {
        this.wire = wire;
    }

    /**
     * Reads the response to a request for a URL, and its body, if it is HTML or any type is wanted, decoded up to a limit;
     * the room is the memory of the body. Throws when the response is incomplete.
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
        return new Page(
                response.code(),
                headers(response),
                MediaType.essence(response.header("Content-Type")),
                new byte[0],
                0,
                false);
    }

    /** Reads a response and passes its body to a reader, if the status is 2xx. */
    FetchResult stream(String url, Response response, BodyMemory.Body room, BodyReader reader) throws IOException {
        if (response.code() < 200 || response.code() >= 300) {
            return read(url, response, room, 0, false);
        }
        try (InputStream body = ContentCoding.decoded(response)) {
            reader.read(watched(body));
        }
        return head(response);
    }

    /** Refuses a response that the client accepts although it cannot be meant, before the client handles it. */
    static void check(Response response) throws ProtocolException {
        if (response.code() < 200) {
            throw new ProtocolException("status " + response.code());
        }
        if (response.headers().size() > MAX_HEADERS) {
            throw new ProtocolException("more than " + MAX_HEADERS + " header fields");
        }
        List<String> codings = response.headers("Transfer-Encoding");
        if (!codings.stream().allMatch(each -> each.equalsIgnoreCase(CHUNKED) || each.equalsIgnoreCase("identity"))) {
            throw new ProtocolException("Transfer-Encoding " + codings);
        }
        List<String> lengths = lengths(response);
        if (lengths.size() > 1 || lengths.stream().anyMatch(each -> each.startsWith("-"))) {
            throw new ProtocolException("Content-Length " + lengths);
        }
    }

    /** Returns the different lengths in a header; none if the body is chunked, which then says where it ends. */
    private static List<String> lengths(Response response) {
        return CHUNKED.equalsIgnoreCase(response.header("Transfer-Encoding"))
                ? List.of()
                : response.headers("Content-Length").stream()
                        .flatMap(each -> Stream.of(each.split(",")))
                        .map(String::strip)
                        .distinct()
                        .toList();
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
                        response.code(),
                        target,
                        Fragment.of(location),
                        response.header("Set-Cookie") == null ? SetCookie.NONE : SetCookie.DROPPED,
                        null);
    }

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

    private Page page(Response response, BodyMemory.Body room, int bodyLimit, boolean anyType) throws IOException {
        Page head = head(response);
        if (!anyType && !Page.mayBeHtml(head.type())) {
            return head;
        }
        Buffer read = new Buffer();
        IOException failure = null;
        try {
            readBody(response, bodyLimit + 1L, room, read);
        } catch (IOException e) {
            failure = e;
        }
        boolean isCut = read.size() > bodyLimit;
        byte[] body = read.readByteArray(Math.min(read.size(), bodyLimit));
        Page page = new Page(head.status(), head.headers(), head.type(), body, body.length, isCut);
        Page result = failure == null ? page : broken(room, failure, page);
        room.keep(body);
        return result;
    }

    /**
     * Returns a page of which only the beginning could be read, since the connection has ended, or the rest cannot be
     * decoded; throws any other failure, and that of a page without a beginning.
     */
    private static Page broken(BodyMemory.Body room, IOException failure, Page beginning) throws IOException {
        boolean isBroken = failure instanceof WrongCodingException || reason(failure, null) == Reason.BROKEN;
        if (!isBroken || beginning.length() == 0 || !beginning.isSuccess() || room.isCancelled()) {
            throw failure;
        }
        return beginning.cut(failed(beginning.status(), failure, null));
    }

    private void readBody(Response response, long most, BodyMemory.Body room, Buffer read) throws IOException {
        long announced = ContentCoding.of(response).isEmpty() ? response.body().contentLength() : -1;
        room.expect(announced < 0 ? most : Math.min(announced, most));
        // Copied, since moving it into the buffer could keep other bytes of the response in memory with it.
        byte[] part = new byte[PART];
        try (InputStream body = ContentCoding.decoded(response)) {
            for (int length = 0; length >= 0 && read.size() < most; ) {
                room.grow(read.size() + PART);
                length = body.read(part, 0, (int) Math.min(most - read.size(), PART));
                read.write(part, 0, Math.max(0, length));
                wire.restart();
            }
        } catch (IOException e) {
            throw room.reason(e);
        }
    }

    private static Map<String, List<String>> headers(Response response) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        response.headers().toMultimap().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        return headers;
    }

    /** Returns the result of a request that ended in an exception, and why it was cancelled, if it was. */
    static FetchResult failure(IOException e, @Nullable Reason cancellation) {
        FetchResult refused = AddressGuard.refusal(e);
        return refused == null ? failed(0, e, cancellation) : refused;
    }

    private static Failed failed(int status, IOException e, @Nullable Reason cancellation) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        String detail = WRONG_NAME
                .matcher(message.replaceAll("\\s+", " "))
                .replaceFirst(match -> "the certificate is not for " + match.group(1)
                        + (match.group(2) == null ? "" : " but for " + match.group(2)));
        String hint = detail.contains(NO_TLS) ? "; is this http?" : "";
        return new Failed(status, reason(e, cancellation), Printable.of(detail) + hint);
    }

    /** Returns the result of a request whose body could not be read: the status of an error does not depend on its body. */
    static FetchResult failure(Response response, IOException e, @Nullable Reason cancellation) {
        if (!response.isSuccessful() && cancellation != Reason.STOPPED) {
            return head(response).cut();
        }
        return e instanceof WrongCodingException ? failed(response.code(), e, cancellation) : failure(e, cancellation);
    }

    /** A connection that was kept for further requests was closed, before or during the next one. */
    private static final class KeptConnectionException extends IOException {
        private static final long serialVersionUID = 1;

        KeptConnectionException(String message, @Nullable IOException cause) {
            super(message, cause);
        }
    }

    /** Returns what to throw when more than responses was received over a connection that was used before. */
    static IOException surplus() {
        return new KeptConnectionException("the server has sent more than the responses to requests", null);
    }

    /** Returns what to throw when a request over a connection that was used before gets no response. */
    static IOException closed(IOException e) {
        Reason reason = reason(e, null);
        if (reason == Reason.BROKEN || reason == Reason.TLS) {
            return new KeptConnectionException("the server has closed a connection that was kept open", e);
        }
        // Bytes that are not a response may be surplus that has just arrived.
        return reason == Reason.PROTOCOL ? surplus() : e;
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
        return e.getCause() instanceof EOFException || ContentCoding.END.equals(e.getMessage());
    }
}
