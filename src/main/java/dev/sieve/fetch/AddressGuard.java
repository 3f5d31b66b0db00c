package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.ProxySettings.Kind;
import dev.sieve.fetch.ProxySettings.Server;
import dev.sieve.fetch.WireSocket.AddressRefusedException;
import dev.sieve.scope.SkipRule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.SocketFactory;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests to addresses that are not public and to the ports of other protocols.
 *
 * <p>An address is checked three times: when the URL contains it, when the name server returns it, and when the socket
 * connects to it. Of an {@linkplain #open opened} host and port, an address in the URL is not checked, and a name may
 * have the addresses of its first lookup if none of them is allowed, except metadata services. A host whose addresses
 * are {@linkplain Resolver#isFixed fixed} may have these. The requests of both use a client of their own, so that
 * neither client uses the connections of the other. If a proxy looks up the names of hosts, only the first check is
 * possible, see {@link ProxySettings}. Safe for use by many threads.
 */
final class AddressGuard {
    /**
     * The names that mean the machine which looks them up: by RFC 6761, section 6.3, and in the hosts files and name
     * services of usual systems.
     */
    private static final Pattern LOCALHOST = Pattern.compile("(?:.*\\.)?localhost[46]?(?:\\.localdomain[46]?)?\\.?"
            + "|(?:ip6|ipv6)-(?:localhost|loopback)\\.?|loopback\\.?");

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** The bad ports of the Fetch standard (fetch.spec.whatwg.org, section 2.9), whose servers could obey a request. */
    private static final Set<Integer> BAD_PORTS = Set.of(
            0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
            109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
            526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
            3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080);

    /**
     * After so many requests the clients are replaced: a client stores each host that has broken off a first response,
     * about a kilobyte, and never forgets it. Replacing takes less time than a request, and keeps all connections.
     */
    static final int REQUESTS_PER_CLIENT = 10_000;

    private final AddressPolicy policy;
    private final DnsLookups lookups;
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    /** The addresses of the first lookup of each opened host, if none of them is allowed. */
    private final Map<String, Set<InetAddress>> firstAddresses = new ConcurrentHashMap<>();

    private final OkHttpClient client;
    private final ProxySettings proxies;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<Way, Clients> clients = new ConcurrentHashMap<>();

    AddressGuard(AddressPolicy policy, DnsLookups lookups, OkHttpClient client, ProxySettings proxies) {
        this.policy = policy;
        this.lookups = lookups;
        this.client = client;
        this.proxies = proxies;
    }

    /** How hosts are reached: through a proxy, or directly if that is null; and whether by TLS. The client sees no TLS. */
    private record Way(@Nullable Server proxy, boolean isSecure) {}

    /** The clients of one way. */
    private static final class Clients {
        private final Supplier<OkHttpClient> newGuarded;
        private final Supplier<OkHttpClient> newOpen;
        private volatile OkHttpClient guarded;
        private volatile OkHttpClient open;

        Clients(Supplier<OkHttpClient> newGuarded, Supplier<OkHttpClient> newOpen) {
            this.newGuarded = newGuarded;
            this.newOpen = newOpen;
            renew();
        }

        void renew() {
            open = newOpen.get();
            guarded = newGuarded.get();
        }
    }

    private Clients newClients(Way way) {
        Server proxy = way.proxy;
        Sockets unguarded = new Sockets(address -> null, proxy, null);
        // A client uses only the connections that were made with its own Dns.
        if (proxy == null || !proxy.kind().looksUpNames()) {
            Sockets guarded = new Sockets(policy::objection, proxy, null);
            return new Clients(
                    clients(client, host -> allowed(host, lookups.addresses(host), Set.of()), guarded),
                    clients(client, this::openAddresses, unguarded));
        }
        Dns dns = host -> proxy.kind() == Kind.HTTP ? lookups.addresses(host) : named(host);
        Supplier<OkHttpClient> proxied = clients(proxy.through(client), dns, unguarded);
        return new Clients(proxied, proxied);
    }

    /** Returns an address that only carries a name, which a proxy looks up. */
    private static List<InetAddress> named(String host) throws UnknownHostException {
        return List.of(InetAddress.getByAddress(host, new byte[4]));
    }

    private static Supplier<OkHttpClient> clients(OkHttpClient client, Dns dns, SocketFactory sockets) {
        return () -> client.newBuilder().dns(dns).socketFactory(sockets).build();
    }

    /** Allows requests to the host and port of a URL: to its address or, if it is a name, to those of its first lookup. */
    void open(HttpUrl url) {
        open.add(place(url));
    }

    /** Returns the client for a URL without an {@link #objection}. */
    OkHttpClient client(HttpUrl url) {
        if (requests.incrementAndGet() % REQUESTS_PER_CLIENT == 0) {
            clients.values().forEach(Clients::renew);
        }
        Clients way = clients.computeIfAbsent(new Way(proxies.server(url), url.isHttps()), this::newClients);
        return open.contains(place(url)) || lookups.isFixed(url.host()) ? way.open : way.guarded;
    }

    /** Returns why a URL is refused, as far as this is known without a lookup; null when it is not. */
    @Nullable
    Refused objection(HttpUrl url) {
        if (open.contains(place(url))) {
            return null;
        }
        if (BAD_PORTS.contains(url.port())) {
            return new Refused(SkipRule.PORT.reason(url.port() + " is for another protocol"));
        }
        byte @Nullable [] literal = literal(url);
        String objection = literal == null ? null : policy.objection(literal, url.host());
        return objection == null ? null : new Refused(SkipRule.NOT_PUBLIC.reason(objection));
    }

    /** Returns the address in a URL; null for a name that is looked up here, or whose address is not known. */
    private byte @Nullable [] literal(HttpUrl url) {
        Server proxy = proxies.server(url);
        boolean isLooked = proxy == null || !proxy.kind().looksUpNames();
        return !isLooked && LOCALHOST.matcher(url.host()).matches() ? LOOPBACK : AddressBlock.literal(url.host());
    }

    /** Returns the refusal that caused a failure; null when there is none. */
    static @Nullable Refused refusal(Throwable failure) {
        // A chain of causes may be circular.
        Throwable cause = failure;
        for (int i = 0; i < 10 && cause != null; i++) {
            if (cause instanceof AddressRefusedException) {
                return new Refused(SkipRule.NOT_PUBLIC.reason(String.valueOf(cause.getMessage())));
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** A name server that changes its answer later must not lead a crawl into another network. */
    private List<InetAddress> openAddresses(String host) throws UnknownHostException {
        List<InetAddress> addresses = lookups.addresses(host);
        if (lookups.isFixed(host)) {
            return addresses;
        }
        Set<InetAddress> first = firstAddresses.computeIfAbsent(
                host,
                key -> addresses.stream().anyMatch(each -> policy.objection(each) == null)
                        ? Set.of()
                        : addresses.stream()
                                .filter(each -> !AddressPolicy.isMetadata(each))
                                .collect(Collectors.toSet()));
        return allowed(host, addresses, first);
    }

    private List<InetAddress> allowed(String host, List<InetAddress> addresses, Set<InetAddress> more)
            throws UnknownHostException {
        List<InetAddress> allowed = new ArrayList<>();
        String objection = null;
        for (InetAddress address : addresses) {
            String found = more.contains(address) ? null : policy.objection(address);
            if (found == null) {
                allowed.add(address);
            }
            objection = found == null ? objection : found;
        }
        if (allowed.isEmpty() && objection != null) {
            throw new AddressRefusedException(host + ": " + objection);
        }
        return allowed;
    }

    private static String place(HttpUrl url) {
        return url.host() + " " + url.port();
    }

    /** Makes sockets for the client. */
    static final class Sockets extends SocketFactory {
        private final Function<InetAddress, @Nullable String> objections;
        /** The proxy of the requests; null for none. */
        final @Nullable Server proxy;

        private final WireSocket.@Nullable Handshake http2;

        /** The parameters are those of {@link WireSocket}. */
        Sockets(
                Function<InetAddress, @Nullable String> objections,
                @Nullable Server proxy,
                WireSocket.@Nullable Handshake http2) {
            this.objections = objections;
            this.proxy = proxy;
            this.http2 = http2;
        }

        /** Returns the same for connections by HTTP/2. */
        Sockets forHttp2(WireSocket.Handshake handshake) {
            return new Sockets(objections, proxy, handshake);
        }

        @Override
        public Socket createSocket() {
            return new WireSocket(objections, proxy, http2);
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return createSocket(InetAddress.getByName(host), port);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
            return createSocket(InetAddress.getByName(host), port, localHost, localPort);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return createSocket(host, port, null, 0);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, @Nullable InetAddress localHost, int localPort)
                throws IOException {
            Socket socket = createSocket();
            socket.bind(new InetSocketAddress(localHost, localPort));
            socket.connect(new InetSocketAddress(host, port));
            return socket;
        }
    }
}
