package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate that is signed by itself, and its key, made by the JDK's keytool.
 *
 * @param store the file with both, under the alias {@code server}
 * @param certificate the certificate in PEM
 * @param key the private key in PEM
 */
public record TestCertificate(Path store, Path certificate, Path key) {
    public static final String PASSWORD = "changeit";

    /** What was made, by the arguments of keytool. */
    private static final Map<String, byte[]> STORES = new HashMap<>();

    /** Makes a certificate for this machine. */
    public static TestCertificate create(Path folder) throws IOException, GeneralSecurityException {
        return create(folder, "EC", "dns:localhost,ip:127.0.0.1");
    }

    /**
     * Makes a certificate, or copies the one of this process with the same names and kind of key; the files of an earlier
     * one in the folder are replaced.
     *
     * @param names for whom it is, such as {@code dns:host.test}
     */
    public static TestCertificate create(Path folder, String algorithm, String names)
            throws IOException, GeneralSecurityException {
        Path store = folder.resolve("keys.p12");
        keyPair(
                store,
                "-genkeypair -alias server -dname CN=server -validity 2 -keyalg " + algorithm + " -ext san=" + names);
        KeyStore keys = load(store);
        byte[] key = keys.getKey("server", PASSWORD.toCharArray()).getEncoded();
        byte[] certificate = keys.getCertificate("server").getEncoded();
        return new TestCertificate(
                store,
                pem(folder.resolve("certificate.pem"), "CERTIFICATE", certificate),
                pem(folder.resolve("key.pem"), "PRIVATE KEY", key));
    }

    /** Makes a store with one key pair, or copies the one that was made with these arguments: keytool takes a second. */
    private static void keyPair(Path store, String arguments) throws IOException {
        synchronized (STORES) {
            byte[] made = STORES.get(arguments);
            Files.deleteIfExists(store);
            if (made == null) {
                keytool(store, arguments);
                STORES.put(arguments, Files.readAllBytes(store));
            } else {
                Files.write(store, made);
            }
        }
    }

    /** Runs keytool on a store, with arguments that are separated by spaces. */
    public static void keytool(Path store, String arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(arguments.split(" ")));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.onExit().join().exitValue()).as(output).isZero();
    }

    /** Reads a store. */
    public static KeyStore load(Path store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    /** Returns a context that trusts the certificates of a store alone. */
    public static SSLContext trusting(Path store) throws IOException, GeneralSecurityException {
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(load(store));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        return context;
    }

    /** Does work while new clients trust the certificates of a store alone. */
    public static <T> T trusting(Path store, Supplier<T> work) {
        try {
            SSLContext before = SSLContext.getDefault();
            SSLContext.setDefault(trusting(store));
            try {
                return work.get();
            } finally {
                SSLContext.setDefault(before);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path pem(Path file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }
}
