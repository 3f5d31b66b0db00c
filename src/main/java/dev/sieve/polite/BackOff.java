package dev.sieve.polite;

import java.time.Duration;

/**
 * A pause that doubles with every consecutive failure.
 *
 * @param first the pause after the first failure; more than zero
 * @param longest the limit of the pause; at least {@code first}
 */
public record BackOff(Duration first, Duration longest) {
    /** Checks the pauses. */
    public BackOff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("back-off must be more than zero and grow: " + first + " to " + longest);
        }
    }

    /** Returns the pause after consecutive failures: min(longest, first · 2^(failures - 1)); zero without a failure. */
    public Duration pause(int failures) {
        Duration pause = failures > 0 ? first : Duration.ZERO;
        for (int i = 1; i < failures && pause.compareTo(longest) < 0; i++) {
            pause = pause.compareTo(longest.dividedBy(2)) > 0 ? longest : pause.multipliedBy(2);
        }
        return pause;
    }

    /** Returns the pause after consecutive failures, or the one that the server requested if that is longer. */
    public Duration pause(int failures, Duration retryAfter) {
        Duration pause = pause(failures);
        return retryAfter.compareTo(pause) > 0 ? retryAfter : pause;
    }
}
