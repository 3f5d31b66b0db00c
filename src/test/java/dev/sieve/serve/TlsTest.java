package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.Local;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that are encrypted. */
class TlsTest {
    private static final char[] PASSWORD = "secret".toCharArray();

    @TempDir
    Path folder;

    private Path certificate;
    private Path key;

    private void makeCertificate() throws Exception {
        makeCertificate("EC");
    }

    private void makeCertificate(String algorithm) throws Exception {
        Path store = folder.resolve(algorithm + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "frontier",
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=frontier",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        key = pem("key.pem", "PRIVATE KEY", keys.getKey("frontier", PASSWORD).getEncoded());
        certificate = pem(
                "certificate.pem",
                "CERTIFICATE",
                keys.getCertificate("frontier").getEncoded());
    }

    private Path pem(String file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(content);
        return Files.writeString(
                folder.resolve(file), "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }

    @Test
    void anyAddressMayBeServedWithACertificate() throws Exception {
        makeCertificate();
        try (FrontierServer server = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(0))
                .tls(certificate, key)
                .open()) {
            ManagedChannel encrypted = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .sslContext(GrpcSslContexts.forClient()
                            .trustManager(certificate.toFile())
                            .build())
                    .build();
            ManagedChannel plain = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .build();
            try {
                assertThat(URLFrontierGrpc.newBlockingStub(encrypted)
                                .getActive(Local.getDefaultInstance())
                                .getState())
                        .isTrue();
                assertThatThrownBy(() -> URLFrontierGrpc.newBlockingStub(plain).getActive(Local.getDefaultInstance()))
                        .hasMessageContaining("UNAVAILABLE");
            } finally {
                encrypted.shutdownNow();
                plain.shutdownNow();
            }
        }
    }

    @Test
    void aFileThatIsNotACertificateIsNamed() throws Exception {
        makeCertificate();
        Path other = Files.writeString(folder.resolve("other.pem"), "nothing");
        FrontierServer.Builder builder = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        assertThatThrownBy(() -> builder.tls(other, key).open())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("other.pem");
        assertThatThrownBy(() ->
                        builder.tls(certificate, folder.resolve("missing.pem")).open())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing.pem");
        builder.tls(certificate, key).open().close();
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        FrontierServer.Builder builder = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        makeCertificate("EC");
        Path first = Files.move(key, folder.resolve("first.pem"));
        Files.delete(folder.resolve("EC.p12"));
        for (String algorithm : List.of("EC", "RSA")) {
            makeCertificate(algorithm);
            assertThatThrownBy(() -> builder.tls(certificate, first).open())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("certificate.pem")
                    .hasMessageContaining("first.pem")
                    .hasMessageContaining("the key does not match the certificate");
            builder.tls(certificate, key).open().close();
        }
    }

    @Test
    void anAddressThatIsTakenIsNamed() throws Exception {
        try (Door door = new Door(folder.resolve("a"))) {
            assertThatThrownBy(() -> FrontierServer.builder(folder.resolve("b"))
                            .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), door.server.port()))
                            .open())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("" + door.server.port());
            new Door(folder.resolve("b")).close();
        }
    }
}
