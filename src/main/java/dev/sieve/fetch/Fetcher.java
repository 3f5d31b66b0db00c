package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.net.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Requests URLs and returns whatever the server does as a value.
 *
 * <p>One request per call: no redirect is followed, no cookie is kept, no proxy is used but that of the options, and
 * nothing is sent again. If the server has closed a connection that was kept for further requests, the call fails with
 * {@link Reason#CLOSED}, and the caller decides when to repeat it. Of a host with many addresses, up to four IPv4 and
 * four IPv6 addresses are tried until a connection succeeds; the request is sent over that one only.
 *
 * <p>The whole call, from the lookup of the host to the last byte, has one deadline. At most 256 KiB and a thousand
 * header fields are read, a body up to a limit that is counted after decoding, and at most 512 KiB of anything else
 * between two parts of the body. Servers without a valid certificate are refused.
 *
 * <p>The memory of all bodies is limited, whatever servers send; see {@link #release}.
 *
 * <p>Only public addresses are requested, and those that the {@link AddressPolicy} allows in addition, and no port of
 * another protocol; otherwise the result is {@link FetchResult.Refused}, and nothing is sent. Hosts and ports that were
 * {@linkplain #open opened} are exempt.
 *
 * <p>Header fields of the user, which may contain a password, are sent only to the origins named by
 * {@link #sendHeadersTo}, whatever links or redirects there.
 *
 * <p>The protocol is HTTP/1.1, in which a server sends only what was requested. An https origin that refuses it, in the
 * handshake of TLS, with a status 426 whose Upgrade names HTTP/2, or by ending a new connection without a response, is
 * remembered and gets requests by HTTP/2 from then on, each with a connection of its own, unless it refuses that; the
 * refused request fails with {@link Reason#CLOSED}.
 *
 * <p>Safe for use by many threads. {@link #close} closes its connections.
 */
public final class Fetcher implements PageFetcher, AutoCloseable {
    /** How long an idle connection is kept: less than servers keep it, many of which close it after five seconds. */
    private static final int IDLE_SECONDS = 4;

    /** The longest that a host may take to accept a connection: time for two repetitions, after one and three seconds. */
    private static final int MAX_CONNECT_MILLIS = 5000;

    /** How many origins that refuse HTTP/1.1 are remembered. */
    private static final int MAX_ORIGINS = 10_000;

    private static final int UPGRADE_REQUIRED = 426;

    /** HTTP/2 in a list of protocols, but not WebSocket. */
    private static final Pattern HTTP2 = Pattern.compile("(?i)(?:^|[\\s,])(?:h2|http/2)(?:\\.0)?(?:[\\s,]|$)");

    private static final String ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5";

    private final Options options;
    private final @Nullable Signer signer;
    private final OkHttpClient client;
    private final DnsLookups lookups;
    private final AddressGuard guard;
    final BodyMemory memory;
    final ResponseReader reader;
    private final HttpCall.Context context;
    private final Set<String> headerOrigins = ConcurrentHashMap.newKeySet();
    /** Whether requests for an origin that has refused HTTP/1.1 are sent by HTTP/2; false if it refuses that, too. */
    private final Map<String, Boolean> http2 = new ConcurrentHashMap<>();

    private final Set<HttpCall> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopped;

    /**
     * The options of a fetcher.
     *
     * @param userAgent the User-Agent header
     * @param headers further header fields, see {@link #sendHeadersTo}
     * @param timeout the deadline of a call, above 0
     * @param bodyLimit the largest number of bytes to read from a body, decoded, at least 1
     * @param connections the number of parallel requests and of idle connections kept open; at least 1
     * @param resolver looks up the addresses of hosts
     * @param addresses which addresses may be requested
     * @param bodyMemory bytes for the bodies of all requests together, see {@link #release}; above 0
     * @param proxy through which proxy requests are sent
     * @param keepsExchanges whether what is sent and received is kept, see {@link FetchResult#exchange}; then bodies of
     *     every type and status are read up to the limit
     */
    public record Options(
            String userAgent,
            Map<String, String> headers,
            Duration timeout,
            int bodyLimit,
            int connections,
            Resolver resolver,
            AddressPolicy addresses,
            long bodyMemory,
            ProxySettings proxy,
            boolean keepsExchanges) {

        /** Checks and copies the options. */
        public Options {
            Objects.requireNonNull(resolver, "resolver");
            Objects.requireNonNull(addresses, "addresses");
            Objects.requireNonNull(proxy, "proxy");
            headers = Map.copyOf(headers);
            headers.forEach(Options::checkHeader);
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout must be above 0: " + timeout);
            }
            if (bodyLimit < 1 || connections < 1 || bodyMemory < 1) {
                throw new IllegalArgumentException("bodyLimit, connections and bodyMemory must be at least 1: "
                        + bodyLimit + ", " + connections + ", " + bodyMemory);
            }
        }

        /**
         * Checks a header field.
         *
         * @throws IllegalArgumentException when it is not valid, or is Accept-Encoding, which would bring bodies that
         *     cannot be decoded; the message does not contain the value
         */
        public static void checkHeader(String name, String value) {
            Headers.of(name, "");
            if (!value.matches("[\\t -~]*")) {
                throw new IllegalArgumentException(
                        "the value of " + name + " has a character that header fields cannot have");
            }
            if (name.equalsIgnoreCase("Accept-Encoding")) {
                throw new IllegalArgumentException("Accept-Encoding cannot be overridden");
            }
        }
    }

    /** Makes a fetcher with its own connections, whose requests are not signed. */
    public Fetcher(Options options) {
        this(options, null);
    }

    /** Makes a fetcher with its own connections. The signer, if any, signs each request for its host. */
    public Fetcher(Options options, @Nullable Signer signer) {
        this.options = options;
        this.signer = signer;
        // A request waits for memory while its time runs; so there have to be several turns in it.
        long patienceNanos = options.timeout.toNanos() / 16;
        long largest = (options.keepsExchanges ? 2L : 1L) * options.bodyLimit;
        memory = new BodyMemory(options.bodyMemory, options.connections, largest, patienceNanos);
        reader = new ResponseReader(options.bodyLimit);
        int kept = options.keepsExchanges ? options.bodyLimit : 0;
        context = new HttpCall.Context(
                memory, reader, kept, options.userAgent, this::isStopped, TrustedCertificates.context());
        client = HttpCall.client(new OkHttpClient.Builder()
                .followRedirects(false)
                .followSslRedirects(false)
                .retryOnConnectionFailure(false)
                .cookieJar(CookieJar.NO_COOKIES)
                .proxy(Proxy.NO_PROXY)
                .protocols(List.of(Protocol.HTTP_1_1))
                .callTimeout(options.timeout)
                .connectTimeout(
                        Math.max(1, Math.min(options.timeout.toMillis() / 3, MAX_CONNECT_MILLIS)),
                        TimeUnit.MILLISECONDS)
                .readTimeout(options.timeout)
                .writeTimeout(options.timeout)
                .connectionPool(new ConnectionPool(options.connections, IDLE_SECONDS, TimeUnit.SECONDS)));
        lookups = new DnsLookups(options.resolver, options.timeout, options.connections);
        guard = new AddressGuard(options.addresses, lookups, client, options.proxy);
    }

    /**
     * Remembers an origin that refuses a protocol; returns why the request is to be repeated by the other one, or null.
     * Servers of HTTP/2 that negotiate nothing end the connection without a response.
     */
    private @Nullable String otherProtocol(OkHttpClient way, String origin, FetchResult result, HttpCall call) {
        if (!origin.startsWith("https:") || !Proxy.NO_PROXY.equals(way.proxy()) || http2.size() >= MAX_ORIGINS) {
            return null;
        }
        Boolean before = http2.get(origin);
        boolean isRefused = HttpCall.isRefused(result);
        if (before == null && (isRefused || call.isMute(result) || requiresHttp2(call.head))) {
            http2.put(origin, true);
            return "the server requires HTTP/2";
        } else if (isRefused && Boolean.TRUE.equals(before)) {
            http2.put(origin, false);
            return "the server does not speak HTTP/2";
        }
        return null;
    }

    private static boolean requiresHttp2(@Nullable Response head) {
        return head != null
                && head.status() == UPGRADE_REQUIRED
                && HTTP2.matcher(String.join(",", head.values("upgrade"))).find();
    }

    /**
     * Opens the host and port of a URL, for URLs that the user has typed. The port may be any, and so may an address in
     * the URL. A name may have any addresses in its first lookup, except those of metadata services; later lookups may
     * return these, and addresses that the policy allows.
     *
     * @throws IllegalArgumentException when it is not a URL that can be requested
     */
    public void open(String url) {
        guard.open(HttpUrl.get(UrlNormalizer.base(url).url()));
    }

    /**
     * Sends the header fields of the options to the origin of a URL; for an http origin without a port, also to its
     * https origin.
     *
     * @throws IllegalArgumentException when it is not a URL that can be requested
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
     * Returns why a URL is refused by its port or address, as far as this is known without a lookup; null if it is not.
     */
    public @Nullable Refused objection(String url) {
        String parsed = UrlNormalizer.parse(url);
        return parsed == null ? null : guard.objection(HttpUrl.get(parsed));
    }

    /**
     * {@inheritDoc}
     *
     * <p>A part of the memory for bodies belongs to each of the parallel requests; a larger body waits for room in the
     * rest, and counts until it is {@linkplain #release released}. While others wait, a request with a large body that
     * takes long fails with a timeout.
     */
    @Override
    public FetchResult fetch(FetchRequest request) {
        String parsed = UrlNormalizer.parse(request.url());
        if (parsed == null) {
            return new Failed(0, Reason.PROTOCOL, "not a URL that can be requested: " + Printable.of(request.url()));
        }
        Callbacks callbacks = new Callbacks();
        return callbacks.result(() -> send(parsed, request, callbacks), memory, this::isStopped);
    }

    @Override
    public void release(FetchResult result) {
        memory.release(result);
    }

    /** Notes that an exchange is not used any more, although the body of its result may be. */
    public void release(Exchange exchange) {
        memory.release(exchange.body());
    }

    private FetchResult send(String url, FetchRequest request, Callbacks callbacks) {
        HttpUrl target = HttpUrl.get(url);
        Refused refused = guard.objection(target);
        if (refused != null) {
            return refused;
        }
        OkHttpClient way = guard.client(target);
        String origin = UrlParts.origin(url);
        boolean isHttp2 = http2.getOrDefault(origin, false);
        HttpCall call = new HttpCall(context, url, request, head(url, request.fields()), callbacks, way, isHttp2);
        calls.add(call);
        request.watch().begins(call::cancel);
        if (isStopped) {
            call.cancel();
        }
        FetchResult result;
        try {
            result = call.fetch();
        } finally {
            calls.remove(call);
        }
        String repeat = result instanceof FetchResult.NotSent ? null : otherProtocol(way, origin, result, call);
        if (repeat == null) {
            return result;
        }
        release(result);
        return new Failed(0, Reason.CLOSED, repeat);
    }

    /** Returns the header of a request. */
    private Headers head(String url, Map<String, String> fields) {
        Headers.Builder head = new Headers.Builder()
                .add("User-Agent", options.userAgent)
                .add("Accept", ACCEPT)
                .add("Accept-Encoding", "gzip");
        fields.forEach((name, value) -> {
            if (name.equals("Cookie")) {
                // Its characters were checked, and may be beyond ASCII.
                head.addUnsafeNonAscii(name, value);
            } else {
                head.set(name, value);
            }
        });
        // Not for what a page of another origin needs.
        if (!fields.containsKey("Origin") && headerOrigins.contains(UrlParts.origin(url))) {
            options.headers.forEach(head::set);
            if (fields.containsKey("Cookie")) {
                options.headers.keySet().stream()
                        .filter("Cookie"::equalsIgnoreCase)
                        .forEach(name -> head.removeAll(name)
                                .addUnsafeNonAscii(name, options.headers.get(name) + "; " + fields.get("Cookie")));
            }
        }
        if (signer != null) {
            signer.fields(url).forEach(head::set);
        }
        return head.add("Host", UrlParts.hostAndPort(url)).build();
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Cancels all requests in progress. From now on, the reason of every failure is {@link Reason#STOPPED}. */
    public void stop() {
        isStopped = true;
        calls.forEach(HttpCall::cancel);
    }

    /** Returns the number of connections that are not idle. */
    public int connectionsInUse() {
        ConnectionPool pool = client.connectionPool();
        int all;
        int idle;
        do {
            all = pool.connectionCount();
            idle = pool.idleConnectionCount();
            // A thread of the pool closes idle ones at any time.
        } while (all != pool.connectionCount());
        return all - idle;
    }

    @Override
    public void close() {
        stop();
        lookups.close();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
