package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void controlCharactersAndLineBreaksBecomeQuestionMarks() {
        assertThat(Printable.line("a\u001b[31mb\u009bc\nd\re\tf\u2028g\u202eh\ud800i"))
                .isEqualTo("a?[31mb?c?d?e?f?g?h?i");
    }

    @Test
    void differentTextsRemainDifferent() {
        assertThat(Printable.distinct("a\u0001b\u00e9\u202e")).isEqualTo("a\\u0001b\u00e9\\u202e");
    }

    @Test
    void otherTextIsKeptWhateverItsLength() {
        String text = "\u65e5\u672c \ud83d\ude00 \u00e9 ".repeat(100);

        assertThat(Printable.line(text)).isEqualTo(text);
        assertThat(Printable.of(text)).hasSizeLessThan(text.length()).endsWith("...");
    }
}
