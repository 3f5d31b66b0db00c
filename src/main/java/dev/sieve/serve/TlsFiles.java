package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a certificate and a key belong together, which the JDK finds out when the first client connects. */
final class TlsFiles {
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final Map<String, String> SIGNATURES = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

    private TlsFiles() {}

    /** Returns whether a signature by the key goes with the first certificate; true also when that cannot be found out. */
    static boolean belongTogether(Path certificates, Path key) throws IOException {
        Matcher pem = KEY.matcher(Files.readString(key, ISO_8859_1));
        try (InputStream in = Files.newInputStream(certificates)) {
            PublicKey publicKey = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey();
            String algorithm = SIGNATURES.get(publicKey.getAlgorithm());
            if (algorithm == null || !pem.find()) {
                return true;
            }
            PrivateKey privateKey = KeyFactory.getInstance(publicKey.getAlgorithm())
                    .generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1))));
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(privateKey);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            return signature.verify(signed);
        } catch (InvalidKeySpecException | InvalidKeyException | SignatureException e) {
            return false;
        } catch (GeneralSecurityException e) {
            return true;
        }
    }
}
