package dev.sieve.polite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-06T08:49:37Z");

    @Test
    void secondsAreTakenAsTheyAre() {
        assertThat(RetryAfter.parse("90", NOW)).contains(Duration.ofSeconds(90));
        assertThat(RetryAfter.parse(" 0 ", NOW)).contains(Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fri, 06 Nov 2026 08:50:37 GMT",
                "Friday, 06-Nov-26 08:50:37 GMT",
                "Fri Nov  6 08:50:37 2026",
                "Mon, 6 Nov 2026 08:50:37 GMT"
            })
    void everyDateFormOfHttpIsUnderstood(String date) {
        assertThat(RetryAfter.parse(date, NOW)).contains(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "99999999999",
                "999999999999999999999999999999999999",
                "Fri, 31 Dec 9999 23:59:59 GMT",
                "Saturday, 06-Nov-27 08:50:37 GMT"
            })
    void aLongPauseIsCutToADay(String value) {
        assertThat(RetryAfter.parse(value, NOW)).contains(Duration.ofHours(24));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "-99999999999999999999999",
                "Thu, 01 Jan 1970 00:00:00 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994"
            })
    void whatHasPassedIsNoPause(String value) {
        assertThat(RetryAfter.parse(value, NOW)).contains(Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "1.5", "NaN", "1e9", "Fri, 99 Nov 2026 08:50:37 GMT", "06 Nov 2026"})
    void nonsenseIsNoAnswer(String value) {
        assertThat(RetryAfter.parse(value, NOW)).isEmpty();
    }

    @Test
    void aMissingOrEndlessHeaderIsNoAnswer() {
        assertThat(RetryAfter.parse(null, NOW)).isEmpty();
        assertThat(RetryAfter.parse("1".repeat(1_000_000), NOW)).isEmpty();
    }
}
