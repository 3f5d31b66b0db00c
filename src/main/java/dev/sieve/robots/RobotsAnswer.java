package dev.sieve.robots;

import dev.sieve.polite.BackOff;
import dev.sieve.polite.RetryAfter;
import java.time.Duration;

/**
 * What the answer to a request for robots.txt means for the origin, by RFC 9309, section 2.3.1.
 *
 * <p>A host that cannot say what it allows is not asked for anything else: failures close it for a while. A host that
 * says that there is no robots.txt, or that we may not have it, is open.
 */
public enum RobotsAnswer {
    /** 2xx: the body says what is allowed. */
    READ,
    /** A redirect: ask where it leads, if its target may be connected to; if not, that is {@link #CLOSED}. */
    FOLLOW,
    /** 4xx, or too many redirects: there is no robots.txt, everything is allowed. */
    OPEN,
    /** 5xx, 429, anything odd, or no answer at all: nothing is allowed until it was asked again. */
    CLOSED;

    /** How many redirects in a row are followed; after that the robots.txt counts as absent. */
    public static final int MAX_REDIRECTS = 5;

    /** How long rules may be used before robots.txt is asked for again (RFC 9309, section 2.4). */
    public static final Duration MAX_AGE = Duration.ofHours(24);

    private static final BackOff CLOSED_FOR = new BackOff(Duration.ofMinutes(1), Duration.ofHours(6));

    /**
     * The meaning of a status.
     *
     * @param status as the server sent it, whatever number it is
     * @param redirects how many redirects in a row led to this answer
     */
    public static RobotsAnswer of(int status, int redirects) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> redirects < MAX_REDIRECTS ? FOLLOW : OPEN;
            case 429 -> CLOSED;
            default -> status >= 200 && status < 300 ? READ : status >= 400 && status < 500 ? OPEN : CLOSED;
        };
    }

    /**
     * How long this answer holds before robots.txt is asked for again: a day, or, while the origin is closed, what the
     * server asked for and at least a pause that doubles from a minute to six hours.
     *
     * @param failures how often in a row the origin was found closed, this time included
     * @param retryAfter what {@link RetryAfter} made of the answer; zero when it said nothing
     */
    public Duration holdsFor(int failures, Duration retryAfter) {
        return this == CLOSED ? CLOSED_FOR.pause(failures, retryAfter) : MAX_AGE;
    }
}
