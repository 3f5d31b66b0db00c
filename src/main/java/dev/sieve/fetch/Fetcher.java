package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Asks servers for URLs and turns whatever they do into a value.
 *
 * <p>One request a call: no redirect is followed, nothing is sent again behind the caller's back, no cookie is kept, no
 * proxy is used. The whole call, from the look-up of the name to the last byte, has one deadline. Header fields are read
 * to 256 KiB and to a thousand; a body to a limit that is counted after decoding, and only when its type is wanted.
 * Servers that cannot prove who they are are not talked to.
 *
 * <p>Only public addresses are asked, and those that the {@link AddressPolicy} allows besides, at no port that is known
 * for another protocol. What was refused is {@link FetchResult.Refused}, and nothing was sent. The exception is a place
 * that was {@linkplain #open opened}.
 *
 * <p>Header fields of the user's own, which may hold a password, go only to the origins for which that was said
 * ({@link #sendHeadersTo}), whoever links or redirects there; so they follow a redirect to no other.
 *
 * <p>It speaks HTTP/1.1, in which a server cannot say more than it is asked for. In HTTP/2 it could, on a connection that
 * is idle, and could send more header fields than the client has memory for.
 *
 * <p>Safe for use by many threads. {@link #close} ends its connections.
 */
public final class Fetcher implements AutoCloseable {
    private static final String ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5";

    /** Seconds that are more than anybody waits. */
    private static final String LONG_PAUSE = "999999999";

    private final Options options;
    private final OkHttpClient client;
    private final DnsLookups lookups;
    private final AddressGuard guard;
    private volatile Consumer<String> onSend = host -> {};
    private final Set<String> headerOrigins = ConcurrentHashMap.newKeySet();

    /** Makes a result of a response. */
    @FunctionalInterface
    private interface Reading {
        FetchResult read(String url, Response response) throws IOException;
    }

    /**
     * What a fetcher is made with.
     *
     * @param userAgent what it calls itself
     * @param headers further header fields, see {@link #sendHeadersTo}
     * @param timeout the deadline of a whole call, above 0
     * @param bodyLimit bytes of a body that are read at most, counted after decoding, at least 1
     * @param allBodies whether the bodies of all types are read, or only those with links in them
     * @param connections requests at a time, for each of which an idle connection is kept open; at least 1
     * @param resolver finds the addresses of hosts
     * @param addresses which addresses may be asked
     */
    public record Options(
            String userAgent,
            Map<String, String> headers,
            Duration timeout,
            int bodyLimit,
            boolean allBodies,
            int connections,
            Resolver resolver,
            AddressPolicy addresses) {

        /** The defaults: 30 seconds, 8 MiB, only documents, the system's own look-up of names, public addresses. */
        public static Options defaults(String userAgent) {
            return new Options(
                    userAgent,
                    Map.of(),
                    Duration.ofSeconds(30),
                    8 << 20,
                    false,
                    64,
                    host -> List.of(InetAddress.getAllByName(host)),
                    AddressPolicy.publicOnly());
        }

        /** Checks and copies. */
        public Options {
            Objects.requireNonNull(resolver, "resolver");
            Objects.requireNonNull(addresses, "addresses");
            headers = Map.copyOf(headers);
            headers.forEach(Options::checkHeader);
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout must be above 0: " + timeout);
            }
            if (bodyLimit < 1) {
                throw new IllegalArgumentException("bodyLimit < 1: " + bodyLimit);
            }
            if (connections < 1) {
                throw new IllegalArgumentException("connections < 1: " + connections);
            }
        }

        /**
         * Checks a header field.
         *
         * @throws IllegalArgumentException when it could not be sent, or would bring bodies in an encoding that is not
         *     understood here
         */
        public static void checkHeader(String name, String value) {
            Headers.of(name, value);
            if (name.equalsIgnoreCase("Accept-Encoding")) {
                throw new IllegalArgumentException("the encoding is not free to choose: " + name + ": " + value);
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
                .protocols(List.of(Protocol.HTTP_1_1))
                .callTimeout(options.timeout)
                .connectTimeout(options.timeout)
                .readTimeout(options.timeout)
                .writeTimeout(options.timeout)
                .connectionPool(new ConnectionPool(options.connections, 30, TimeUnit.SECONDS))
                .addNetworkInterceptor(this::send)
                .build();
        lookups = new DnsLookups(options.resolver, options.timeout, options.connections);
        guard = new AddressGuard(options.addresses, lookups, client);
    }

    /**
     * Tells that a request goes out, checks its answer, and keeps the client from sending it again by itself after 408,
     * and after 503 with a Retry-After of 0: when to ask again is decided elsewhere, so it is shown a Retry-After that
     * lets it be.
     */
    private Response send(Interceptor.Chain chain) throws IOException {
        onSend.accept(chain.request().tag(String.class));
        Response response = chain.proceed(chain.request());
        ResponseReader.check(response);
        boolean sendsAgain = response.code() == 408 || response.code() == 503;
        String retryAfter = response.header("Retry-After");
        if (!sendsAgain || (retryAfter != null && !retryAfter.matches("0*|\\d{10,}"))) {
            return response;
        }
        // The client reads the field, too, and fails at a number that is no int.
        String readable = retryAfter == null || retryAfter.matches("0*") ? "1" : LONG_PAUSE;
        return response.newBuilder().header("Retry-After", readable).build();
    }

    /**
     * Says who is told the host of each request, as {@link UrlParts#host} has it, at the moment when the connection is
     * there and the request goes out; again, should a connection that was kept turn out to be closed, so that it has to
     * go out over another one.
     */
    public void onSend(Consumer<String> listener) {
        onSend = Objects.requireNonNull(listener, "listener");
    }

    /**
     * Opens the host and port of a URL, whatever the port and the addresses of the host: for a URL that its user has
     * typed himself.
     *
     * @throws IllegalArgumentException when it is no URL that can be fetched
     */
    public void open(String url) {
        guard.open(HttpUrl.get(UrlNormalizer.base(url).url()));
    }

    /**
     * Sends the header fields of the options along with every request to the origin of a URL; for an http origin without
     * a port, with those to its https twin, too.
     *
     * @throws IllegalArgumentException when it is no URL that can be fetched
     */
    public void sendHeadersTo(String url) {
        String origin = UrlParts.origin(UrlNormalizer.base(url).url());
        if (options.headers.isEmpty()) {
            return;
        }
        headerOrigins.add(origin);
        if (origin.startsWith("http:") && origin.lastIndexOf(':') == "http".length()) {
            headerOrigins.add("https" + origin.substring("http".length()));
        }
    }

    /**
     * Why a URL is refused, as far as that is known before anybody is asked: by its port, or by the address in it.
     *
     * @return null when it is not
     */
    public Refused objection(String url) {
        String parsed = UrlNormalizer.parse(url);
        return parsed == null ? null : guard.objection(HttpUrl.get(parsed));
    }

    /** Asks for a URL; answers within the deadline. */
    public FetchResult fetch(String url) {
        return fetch(url, options.bodyLimit, options.allBodies);
    }

    /** Asks for a URL and reads a body of any type, to a limit of its own. */
    public FetchResult fetch(String url, int bodyLimit, boolean anyType) {
        return fetch(url, (parsed, response) -> ResponseReader.read(parsed, response, bodyLimit, anyType));
    }

    /**
     * Asks for a URL and hands the body, whatever its type, to a reader while it comes, if the status is 2xx. No limit
     * holds but the deadline, and that for the reader's work, too: how much is read, and kept, is up to the reader, who
     * is called once at most and by this thread.
     *
     * <p>What the reader throws comes out of here, but for an {@link IOException}, which is a body that broke off.
     *
     * @return a page without its body, or whatever else came of it
     */
    public FetchResult stream(String url, BodyReader reader) {
        AtomicReference<RuntimeException> thrown = new AtomicReference<>();
        BodyReader remembering = body -> {
            try {
                reader.read(body);
            } catch (RuntimeException e) {
                thrown.set(e);
                throw e;
            }
        };
        FetchResult result = fetch(url, (parsed, response) -> ResponseReader.stream(parsed, response, remembering));
        if (thrown.get() != null) {
            throw thrown.get();
        }
        return result;
    }

    private FetchResult fetch(String url, Reading reading) {
        String parsed = UrlNormalizer.parse(url);
        if (parsed == null) {
            return new Failed(0, Reason.PROTOCOL, "not a URL that can be asked for: " + Printable.of(url));
        }
        try {
            HttpUrl target = HttpUrl.get(parsed);
            Refused refused = guard.objection(target);
            return refused == null ? ask(parsed, target, reading) : refused;
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            // The client is not meant to throw these at what a server sends, and has done so.
            return new Failed(0, Reason.PROTOCOL, Printable.of(e.toString()));
        }
    }

    private FetchResult ask(String url, HttpUrl target, Reading reading) {
        Call call = guard.client(target).newCall(request(url, target));
        try (Response response = call.execute()) {
            FetchResult result = reading.read(url, response);
            // What is left of a body that nobody wants is not worth waiting for.
            if (result instanceof Page page && page.length() != page.body().length) {
                call.cancel();
            }
            return result;
        } catch (IOException e) {
            return ResponseReader.failure(e, call.isCanceled());
        }
    }

    private Request request(String url, HttpUrl target) {
        Request.Builder request = new Request.Builder()
                .url(target)
                .tag(String.class, UrlParts.host(url))
                .header("User-Agent", options.userAgent)
                .header("Accept", ACCEPT);
        if (!options.headers.isEmpty() && headerOrigins.contains(UrlParts.origin(url))) {
            options.headers.forEach(request::header);
        }
        return request.build();
    }

    /** Breaks off every request that is under way; they come back as failed. */
    public void cancelAll() {
        client.dispatcher().cancelAll();
    }

    /** Connections over which an answer is being read, or was never read to its end nor given up. */
    public int connectionsInUse() {
        return client.connectionPool().connectionCount()
                - client.connectionPool().idleConnectionCount();
    }

    @Override
    public void close() {
        cancelAll();
        lookups.close();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
