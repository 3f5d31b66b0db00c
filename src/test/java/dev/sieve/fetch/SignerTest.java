package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SignerTest {
    /** The key of RFC 9421, appendix B.1.4, and its public half. */
    private static final String KEY = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
            -----END PRIVATE KEY-----
            """;

    private static final String PUBLIC_KEY = "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";
    private static final String KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";
    private static final Instant NOW = Instant.ofEpochSecond(1_735_689_600);

    @TempDir
    Path folder;

    private Signer signer(String text) throws IOException {
        return Signer.read(Files.writeString(folder.resolve("key.pem"), text), InstantSource.fixed(NOW));
    }

    private Signer signer() throws IOException {
        return signer("Signature-Agent: https://signature-agent.test\n" + KEY);
    }

    @Test
    void signsAsTheDraftDoes() throws IOException {
        String nonce = "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";
        Map<String, String> fields = signer().fields("https://example.com/path?q", NOW, Duration.ofHours(1), nonce);
        assertThat(fields)
                .containsOnly(
                        Map.entry("Signature-Agent", "\"https://signature-agent.test\""),
                        Map.entry(
                                "Signature-Input",
                                "sig=(\"@authority\" \"signature-agent\");created=1735689600;keyid=\"" + KEY_ID
                                        + "\";alg=\"ed25519\";expires=1735693200;nonce=\"" + nonce
                                        + "\";tag=\"web-bot-auth\""),
                        Map.entry(
                                "Signature",
                                "sig=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:"));
    }

    @Test
    void signsTheDirectoryThatItPublishes() throws Exception {
        Map<String, String> fields = signer().directoryFields(Duration.ofDays(365));
        assertThat(signer().directory()).isEqualTo("""
                {"keys":[{"crv":"Ed25519","kty":"OKP","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",\
                "kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U","use":"sig"}]}
                """);
        String base = "\"@authority\";req: signature-agent.test\n\"content-digest\": " + fields.get("Content-Digest")
                + "\n\"@signature-params\": " + fields.get("Signature-Input").substring("sig=".length());
        assertThat(isSigned(base, fields.get("Signature"))).isTrue();
    }

    /** The authority has the port unless it is the default one, and each nonce is used once. */
    @ParameterizedTest
    @ValueSource(strings = {"https://example.com/", "https://EXAMPLE.com:443/a", "http://example.com:80/"})
    void oneBitOfAnotherRequestIsNotSigned(String url) throws Exception {
        Map<String, String> fields = signer().fields(url);
        String input = fields.get("Signature-Input").substring("sig=".length());
        String base = "\"@authority\": example.com\n\"signature-agent\": \"https://signature-agent.test\"\n"
                + "\"@signature-params\": " + input;
        assertThat(isSigned(base, fields.get("Signature"))).isTrue();
        for (int i = 0; i < base.length(); i++) {
            String other = base.substring(0, i) + (char) (base.charAt(i) ^ 1) + base.substring(i + 1);
            assertThat(isSigned(other, fields.get("Signature"))).as(other).isFalse();
        }
        Matcher nonce = Pattern.compile("nonce=\"([^\"]+)\"").matcher(input);
        assertThat(nonce.find()).isTrue();
        assertThat(signer().fields(url).get("Signature-Input")).doesNotContain(nonce.group(1));
    }

    private static boolean isSigned(String base, String field) throws Exception {
        PublicKey key = KeyFactory.getInstance("Ed25519")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(PUBLIC_KEY)));
        Signature signature = Signature.getInstance("Ed25519");
        signature.initVerify(key);
        signature.update(base.getBytes(US_ASCII));
        return signature.verify(Base64.getDecoder().decode(field.substring("sig=:".length(), field.length() - 1)));
    }

    @Test
    void aNewKeyIsReadAgain() throws IOException {
        String text = Signer.create("https://Bot.example.org/");
        assertThat(text).startsWith("Signature-Agent: https://bot.example.org\n");
        assertThat(signer(text).fields("https://a.test/"))
                .containsEntry("Signature-Agent", "\"https://bot.example.org\"");
        assertThat(signer(text).directory()).doesNotContain(KEY_ID);
    }

    @Test
    void anUnusableKeyIsNamedAndNotShown() {
        assertThatThrownBy(() -> signer(KEY))
                .hasMessageContaining("key.pem has no line 'Signature-Agent: https://...'");
        assertThatThrownBy(() -> signer("Signature-Agent: https://a.test\n"))
                .hasMessageContaining("has no private key");
        assertThatThrownBy(() -> signer(
                        "Signature-Agent: https://a.test\n" + KEY.replace("MC4CAQAwBQYDK2Vw", "MC4CAQAwBQYDK2Vv")))
                .hasMessageContaining("is not a key of Ed25519")
                .hasMessageNotContaining("IJ+DYvh6");
        for (String agent : new String[] {"http://a.test", "https://a.test/bot", "a.test", "https://a.test\" x"}) {
            assertThatThrownBy(() -> signer("Signature-Agent: " + agent + "\n" + KEY))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
