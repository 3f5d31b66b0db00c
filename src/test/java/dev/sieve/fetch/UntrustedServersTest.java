package dev.sieve.fetch;

import static dev.sieve.TestCertificate.PASSWORD;
import static dev.sieve.TestCertificate.keytool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Await;
import dev.sieve.LocalServer;
import dev.sieve.TestCertificate;
import dev.sieve.Tier;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that cannot prove who they are are not talked to, and those that can end no later than we say. */
@Tag("hostile")
@Timeout(1200)
class UntrustedServersTest {
    private static final int CONNECTIONS = 4;

    @TempDir
    private Path folder;

    /** A store with a key and its own certificate for a host. */
    private Path store(String host) throws Exception {
        return TestCertificate.create(folder, "EC", "dns:" + host).store();
    }

    private volatile HostileServer.Behaviour behaviour = HostileServer.raw("HTTP/1.1 200 OK\nContent-Length: 0\n");

    /** A store with a key for a host, whose certificate an authority has signed for a day, some days from now. */
    private Path signed(Path authority, String host, String fromDay) throws Exception {
        Path file = Files.copy(authority, folder.resolve(host + fromDay + ".p12"));
        keytool(
                file,
                "-genkeypair -alias signed -keyalg EC -dname CN=signed -signer server -validity 1 -ext san=dns:" + host
                        + " -startdate " + fromDay + "d");
        KeyStore keys = TestCertificate.load(file);
        keys.deleteEntry("server");
        try (OutputStream out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    private static SSLContext context(Path store) throws Exception {
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(TestCertificate.load(store), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private LocalServer serve(Path store, String... protocols) throws Exception {
        SSLServerSocket server = (SSLServerSocket)
                context(store).getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        if (protocols.length > 0) {
            server.setEnabledProtocols(protocols);
        }
        return new LocalServer(server, client -> {
            HostileServer.readHead(client.getInputStream());
            behaviour.answer(client);
        });
    }

    /**
     * Serves a page per connection, which it then never closes: it neither responds to the end of the other side nor reads
     * it as TLS.
     *
     * @param ended gets a permit for each connection that the other side has ended
     */
    private static LocalServer holding(Path store, String connection, Semaphore ended) throws Exception {
        SSLContext context = context(store);
        return new LocalServer(client -> {
            Socket secure = context.getSocketFactory().createSocket(client, null, true);
            HostileServer.readHead(secure.getInputStream());
            HostileServer.write(
                    secure, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: " + connection + "\r\n\r\n");
            try {
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } finally {
                ended.release();
            }
        });
    }

    /** Asks a server as a client that trusts the certificates of one store. */
    private static FetchResult fetch(LocalServer server, String host, Path trusted) {
        String url = "https://" + host + ":" + server.port() + "/";
        return fetch(trusted, ProxySettings.NONE, fetcher -> fetcher.fetch(url));
    }

    private static <T> T fetch(Path trusted, ProxySettings proxy, Function<Fetcher, T> use) {
        return trusted == null ? fetch(proxy, use) : TestCertificate.trusting(trusted, () -> fetch(proxy, use));
    }

    private static <T> T fetch(ProxySettings proxy, Function<Fetcher, T> use) {
        try (Fetcher fetcher = new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                Duration.ofMinutes(2),
                1000,
                CONNECTIONS,
                name -> List.of(InetAddress.getLoopbackAddress()),
                AddressPolicy.publicOnly().allowing("127.0.0.1"),
                1 << 26,
                proxy,
                true))) {
            return use.apply(fetcher);
        }
    }

    private static void assertUntrusted(FetchResult result) {
        assertThat(result).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(Reason.TLS);
            assertThat(failed.detail()).isNotEmpty().hasSizeLessThan(300);
            assertThat(failed.isWorthRetrying()).isFalse();
        });
    }

    @Test
    void onlyServersWithAGoodCertificateAreRequested() throws Exception {
        Path good = store("good.test");
        try (LocalServer server = serve(good)) {
            assertThat(fetch(server, "good.test", good)).isInstanceOf(Page.class);
            assertUntrusted(fetch(server, "good.test", null));
            FetchResult wrong = fetch(server, "wrong.test", good);
            assertUntrusted(wrong);
            assertThat(wrong.description()).isEqualTo("tls: the certificate is not for wrong.test but for good.test");
        }
    }

    @Test
    void aLineWithoutEndIsAFailureBehindTlsToo() throws Exception {
        behaviour = HostileServer.endless(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5;x=",
                "a".repeat(1000));
        Path good = store("good.test");
        try (LocalServer server = serve(good)) {
            assertThat(fetch(server, "good.test", good))
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.detail()).contains("not part of the body"));
        }
    }

    /** With 60 hosts; more in a proof. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"Keep-Alive", "close"})
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void connectionsOfManyHostsEndWithoutTheServers(String connection) throws Exception {
        int hosts = Tier.of(60, 120, 600);
        Path good = store("*.good.test");
        Semaphore ended = new Semaphore(0);
        try (LocalServer server = holding(good, connection, ended)) {
            fetch(good, ProxySettings.NONE, fetcher -> {
                for (int i = 0; i < hosts; i++) {
                    assertThat(fetcher.fetch("https://h" + i + ".good.test:" + server.port() + "/"))
                            .isInstanceOf(Page.class);
                }
                ended.acquireUninterruptibly(hosts - CONNECTIONS);
                return null;
            });
            ended.acquire(CONNECTIONS);
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void endlessRubbishIsNotReadBeforeClosing() throws Exception {
        try (LocalServer server = new LocalServer(HostileServer.endless("", "rubbish".repeat(10_000))::answer)) {
            assertUntrusted(fetch(server, "good.test", null));
        }
    }

    private static HostileServer.Behaviour forEachRequest(HostileServer.Behaviour behaviour) {
        return client -> {
            do {
                behaviour.answer(client);
            } while (!HostileServer.readHead(client.getInputStream()).isEmpty());
        };
    }

    private static String page(String title) {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " + title.length() + "\r\n\r\n" + title;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n", "more", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", "HTTP/1.1 200"})
    void whatWasNotRequestedIsNoResponseBehindTlsEither(String surplus) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        Path good = store("good.test");
        for (boolean isSeparate : new boolean[] {false, true}) {
            AtomicInteger unfinished = new AtomicInteger();
            HostileServer.Behaviour answers = forEachRequest(client -> {
                unfinished.incrementAndGet();
                try {
                    HostileServer.write(client, page("good") + (isSeparate ? "" : surplus));
                    HostileServer.write(client, isSeparate ? surplus : "");
                } finally {
                    unfinished.decrementAndGet();
                }
            });
            behaviour = client -> {
                connections.incrementAndGet();
                answers.answer(client);
            };
            try (LocalServer server = serve(good)) {
                String url = "https://good.test:" + server.port() + "/";
                List<FetchResult> results = fetch(
                        good,
                        ProxySettings.NONE,
                        fetcher -> Stream.generate(() -> fetcher.fetch(url))
                                // What is sent after the next request is its response, as far as anyone can tell.
                                .peek(each -> Await.until(() -> unfinished.get() == 0))
                                .filter(each -> !(each instanceof Failed failed && failed.reason() == Reason.CLOSED))
                                .limit(4)
                                .toList());

                assertThat(results)
                        .hasSize(4)
                        .allSatisfy(each -> assertThat(each)
                                .isInstanceOfSatisfying(
                                        Page.class,
                                        page -> assertThat(page.body())
                                                .asString()
                                                .isEqualTo("good")));
            }
        }
        assertThat(connections.get()).isEqualTo(surplus.isEmpty() ? 2 : 8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OkHttp-Preemptive", "Basic realm=x"})
    void thePasswordOfAProxyIsNotSentThroughItsTunnel(String challenge) throws Exception {
        List<String> heads = new CopyOnWriteArrayList<>();
        Path good = store("good.test");
        behaviour = forEachRequest(HostileServer.raw(
                "HTTP/1.1 407 No\nProxy-Authenticate: " + challenge + "\nContent-Length: 0\nConnection: keep-alive\n"));
        try (LocalServer server = serve(good);
                LocalServer proxy = new LocalServer(client -> {
                    heads.add(HostileServer.readHead(client.getInputStream()));
                    HostileServer.write(client, "HTTP/1.1 200 OK\r\n\r\n");
                    try (Socket target = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                        LocalServer.start(() -> copy(target, client));
                        copy(client, target);
                    }
                })) {
            ProxySettings settings = ProxySettings.of("http://me:secret@127.0.0.1:" + proxy.port());
            FetchResult result = fetch(good, settings, fetcher -> fetcher.fetch("https://good.test/"));

            assertThat(result.status()).isEqualTo(407);
            assertThat(result.exchange().request()).doesNotContain("Proxy-Authorization");
        }
        assertThat(heads)
                .singleElement()
                .asString()
                .startsWith("CONNECT good.test:443 ")
                .contains("Proxy-Authorization: Basic ", "User-Agent: testbot\r\n")
                .doesNotContain("okhttp");
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // One of both has closed the connection.
        }
    }

    @Test
    @Tag("slow")
    void aCertificateIsTrustedOnlyWhileItIsValid() throws Exception {
        Path authority = folder.resolve("authority.p12");
        keytool(authority, "-genkeypair -alias server -keyalg EC -dname CN=authority -ext bc:c");
        for (String fromDay : List.of("-0", "-5", "+5")) {
            try (LocalServer server = serve(signed(authority, "good.test", fromDay))) {
                FetchResult result = fetch(server, "good.test", authority);
                if (fromDay.equals("-0")) {
                    assertThat(result).isInstanceOf(Page.class);
                } else {
                    assertUntrusted(result);
                }
            }
        }
    }

    @Test
    void aProtocolThatIsNoLongerSafeIsNotSpoken() throws Exception {
        Path good = store("good.test");
        try (LocalServer server = serve(good, "TLSv1", "TLSv1.1")) {
            assertUntrusted(fetch(server, "good.test", good));
        }
    }
}
