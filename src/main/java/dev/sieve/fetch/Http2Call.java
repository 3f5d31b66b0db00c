package dev.sieve.fetch;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okhttp3.internal.http2.ErrorCode;
import okhttp3.internal.http2.Header;
import okhttp3.internal.http2.Http2ExchangeCodec;
import okhttp3.internal.http2.Http2Reader;
import okhttp3.internal.http2.Http2Writer;
import okhttp3.internal.http2.Settings;
import okio.Buffer;
import okio.BufferedSource;
import okio.ByteString;
import okio.ForwardingSource;
import okio.Okio;
import okio.Sink;
import okio.Source;
import org.jspecify.annotations.Nullable;

/**
 * A request by HTTP/2 over TLS, with a connection of its own.
 *
 * <p>The frames are read and written by the classes of OkHttp, but its connection is not used: a thread of it reads up to 16 MiB
 * ahead and queues a task for each ping, setting and promise, it sends pings and uses a connection for other hosts. Here the
 * thread of the call reads a frame when it needs one, so that a frame and the head are in memory, whatever a server sends, and
 * {@link WireLimit} counts every byte. Windows are as large as possible: the system keeps a server from sending ahead.
 */
final class Http2Call extends ForwardingSource implements Http2Reader.Handler {
    /** In the failure of a server that does not speak the protocol, as in the message of TLS. */
    static final String NO_PROTOCOL = "no_application_protocol";

    private static final String ALPN = "h2";
    private static final int STREAM = 1;

    private final Http2Reader reader;
    private final Http2Writer writer;
    private final Buffer body;
    private @Nullable Headers head;
    private @Nullable Settings settings;
    private @Nullable IOException failure;
    private boolean hasEnded;
    /** How long the body is by the head; -1 if that is not known. */
    private long announced = -1;

    private long length;

    /** Creates a call over a new connection, with a deadline from now on. The body of its response can be read from it. */
    Http2Call(SSLSocket socket, int millis) throws IOException {
        super(new Buffer());
        body = (Buffer) delegate();
        Source source = Okio.source(socket);
        source.timeout().deadline(millis, TimeUnit.MILLISECONDS);
        reader = new Http2Reader(Okio.buffer(source), true);
        Sink sink = Okio.sink(socket);
        sink.timeout().deadline(millis, TimeUnit.MILLISECONDS);
        writer = new Http2Writer(Okio.buffer(sink), true);
    }

    /** Connects to the server of a URL as a client does, at an address at which a new socket may be connected. */
    static SSLSocket connect(OkHttpClient client, HttpUrl url, BiPredicate<Socket, InetAddress> mayConnect)
            throws IOException {
        boolean isName = AddressBlock.literal(url.host()) == null;
        List<InetAddress> addresses =
                isName ? client.dns().lookup(url.host()) : List.of(InetAddress.getByName(url.host()));
        IOException failure = new UnknownHostException(url.host());
        for (InetAddress address : addresses) {
            Socket socket = client.socketFactory().createSocket();
            try {
                if (mayConnect.test(socket, address)) {
                    socket.connect(new InetSocketAddress(address, url.port()), client.connectTimeoutMillis());
                    return secure(client, socket, url);
                }
            } catch (IOException e) {
                failure = e;
            }
            socket.close();
        }
        throw failure;
    }

    private static SSLSocket secure(OkHttpClient client, Socket socket, HttpUrl url) throws IOException {
        SSLSocket secure = (SSLSocket) client.sslSocketFactory().createSocket(socket, url.host(), url.port(), true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {ALPN});
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        if (!client.hostnameVerifier().verify(url.host(), secure.getSession())) {
            throw new SSLException("the certificate is not for " + url.host());
        } else if (!ALPN.equals(secure.getApplicationProtocol())) {
            throw new SSLException(NO_PROTOCOL + ": the server does not speak HTTP/2");
        }
        return secure;
    }

    /** Sends a request and returns its response, in the form of HTTP/1.1, as archives have it. */
    Response respond(Request request) throws IOException {
        writer.connectionPreface();
        writer.settings(
                new Settings().set(Settings.ENABLE_PUSH, 0).set(Settings.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE));
        writer.windowUpdate(0, Integer.MAX_VALUE - Settings.DEFAULT_INITIAL_WINDOW_SIZE);
        writer.headers(true, STREAM, Http2ExchangeCodec.Companion.http2HeadersList(request));
        writer.flush();
        while (head == null) {
            readFrame();
        }
        MediaType type = MediaType.parse(Objects.requireNonNullElse(head.get("Content-Type"), ""));
        return Http2ExchangeCodec.Companion.readHttp2HeadersList(head, Protocol.HTTP_1_1)
                .request(request)
                .sentRequestAtMillis(System.currentTimeMillis())
                .body(ResponseBody.create(Okio.buffer((Source) this), type, -1))
                .build();
    }

    private void readFrame() throws IOException {
        if (!reader.nextFrame(false, this)) {
            throw new EOFException(ContentCoding.END);
        } else if (failure != null) {
            throw failure;
        } else if (settings != null) {
            writer.applyAndAckSettings(settings);
            settings = null;
        }
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
        while (body.exhausted() && !hasEnded) {
            readFrame();
        }
        long count = super.read(sink, byteCount);
        length += Math.max(0, count);
        // RFC 9113, section 8.1.1: such a response is malformed.
        if (announced >= 0 && (count < 0 ? length < announced : length > announced)) {
            throw new ProtocolException(count < 0 ? ContentCoding.END : "a body longer than its Content-Length");
        }
        return count;
    }

    @Override
    public void headers(boolean isLast, int stream, int associated, List<Header> fields) {
        boolean isInterim = !fields.isEmpty() && fields.get(0).value.startsWith(ByteString.encodeUtf8("1"));
        if (stream != STREAM || fields.size() > ResponseReader.MAX_HEADERS) {
            failure = new ProtocolException("HEADERS of stream " + stream + ": " + fields.size());
        } else if (head == null && !isInterim) {
            Headers.Builder builder = new Headers.Builder();
            // RFC 9110, section 5.5, allows this for characters that are not valid.
            fields.forEach(each -> builder.addUnsafeNonAscii(
                    each.name.utf8(), each.value.utf8().replaceAll("\\p{Cntrl}", " ")));
            head = builder.build();
            boolean hasBody = !"304".equals(head.get(":status")) && !"204".equals(head.get(":status"));
            announced = hasBody ? lengthOf(head) : -1;
        }
        hasEnded |= isLast;
    }

    private static long lengthOf(Headers head) {
        try {
            return Long.parseLong(Objects.requireNonNullElse(head.get("content-length"), "-1"));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public void data(boolean isLast, int stream, BufferedSource source, int length) throws IOException {
        if (stream != STREAM || head == null) {
            throw new ProtocolException("DATA of stream " + stream);
        }
        source.readFully(body, length);
        hasEnded |= isLast;
    }

    @Override
    public void rstStream(int stream, ErrorCode error) {
        failure = new EOFException("the server has reset the stream: " + error);
    }

    @Override
    public void goAway(int last, ErrorCode error, ByteString details) {
        failure = last < STREAM ? new EOFException("the server has ended the connection: " + error) : failure;
    }

    @Override
    public void pushPromise(int stream, int promised, List<Header> fields) {
        failure = new ProtocolException("PUSH_PROMISE, although it was switched off");
    }

    @Override
    public void settings(boolean clearPrevious, Settings next) {
        settings = next;
    }

    @Override
    public void ping(boolean isAnswer, int first, int second) {
        if (!isAnswer) {
            try {
                writer.ping(true, first, second);
            } catch (IOException e) {
                failure = e;
            }
        }
    }

    @Override
    public void windowUpdate(int stream, long increment) {}

    @Override
    public void ackSettings() {}

    @Override
    public void priority(int stream, int dependency, int weight, boolean isExclusive) {}

    @Override
    public void alternateService(int stream, String origin, ByteString protocol, String host, int port, long maxAge) {}
}
