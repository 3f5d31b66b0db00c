package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fragments of references as the URL standard has them, and without their escapes. */
class FragmentTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "page#part,part,part",
                "#part,part,part",
                "#a#b,a#b,a#b",
                "page,'',''",
                "page#,'',''",
                "'page#a b ',a%20b,a b",
                "' #a\tb\nc ',abc,abc",
                "#%61b,%61b,ab",
                "#caf\u00e9,caf%C3%A9,caf\u00e9",
                "#\ud83d\ude00,%F0%9F%98%80,\ud83d\ude00",
                "#\ud83d,%EF%BF%BD,\ufffd",
                "#\u0001\u007f,%01%7F,\u0001\u007f",
                "#<a>`\"|{},%3Ca%3E%60%22|{},<a>`\"|{}",
                "#50%,50%,50%",
                "#%zz%4,%zz%4,%zz%4",
                "#%ff,%ff,\ufffd",
                "#:~:text=x,'',''",
                "#part:~:text=x%20y,part,part",
                "#part:~text,part:~text,part:~text",
            })
    void fragmentsAreEscapedAndDecodedByTheStandard(String reference, String fragment, String decoded) {
        assertThat(Fragment.of(reference)).isEqualTo(fragment);
        assertThat(Fragment.decoded(fragment)).isEqualTo(decoded);
    }

    @Test
    void topInAnyCaseIsTheTop() {
        assertThat(new String[] {"", "top", "TOP", "Top"}).allMatch(Fragment::isTop);
        assertThat(new String[] {"top2", "t", "#top"}).noneMatch(Fragment::isTop);
    }
}
