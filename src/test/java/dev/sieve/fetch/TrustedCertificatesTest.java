package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustedCertificatesTest {
    @TempDir
    Path folder;

    private TestCertificate certificate;

    @BeforeEach
    void make() throws Exception {
        certificate = TestCertificate.create(folder);
    }

    /** Returns the name in the certificate of a server of that certificate, which a client with a context accepts. */
    private String handshake(SSLContext client, String host) throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        KeyStore store = TestCertificate.load(certificate.store());
        keys.init(store, TestCertificate.PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (SSLServerSocket server =
                (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, loopback)) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> accept(server));
            Socket socket = new Socket(loopback, server.getLocalPort());
            try (SSLSocket secure = (SSLSocket) client.getSocketFactory().createSocket(socket, host, 443, true)) {
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
                secure.startHandshake();
                return secure.getSession().getPeerPrincipal().getName();
            } finally {
                served.join();
            }
        }
    }

    private static void accept(SSLServerSocket server) {
        try (SSLSocket accepted = (SSLSocket) server.accept()) {
            accepted.startHandshake();
        } catch (IOException e) {
            // The client has refused it.
        }
    }

    @Test
    void aCertificateInAFileIsTrustedForItsNames() throws Exception {
        SSLContext context = TrustedCertificates.with(certificate.certificate());
        assertThat(handshake(context, "localhost")).isEqualTo("CN=server");
        assertThatThrownBy(() -> handshake(context, "other.test")).isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> handshake(SSLContext.getDefault(), "localhost"))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void whatJavaTrustsRemainsTrusted() throws Exception {
        TrustManagerFactory java = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        java.init((KeyStore) null);
        X509TrustManager before = (X509TrustManager) java.getTrustManagers()[0];
        assertThat(TrustedCertificates.all(certificate.certificate()))
                .hasSize(1 + before.getAcceptedIssuers().length)
                .contains(before.getAcceptedIssuers());
    }

    @Test
    void aFileWithoutACertificateIsNamed() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        for (Path file : new Path[] {certificate.key(), empty, folder.resolve("missing.pem")}) {
            assertThatThrownBy(() -> TrustedCertificates.with(file))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file.toString());
        }
    }
}
