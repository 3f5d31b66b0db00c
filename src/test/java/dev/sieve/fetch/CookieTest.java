package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where cookies are sent by RFC 6265, and which lines and header fields are cookies. */
class CookieTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    private static String sent(Cookie cookie, String url) {
        return Cookie.belongingTo(url, NOW).test(cookie) ? Cookie.field(List.of(cookie)) : "";
    }

    private static @Nullable Cookie received(String url, String field) {
        return Cookie.received(
                url, field, List.of(), reason -> assertThat(reason).isNotEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.test FALSE / FALSE 0 n v | http://a.test/x | n=v",
                "a.test FALSE / FALSE 0 n v | http://a.test:8080/x | n=v",
                "a.test FALSE / FALSE 0 n v | http://www.a.test/ | ",
                "a.test FALSE / FALSE 0 n v | http://a.test.evil.test/ | ",
                ".a.test TRUE / FALSE 0 n v | http://www.a.test/ | n=v",
                "a.test TRUE / FALSE 0 n v | http://x.y.a.test/ | n=v",
                ".a.test TRUE / FALSE 0 n v | http://aa.test/ | ",
                "#HttpOnly_.a.test TRUE / FALSE 0 n v | http://a.test/ | n=v",
                "#HttpOnly_a.test FALSE / TRUE 0 n v | https://a.test/ | n=v",
                "a.test FALSE / TRUE 0 n v | http://a.test/ | ",
                "a.test FALSE /in FALSE 0 n v | http://a.test/in | n=v",
                "a.test FALSE /in FALSE 0 n v | http://a.test/in/a?b | n=v",
                "a.test FALSE /in FALSE 0 n v | http://a.test/inner | ",
                "a.test FALSE /in/ FALSE 0 n v | http://a.test/in | ",
                "a.test false / false 1795694401 n v | http://a.test/ | n=v",
                "a.test FALSE / FALSE 1795694400 n v | http://a.test/ | ",
                "a.test FALSE / FALSE 1795694401.75 n v | http://a.test/ | n=v",
                "a.test FALSE / FALSE 0 n | http://a.test/ | n=",
                "a.test FALSE / FALSE -1 n v | http://a.test/ | n=v",
                "a.test FALSE / FALSE  n v | http://a.test/ | n=v",
                "a.test FALSE  FALSE 0 n v | http://a.test/in | n=v",
                "a.test FALSE / FALSE 9223372036854775807 n v | http://a.test/ | n=v",
                "a.test FALSE / FALSE 0 n M\u00fcnchen\u6625 | http://a.test/ | n=M\u00fcnchen\u6625",
                "localhost FALSE / TRUE 0 n v | http://localhost:81/ | n=v",
                "127.0.0.1 FALSE / TRUE 0 n v | http://127.0.0.1:81/ | n=v",
                "A.Test FALSE / FALSE 0 n a=b== | http://a.test/ | n=a=b==",
                "127.0.0.1 FALSE / FALSE 0 n v | http://127.0.0.1:81/ | n=v",
                "0.0.1 TRUE / FALSE 0 n v | http://127.0.0.1/ | ",
                "::1 FALSE / FALSE 0 n v | http://[::1]:81/ | n=v",
                "localhost FALSE / FALSE 0 n v | http://localhost/ | n=v",
                ".co.uk TRUE / FALSE 0 n v | http://a.co.uk/ | ",
                ".co.uk TRUE / FALSE 0 n v | http://co.uk/ | n=v",
                ".github.io TRUE / FALSE 0 n v | http://a.github.io/ | ",
                ".localhost TRUE / FALSE 0 n v | http://a.localhost/ | ",
            })
    void aLineOfAFileIsSentWhereItBelongs(String line, String url, String field) {
        String text = line.replace(' ', '\t');

        assertThat(sent(Cookie.of(text), url)).isEqualTo(field == null ? "" : field);
        assertThat(sent(Cookie.of(Cookie.of(text).line()), url)).isEqualTo(field == null ? "" : field);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.test FALSE / FALSE 0",
                "a.test FALSE / FALSE 0 secret secret secret",
                "a.test FALSE secret FALSE 0 secret secret",
                "a.test secret / FALSE 0 n secret",
                "a.test FALSE / secret 0 n secret",
                "a.test FALSE / FALSE -2 n secret",
                "a.test FALSE in FALSE 0 n secret",
                "a.test FALSE / FALSE 0  secret",
                "a.test FALSE / FALSE 0 n secret;x",
                "a.test FALSE / FALSE 0 n secr\ufffdt",
                "a.test FALSE / FALSE 0 n secr\u0001t",
                "a.test FALSE / FALSE 0 s=cret secret",
                "a..test FALSE / FALSE 0 n secret",
                "a.test:80 FALSE / FALSE 0 n secret",
                " FALSE / FALSE 0 n secret",
                "secret",
            })
    void aLineThatIsNoCookieIsRefusedWithoutBeingShown(String line) {
        assertThatThrownBy(() -> Cookie.of(line.replace(' ', '\t')))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .isNotEmpty()
                .doesNotContain("secr");
    }

    @Test
    void aLineOfMoreCharactersThanBrowsersTakeIsRefused() {
        String line = "a.test\tFALSE\t/\tFALSE\t0\tn\t";

        assertThat(Cookie.of(line + "v".repeat(4095)).line()).hasSize(line.length() + 4095);
        assertThatThrownBy(() -> Cookie.of(line + "v".repeat(4096))).hasMessage("it is too long");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://www.a.test/in/x | n=v | a.test | ",
                "http://www.a.test/in/x | n=v | www.a.test/in/y | n=v",
                "http://www.a.test/in/x | n=v | www.a.test/ | ",
                "http://www.a.test/in/x | n=v; Path=/ | www.a.test/ | n=v",
                "http://www.a.test/ | n=v; Domain=a.test | b.a.test/ | n=v",
                "http://www.a.test/ | n=v; Domain=.a.test | a.test/ | n=v",
                "http://www.a.test/ | n=v; Domain=b.test | b.test/ | ",
                "http://www.a.test/ | n=v; Domain=b.a.test | b.a.test/ | ",
                "http://www.a.test/ | n=v; Domain=test | b.test/ | ",
                "http://a.co.uk/ | n=v; Domain=co.uk | b.co.uk/ | ",
                "http://a.co.uk/ | n=v; Domain=co.uk | a.co.uk/ | ",
                "http://co.uk/ | n=v; Domain=co.uk | b.co.uk/ | ",
                "http://co.uk/ | n=v; Domain=co.uk | co.uk/ | n=v",
                "http://localhost/ | n=v; Domain=localhost | a.localhost/ | ",
                "http://127.0.0.1/ | n=v; Domain=127.0.0.1 | 127.0.0.1/ | n=v",
                "http://127.0.0.1/ | n=v; Domain=0.0.1 | 127.0.0.1/ | ",
                "http://a.test/ | n=v; Secure | a.test/ | ",
                "http://a.test/ | n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT | a.test/ | ",
                "http://a.test/ | n=v; Expires=Fri, 01 Jan 2100 00:00:00 GMT | a.test/ | n=v",
                "http://a.test/ | n=v; Max-Age=0 | a.test/ | ",
                "http://a.test/ | n=v; Path=/\u00e9 | a.test/\u00e9 | ",
                "http://a.test/ | n=\u00e9 | a.test/ | n=\u00e9",
                "http://a.test/ | n=\ufffd | a.test/ | ",
                "http://a.test/ | \u6625=\"\u7bc0\" | a.test/ | \u6625=\"\u7bc0\"",
                "http://a.test/ | n=v; Domain=..a.test | a.test/ | ",
                "http://a.test/ | n=v; Domain=a.test. | a.test/ | ",
                "http://a.test/ | n=v; Domain=a.test:80 | a.test/ | ",
                "http://a.test/ | n=v; Domain= | a.test/ | n=v",
                "http://a.test/ | n=v; Domain=. | a.test/ | n=v",
                "http://[::1]/ | n=v; Domain=::1 | [::1]/ | n=v",
                "http://localhost/ | n=v; Secure | localhost/ | n=v",
                "http://a.test/ | n | a.test/ | ",
                "http://a.test/ | =v | a.test/ | ",
                "http://a.test/ | a b=v | a.test/ | a b=v",
                "http://a.test/ | ; ; = ;; | a.test/ | ",
                "http://a.test/ | n=\"a b\" | a.test/ | n=\"a b\"",
            })
    void aFieldOfAResponseIsSentWhereItBelongs(String url, String field, String target, String sent) {
        Cookie cookie = received(url, field);

        String name = target.contains("/") ? target : target + "/";
        assertThat(cookie == null ? "" : sent(cookie, "http://" + name)).isEqualTo(sent == null ? "" : sent);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://a.test/ | n=v; Secure | ",
                "https://a.test/ | n=v; Secure | n=v",
                "https://a.test/ | __Secure-n=v | ",
                "https://a.test/ | __secure-n=v | ",
                "https://a.test/ | __Secure-n=v; Secure | __Secure-n=v",
                "http://a.test/ | __Secure-n=v; Secure | ",
                "https://a.test/ | __Host-n=v; Secure; Path=/ | __Host-n=v",
                "https://a.test/ | __Host-n=v; Path=/ | ",
                "https://a.test/ | __Host-n=v; Secure | ",
                "https://a.test/ | __Host-n=v; Secure; Path=/x | ",
                "https://a.test/ | __Host-n=v; Secure; Path=/; Domain=a.test | ",
            })
    void aCookieForHttpsIsSetOverHttpsAndAsItsPrefixSays(String url, String field, String sent) {
        Cookie cookie = received(url, field);

        assertThat(cookie == null ? null : sent(cookie, "https://a.test/")).isEqualTo(sent);
    }

    @Test
    void theCookieOfTheLongestPathIsSentFirst() {
        List<Cookie> cookies = List.of(
                Cookie.of("a.test\tFALSE\t/\tFALSE\t0\ta\t1"),
                Cookie.of("a.test\tFALSE\t/in\tFALSE\t0\tb\t2"),
                Cookie.of(".a.test\tTRUE\t/\tFALSE\t0\tc\t3"));

        assertThat(Cookie.field(cookies)).isEqualTo("b=2; a=1; c=3");
    }

    @Test
    void whatShowsACookieDoesNotShowItsValue() {
        assertThat(Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tname\tsecret")).hasToString("a.test/ name");
    }

    @Test
    void whateverAServerSendsIsACookieThatCanBeStoredOrNone() {
        Random random = new Random(11);
        String parts = "n=v;; Domain=.a.test. Path=/ Max-Age=-9 Expires=31 Feb 9999 99:99 \"\t\u0000\u00e9,%; SameSite";
        int cookies = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder field = new StringBuilder(random.nextBoolean() ? "name=value; " : "");
            for (int part = random.nextInt(8); part > 0; part--) {
                int start = random.nextInt(parts.length());
                field.append(parts, start, start + random.nextInt(parts.length() - start));
            }
            Cookie cookie = Cookie.received("http://www.a.test/in/x", field.toString(), List.of(), reason -> {});
            if (cookie != null) {
                cookies++;
                assertThat(Cookie.of(cookie.line()).line()).isEqualTo(cookie.line());
                assertThat(cookie.line()).matches("[ -~\t\u00e9]+");
                assertThat(cookie.domain()).isEqualTo("a.test");
            }
        }
        assertThat(cookies).isGreaterThan(5000);
        assertThat(received("http://a.test/", "n=" + "v".repeat(1 << 20))).isNull();
        assertThat(received("http://a.test/", "n=v; Path=/" + "p".repeat(2000))).isNull();
    }
}
