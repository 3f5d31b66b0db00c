package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.Local;
import dev.sieve.TestCertificate;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that are encrypted. */
class TlsTest {
    @TempDir
    Path folder;

    @Test
    void anyAddressMayBeServedWithACertificate() throws Exception {
        TestCertificate files = TestCertificate.create(folder);
        try (FrontierServer server = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(0))
                .tls(files.certificate(), files.key())
                .open()) {
            ManagedChannel encrypted = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .sslContext(GrpcSslContexts.forClient()
                            .trustManager(files.certificate().toFile())
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
        TestCertificate files = TestCertificate.create(folder);
        Path other = Files.writeString(folder.resolve("other.pem"), "nothing");
        FrontierServer.Builder builder = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        assertThatThrownBy(() -> builder.tls(other, files.key()).open())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("other.pem");
        assertThatThrownBy(() -> builder.tls(files.certificate(), folder.resolve("missing.pem"))
                        .open())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing.pem");
        builder.tls(files.certificate(), files.key()).open().close();
    }

    @Test
    @Tag("slow")
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        FrontierServer.Builder builder = FrontierServer.builder(folder.resolve("job"))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        TestCertificate files = TestCertificate.create(folder);
        Path first = Files.move(files.key(), folder.resolve("first.pem"));
        for (String algorithm : List.of("EC", "RSA")) {
            TestCertificate other = TestCertificate.create(folder, algorithm, "ip:127.0.0.1");
            assertThatThrownBy(() -> builder.tls(other.certificate(), first).open())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("certificate.pem")
                    .hasMessageContaining("first.pem")
                    .hasMessageContaining("the key does not match the certificate");
            builder.tls(other.certificate(), other.key()).open().close();
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
