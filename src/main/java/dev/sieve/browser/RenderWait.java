package dev.sieve.browser;

import java.time.Duration;

/**
 * When a page is ready.
 *
 * @param quiet how long it has requested nothing, at most {@code most}
 * @param most how long it may take until then, at most 5 minutes; it is then taken as it is
 */
public record RenderWait(Duration quiet, Duration most) {
    private static final Duration LONGEST = Duration.ofMinutes(5);

    public static final RenderWait DEFAULT = new RenderWait(Duration.ofMillis(500), Duration.ofSeconds(5));

    public RenderWait {
        if (quiet.isNegative() || most.compareTo(quiet) < 0 || most.isZero() || most.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("wait must be QUIET, and MAX from QUIET to 5 minutes");
        }
    }
}
