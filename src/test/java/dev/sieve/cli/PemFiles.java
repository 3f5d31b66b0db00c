package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate for localhost, signed by itself, and its key, made by the JDK's keytool.
 *
 * @param certificate the certificate in PEM
 * @param key the private key in PEM
 */
record PemFiles(Path certificate, Path key) {
    private static final String PASSWORD = "changeit";

    static PemFiles create(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "server",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + output);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return new PemFiles(
                write(
                        folder.resolve("cert.pem"),
                        "CERTIFICATE",
                        keys.getCertificate("server").getEncoded()),
                write(
                        folder.resolve("key.pem"),
                        "PRIVATE KEY",
                        keys.getKey("server", PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path write(Path file, String type, byte[] content) throws IOException {
        return Files.writeString(
                file,
                "-----BEGIN " + type + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + type
                        + "-----\n");
    }
}
