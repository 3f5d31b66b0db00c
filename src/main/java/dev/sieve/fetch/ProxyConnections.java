package dev.sieve.fetch;

import dev.sieve.fetch.ProxySettings.Kind;
import dev.sieve.fetch.ProxySettings.Server;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Connects through a proxy. The HTTP client speaks to an HTTP proxy itself. For SOCKS it would make its own sockets, which
 * do not limit what they receive, so the sockets of the {@link AddressGuard} speak to the proxy instead.
 */
final class ProxyConnections {
    private static final int PROXY_AUTHENTICATION_REQUIRED = 407;
    private static final String AUTHORIZATION = "Proxy-Authorization";
    private static final String USER_AGENT = "User-Agent";

    private ProxyConnections() {}

    /** Returns the proxy of the sockets for a server; none for an HTTP proxy. */
    static Proxy ofSockets(@Nullable Server server) {
        return server == null || server.kind() == Kind.HTTP
                ? Proxy.NO_PROXY
                : new Proxy(Proxy.Type.SOCKS, InetSocketAddress.createUnresolved(server.host(), server.port()));
    }

    /** Returns a client that sends its requests to a server if that is an HTTP proxy; else the same client. */
    static OkHttpClient client(OkHttpClient client, Server server, String userAgent) {
        if (server.kind() != Kind.HTTP) {
            return client;
        }
        InetSocketAddress address = InetSocketAddress.createUnresolved(server.host(), server.port());
        return client.newBuilder()
                .proxy(new Proxy(Proxy.Type.HTTP, address))
                .proxyAuthenticator((route, response) -> {
                    // The client calls this before it sends CONNECT, and again if the proxy rejects that.
                    Request connect = response.request();
                    boolean isFirst = !userAgent.equals(connect.header(USER_AGENT));
                    return isFirst ? authorized(connect.newBuilder().header(USER_AGENT, userAgent), server) : null;
                })
                .addNetworkInterceptor(chain -> send(chain, server))
                .build();
    }

    /** Adds the credentials of the proxy to a request that it can read; in a tunnel, they were sent with CONNECT. */
    private static Response send(Interceptor.Chain chain, Server server) throws IOException {
        if (chain.request().isHttps()) {
            return chain.proceed(chain.request());
        }
        Response response = chain.proceed(authorized(chain.request().newBuilder(), server));
        if (response.code() != PROXY_AUTHENTICATION_REQUIRED) {
            // Without the credentials, which would be in archives.
            return response.newBuilder().request(chain.request()).build();
        }
        response.close();
        throw new ConnectException("the proxy " + server + " requires another user name or password (407)");
    }

    private static Request authorized(Request.Builder request, Server server) {
        return server.authorization() == null
                ? request.build()
                : request.header(AUTHORIZATION, server.authorization()).build();
    }

    /** Returns an address that only carries a name, for {@link #byName}. */
    static List<InetAddress> named(String host) throws UnknownHostException {
        return List.of(InetAddress.getByAddress(host, new byte[4]));
    }

    /** Returns the name in place of an address of {@link #named}, which the proxy then looks up. */
    static SocketAddress byName(SocketAddress endpoint) {
        InetSocketAddress at = (InetSocketAddress) endpoint;
        boolean isName = AddressBlock.literal(at.getHostString()) == null;
        return isName ? InetSocketAddress.createUnresolved(at.getHostString(), at.getPort()) : endpoint;
    }
}
