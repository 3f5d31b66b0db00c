package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.fetch.ProxySettings.Kind;
import dev.sieve.fetch.ProxySettings.Server;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a connection to a server. To the client, each is one of plain HTTP: TLS, through the tunnel of a proxy
 * if there is one, the limits of {@link Wire}, and the framing of responses are between it and the server, since the
 * client has no public interface for them. It refuses to connect to an address with an objection. Used by the thread of
 * one call at a time; any thread may close it.
 */
final class WireSocket extends Socket {
    /** The names of the protocols in the handshake of TLS. */
    static final String HTTP_1 = "http/1.1";

    static final String HTTP_2 = "h2";
    /** In the failure of a server that does not speak the protocol, as in the message of TLS. */
    static final String NO_PROTOCOL = "no_application_protocol";

    private static final int DNS_NAME = 2;

    private final Function<InetAddress, @Nullable String> objections;
    private final @Nullable Server proxy;
    private final Wire wire = new Wire();
    final ResponseStream responses = new ResponseStream(wire);
    final @Nullable Http2Frames frames;
    private boolean isLayered;
    private @Nullable SSLSocket secure;
    private boolean isUsed;
    private volatile boolean isIdle;

    /**
     * Creates a socket.
     *
     * @param proxy the proxy of the requests; null for none
     * @param http2 what is done before the first byte is sent of a connection by HTTP/2; null for one by HTTP/1.1
     */
    WireSocket(Function<InetAddress, @Nullable String> objections, @Nullable Server proxy, @Nullable Handshake http2) {
        super(
                proxy == null || proxy.kind() == Kind.HTTP
                        ? Proxy.NO_PROXY
                        : new Proxy(Proxy.Type.SOCKS, InetSocketAddress.createUnresolved(proxy.host(), proxy.port())));
        this.objections = objections;
        this.proxy = proxy;
        frames = http2 == null ? null : new Http2Frames(wire, () -> http2.with(this));
    }

    /** Makes a connection secure. */
    @FunctionalInterface
    interface Handshake {
        void with(WireSocket socket) throws IOException;
    }

    /** An address must not be connected to; a subtype of what a lookup may throw. */
    static final class AddressRefusedException extends UnknownHostException {
        private static final long serialVersionUID = 1;

        AddressRefusedException(String objection) {
            super(objection);
        }
    }

    @Override
    public void connect(SocketAddress endpoint, int timeoutMillis) throws IOException {
        InetAddress address = endpoint instanceof InetSocketAddress at ? at.getAddress() : null;
        String objection = address == null ? "not an address: " + endpoint : objections.apply(address);
        if (objection != null) {
            throw new AddressRefusedException(objection);
        }
        super.connect(proxy != null && proxy.kind() == Kind.SOCKS5H ? byName(endpoint) : endpoint, timeoutMillis);
        wire.connect(super.getInputStream(), Wire.limited(super.getOutputStream(), this));
    }

    /** Returns the name in place of an address that only carries one, which the proxy then looks up. */
    private static SocketAddress byName(SocketAddress endpoint) {
        InetSocketAddress at = (InetSocketAddress) endpoint;
        boolean isName = AddressBlock.literal(at.getHostString()) == null;
        return isName ? InetSocketAddress.createUnresolved(at.getHostString(), at.getPort()) : endpoint;
    }

    /** Returns what the client reads; after the handshake has begun, what TLS reads. */
    @Override
    public InputStream getInputStream() {
        return isLayered ? wire.raw() : frames == null ? responses : frames.in();
    }

    /** Returns where the client writes to; after the handshake has begun, where TLS writes to. */
    @Override
    public OutputStream getOutputStream() {
        return isLayered ? wire.out() : Wire.stream(frames == null ? wire::send : frames::send);
    }

    /** Begins a call; returns whether an earlier one has used the connection. */
    boolean use() {
        boolean wasUsed = isUsed;
        isUsed = true;
        isIdle = false;
        wire.countAgain();
        responses.begin();
        return wasUsed;
    }

    /** Notes that a call has ended. */
    void leave() {
        isIdle = true;
    }

    /**
     * Makes a new connection secure, in the tunnel of an HTTP proxy.
     *
     * @param trust decides whether the certificate of the server is trusted
     * @param client decides whether it is for the host
     * @param protocol what is spoken by the protocol of the URL
     * @param userAgent the User-Agent for the proxy
     */
    void secure(SSLContext trust, OkHttpClient client, HttpUrl url, String protocol, String userAgent)
            throws IOException {
        if (proxy != null && proxy.kind() == Kind.HTTP) {
            openTunnel(proxy, url, userAgent);
        }
        isLayered = true;
        SSLSocket tls = (SSLSocket) trust.getSocketFactory().createSocket(this, url.host(), url.port(), true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        if (!client.hostnameVerifier().verify(url.host(), tls.getSession())) {
            throw new SSLException("the certificate is not for " + url.host() + names(tls.getSession()));
        } else if (protocol.equals(HTTP_2) && !protocol.equals(tls.getApplicationProtocol())) {
            throw new SSLException(NO_PROTOCOL + ": the server does not speak HTTP/2");
        }
        wire.use(tls.getInputStream(), tls.getOutputStream());
        secure = tls;
    }

    /** Returns the names in a certificate, in words. */
    private static String names(SSLSession session) throws IOException {
        Certificate certificate = session.getPeerCertificates()[0];
        try {
            Collection<List<?>> all = ((X509Certificate) certificate).getSubjectAlternativeNames();
            return all == null
                    ? ""
                    : all.stream()
                            .filter(each -> each.get(0).equals(DNS_NAME))
                            .map(each -> String.valueOf(each.get(1)))
                            .collect(Collectors.joining(", ", " but for ", ""));
        } catch (CertificateException e) {
            return "";
        }
    }

    private void openTunnel(Server through, HttpUrl url, String userAgent) throws IOException {
        String host = url.host().contains(":") ? "[" + url.host() + "]" : url.host();
        String place = host + ":" + url.port();
        String authorization = through.authorization() == null
                ? ""
                : ProxySettings.AUTHORIZATION + ": " + through.authorization() + "\r\n";
        byte[] request = ("CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\nUser-Agent: " + userAgent + "\r\n"
                        + authorization + "\r\n")
                .getBytes(ISO_8859_1);
        wire.send(request, 0, request.length);
        int status = responses.readHead().response().status();
        through.check(status);
        if (status != HttpURLConnection.HTTP_OK || responses.hasSurplus()) {
            throw new ConnectException("the proxy " + through + " has opened no connection: status " + status);
        }
    }

    /**
     * Ends the connection. TLS does this after its last message, and then would wait for that of the server, which RFC
     * 8446, section 6.1, does not require.
     */
    @Override
    public void shutdownOutput() throws IOException {
        close();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // another thread must be able to close it at any time
    public void close() throws IOException {
        SSLSocket tls = secure;
        boolean wasIdle = isIdle;
        isIdle = false;
        try {
            if (wasIdle && tls != null) {
                tls.close();
            }
        } finally {
            super.close();
            if (frames != null) {
                frames.close();
            }
        }
    }
}
