package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.LocalServer;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody but the user leads the fetcher into the network that it runs in. */
@Tag("hostile")
@Timeout(1200)
class PrivatePlacesTest {
    private static final String ALLOWED = "127.0.0.1";
    private static final String PRIVATE = "127.0.0.2";

    private HostileServer allowed;
    private HostileServer secret;

    @BeforeEach
    void open() throws IOException {
        allowed = new HostileServer(ALLOWED, 0);
        secret = new HostileServer(PRIVATE, allowed.port());
    }

    @AfterEach
    void close() throws IOException {
        assertThat(secret.heads()).isEmpty();
        allowed.close();
        secret.close();
    }

    private static Fetcher fetcher(AddressPolicy policy, Resolver resolver) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                Duration.ofMinutes(2),
                10_000,
                4,
                resolver,
                policy,
                1 << 26,
                ProxySettings.NONE,
                false));
    }

    private static Fetcher fetcher(AddressPolicy policy, String... addresses) {
        return fetcher(policy, host -> addresses(addresses));
    }

    private static List<InetAddress> addresses(String... addresses) throws UnknownHostException {
        List<InetAddress> all = new ArrayList<>();
        for (String address : addresses) {
            all.add(InetAddress.getByName(address));
        }
        return all;
    }

    private static AddressPolicy allowingOne() {
        return AddressPolicy.publicOnly().allowing(ALLOWED);
    }

    private void assertRefused(FetchResult result, String detail) {
        assertThat(result).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.error()).isEqualTo("address not public");
            assertThat(refused.reason().detail()).contains(detail);
            assertThat(refused.isWorthRetrying()).isFalse();
            assertThat(refused.status()).isZero();
        });
        assertThat(allowed.heads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2130706433",
                "127.1",
                "0",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "0177.0.0.1",
                "0x7f.0.0.1",
                "\uFF11\uFF12\uFF17.0.0.1",
                "127.0.0.1.",
                "127.0.0.1",
                "%31%32%37.0.0.1",
                "[::1]",
                "[64:ff9b::7f00:1]",
                "[2002:7f00:1::]",
                "[::127.0.0.1]",
                "[fe80::1]",
                "10.0.0.1",
                "169.254.169.254",
                "[fd00:ec2::254]",
                "100.100.100.200",
                "user:word@127.0.0.1",
            })
    void anAddressInTheUrlIsRefusedHoweverItIsSpelled(String host) {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), "8.8.8.8")) {
            String url = "http://" + host + ":" + allowed.port() + "/latest/meta-data/";

            assertRefused(fetcher.fetch(url), " is ");
            assertThat(fetcher.objection(url)).isInstanceOf(Refused.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost.", "LOCALHOST"})
    void localhostIsRefused(String host) {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), ALLOWED)) {
            assertRefused(fetcher.fetch("http://" + host + ":" + allowed.port() + "/"), "loopback");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "127.0.0.1", "::1", "169.254.169.254", "fd00:ec2::254", "::ffff:10.0.0.1"})
    void aNameOfNoPublicAddressIsRefused(String address) {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), address)) {
            assertRefused(fetcher.fetch("http://name.test:" + allowed.port() + "/"), "name.test: ");
            assertThat(fetcher.objection("http://name.test/")).isNull();
        }
    }

    @Test
    void onlyAllowedAddressesOfAMixedAnswerAreDialled() {
        try (Fetcher fetcher = fetcher(allowingOne(), PRIVATE, ALLOWED)) {
            assertThat(fetcher.fetch("http://mixed.test:" + allowed.port() + "/"))
                    .isInstanceOf(Page.class);
            assertThat(allowed.heads()).hasSize(1);
        }
    }

    /** Binds a socket to the port of a server that was closed, so that it stays closed and no other test takes it. */
    static Socket heldClosed(int port) throws IOException {
        Socket held = new Socket();
        held.setReuseAddress(true);
        while (!held.isBound()) {
            try {
                held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (BindException e) {
                // The server is still closing, or a connection of another process has this port.
                Thread.onSpinWait();
            }
        }
        return held;
    }

    @Test
    void thePrivateOneIsNotEvenDialledWhenTheOtherIsDead() throws IOException {
        allowed.close();
        try (Socket held = heldClosed(allowed.port());
                Fetcher fetcher = fetcher(allowingOne(), ALLOWED, PRIVATE)) {
            assertThat(held.isBound()).isTrue();
            assertThat(fetcher.fetch("http://mixed.test:" + allowed.port() + "/"))
                    .isInstanceOf(Failed.class);
        }
    }

    @Test
    void aNameThatTurnsPrivateIsRefusedFromThenOn() throws IOException {
        AtomicInteger lookups = new AtomicInteger();
        try (Fetcher fetcher =
                fetcher(allowingOne(), host -> addresses(lookups.getAndIncrement() == 0 ? ALLOWED : PRIVATE))) {
            String url = "http://turning.test:" + allowed.port() + "/";

            assertThat(fetcher.fetch(url)).isInstanceOf(Page.class);
            assertThat(fetcher.fetch(url)).isInstanceOf(Refused.class);
            assertThat(allowed.heads()).hasSize(1);
        }
    }

    @Test
    void aConnectionThatIsKeptGoesOnWhereItWas() {
        allowed.on("/", client -> {
            for (int i = 0; i < 2; i++) {
                HostileServer.write(client, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                HostileServer.readHead(client.getInputStream());
            }
        });
        AtomicInteger lookups = new AtomicInteger();
        try (Fetcher fetcher =
                fetcher(allowingOne(), host -> addresses(lookups.getAndIncrement() == 0 ? ALLOWED : PRIVATE))) {
            String url = "http://turning.test:" + allowed.port() + "/";

            assertThat(fetcher.fetch(url)).isInstanceOf(Page.class);
            assertThat(fetcher.fetch(url)).isInstanceOf(Page.class);
            assertThat(lookups).hasValue(1);
        }
    }

    @Test
    void aSocketLooksAtTheAddressThatItDials() throws IOException {
        SocketFactory sockets = new AddressGuard.Sockets(AddressPolicy.publicOnly()::objection, null, null);
        InetSocketAddress private_ = new InetSocketAddress(PRIVATE, secret.port());

        try (Socket socket = sockets.createSocket()) {
            assertThatThrownBy(() -> socket.connect(private_, 1000))
                    .isInstanceOf(WireSocket.AddressRefusedException.class);
            assertThat(socket.isConnected()).isFalse();
        }
        try (Socket socket = sockets.createSocket()) {
            assertThatThrownBy(() -> socket.connect(private_)).isInstanceOf(WireSocket.AddressRefusedException.class);
        }
        assertThatThrownBy(() -> sockets.createSocket(PRIVATE, secret.port()))
                .isInstanceOf(WireSocket.AddressRefusedException.class);
        assertThatThrownBy(() -> sockets.createSocket(private_.getAddress(), secret.port()))
                .isInstanceOf(WireSocket.AddressRefusedException.class);
    }

    @Test
    void aPlaceThatWasOpenedIsAskedAndItsOtherPortsAreNot() throws IOException {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), ALLOWED);
                HostileServer neighbour = new HostileServer(ALLOWED, 0)) {
            fetcher.open(allowed.url());

            assertThat(fetcher.fetch("http://127.1:" + allowed.port() + "/x")).isInstanceOf(Page.class);
            assertThat(fetcher.fetch(neighbour.url())).isInstanceOf(Refused.class);
            assertThat(fetcher.fetch("http://name.test:" + allowed.port() + "/"))
                    .isInstanceOf(Refused.class);
            assertThat(neighbour.heads()).isEmpty();
        }
    }

    @Test
    void aNameThatWasOpenedIsAskedWhereverItIs() throws IOException {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), ALLOWED)) {
            fetcher.open("http://intranet.test:" + allowed.port() + "/start");

            assertThat(fetcher.fetch("http://intranet.test:" + allowed.port() + "/"))
                    .isInstanceOf(Page.class);
            assertThat(fetcher.fetch("http://other.test:" + allowed.port() + "/"))
                    .isInstanceOf(Refused.class);
            assertThat(fetcher.fetch("http://intranet.test:" + (allowed.port() ^ 1) + "/"))
                    .isInstanceOf(Refused.class);
        }
    }

    @Test
    void aFixedAddressIsAllowedForItsHostOnly() {
        Resolver fixed = new Resolver() {
            @Override
            public List<InetAddress> addresses(String host) throws UnknownHostException {
                return PrivatePlacesTest.addresses(ALLOWED);
            }

            @Override
            public boolean isFixed(String host) {
                return host.equals("fixed.test");
            }
        };
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), fixed)) {
            for (String host : List.of("other.test", "localhost", ALLOWED)) {
                assertRefused(fetcher.fetch("http://" + host + ":" + allowed.port() + "/"), "loopback");
            }
            assertThat(fetcher.fetch("http://fixed.test:22/")).isInstanceOf(Refused.class);
            assertThat(fetcher.fetch("http://FIXED.test:" + allowed.port() + "/"))
                    .isInstanceOf(Page.class);
        }
    }

    private static Resolver changing(String first, String... later) {
        return changing(List.of(first), later);
    }

    private static Resolver changing(List<String> first, String... later) {
        AtomicInteger lookups = new AtomicInteger();
        return host -> addresses(lookups.getAndIncrement() == 0 ? first.toArray(String[]::new) : later);
    }

    @Test
    void anOpenedNameKeepsTheAddressesOfItsFirstLookup() {
        try (Fetcher rebound = fetcher(AddressPolicy.publicOnly(), changing("127.0.0.99", PRIVATE));
                Fetcher moved = fetcher(allowingOne(), changing("127.0.0.99", PRIVATE, ALLOWED))) {
            String url = "http://opened.test:" + allowed.port() + "/";
            rebound.open(url);
            moved.open(url);

            assertThat(rebound.fetch(url)).isInstanceOf(Failed.class);
            assertThat(rebound.fetch(url)).isInstanceOf(Refused.class);
            assertThat(moved.fetch(url)).isInstanceOf(Failed.class);
            assertThat(moved.fetch(url)).isInstanceOf(Page.class);
        }
    }

    @Test
    void anOpenedNameLeadsOnlyToAllowedAddresses() {
        try (Fetcher fetcher = fetcher(allowingOne(), changing(List.of(PRIVATE, ALLOWED), PRIVATE))) {
            String url = "http://opened.test:" + allowed.port() + "/";
            fetcher.open(url);

            assertThat(fetcher.fetch(url)).isInstanceOf(Page.class);
            assertThat(fetcher.fetch(url)).isInstanceOf(Refused.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"169.254.169.254", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"})
    void anOpenedNameNeverLeadsToAMetadataService(String address) {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), address)) {
            fetcher.open("http://opened.test/");

            assertRefused(fetcher.fetch("http://opened.test/"), "a cloud metadata service");
        }
    }

    @Test
    void anOpenedAddressIsRequestedWhateverItIs() {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), ALLOWED)) {
            fetcher.open("http://169.254.169.254/");

            assertThat(fetcher.objection("http://169.254.169.254/latest")).isNull();
            assertThat(fetcher.objection("http://169.254.169.254:81/latest")).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 22, 25, 110, 143, 465, 587, 993, 2049, 6000, 6667, 10_080})
    void thePortsOfOtherProtocolsAreRefusedUnlessOpened(int port) {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly().allowing("127.0.0.0/8"), "8.8.8.8")) {
            String url = "http://127.0.0.3:" + port + "/";

            assertThat(fetcher.fetch(url))
                    .isEqualTo(new Refused(new SkipReason("port not allowed", port + " is for another protocol")));
            assertThat(fetcher.fetch("http://name.test:" + port + "/")).isInstanceOf(Refused.class);
            fetcher.open(url);
            assertThat(fetcher.objection(url)).isNull();
        }
    }

    @Test
    void aNameWithoutAnAddressIsAFailureAndNoRefusal() {
        try (Fetcher fetcher = fetcher(AddressPolicy.publicOnly(), host -> List.of())) {
            assertThat(fetcher.fetch("http://empty.test/")).isInstanceOf(Failed.class);
        }
    }

    @Test
    void aClientIsReplacedBeforeItHasStoredTooManyHosts() throws IOException {
        OkHttpClient base = new OkHttpClient();
        try (DnsLookups lookups = new DnsLookups(host -> List.of(), Duration.ofSeconds(1), 1)) {
            AddressGuard guard = new AddressGuard(AddressPolicy.publicOnly(), lookups, base, ProxySettings.NONE);
            HttpUrl guarded = HttpUrl.get("http://h.test/");
            HttpUrl opened = HttpUrl.get("http://open.test/");
            guard.open(opened);
            Set<OkHttpClient> clients = Collections.newSetFromMap(new IdentityHashMap<>());

            for (int i = 0; i < 3 * AddressGuard.REQUESTS_PER_CLIENT; i++) {
                clients.add(guard.client(i % 2 == 0 ? guarded : opened));
            }

            assertThat(clients)
                    .hasSize(7)
                    .allSatisfy(client -> assertThat(client.connectionPool()).isSameAs(base.connectionPool()));
            assertThat(clients.stream().map(OkHttpClient::dns).distinct()).hasSize(2);
        }
    }

    @Test
    void aKnownHostDoesNotWaitForNamesThatAreNeverFound() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(3);
        Resolver resolver = host -> {
            busy.countDown();
            for (boolean waits = host.startsWith("silent"); waits; ) {
                try {
                    over.await();
                    waits = false;
                } catch (InterruptedException e) {
                    // The resolver of the system cannot be interrupted.
                }
            }
            return addresses(ALLOWED);
        };
        try (DnsLookups patient = new DnsLookups(resolver, Duration.ofSeconds(100), 2)) {
            assertThat(patient.addresses("good.test")).hasSize(1);
            for (int i = 0; i < 4; i++) {
                String silent = "silent" + i + ".test";
                LocalServer.start(() -> {
                    try {
                        patient.addresses(silent);
                    } catch (UnknownHostException e) {
                        // The lookups are closed.
                    }
                });
            }
            busy.await();

            assertThat(patient.addresses("good.test")).hasSize(1);
        } finally {
            over.countDown();
        }
    }

    @Test
    void aHostIsNotKnownAfterItsLookupHasFailed() throws Exception {
        List<Thread> threads = new ArrayList<>();
        Resolver resolver = host -> {
            threads.add(Thread.currentThread());
            if (threads.size() == 2) {
                throw new UnknownHostException(host);
            }
            return addresses(ALLOWED);
        };
        try (DnsLookups lookups = new DnsLookups(resolver, Duration.ofSeconds(60), 1)) {
            lookups.addresses("h.test");
            assertThatThrownBy(() -> lookups.addresses("h.test")).isInstanceOf(UnknownHostException.class);
            lookups.addresses("h.test");
        }
        assertThat(threads.get(1)).isNotSameAs(threads.get(0));
        assertThat(threads.get(2)).isSameAs(threads.get(0));
    }

    @Test
    void ofThousandsOfAddressesAHostUsesTheFirst() throws IOException {
        List<InetAddress> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(InetAddress.getByAddress(new byte[] {127, 1, (byte) (i >> 8), (byte) i}));
        }
        many.add(InetAddress.getByName("2001:4860::1"));
        List<InetAddress> first = new ArrayList<>(many.subList(0, DnsLookups.MAX_ADDRESSES));
        first.add(many.get(10_000));
        try (DnsLookups lookups = new DnsLookups(host -> many, Duration.ofSeconds(60), 1)) {
            assertThat(lookups.addresses("h.test")).isEqualTo(first);
        }
    }
}
