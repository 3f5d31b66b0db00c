package dev.sieve.robots;

import java.time.Duration;

/**
 * The status of an origin after a request for its robots.txt, by RFC 9309, section 2.3.1.
 *
 * <p>An origin that fails to return its rules is closed: nothing else is requested from it for a while. An origin that
 * has no robots.txt, or denies access to it, is open.
 */
public enum RobotsStatus {
    /** 2xx: the body holds the rules. */
    READ,
    /**
     * A redirect: request its target, if that is permitted; if not, the origin is {@link #CLOSED}. After five redirects
     * in a row, the origin is {@link #OPEN}.
     */
    FOLLOW,
    /** 4xx: the origin has no robots.txt, so everything is allowed. */
    OPEN,
    /** 5xx, 429, any other status, or no response: nothing is allowed until the next request for robots.txt. */
    CLOSED;

    /** How long rules may be used before robots.txt is requested again (RFC 9309, section 2.4). */
    public static final Duration MAX_AGE = Duration.ofHours(24);

    static final int MAX_REDIRECTS = 5;

    /** Returns the status of the origin after a response with an HTTP status, which may be any number. */
    public static RobotsStatus of(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> FOLLOW;
            case 429 -> CLOSED;
            default -> status >= 200 && status < 300 ? READ : status >= 400 && status < 500 ? OPEN : CLOSED;
        };
    }
}
