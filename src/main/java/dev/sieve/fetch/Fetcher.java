package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.NotSent;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.EventListener;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;
import okhttp3.internal._UtilJvmKt;
import org.jspecify.annotations.Nullable;

/**
 * Requests URLs and returns whatever the server does as a value.
 *
 * <p>One request per call: no redirect is followed, no cookie is kept, no proxy is used but that of the options, and
 * nothing is sent again. If the server has closed a connection that was kept for further requests, the call fails with
 * {@link Reason#CLOSED}, and the caller decides when to repeat it. Of a host with many addresses, up to four IPv4 and four
 * IPv6 addresses are tried until a connection succeeds; the request is sent over that one only.
 *
 * <p>The whole call, from the lookup of the host to the last byte, has one deadline. At most 256 KiB and a thousand header
 * fields are read, a body up to a limit that is counted after decoding, and at most 512 KiB of anything else between two
 * parts of the body. Servers without a valid certificate are refused.
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
 * <p>The protocol is HTTP/1.1, in which a server sends only what was requested. An https origin that refuses it, in the handshake of
 * TLS, with a status 426 whose Upgrade names HTTP/2, or by ending a new connection without a response, is remembered and gets
 * requests by HTTP/2 from then on, each with a connection of its own, unless it refuses that; the refused request fails with
 * {@link Reason#CLOSED}.
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
    private final OkHttpClient client;
    private final DnsLookups lookups;
    private final AddressGuard guard;
    private final WireLimit wire = new WireLimit();
    final BodyMemory memory;
    private final ResponseReader reader;
    private final Connections connections;
    private final Set<String> headerOrigins = ConcurrentHashMap.newKeySet();
    /** Whether requests for an origin that has refused HTTP/1.1 are sent by HTTP/2; false if it refuses that, too. */
    private final Map<String, Boolean> http2 = new ConcurrentHashMap<>();

    /** The calls in progress; those of the client end with the head of the response. */
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();

    private volatile boolean isStopped;

    /** What became of a call. */
    static final class Received {
        private final FetchRequest.Watch watch;
        private final FetchRequest request;
        /** Whether the watch did not let it be sent. */
        private boolean isNotSent;
        /** What the watch or the reader of the body has thrown. */
        @Nullable
        RuntimeException thrown;

        private @Nullable Connection connection;
        /** The socket of a request by HTTP/2, which the client does not close. */
        private volatile @Nullable Socket socket;
        /** Whether an earlier call has used the connection. */
        private boolean isKept;
        /** Why the head of the response could not be received. */
        private @Nullable IOException failure;

        private @Nullable Response response;

        Received(FetchRequest request) {
            this.request = request;
            watch = request.watch();
        }

        /** Returns whether the request is to be sent over its connection. */
        boolean maySend(Interceptor.Chain chain) {
            Route route = chain.connection().route();
            String host = Objects.requireNonNull(chain.request().tag(String.class));
            return passes(
                    () -> watch.mayUse(address(route.socketAddress(), route.proxy()), true) && watch.maySend(host));
        }

        boolean passes(BooleanSupplier check) {
            try {
                isNotSent |= !check.getAsBoolean();
                return !isNotSent;
            } catch (RuntimeException e) {
                thrown = e;
                return false;
            }
        }

        /** Closes the socket of a request by HTTP/2. */
        void close() {
            Socket open = socket;
            if (open != null) {
                _UtilJvmKt.closeQuietly(open);
            }
        }

        private static @Nullable InetAddress address(InetSocketAddress place, Proxy proxy) {
            return proxy.type() == Proxy.Type.DIRECT ? place.getAddress() : null;
        }
    }

    /** Converts a response to a result. */
    @FunctionalInterface
    interface Reading {
        FetchResult read(String url, Response response, BodyMemory.Body room) throws IOException;
    }

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
     * @param keepsExchanges whether what is sent and received is kept, see {@link FetchResult#exchange}; then bodies of every
     *     type and status are read up to the limit
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

    /** Makes a fetcher with its own connections. */
    public Fetcher(Options options) {
        this.options = options;
        // A request waits for memory while its time runs; so there have to be several turns in it.
        long patienceNanos = options.timeout.toNanos() / 16;
        long largest = (options.keepsExchanges ? 2L : 1L) * options.bodyLimit;
        memory = new BodyMemory(options.bodyMemory, options.connections, largest, patienceNanos);
        reader = new ResponseReader(wire);
        connections = new Connections(wire);
        client = new OkHttpClient.Builder()
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
                .connectionPool(new ConnectionPool(options.connections, IDLE_SECONDS, TimeUnit.SECONDS))
                .eventListener(new EventListener() {
                    @Override
                    public void connectStart(Call call, InetSocketAddress place, Proxy proxy) {
                        Received received =
                                Objects.requireNonNull(call.request().tag(Received.class));
                        if (!received.passes(() -> received.watch.mayUse(Received.address(place, proxy), false))) {
                            // The client checks that before it connects.
                            call.cancel();
                        }
                    }

                    @Override
                    public void canceled(Call call) {
                        Objects.requireNonNull(call.request().tag(Received.class))
                                .close();
                    }

                    @Override
                    public void requestHeadersEnd(Call call, Request request) {
                        receive(Objects.requireNonNull(request.tag(Received.class)));
                    }
                })
                .addNetworkInterceptor(this::send)
                .build();
        lookups = new DnsLookups(options.resolver, options.timeout, options.connections);
        guard = new AddressGuard(options.addresses, lookups, wire, client, options.proxy, options.userAgent);
    }

    /**
     * Reports and sends a request and checks the response. What the client would act on by itself, the status and the header
     * fields, is hidden from it.
     */
    private Response send(Interceptor.Chain chain) throws IOException {
        Received received = Objects.requireNonNull(chain.request().tag(Received.class));
        if (!received.maySend(chain)) {
            throw new IOException("not sent");
        }
        Response response = exchange(chain, received);
        try {
            Connection used = Objects.requireNonNull(received.connection);
            return accept(response, used.route().proxy().type(), used.socket(), received);
        } catch (ProtocolException e) {
            // The client might use the connection again.
            Connections.close(chain.connection());
            throw e;
        }
    }

    /** Sends a request by HTTP/2, with the addresses, sockets and certificates of a client. */
    private static Response sendByHttp2(OkHttpClient way, Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        Received received = Objects.requireNonNull(request.tag(Received.class));
        SSLSocket socket = Http2Call.connect(way, request.url(), (raw, address) -> {
            received.socket = raw;
            return !chain.call().isCanceled() && received.passes(() -> received.watch.mayUse(address, false));
        });
        String host = Objects.requireNonNull(request.tag(String.class));
        InetAddress address = socket.getInetAddress();
        if (!received.passes(() -> received.watch.mayUse(address, true) && received.watch.maySend(host))) {
            throw new IOException("not sent");
        }
        String authority = UrlParts.origin(request.url().toString()).substring("https://".length());
        Request sent = request.newBuilder().header("Host", authority).build();
        Response response = new Http2Call(socket, way.callTimeoutMillis()).respond(sent);
        return accept(response, Proxy.Type.DIRECT, socket, received);
    }

    /**
     * Remembers an origin that refuses a protocol; returns why the request is to be repeated by the other one, or null. Servers of
     * HTTP/2 that negotiate nothing end the connection without a response.
     */
    private @Nullable String otherProtocol(OkHttpClient way, String origin, FetchResult result, Received received) {
        if (!origin.startsWith("https:") || !Proxy.NO_PROXY.equals(way.proxy()) || http2.size() >= MAX_ORIGINS) {
            return null;
        }
        Boolean before = http2.get(origin);
        Response response = received.response;
        Failed failed = result instanceof Failed each ? each : null;
        boolean isRefused = failed != null && failed.detail().contains(Http2Call.NO_PROTOCOL);
        boolean isMute = failed != null
                && failed.reason() == Reason.BROKEN
                && response == null
                && received.connection != null
                && !received.isKept;
        boolean isRequired = response != null
                && response.code() == UPGRADE_REQUIRED
                && HTTP2.matcher(String.join(",", response.headers("Upgrade"))).find();
        if (before == null && (isRefused || isMute || isRequired)) {
            http2.put(origin, true);
            return "the server requires HTTP/2";
        } else if (isRefused && Boolean.TRUE.equals(before)) {
            http2.put(origin, false);
            return "the server does not speak HTTP/2";
        }
        return null;
    }

    private static Response accept(Response received, Proxy.Type proxy, Socket socket, Received call)
            throws ProtocolException {
        Response response = received;
        call.watch.responded();
        call.request.head().accept(response::headers);
        Capture capture = response.request().tag(Capture.class);
        if (capture != null) {
            response = capture.of(proxy, socket, response);
        }
        ResponseReader.check(response);
        call.response = response;
        return response.newBuilder()
                .code(HttpURLConnection.HTTP_OK)
                .headers(Headers.of())
                .build();
    }

    /** Receives the head of a response before the client reads it. */
    private void receive(Received received) {
        try {
            connections.receive(Objects.requireNonNull(received.connection));
        } catch (IOException e) {
            received.failure = e;
        }
    }

    private Response exchange(Interceptor.Chain chain, Received received) throws IOException {
        Connection connection = Objects.requireNonNull(chain.connection());
        received.connection = connection;
        received.isKept = connections.use(client, chain, received);
        Response response;
        try {
            response = chain.proceed(chain.request());
        } catch (IOException e) {
            IOException reason = received.failure == null ? e : received.failure;
            throw received.isKept ? ResponseReader.closed(reason) : reason;
        }
        boolean isKeptOpen = "keep-alive".equalsIgnoreCase(response.header("Connection"));
        if (response.protocol() == Protocol.HTTP_1_0 && !isKeptOpen) {
            Connections.closeAfterCall(connection);
        }
        return response;
    }

    /**
     * Opens the host and port of a URL, for URLs that the user has typed. The port may be any, and so may an address in the
     * URL. A name may have any addresses in its first lookup, except those of metadata services; later lookups may return
     * these, and addresses that the policy allows.
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
        Received received = new Received(request);
        FetchResult result;
        try {
            HttpUrl target = HttpUrl.get(parsed);
            Refused refused = guard.objection(target);
            result = refused == null ? send(parsed, target, request, received) : refused;
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            result = failure(e);
        }
        if (received.thrown != null) {
            release(result);
            throw received.thrown;
        }
        return result;
    }

    /** Returns how the body of a request is read. */
    Reading reading(FetchRequest.Body body, Received received) {
        if (body instanceof FetchRequest.Streamed streamed) {
            return (url, response, room) ->
                    reader.stream(url, response, room, in -> read(in, streamed.reader(), received));
        } else if (body instanceof FetchRequest.Kept kept) {
            int limit = kept.limit() == 0 ? options.bodyLimit : kept.limit();
            boolean anyType = kept.anyType();
            return (url, response, room) -> reader.read(url, response, room, limit, anyType);
        }
        return ResponseReader::head;
    }

    private static void read(InputStream body, BodyReader reader, Received received) throws IOException {
        try {
            reader.read(body);
        } catch (RuntimeException e) {
            received.thrown = e;
            throw e;
        }
    }

    @Override
    public void release(FetchResult result) {
        Exchange exchange = result.exchange();
        if (exchange != null) {
            release(exchange);
        }
        if (result instanceof Page page) {
            memory.release(page.body());
        }
    }

    /** Notes that an exchange is not used any more, although the body of its result may be. */
    public void release(Exchange exchange) {
        memory.release(exchange.body());
    }

    /** Returns the failure of a client that has thrown something for data from a server, although it should not. */
    private Failed failure(Throwable thrown) {
        return new Failed(0, isStopped ? Reason.STOPPED : Reason.PROTOCOL, Printable.of(thrown.toString()));
    }

    private FetchResult send(String url, HttpUrl target, FetchRequest request, Received received) {
        Reading reading = reading(request.body(), received);
        boolean isHead = request.body() instanceof FetchRequest.None;
        int kept = isHead && !options.keepsExchanges ? 0 : options.bodyLimit;
        Capture capture = options.keepsExchanges ? new Capture(url, kept) : null;
        OkHttpClient way = guard.client(target);
        String origin = UrlParts.origin(url);
        OkHttpClient sending = http2.getOrDefault(origin, false)
                ? way.newBuilder()
                        .addInterceptor(chain -> sendByHttp2(way, chain))
                        .build()
                : way;
        Call call = sending.newCall(request(url, target, request.fields(), capture, received));
        calls.add(call);
        request.watch().begins(call::cancel);
        if (isStopped) {
            call.cancel();
        }
        FetchResult result;
        boolean hasSurplus = false;
        try (BodyMemory.Body room = memory.new Body(call::cancel, call::isCanceled)) {
            result = capture == null
                    ? send(url, call, received, room, null, kept, reading)
                    : sendAndCapture(url, call, received, room, capture, kept, reading);
        } finally {
            calls.remove(call);
            received.close();
            hasSurplus = received.connection != null && connections.leave(received.connection, received);
        }
        if (received.isNotSent) {
            return new NotSent();
        }
        String repeat = otherProtocol(way, origin, result, received);
        if (repeat != null) {
            release(result);
            return new Failed(0, Reason.CLOSED, repeat);
        } else if (!hasSurplus || !received.isKept) {
            return result;
        }
        // The response may belong to the request before, and what follows to this one.
        release(result);
        return ResponseReader.failure(ResponseReader.surplus(), isStopped ? Reason.STOPPED : null);
    }

    private FetchResult sendAndCapture(
            String url,
            Call call,
            Received received,
            BodyMemory.Body room,
            Capture capture,
            int kept,
            Reading reading) {
        capture.use(room);
        FetchResult result;
        try {
            result = send(url, call, received, room, capture, kept, reading);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            result = failure(e);
        }
        return with(capture.exchange(cancellation(call)), result);
    }

    /** Adds an exchange to a result; a page also says how much of a body was read only for its exchange. */
    private static FetchResult with(@Nullable Exchange exchange, FetchResult result) {
        return result instanceof Page page && page.body().length == 0 && exchange != null
                ? new Page(
                        page.status(),
                        page.headers(),
                        page.type(),
                        page.body(),
                        exchange.body().length,
                        exchange.cut() != Exchange.Cut.NONE,
                        page.problem(),
                        exchange)
                : result.with(exchange);
    }

    private FetchResult send(
            String url,
            Call call,
            Received received,
            BodyMemory.Body room,
            @Nullable Capture capture,
            int kept,
            Reading reading) {
        wire.restart();
        try (Response response = execute(call, received)) {
            FetchResult result;
            try {
                result = reading.read(url, response, room);
            } catch (IOException e) {
                // Judged before the rest is read, for which the deadline may be too short.
                result = ResponseReader.failure(response, e, cancellation(call));
            } finally {
                if (capture != null) {
                    capture.readRest(wire);
                }
            }
            // Do not wait for the rest of the body.
            if (capture != null
                    ? capture.hasMore()
                    : result instanceof Page page && (kept == 0 || page.isCut() || isUnread(page, response))) {
                call.cancel();
            }
            return result;
        } catch (IOException e) {
            return ResponseReader.failure(e, cancellation(call));
        }
    }

    /** Sends a request; returns the response, of which the client returns another form. */
    private static Response execute(Call call, Received received) throws IOException {
        call.execute();
        return Objects.requireNonNull(received.response);
    }

    private static boolean isUnread(Page page, Response response) {
        return page.body().length == 0 && response.body().contentLength() > 0;
    }

    /** Returns why a request failed if that is due to a stop or a cancelled call; null otherwise. */
    private @Nullable Reason cancellation(Call call) {
        // Besides a stop, calls are cancelled by their deadline, and by bodies that wait for their memory.
        return isStopped ? Reason.STOPPED : call.isCanceled() ? Reason.TIMEOUT : null;
    }

    private Request request(
            String url, HttpUrl target, Map<String, String> fields, @Nullable Capture capture, Received received) {
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
        return new Request.Builder()
                .url(target)
                .tag(String.class, UrlParts.host(url))
                .tag(Capture.class, capture)
                .tag(Received.class, received)
                .headers(head.build())
                .build();
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Cancels all requests in progress. From now on, the reason of every failure is {@link Reason#STOPPED}. */
    public void stop() {
        isStopped = true;
        calls.forEach(Call::cancel);
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
