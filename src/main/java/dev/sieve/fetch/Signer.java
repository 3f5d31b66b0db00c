package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signs requests with an Ed25519 key, so that sites can tell who sends them: HTTP Message Signatures
 * (<a href="https://www.rfc-editor.org/rfc/rfc9421">RFC 9421</a>) as Web Bot Auth uses them
 * (<a href="https://datatracker.ietf.org/doc/draft-meunier-web-bot-auth-architecture/">version 05 of its draft</a>,
 * section 4 and appendix A.2.3). A signature covers the host of the URL and the address of the agent, and is valid for
 * five minutes. All threads may share a signer.
 */
public final class Signer {
    private static final String DIRECTORY = "/.well-known/http-message-signatures-directory";

    private static final String AGENT = "Signature-Agent";
    private static final String LABEL = "sig";
    private static final int MAX_BYTES = 1 << 14;
    private static final int SEED_BYTES = 32;
    private static final int NONCE_BYTES = 64;
    private static final Duration VALIDITY = Duration.ofMinutes(5);
    private static final Pattern KEY = Pattern.compile(
            "^" + AGENT + ": *(\\S+)\\s*$|-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----",
            Pattern.MULTILINE);

    private final PrivateKey key;
    private final String jwk;
    private final String keyId;
    private final String agent;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    private Signer(String agent, byte[] seed, InstantSource clock) throws GeneralSecurityException {
        String origin = UrlParts.origin(UrlNormalizer.base(agent).url());
        if (!origin.startsWith("https:") || !agent.replaceFirst("/$", "").equalsIgnoreCase(origin)) {
            throw new IllegalArgumentException(
                    "not the https address of a site, such as https://bot.example.org: " + agent);
        }
        KeyPair pair = pair(seed);
        byte[] encoded = pair.getPublic().getEncoded();
        String x = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Arrays.copyOfRange(encoded, encoded.length - SEED_BYTES, encoded.length));
        this.key = pair.getPrivate();
        this.jwk = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + x + "\"}";
        this.keyId = Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(jwk.getBytes(US_ASCII)));
        this.agent = origin;
        this.clock = clock;
    }

    /** The JDK computes a public key only when it makes a pair, so it makes the pair of this seed. */
    private static KeyPair pair(byte[] seed) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        generator.initialize(NamedParameterSpec.ED25519, new SecureRandom() {
            @Override
            public void nextBytes(byte[] bytes) {
                System.arraycopy(seed, 0, bytes, 0, bytes.length);
            }
        });
        KeyPair pair = generator.generateKeyPair();
        if (!Arrays.equals(seed, ((EdECPrivateKey) pair.getPrivate()).getBytes().orElse(null))) {
            throw new GeneralSecurityException("the provider of Ed25519 does not make keys of a seed");
        }
        return pair;
    }

    /**
     * Reads the private key of a file in PEM form, as {@code openssl genpkey -algorithm ed25519} writes it, with a line
     * {@code Signature-Agent: https://bot.example.org} before it.
     *
     * @throws IllegalArgumentException when the file has no such key or line; the message has nothing of the key
     */
    public static Signer read(Path file, InstantSource clock) throws IOException {
        String text;
        try (InputStream in = Files.newInputStream(file)) {
            text = new String(in.readNBytes(MAX_BYTES), UTF_8);
        }
        String agent = "";
        String encoded = "";
        for (Matcher matcher = KEY.matcher(text); matcher.find(); ) {
            agent = matcher.group(1) == null ? agent : matcher.group(1);
            encoded = matcher.group(2) == null ? encoded : matcher.group(2);
        }
        if (encoded.isEmpty() || agent.isEmpty()) {
            String missing = encoded.isEmpty() ? "private key in PEM form" : "line '" + AGENT + ": https://...'";
            throw new IllegalArgumentException(file + " has no " + missing + "; 'sieve key' makes such a file");
        }
        try {
            PKCS8EncodedKeySpec spec =
                    new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(encoded));
            PrivateKey key = KeyFactory.getInstance("Ed25519").generatePrivate(spec);
            return new Signer(agent, ((EdECPrivateKey) key).getBytes().orElseThrow(), clock);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " is not a key of Ed25519", e);
        }
    }

    /** Returns the text of a new file for {@link #read}. */
    public static String create(String agent) {
        try {
            PrivateKey key =
                    KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate();
            byte[] seed = ((EdECPrivateKey) key).getBytes().orElseThrow();
            String origin = new Signer(agent, seed, InstantSource.system()).agent;
            return AGENT + ": " + origin + "\n-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getEncoder().encodeToString(key.getEncoded()) + "\n-----END PRIVATE KEY-----\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no Ed25519", e);
        }
    }

    /** Returns where the agent publishes its {@link #directory}. */
    public String directoryUrl() {
        return agent + DIRECTORY;
    }

    /** Returns the file that the agent publishes: its public key, as JSON. */
    public String directory() {
        return "{\"keys\":[" + jwk.replaceFirst("}$", ",\"kid\":\"" + keyId + "\",\"use\":\"sig\"}") + "]}\n";
    }

    /** Returns the header fields with which the agent serves its directory, signed for a time from now. */
    public Map<String, String> directoryFields(Duration validity) {
        String digest = "sha-256=:"
                + Base64.getEncoder().encodeToString(sha256(directory().getBytes(US_ASCII))) + ":";
        Map<String, String> covered = new LinkedHashMap<>();
        covered.put("\"@authority\";req", UrlParts.hostAndPort(agent + "/"));
        covered.put("\"content-digest\"", digest);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("Content-Type", "application/http-message-signatures-directory+json");
        fields.put("Content-Digest", digest);
        fields.putAll(sign(covered, clock.instant(), validity, "", "http-message-signatures-directory"));
        return fields;
    }

    /** Returns the header fields of a request for a URL. */
    Map<String, String> fields(String url) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return fields(url, clock.instant(), VALIDITY, Base64.getEncoder().encodeToString(nonce));
    }

    Map<String, String> fields(String url, Instant created, Duration validity, String nonce) {
        String quoted = "\"" + agent + "\"";
        Map<String, String> covered = new LinkedHashMap<>();
        covered.put(
                "\"@authority\"", UrlParts.hostAndPort(UrlNormalizer.base(url).url()));
        covered.put("\"signature-agent\"", quoted);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(AGENT, quoted);
        fields.putAll(sign(covered, created, validity, ";nonce=\"" + nonce + "\"", "web-bot-auth"));
        return fields;
    }

    /** Signs the base of section 2.5: a line per component, and one for the parameters. */
    private Map<String, String> sign(
            Map<String, String> covered, Instant created, Duration validity, String nonce, String tag) {
        String input = "(" + String.join(" ", covered.keySet()) + ");created=" + created.getEpochSecond() + ";keyid=\""
                + keyId + "\";alg=\"ed25519\";expires=" + created.plus(validity).getEpochSecond() + nonce + ";tag=\""
                + tag + "\"";
        StringBuilder base = new StringBuilder();
        covered.forEach(
                (name, value) -> base.append(name).append(": ").append(value).append('\n'));
        base.append("\"@signature-params\": ").append(input);
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(base.toString().getBytes(US_ASCII));
            String value = Base64.getEncoder().encodeToString(signature.sign());
            return Map.of("Signature-Input", LABEL + "=" + input, "Signature", LABEL + "=:" + value + ":");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
