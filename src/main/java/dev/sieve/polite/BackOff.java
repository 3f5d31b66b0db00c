package dev.sieve.polite;

import java.time.Duration;

/**
 * A pause that doubles with every failure in a row.
 *
 * @param first the pause after the first failure; more than zero
 * @param longest the pause that is not exceeded; at least {@code first}
 */
public record BackOff(Duration first, Duration longest) {
    /** Checks the bounds. */
    public BackOff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("back-off must be more than zero and grow: " + first + " to " + longest);
        }
    }

    /** The pause after some failures in a row: min(longest, first · 2^(failures - 1)); zero after none. */
    public Duration pause(int failures) {
        if (failures <= 0) {
            return Duration.ZERO;
        }
        Duration pause = first;
        for (int i = 1; i < failures && pause.compareTo(longest) < 0; i++) {
            pause = pause.compareTo(longest.dividedBy(2)) > 0 ? longest : pause.multipliedBy(2);
        }
        return pause;
    }

    /** The pause after some failures in a row, or the one that the server asked for when that is longer. */
    public Duration pause(int failures, Duration retryAfter) {
        Duration pause = pause(failures);
        return retryAfter.compareTo(pause) > 0 ? retryAfter : pause;
    }
}
