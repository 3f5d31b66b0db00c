package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Certificates of servers and authorities that are trusted beside those that Java trusts. */
public final class TrustedCertificates {
    private TrustedCertificates() {}

    /**
     * Returns a context of TLS that also trusts the certificates in a file, in PEM or DER. Whether a certificate is for
     * the host, and still valid, is checked as always. Set as the {@linkplain SSLContext#setDefault default} of the
     * process, it applies to all connections of fetchers and frontiers that are created from then on.
     *
     * @throws IOException when the file cannot be read, or has no certificate; the message names it
     */
    public static SSLContext with(Path file) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate each : all(file)) {
                store.setCertificateEntry(String.valueOf(store.size()), each);
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusted(store).toArray(TrustManager[]::new), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": no certificate that can be read: " + e.getMessage(), e);
        }
    }

    /** Returns the default context of the process. */
    static SSLContext context() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Java has no TLS", e);
        }
    }

    /** Returns the certificates in a file, and those that Java trusts. */
    static List<Certificate> all(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            List<Certificate> all =
                    new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (all.isEmpty()) {
                throw new IOException(file + ": no certificate");
            }
            trusted(null).forEach(manager -> all.addAll(Arrays.asList(manager.getAcceptedIssuers())));
            return all;
        }
    }

    /** Returns what trusts the certificates in a store; null for those that Java trusts. */
    private static Stream<X509TrustManager> trusted(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Stream.of(factory.getTrustManagers()).map(X509TrustManager.class::cast);
    }
}
