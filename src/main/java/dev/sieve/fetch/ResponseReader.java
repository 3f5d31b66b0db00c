package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;
import okhttp3.MediaType;
import okhttp3.Response;
import okio.BufferedSource;

/** Turns a response, or the failure of a request, into a {@link FetchResult}. */
final class ResponseReader {
    /** More than any server means to send; each costs some hundred bytes once it is taken apart. */
    private static final int MAX_HEADERS = 1000;

    private ResponseReader() {}

    /**
     * Reads an answer and its body.
     *
     * @param url what was asked for
     * @param bodyLimit bytes of the body that are read at most, counted after decoding
     * @param anyType whether the body is read whatever its type
     * @throws IOException when the answer breaks off
     */
    static FetchResult read(String url, Response response, int bodyLimit, boolean anyType) throws IOException {
        return isRedirect(response.code()) ? redirect(url, response) : page(response, bodyLimit, anyType);
    }

    /**
     * Reads an answer, and hands its body, where its status is 2xx, to a reader while it comes.
     *
     * @param url what was asked for
     * @throws IOException when the answer breaks off
     */
    static FetchResult stream(String url, Response response, BodyReader reader) throws IOException {
        if (response.code() < 200 || response.code() >= 300) {
            return read(url, response, 0, false);
        }
        String encoding = unknownEncoding(response);
        if (encoding != null) {
            return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
        }
        reader.read(response.body().byteStream());
        MediaType media = response.body().contentType();
        return new Page(response.code(), headers(response), type(media), charset(media), new byte[0], 0, false);
    }

    /**
     * Looks at an answer as it comes from the network, before the client makes anything of it.
     *
     * @throws ProtocolException when it holds what the client lets pass though it cannot be meant
     */
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

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
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

    private static FetchResult page(Response response, int bodyLimit, boolean anyType) throws IOException {
        MediaType media = response.body().contentType();
        String type = type(media);
        byte[] body = new byte[0];
        long length = Math.max(0, response.body().contentLength());
        boolean isCut = false;
        if (anyType || Page.mayBeHtml(type)) {
            String encoding = unknownEncoding(response);
            if (encoding != null) {
                return new Failed(response.code(), Reason.PROTOCOL, "encoded as " + Printable.of(encoding));
            }
            BufferedSource source = response.body().source();
            isCut = source.request(bodyLimit + 1L);
            body = isCut ? source.readByteArray(bodyLimit) : source.readByteArray();
            length = isCut ? Math.max(length, bodyLimit + 1L) : body.length;
        }
        return new Page(response.code(), headers(response), type, charset(media), body, length, isCut);
    }

    /** What a body is encoded as that the client has not decoded; null when it is none. */
    private static String unknownEncoding(Response response) {
        String encoding = response.header("Content-Encoding", "identity");
        return encoding.equalsIgnoreCase("identity") ? null : encoding;
    }

    private static String type(MediaType media) {
        return media == null ? "" : (media.type() + "/" + media.subtype()).toLowerCase(Locale.ROOT);
    }

    private static Map<String, List<String>> headers(Response response) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        response.headers().toMultimap().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        return headers;
    }

    private static String charset(MediaType media) {
        Charset charset = media == null ? null : media.charset();
        return charset == null ? null : charset.name();
    }

    /** What a request came to that ended in an exception. */
    static FetchResult failure(IOException e, boolean isCanceled) {
        AddressRefusedException refused = AddressRefusedException.behind(e);
        return refused == null
                ? new Failed(0, reason(e, isCanceled), Printable.of(String.valueOf(e.getMessage())))
                : AddressGuard.refused(refused);
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
        return e instanceof ProtocolException && !isBreakingOff(e) ? Reason.PROTOCOL : Reason.BROKEN;
    }

    /** The client knows one exception for an answer that makes no sense and for one that is shorter than announced. */
    private static boolean isBreakingOff(IOException e) {
        return e.getCause() instanceof EOFException || "unexpected end of stream".equals(e.getMessage());
    }
}
