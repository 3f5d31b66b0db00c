package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.url.UrlNormalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * Asks servers for URLs and turns whatever they do into a value.
 *
 * <p>One request a call: no redirect is followed, nothing is sent again behind the caller's back, no cookie is kept. The
 * whole call, from the look-up of the name to the last byte, has one deadline. A body is read to a limit that is counted
 * after decoding, and only when its type is wanted.
 *
 * <p>Safe for use by many threads. {@link #close} ends its connections.
 */
public final class Fetcher implements AutoCloseable {
    private static final String ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5";

    private final OkHttpClient client;
    private final Options options;

    /** Finds the addresses of a host. */
    @FunctionalInterface
    public interface Resolver {
        /**
         * All addresses of a host, the one to try first in front.
         *
         * @throws UnknownHostException when there is none
         */
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    /**
     * What a fetcher is made with.
     *
     * @param userAgent what it calls itself
     * @param headers further header fields that go with every request
     * @param timeout the deadline of a whole call, above 0
     * @param bodyLimit bytes of a body that are read at most, counted after decoding, at least 1
     * @param allBodies whether the bodies of all types are read, or only those with links in them
     * @param connections idle connections that are kept open at most
     * @param resolver finds the addresses of hosts
     */
    public record Options(
            String userAgent,
            Map<String, String> headers,
            Duration timeout,
            int bodyLimit,
            boolean allBodies,
            int connections,
            Resolver resolver) {

        /** The defaults: 30 seconds, 8 MiB, only documents, the system's own look-up of names. */
        public static Options defaults(String userAgent) {
            return new Options(
                    userAgent,
                    Map.of(),
                    Duration.ofSeconds(30),
                    8 << 20,
                    false,
                    64,
                    host -> List.of(InetAddress.getAllByName(host)));
        }

        /** Checks and copies. */
        public Options {
            Objects.requireNonNull(resolver, "resolver");
            headers = Map.copyOf(headers);
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout must be above 0: " + timeout);
            }
            if (bodyLimit < 1) {
                throw new IllegalArgumentException("bodyLimit < 1: " + bodyLimit);
            }
        }
    }

    /** A fetcher with its own connections. */
    public Fetcher(Options options) {
        this.options = options;
        client = new OkHttpClient.Builder()
                .followRedirects(false)
                .followSslRedirects(false)
                .cookieJar(CookieJar.NO_COOKIES)
                .proxy(Proxy.NO_PROXY)
                .dns(host -> options.resolver.addresses(host))
                .callTimeout(options.timeout)
                .connectTimeout(options.timeout)
                .readTimeout(options.timeout)
                .writeTimeout(options.timeout)
                .connectionPool(new ConnectionPool(options.connections, 30, TimeUnit.SECONDS))
                .addNetworkInterceptor(Fetcher::neverSendAgain)
                .build();
    }

    /**
     * The client sends a request again by itself after 408, and after 503 with a Retry-After of 0. When to ask again is
     * decided elsewhere, so it is shown a Retry-After that lets it be.
     */
    private static Response neverSendAgain(Interceptor.Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        boolean sendsAgain = response.code() == 408 || response.code() == 503;
        String retryAfter = response.header("Retry-After");
        return sendsAgain && (retryAfter == null || retryAfter.matches("0*"))
                ? response.newBuilder().header("Retry-After", "1").build()
                : response;
    }

    /** Asks for a URL, in the spelling of {@link UrlNormalizer}; answers within the deadline. */
    public FetchResult fetch(String url) {
        return fetch(url, options.bodyLimit, options.allBodies);
    }

    /** Asks for a URL and reads a body of any type, to a limit of its own. */
    FetchResult fetch(String url, int bodyLimit, boolean anyType) {
        Call call;
        try {
            call = client.newCall(request(url));
        } catch (IllegalArgumentException e) {
            return new Failed(0, Reason.PROTOCOL, "not a URL that can be asked for: " + e.getMessage());
        }
        try (Response response = call.execute()) {
            FetchResult result =
                    isRedirect(response.code()) ? redirect(url, response) : page(response, bodyLimit, anyType);
            // What is left of a body that nobody wants is not worth waiting for.
            if (result instanceof Page page && page.length() != page.body().length) {
                call.cancel();
            }
            return result;
        } catch (IOException e) {
            return new Failed(0, reason(e, call.isCanceled()), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // The client throws these, too, at some malformed answers, such as a negative length.
            return new Failed(0, Reason.PROTOCOL, e.toString());
        }
    }

    private Request request(String url) {
        Request.Builder request = new Request.Builder()
                .url(url)
                .header("User-Agent", options.userAgent)
                .header("Accept", ACCEPT);
        options.headers.forEach(request::header);
        return request.build();
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
                ? new Failed(response.code(), Reason.BAD_REDIRECT, "to " + printable(location))
                : new Redirect(response.code(), target);
    }

    /** A short form of what a server sent, without anything that a terminal could obey. */
    private static String printable(String text) {
        String start = text.length() > 200 ? text.substring(0, 200) + "..." : text;
        return start.replaceAll("\\p{Cntrl}|\\p{Cf}", "?");
    }

    private FetchResult page(Response response, int bodyLimit, boolean anyType) throws IOException {
        MediaType media = response.body().contentType();
        String type = media == null ? "" : (media.type() + "/" + media.subtype()).toLowerCase(Locale.ROOT);
        byte[] body = new byte[0];
        long length = Math.max(0, response.body().contentLength());
        boolean isCut = false;
        if (anyType || mayBeHtml(type)) {
            BufferedSource source = response.body().source();
            isCut = source.request(bodyLimit + 1L);
            body = isCut ? source.readByteArray(bodyLimit) : source.readByteArray();
            length = isCut ? Math.max(length, bodyLimit + 1L) : body.length;
        }
        return new Page(response.code(), headers(response), type, charset(media), body, length, isCut);
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

    private static boolean mayBeHtml(String type) {
        return type.isEmpty() || type.equals("text/html") || type.equals("application/xhtml+xml");
    }

    /** Where the server names no type, a body is taken for a document when it begins like one. */
    static boolean isHtml(String type, byte[] body) {
        if (!type.isEmpty()) {
            return mayBeHtml(type);
        }
        int first = 0;
        while (first < body.length && (body[first] <= ' ')) {
            first++;
        }
        return first < body.length && body[first] == '<';
    }

    private static Reason reason(IOException e, boolean isCanceled) {
        if (e instanceof InterruptedIOException) {
            return Reason.TIMEOUT;
        } else if (isCanceled) {
            return Reason.STOPPED;
        } else if (e instanceof UnknownHostException) {
            return Reason.DNS;
        } else if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return Reason.CONNECT;
        } else if (e instanceof SSLException) {
            return Reason.TLS;
        } else if (e instanceof ProtocolException && !(e.getCause() instanceof EOFException)) {
            return Reason.PROTOCOL;
        }
        return Reason.BROKEN;
    }

    /** Breaks off every request that is under way; they come back as failed. */
    public void cancelAll() {
        client.dispatcher().cancelAll();
    }

    @Override
    public void close() {
        cancelAll();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
