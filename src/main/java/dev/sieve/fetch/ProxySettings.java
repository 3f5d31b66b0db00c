package dev.sieve.fetch;

import dev.sieve.url.UrlParts;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.IDN;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Selects the proxy that a request goes through, if any.
 *
 * <p>What is checked of the addresses of a request depends on who looks up the names of hosts:
 *
 * <ul>
 *   <li>{@code socks5://}: this program looks them up, and everything is checked as without a proxy.
 *   <li>{@code http://} and {@code socks5h://}: the proxy looks them up. Ports, and addresses in URLs, are checked as
 *       without a proxy. {@code localhost} and the other usual names of the loopback address count as addresses. The
 *       addresses of other names are not known, so the proxy has to refuse those of its network.
 * </ul>
 *
 * <p>The address of the proxy is not checked. Its user name and password are in no message.
 */
public final class ProxySettings {
    /** No proxy: requests go directly to their hosts. */
    public static final ProxySettings NONE = new ProxySettings(null, null, List.of());

    /** The header field with user name and password. */
    static final String AUTHORIZATION = "Proxy-Authorization";

    private static final Pattern FORM =
            Pattern.compile("(?:(http|socks5|socks5h)://)?([^/?#\\\\]+:[0-9]{1,5})/?", Pattern.CASE_INSENSITIVE);

    private static final Pattern PORT = Pattern.compile("(.*):([0-9]{1,5})");

    private final @Nullable Server forHttp;
    private final @Nullable Server forHttps;
    private final List<String> direct;

    /** Who looks up names, and how a proxy is addressed. */
    enum Kind {
        HTTP,
        SOCKS5,
        SOCKS5H;

        boolean looksUpNames() {
            return this != SOCKS5;
        }
    }

    /** A proxy, with its Proxy-Authorization header; null for none. */
    record Server(
            Kind kind, String host, int port, @Nullable String authorization) {
        /** Returns a client that sends its requests to this proxy if it is one for HTTP; the sockets connect through another. */
        OkHttpClient through(OkHttpClient client) {
            InetSocketAddress address = InetSocketAddress.createUnresolved(host, port);
            return kind == Kind.HTTP
                    ? client.newBuilder()
                            .proxy(new Proxy(Proxy.Type.HTTP, address))
                            .build()
                    : client;
        }

        /** Throws when a status says that this proxy has refused the authorization. */
        void check(int status) throws ConnectException {
            if (status == HttpURLConnection.HTTP_PROXY_AUTH) {
                throw new ConnectException("the proxy " + this + " requires another user name or password (407)");
            }
        }

        @Override
        public String toString() {
            String name = host.contains(":") ? "[" + host + "]" : host;
            return kind.name().toLowerCase(Locale.ROOT) + "://" + name + ":" + port;
        }
    }

    private ProxySettings(@Nullable Server forHttp, @Nullable Server forHttps, List<String> direct) {
        this.forHttp = forHttp;
        this.forHttps = forHttps;
        this.direct = direct;
    }

    /**
     * Returns settings with one proxy for all requests.
     *
     * @param url {@code http://HOST:PORT}, {@code http://USER:PASSWORD@HOST:PORT}, {@code socks5://HOST:PORT} or
     *     {@code socks5h://HOST:PORT}; http if there is no scheme
     * @throws IllegalArgumentException when it is none of these
     */
    public static ProxySettings of(String url) {
        Server server = server(url);
        return new ProxySettings(server, server, List.of());
    }

    /**
     * Returns the settings of environment variables, as other programs read them: {@code http_proxy}, {@code
     * https_proxy} and, for the URLs of which neither is set, {@code all_proxy}; {@code no_proxy} lists hosts, domains
     * and blocks of addresses that are requested directly. All but {@code http_proxy} may be in upper case, too.
     *
     * @throws IllegalArgumentException when one of them is not valid
     */
    public static ProxySettings ofEnvironment(Map<String, String> variables) {
        Server all = server(variables, "all_proxy", "ALL_PROXY");
        // A web server passes a header field Proxy to the programs that it runs as HTTP_PROXY.
        Server http = server(variables, "http_proxy");
        Server https = server(variables, "https_proxy", "HTTPS_PROXY");
        String direct = variables.getOrDefault("no_proxy", variables.getOrDefault("NO_PROXY", ""));
        return new ProxySettings(
                http == null ? all : http,
                https == null ? all : https,
                Stream.of(direct.split("[,\\s]+"))
                        .filter(each -> !each.isEmpty())
                        .map(each -> each.toLowerCase(Locale.ROOT))
                        .toList());
    }

    private static @Nullable Server server(Map<String, String> variables, String... names) {
        for (String name : names) {
            String url = variables.getOrDefault(name, "").strip();
            if (!url.isEmpty()) {
                try {
                    return server(url);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(name + " in the environment: " + e.getMessage(), e);
                }
            }
        }
        return null;
    }

    private static Server server(String url) {
        Matcher matcher = FORM.matcher(url);
        HttpUrl parsed = matcher.matches() ? HttpUrl.parse("http://" + matcher.group(2) + "/") : null;
        if (parsed == null) {
            // Without the text, which may contain a password.
            throw new IllegalArgumentException(
                    "not a proxy; use http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT");
        }
        String scheme = matcher.group(1);
        Kind kind = scheme == null ? Kind.HTTP : Kind.valueOf(scheme.toUpperCase(Locale.ROOT));
        boolean hasUser = !parsed.username().isEmpty() || !parsed.password().isEmpty();
        if (hasUser && kind != Kind.HTTP) {
            throw new IllegalArgumentException("a user name is supported for an http proxy only");
        }
        String authorization = hasUser ? Credentials.basic(parsed.username(), parsed.password()) : null;
        return new Server(kind, parsed.host(), parsed.port(), authorization);
    }

    /** Returns the proxy for a URL; null if it is requested directly. */
    @Nullable
    Server server(HttpUrl url) {
        Server server = url.isHttps() ? forHttps : forHttp;
        return server == null || direct.stream().anyMatch(each -> matches(each, url)) ? null : server;
    }

    /** Whether an entry of no_proxy is everything, the host of a URL, a domain of it, or a block with its address. */
    private static boolean matches(String entry, HttpUrl url) {
        if (entry.equals("*")) {
            return true;
        }
        byte[] address = AddressBlock.literal(url.host());
        if (address != null) {
            try {
                return AddressBlock.parse(entry.replaceAll("[\\[\\]]", "")).contains(address);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
        Matcher port = PORT.matcher(entry);
        if (port.matches() && !port.group(2).equals(String.valueOf(url.port()))) {
            return false;
        }
        String domain = ascii((port.matches() ? port.group(1) : entry).replaceFirst("^\\*?\\.", ""));
        String host = url.host().replaceFirst("\\.$", "");
        return !domain.isEmpty() && UrlParts.isWithin(host, domain);
    }

    private static String ascii(String domain) {
        try {
            return IDN.toASCII(domain);
        } catch (IllegalArgumentException e) {
            return domain;
        }
    }

    /** Returns the proxies, without user names and passwords. */
    @Override
    public String toString() {
        if (Objects.equals(forHttp, forHttps)) {
            return String.valueOf(forHttp == null ? "none" : forHttp);
        }
        return "http: " + (forHttp == null ? "none" : forHttp) + ", https: " + (forHttps == null ? "none" : forHttps);
    }
}
