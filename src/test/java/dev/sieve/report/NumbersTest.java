package dev.sieve.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 %",
        "1e-30, <0.000001 %",
        "8.13e-7, 0.000081 %",
        "0.00027, 0.027 %",
        "0.374, 37 %",
        "0.996, 100 %",
        "12.5, '1,250 %'"
    })
    void sharesAreReadable(double share, String text) {
        assertThat(Numbers.percent(share)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 lines", "1, 1 line", "2000, '2,000 lines'"})
    void thingsAreCounted(long number, String text) {
        assertThat(Numbers.count(number, "line")).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "999, 999 B", "1000, 1.00 kB", "9996, 10.0 kB", "123456, 123 kB", "999600, 1.00 MB"})
    void sizesHaveAboutThreeDigits(long bytes, String text) {
        assertThat(Numbers.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "2.7e-10, <0.01", "0.058, 0.058", "9.96, 10", "99.6, 100", "12345.6, '12,346'"})
    void numbersOfWhichTheSizeMattersHaveTwoDigits(double value, String text) {
        assertThat(Numbers.about(value)).isEqualTo(text);
    }
}
