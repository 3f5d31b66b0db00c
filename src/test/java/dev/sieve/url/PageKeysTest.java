package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key of a page lacks the parameters that are ignored, and nothing else. */
class PageKeysTest {
    private static final PageKeys KEYS =
            PageKeys.ALL.ignoring("utm_*").ignoring("ref").ignoring("a[]");

    @ParameterizedTest
    @CsvSource({
        "/?utm_source=x, /",
        "/?utm_source=x&b=1, /?b=1",
        "/?b=1&utm_source=x, /?b=1",
        "/?b=1&utm_source=x&utm_medium&utm_=&c=2, /?b=1&c=2",
        "/?ref=1&ref=2, /",
        "/?ref, /",
        "/?%72ef=1&%75tm_x=2, /",
        "/?a[]=1&a[]=2&b, /?b",
        "/?jsessionid=1&ref=2, /",
        "/?b=&utm_x=1&, /?b=",
        "/?b=1&&ref=1, /?b=1&"
    })
    void ignoredParametersAreLeftOut(String url, String key) {
        assertThat(KEYS.of("http://h.test" + url)).isEqualTo("http://h.test" + key);
        assertThat(KEYS.of("http://h.test" + key)).isEqualTo("http://h.test" + key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/?",
                "/?b=ref=1",
                "/?xref=1",
                "/?refx=1",
                "/?REF=1",
                "/?Utm_source=1",
                "/?b=utm_source",
                "/utm_source=1",
                "/;ref=1?b",
                "/ref=1&ref=2",
                "/?a%5B%5D=1"
            })
    void everythingElseIsKept(String url) {
        String whole = "http://h.test" + url;

        assertThat(KEYS.of(whole)).isEqualTo(whole);
        assertThat(PageKeys.ALL.of(whole + "?ref=1")).isEqualTo(whole + "?ref=1");
    }

    @Test
    void aSingleStarIgnoresEveryParameter() {
        assertThat(PageKeys.ALL.ignoring("*").of("http://h.test/a?b=1&c&=2")).isEqualTo("http://h.test/a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a=1", "a&b", "?a b", "*a", "a*b", "**", "#a", "é", "a\n"})
    void whatIsNoNameIsRefused(String name) {
        assertThatThrownBy(() -> PageKeys.ALL.ignoring(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not the name of a parameter");
    }
}
