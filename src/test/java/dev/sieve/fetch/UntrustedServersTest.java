package dev.sieve.fetch;

import static dev.sieve.TestCertificate.PASSWORD;
import static dev.sieve.TestCertificate.keytool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.LocalServer;
import dev.sieve.TestCertificate;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that cannot prove who they are are not talked to. */
@Tag("hostile")
@Timeout(1200)
class UntrustedServersTest {
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
        keytool(file, "-delete -alias server");
        return file;
    }

    private LocalServer serve(Path store, String... protocols) throws Exception {
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(TestCertificate.load(store), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        if (protocols.length > 0) {
            server.setEnabledProtocols(protocols);
        }
        return new LocalServer(server, client -> {
            HostileServer.readHead(client.getInputStream());
            behaviour.answer(client);
        });
    }

    /** Asks a server as a client that trusts the certificates of one store. */
    private static FetchResult fetch(LocalServer server, String host, Path trusted) {
        String before = System.getProperty("javax.net.ssl.trustStore");
        if (trusted != null) {
            System.setProperty("javax.net.ssl.trustStore", trusted.toString());
            System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
        }
        try (Fetcher fetcher = new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                Duration.ofMinutes(2),
                1000,
                false,
                4,
                name -> List.of(InetAddress.getLoopbackAddress()),
                AddressPolicy.publicOnly().allowing("127.0.0.1"),
                1 << 26,
                ProxySettings.NONE,
                false))) {
            return fetcher.fetch("https://" + host + ":" + server.port() + "/");
        } finally {
            System.clearProperty("javax.net.ssl.trustStorePassword");
            if (before == null) {
                System.clearProperty("javax.net.ssl.trustStore");
            } else {
                System.setProperty("javax.net.ssl.trustStore", before);
            }
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
    void aServerIsAskedWhenItsCertificateIsGoodAndNotOtherwise() throws Exception {
        Path good = store("good.test");
        try (LocalServer server = serve(good)) {
            assertThat(fetch(server, "good.test", good)).isInstanceOf(Page.class);
            assertUntrusted(fetch(server, "good.test", null));
            assertUntrusted(fetch(server, "wrong.test", good));
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
