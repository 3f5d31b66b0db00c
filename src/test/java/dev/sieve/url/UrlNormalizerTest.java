package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fuzz.UrlFuzzTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class UrlNormalizerTest {

    @ParameterizedTest
    @CsvFileSource(resources = "normalise.csv", nullValues = "-")
    void urlHasOneSpellingToFetchAndOneKey(String written, String fetch, String key) {
        String actual = UrlNormalizer.parse(written);
        assertThat(actual).isEqualTo(fetch);
        if (fetch != null) {
            assertThat(UrlNormalizer.key(actual)).isEqualTo(key == null ? fetch : key);
            UrlFuzzTest.checkStable(actual);
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "resolve.csv", nullValues = "-")
    void referenceIsResolvedAgainstItsPage(String reference, String fetch) {
        assertThat(UrlNormalizer.base("http://a/b/c/d;p?q").resolve(reference)).isEqualTo(fetch);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "http://h/, -",
                "mailto:a@b, OTHER_SCHEME",
                "example.com, NO_SCHEME",
                "http://a..b/, BAD_HOST",
                "http://1.2.3.256/, BAD_HOST",
                "http://h:0/, BAD_PORT"
            })
    void refusalNamesItsReason(String url, Refusal reason) {
        assertThat(UrlNormalizer.refusal(url)).isEqualTo(reason);
    }

    @Test
    void refusalOfOneReferenceIsForgottenWithTheNext() {
        UrlNormalizer.Base base = UrlNormalizer.base("https://h/");
        assertThat(base.resolve("javascript:x")).isNull();
        assertThat(base.refusal()).isEqualTo(Refusal.OTHER_SCHEME);
        assertThat(base.resolve("x")).isEqualTo("https://h/x");
        assertThat(base.refusal()).isNull();
    }

    @Test
    void baseIsTakenInAnySpelling() {
        UrlNormalizer.Base base = UrlNormalizer.base(" HTTPS://H:443/a/../b/c?d#e ");
        assertThat(base.url()).isEqualTo("https://h/b/c?d");
        assertThat(base.resolve("e")).isEqualTo("https://h/b/e");
        assertThat(base.resolve("//i/")).isEqualTo("https://i/");
        assertThat(base.resolve("http:e")).isEqualTo("http://e/");
    }

    @Test
    void baseThatIsNoHttpUrlIsRefusedByName() {
        assertThatThrownBy(() -> UrlNormalizer.base("javascript:x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("javascript:x");
    }

    @Test
    void urlThatIsItsOwnKeyIsNotCopied() {
        String url = UrlNormalizer.parse("https://example.com/a/b?c=d");
        assertThat(UrlNormalizer.key(url)).isSameAs(url);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://h/a\r\nX: y", "ht\ntp://h/aX:\t\r y", "\u0000\u001b http://h/aX: y \u0001"})
    void lineBreaksAndControlCharactersAroundAreDropped(String written) {
        assertThat(UrlNormalizer.parse(written)).isEqualTo("http://h/aX:%20y");
    }

    @Test
    void controlCharactersInsideAreEscaped() {
        assertThat(UrlNormalizer.parse("http://h/\u001b[31m\u202e\u0000?\u007f\u0085"))
                .isEqualTo("http://h/%1B[31m%E2%80%AE%00?%7F%C2%85");
    }

    @Test
    void scriptIsAScriptInAllItsDisguises() {
        UrlNormalizer.Base base = UrlNormalizer.base("http://h/");
        for (String reference :
                new String[] {"javascript:x", "java\tscript:x", " \u0001JAVASCRIPT:x", "j\navascript\n:"}) {
            assertThat(base.resolve(reference)).isNull();
            assertThat(base.refusal()).isEqualTo(Refusal.OTHER_SCHEME);
        }
    }

    @Test
    void loneSurrogatesHaveOneStableForm() {
        for (String lone : new String[] {"\ud800", "\udc00", "\udc00\ud800".substring(1)}) {
            assertThat(UrlNormalizer.parse("http://h/" + lone + "?" + lone)).isEqualTo("http://h/%EF%BF%BD?%EF%BF%BD");
            assertThat(UrlNormalizer.parse("http://" + lone + "/")).isNull();
            assertThat(UrlNormalizer.parse("http://a" + lone + "b/")).isNull();
        }
    }

    @Test
    void longestUrlIsTakenAndALongerOneRefused() {
        String longest = "http://h/" + "a".repeat(UrlNormalizer.MAX_LENGTH - 9);
        assertThat(UrlNormalizer.parse(longest)).isEqualTo(longest);
        assertThat(UrlNormalizer.parse(" " + longest + "#" + "f".repeat(1_000_000) + " "))
                .isEqualTo(longest);
        assertThat(UrlNormalizer.refusal(longest + "a")).isEqualTo(Refusal.TOO_LONG);
        assertThat(UrlNormalizer.refusal("http://h/" + "é".repeat(1000))).isEqualTo(Refusal.TOO_LONG);
    }

    @Test
    void hugeReferencesAreRefusedWhateverTheyAreMadeOf() {
        UrlNormalizer.Base base = UrlNormalizer.base("http://h/" + "a/".repeat(2000));
        for (String part :
                new String[] {"a", "/", "../", "%", "é", "a\n", ".", "@", ":", "[", "http:", "\ud800", "%2e"}) {
            for (String prefix : new String[] {"", "http://", "http://h/", "//", "?", "/"}) {
                assertThat(base.resolve(prefix + part.repeat(10_000_000 / 16 / part.length())))
                        .isNull();
                assertThat(base.refusal()).isEqualTo(Refusal.TOO_LONG);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 10_000_000})
    void urlOfAnyLengthIsRefused(int length) {
        assertThat(UrlNormalizer.refusal("http://h/" + "a".repeat(length))).isEqualTo(Refusal.TOO_LONG);
        assertThat(UrlNormalizer.base("http://h/").resolve("a/../".repeat(length / 5)))
                .isNull();
    }

    @Test
    void internationalLabelIsMeasuredBeforeItIsMapped() {
        assertThat(UrlNormalizer.parse("http://" + "é".repeat(50) + "/")).isNotNull();
        for (String host : new String[] {"é".repeat(64), "a\u00ad".repeat(64), "😀".repeat(64), "é。".repeat(127)}) {
            assertThat(UrlNormalizer.refusal("http://" + host + "/")).isEqualTo(Refusal.BAD_HOST);
        }
    }

    @Test
    void hugeDataUrlIsRefusedForItsScheme() {
        String data = "data:image/png;base64," + "A".repeat(5_000_000);
        assertThat(UrlNormalizer.refusal(data)).isEqualTo(Refusal.OTHER_SCHEME);
        assertThat(UrlNormalizer.refusal("da\nta" + data.substring(4))).isEqualTo(Refusal.OTHER_SCHEME);
    }

    @Test
    void blanksAloneAreThePageItself() {
        assertThat(UrlNormalizer.base("http://h/a?b").resolve(" \t\n".repeat(1_000_000)))
                .isEqualTo("http://h/a?b");
    }
}
