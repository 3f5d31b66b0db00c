package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final String WORD = "changeit";

    @TempDir
    private Path folder;

    /** A store with a key and its own certificate for a host. */
    private Path store(String host) throws Exception {
        Path file = folder.resolve(host + ".p12");
        keytool(
                file,
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host);
        return file;
    }

    private volatile HostileServer.Behaviour behaviour = HostileServer.raw("HTTP/1.1 200 OK\nContent-Length: 0\n");

    /** A store with a key for a host, whose certificate an authority has signed for a day, some days from now. */
    private Path signed(Path authority, String host, String fromDay) throws Exception {
        Path file = Files.copy(authority, folder.resolve(host + fromDay + ".p12"));
        keytool(
                file,
                "-genkeypair",
                "-alias",
                "signed",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host,
                "-signer",
                "server",
                "-startdate",
                fromDay + "d",
                "-validity",
                "1");
        keytool(file, "-delete", "-alias", "server");
        return file;
    }

    private void keytool(Path store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", WORD));
        Path output = folder.resolve("keytool.txt");
        int exitCode = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        assertThat(exitCode).as(Files.readString(output)).isZero();
    }

    private SSLServerSocket serve(Path store, String... protocols) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, WORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, WORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        if (protocols.length > 0) {
            server.setEnabledProtocols(protocols);
        }
        Thread thread = new Thread(() -> answer(server), "tls-server");
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    private void answer(SSLServerSocket server) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                HostileServer.readHead(client.getInputStream());
                behaviour.answer(client);
            } catch (IOException e) {
                // The client does not trust it, or the test is over.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Asks a server as a client that trusts the certificates of one store. */
    private static FetchResult fetch(SSLServerSocket server, String host, Path trusted) {
        String before = System.getProperty("javax.net.ssl.trustStore");
        if (trusted != null) {
            System.setProperty("javax.net.ssl.trustStore", trusted.toString());
            System.setProperty("javax.net.ssl.trustStorePassword", WORD);
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
            return fetcher.fetch("https://" + host + ":" + server.getLocalPort() + "/");
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
        try (SSLServerSocket server = serve(good)) {
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
        try (SSLServerSocket server = serve(good)) {
            assertThat(fetch(server, "good.test", good))
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.detail()).contains("not part of the body"));
        }
    }

    @Test
    void aCertificateIsTrustedOnlyWhileItIsValid() throws Exception {
        Path authority = folder.resolve("authority.p12");
        keytool(
                authority,
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=authority",
                "-ext",
                "bc:c");
        for (String fromDay : List.of("-0", "-5", "+5")) {
            try (SSLServerSocket server = serve(signed(authority, "good.test", fromDay))) {
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
        try (SSLServerSocket server = serve(good, "TLSv1", "TLSv1.1")) {
            assertUntrusted(fetch(server, "good.test", good));
        }
    }
}
