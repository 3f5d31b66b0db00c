package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.NotSent;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.ProxySettings.Server;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent, and its response, by HTTP/1.1 or HTTP/2. Used by one thread; another one may cancel it.
 *
 * <p>The client sends it over a {@link WireSocket} as if its URL were one of http, which the socket makes secure. It
 * knows neither the status nor the header of the response, on which it could act.
 */
final class HttpCall {
    /** How long the rest of a body that is not needed is waited for, so that its connection can be kept, and how often. */
    private static final int MAX_WAIT_MILLIS = 100;

    private static final int MAX_WAITS = 16;

    private final Context context;
    private final String url;
    private final HttpUrl target;
    private final FetchRequest request;
    private final Callbacks callbacks;
    private @Nullable Capture capture;
    private final OkHttpClient client;
    private final Call call;

    private @Nullable WireSocket socket;
    /** The response without its body, as soon as its head has arrived. */
    @Nullable
    Response head;

    private @Nullable Response response;
    /** Whether an earlier call has used the connection, and whether this one has sent its request. */
    private boolean isKept;

    private boolean isSent;
    private boolean hasSurplus;

    /**
     * What calls share.
     *
     * @param keptBytes how much of a body is kept for an {@link Exchange}; 0 for no exchange
     */
    record Context(
            BodyMemory memory,
            ResponseReader reader,
            int keptBytes,
            String userAgent,
            BooleanSupplier isStopped,
            SSLContext trust) {}

    /**
     * Creates a call.
     *
     * @param fields the header of the request
     * @param client sends it; it was made by a {@link #client}
     * @param isHttp2 whether it is sent by HTTP/2, with a connection of its own
     */
    HttpCall(
            Context context,
            String url,
            FetchRequest request,
            Headers fields,
            Callbacks callbacks,
            OkHttpClient client,
            boolean isHttp2) {
        this.context = context;
        this.url = url;
        this.request = request;
        this.callbacks = callbacks;
        this.client = client;
        target = HttpUrl.get(url);
        HttpUrl plain = target.newBuilder().scheme("http").port(target.port()).build();
        call = (isHttp2 ? http2(client) : client)
                .newCall(new Request.Builder()
                        .url(plain)
                        .headers(fields)
                        .tag(HttpCall.class, this)
                        .build());
    }

    /** Returns a client that makes no connections but for one call. */
    private OkHttpClient http2(OkHttpClient way) {
        AddressGuard.Sockets sockets = (AddressGuard.Sockets) way.socketFactory();
        return way.newBuilder()
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                .dns(host -> way.dns().lookup(host))
                .socketFactory(sockets.forHttp2(
                        each -> each.secure(context.trust, way, target, WireSocket.HTTP_2, context.userAgent)))
                .build();
    }

    /** Sets what clients of calls need. */
    static OkHttpClient client(OkHttpClient.Builder options) {
        return options.addNetworkInterceptor(
                        chain -> Objects.requireNonNull(chain.request().tag(HttpCall.class))
                                .send(chain))
                .eventListener(new EventListener() {
                    @Override
                    public void connectStart(Call each, InetSocketAddress place, Proxy proxy) {
                        HttpCall call = Objects.requireNonNull(each.request().tag(HttpCall.class));
                        if (!call.callbacks.pass(() -> call.request.watch().mayUse(address(place, proxy), false))) {
                            // The client checks that before it connects.
                            each.cancel();
                        }
                    }
                })
                .build();
    }

    private static @Nullable InetAddress address(InetSocketAddress place, Proxy proxy) {
        return proxy.type() == Proxy.Type.DIRECT ? place.getAddress() : null;
    }

    void cancel() {
        call.cancel();
    }

    FetchResult fetch() {
        FetchResult result;
        try (BodyMemory.Body room = context.memory.new Body(call::cancel, call::isCanceled)) {
            capture = context.keptBytes > 0 ? new Capture(url, context.keptBytes, room) : null;
            result = fetch(room);
            if (capture != null) {
                result = with(capture.exchange(cancellation()), result);
            }
        }
        if (callbacks.isRefused) {
            return new NotSent();
        } else if (!hasSurplus || !isKept) {
            return result;
        }
        // The response may belong to the request before, and what follows to this one.
        context.memory.release(result);
        return ResponseReader.failure(
                ResponseReader.surplus(), context.isStopped.getAsBoolean() ? Reason.STOPPED : null);
    }

    /** Adds an exchange to a result; a page also says how much of a body was read only for its exchange. */
    private static FetchResult with(@Nullable Exchange exchange, FetchResult result) {
        return result instanceof Page page && page.body().length == 0 && exchange != null
                ? page.readFor(exchange)
                : result.with(exchange);
    }

    private FetchResult fetch(BodyMemory.Body room) {
        okhttp3.Response standIn = null;
        try {
            standIn = call.execute();
            Response received = Objects.requireNonNull(response);
            FetchResult result;
            try {
                result = context.reader.read(url, request.body(), received, room, callbacks);
            } catch (IOException e) {
                // Judged before the rest is read, for which the deadline may be too short.
                result = ResponseReader.failure(received, e, cancellation());
            } finally {
                if (capture != null) {
                    capture.readRest();
                }
            }
            boolean isUnread = result instanceof Page page
                    && (page.isCut()
                            || request.body() instanceof FetchRequest.None
                            || (page.body().length == 0 && received.length() > 0));
            finish(received, standIn, capture == null ? isUnread : capture.hasMore());
            return result;
        } catch (IOException e) {
            return ResponseReader.failure(e, cancellation());
        } finally {
            close(standIn);
            close(socket != null && socket.frames != null ? socket : null);
        }
    }

    private static void close(@Nullable Closeable used) {
        try {
            if (used != null) {
                used.close();
            }
        } catch (IOException e) {
            // Such as the deadline. All that is needed was read.
        }
    }

    /** Keeps the connection for other calls if the response is over, or may soon be, and nothing follows. */
    private void finish(Response received, okhttp3.Response standIn, boolean isUnread) {
        WireSocket open = Objects.requireNonNull(socket);
        if (open.frames != null) {
            return;
        }
        ResponseStream responses = open.responses;
        open.leave();
        try {
            if (!isUnread && responses.mayBeKept()) {
                open.setSoTimeout(MAX_WAIT_MILLIS);
                byte[] part = new byte[8 << 10];
                int count = responses.isOver() ? -1 : 0;
                for (int i = 0; i < MAX_WAITS && count >= 0; i++) {
                    count = received.body().read(part);
                }
            }
            hasSurplus = responses.isOver() && responses.hasSurplus();
            if (responses.isOver() && responses.mayBeKept() && !hasSurplus) {
                responses.release();
                standIn.body().source().readByte();
            }
        } catch (IOException e) {
            // The client then closes the connection.
        }
    }

    private okhttp3.Response send(Interceptor.Chain chain) throws IOException {
        Connection connection = Objects.requireNonNull(chain.connection());
        WireSocket open = (WireSocket) connection.socket();
        Http2Frames frames = open.frames;
        socket = open;
        isKept = open.use();
        if (!isKept && target.isHttps() && frames == null) {
            open.secure(context.trust, client, target, WireSocket.HTTP_1, context.userAgent);
        }
        Proxy.Type proxy = connection.route().proxy().type();
        InetAddress address =
                address(connection.route().socketAddress(), connection.route().proxy());
        String host = UrlParts.host(url);
        if (!callbacks.pass(
                () -> request.watch().mayUse(address, true) && request.watch().maySend(host))) {
            throw new IOException("not sent");
        }
        isSent = true;
        Request sent = chain.request().newBuilder().url(target).build();
        okhttp3.Response received = exchange(chain, sent, open);
        ResponseHead read = frames == null ? open.responses.head() : head(received);
        Response known = read.response();
        head = known;
        request.watch().responded();
        request.head().accept(name -> known.values(name.toLowerCase(Locale.ROOT)));
        if (capture != null) {
            InetAddress peer = proxy == Proxy.Type.DIRECT ? open.getInetAddress() : null;
            capture.keep(peer, received.sentRequestAtMillis(), requestHead(sent, proxy), read.toString());
        }
        read.check();
        Response whole = frames == null ? open.responses.response() : response(known, received, frames);
        response = capture == null ? whole : capture.of(whole);
        return received.newBuilder()
                .code(HttpURLConnection.HTTP_OK)
                .headers(Headers.of())
                .build();
    }

    private okhttp3.Response exchange(Interceptor.Chain chain, Request sent, WireSocket open) throws IOException {
        Server proxy = ((AddressGuard.Sockets) client.socketFactory()).proxy;
        // A proxy reads the requests that are not in its tunnel.
        boolean isRead = proxy != null && proxy.kind() == ProxySettings.Kind.HTTP && !sent.isHttps();
        Server reader = isRead ? proxy : null;
        String password = reader == null ? null : reader.authorization();
        try {
            if (isKept && open.responses.hasSurplus()) {
                throw ResponseReader.surplus();
            }
            okhttp3.Response received = chain.proceed(
                    password == null
                            ? sent
                            : sent.newBuilder()
                                    .header(ProxySettings.AUTHORIZATION, password)
                                    .build());
            if (reader != null) {
                reader.check(open.responses.head().response().status());
            }
            return received;
        } catch (IOException e) {
            throw isKept ? ResponseReader.closed(e) : e;
        }
    }

    private static String requestHead(Request sent, Proxy.Type proxy) {
        HttpUrl url = sent.url();
        String query = url.encodedQuery() == null ? "" : "?" + url.encodedQuery();
        boolean isWhole = proxy == Proxy.Type.HTTP && !url.isHttps();
        StringBuilder head = new StringBuilder(sent.method() + " ")
                .append(isWhole ? url.toString() : url.encodedPath() + query)
                .append(" HTTP/1.1\r\n");
        Headers fields = sent.headers();
        for (int i = 0; i < fields.size(); i++) {
            head.append(fields.name(i)).append(": ").append(fields.value(i)).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    /** Returns the head of a response by HTTP/2 in the form of HTTP/1.1, as archives have it. */
    private static ResponseHead head(okhttp3.Response received) {
        ResponseHead head = new ResponseHead(1, received.code(), "");
        Headers fields = received.headers();
        for (int i = 0; i < fields.size(); i++) {
            // RFC 9110, section 5.5, allows this for characters that are not valid.
            head.add(fields.name(i), fields.value(i).replaceAll("\\p{Cntrl}", " "));
        }
        return head;
    }

    /** Returns a response by HTTP/2, whose body has to have the length that was announced: RFC 9113, section 8.1.1. */
    private static Response response(Response known, okhttp3.Response received, Http2Frames frames) {
        long announced = received.body().contentLength();
        InputStream body = new Wire.In() {
            private long length;

            @Override
            public int read(byte[] target, int from, int count) throws IOException {
                int read = received.body().byteStream().read(target, from, count);
                length += Math.max(0, read);
                frames.taken(Math.max(0, read));
                if (announced >= 0 && (read < 0 ? length < announced : length > announced)) {
                    throw new ProtocolException(read < 0 ? ContentCoding.END : "a body longer than its Content-Length");
                }
                return read;
            }
        };
        return new Response(known.status(), known.headers(), body, announced);
    }

    /** Returns why a request failed if that is due to a stop or a cancelled call; null otherwise. */
    private @Nullable Reason cancellation() {
        // Besides a stop, calls are cancelled by their deadline, and by bodies that wait for their memory.
        return context.isStopped.getAsBoolean() ? Reason.STOPPED : call.isCanceled() ? Reason.TIMEOUT : null;
    }

    /** Returns whether the server has refused the protocol in the handshake of TLS. */
    static boolean isRefused(FetchResult result) {
        return result instanceof Failed failed && failed.detail().contains(WireSocket.NO_PROTOCOL);
    }

    /** Returns whether the server has ended a new connection without a response. */
    boolean isMute(FetchResult result) {
        return result instanceof Failed failed && failed.reason() == Reason.BROKEN && head == null && isSent && !isKept;
    }
}
