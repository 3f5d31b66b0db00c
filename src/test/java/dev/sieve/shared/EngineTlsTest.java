package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.TestCertificate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("engine")
class EngineTlsTest {
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

    /** Starts an engine with a certificate for some names. */
    private TestEngine start(int port, String names) throws Exception {
        TestCertificate files = TestCertificate.create(folder, "EC", names);
        return TestEngine.start(
                "--tls-port",
                String.valueOf(port),
                "--tls-cert-file",
                files.certificate().toString(),
                "--tls-key-file",
                files.key().toString(),
                "--tls-ca-cert-file",
                files.certificate().toString(),
                "--tls-auth-clients",
                "no");
    }

    private void trust() throws Exception {
        SSLContext.setDefault(TestCertificate.trusting(folder.resolve("keys.p12")));
    }

    private static Engine open(String address) throws IOException {
        return open(address, Duration.ofSeconds(10));
    }

    private static Engine open(String address, Duration timeout) throws IOException {
        return new Engine(Network.REAL, EngineAddress.parse(address), Duration.ofMinutes(5), timeout, System::nanoTime);
    }

    @Test
    void aConnectionIsEncryptedWhenTheCertificateIsTrusted() throws Exception {
        int port = TestEngine.freePort();
        try (TestEngine server = start(port, "ip:127.0.0.1")) {
            String address = "rediss://127.0.0.1:" + port + "/a";
            assertThatThrownBy(() -> open(address))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(
                            "cannot use the engine rediss://127.0.0.1:" + port, "-Djavax.net.ssl.trustStore=");
            trust();
            try (Engine engine = open(address)) {
                TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
                assertThat(engine.<String>call((session, call) -> slice.push(session, call, List.of("u"))))
                        .isEqualTo("1");
                server.stop();
                server.restart();
                assertThat(engine.<String>call((session, call) -> slice.push(session, call, List.of("v"))))
                        .isEqualTo("1");
            }
            assertThatThrownBy(() -> open("rediss://127.0.0.1:" + server.port() + "/a", Duration.ofMillis(500)))
                    .hasMessageContaining("TLS failed: no response to the handshake");
            assertThatThrownBy(() -> open("redis://127.0.0.1:" + port + "/a"))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("; if the port requires TLS, use valkeys:// in the address");
        }
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
        int port = TestEngine.freePort();
        try (TestEngine server = start(port, "dns:other.example")) {
            assertThat(server.port()).isPositive();
            trust();
            assertThatThrownBy(() -> open("valkeys://127.0.0.1:" + port + "/a"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("TLS failed", "127.0.0.1");
        }
    }
}
