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

    @ParameterizedTest
    @CsvSource({"0, 0", "999, 999", "1000, '1,000'", "-123456, '-123,456'", "12345678, '12,345,678'"})
    void thousandsAreSeparated(long number, String text) {
        assertThat(Numbers.count(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0.0", "0.04, 0.0", "9.96, 10.0", "1234.56, '1,234.6'"})
    void theLastDecimalIsRounded(double value, String text) {
        assertThat(Numbers.decimals(value, 1)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "999, 999 B",
        "1000, 1.00 kB",
        "9995, 10.0 kB",
        "99949, 99.9 kB",
        "99950, 100 kB",
        "999500, 1.00 MB"
    })
    void bytesHaveAboutThreeDigits(long bytes, String text) {
        assertThat(Numbers.bytes(bytes)).isEqualTo(text);
    }
}
