package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir
    Path folder;

    private final SSLContext before = context();

    private static SSLContext context() {
        try {
            return SSLContext.getDefault();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void restore() {
        SSLContext.setDefault(before);
    }

    private KeyStore certificate(String names) throws Exception {
        Path file = folder.resolve("keys.p12");
        Files.deleteIfExists(file);
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "engine",
                        "-dname",
                        "CN=engine",
                        "-ext",
                        "san=" + names,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        pem("key.pem", "PRIVATE KEY", store.getKey("engine", PASSWORD).getEncoded());
        pem("certificate.pem", "CERTIFICATE", store.getCertificate("engine").getEncoded());
        return store;
    }

    private void pem(String file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }

    private TestEngine start(int port) {
        return TestEngine.start(
                "--tls-port",
                String.valueOf(port),
                "--tls-cert-file",
                folder.resolve("certificate.pem").toString(),
                "--tls-key-file",
                folder.resolve("key.pem").toString(),
                "--tls-ca-cert-file",
                folder.resolve("certificate.pem").toString(),
                "--tls-auth-clients",
                "no");
    }

    private static void trust(KeyStore certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("engine", certificate.getCertificate("engine"));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        SSLContext.setDefault(context);
    }

    private static Engine open(String address) throws IOException {
        return open(address, Duration.ofSeconds(10));
    }

    private static Engine open(String address, Duration timeout) throws IOException {
        return new Engine(EngineAddress.parse(address), "w", Duration.ofMinutes(5), timeout, System::nanoTime);
    }

    @Test
    void aConnectionIsEncryptedWhenTheCertificateIsTrusted() throws Exception {
        int port = TestEngine.freePort();
        KeyStore certificate = certificate("ip:127.0.0.1");
        try (TestEngine server = start(port)) {
            String address = "rediss://127.0.0.1:" + port + "/a";
            assertThatThrownBy(() -> open(address))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(
                            "cannot use the engine rediss://127.0.0.1:" + port, "-Djavax.net.ssl.trustStore=");
            trust(certificate);
            try (Engine engine = open(address)) {
                TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
                assertThat(engine.<String>call((session, call) -> slice.push(session, call, List.of("u"))))
                        .isEqualTo("1");
                server.kill();
                server.restart();
                assertThat(engine.<String>call((session, call) -> slice.push(session, call, List.of("v"))))
                        .isEqualTo("1");
            }
            assertThatThrownBy(() -> open("rediss://127.0.0.1:" + server.port() + "/a", Duration.ofMillis(500)))
                    .hasMessageContaining("TLS failed: no response to the handshake");
            assertThatThrownBy(() -> open("redis://127.0.0.1:" + port + "/a")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
        int port = TestEngine.freePort();
        KeyStore certificate = certificate("dns:other.example");
        trust(certificate);
        try (TestEngine server = start(port)) {
            assertThat(server.port()).isPositive();
            assertThatThrownBy(() -> open("valkeys://127.0.0.1:" + port + "/a"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("TLS failed", "127.0.0.1");
        }
    }
}
