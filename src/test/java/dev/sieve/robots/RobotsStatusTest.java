package dev.sieve.robots;

import static dev.sieve.robots.RobotsStatus.CLOSED;
import static dev.sieve.robots.RobotsStatus.FOLLOW;
import static dev.sieve.robots.RobotsStatus.OPEN;
import static dev.sieve.robots.RobotsStatus.READ;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class RobotsStatusTest {

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 206})
    void aSuccessIsRead(int status) {
        assertThat(RobotsStatus.of(status)).isEqualTo(READ);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 410, 451, 499})
    void aHostWithoutRobotsIsOpen(int status) {
        assertThat(RobotsStatus.of(status)).isEqualTo(OPEN);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 502, 503, 599, 600, 999, 300, 304, 100, 99, 0, -1})
    void aHostThatCannotSayIsClosed(int status) {
        assertThat(RobotsStatus.of(status)).isEqualTo(CLOSED);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void aRedirectIsFollowed(int status) {
        assertThat(RobotsStatus.of(status)).isEqualTo(FOLLOW);
    }
}
