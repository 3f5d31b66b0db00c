package dev.sieve.crawl;

import dev.sieve.polite.AdaptiveDelay;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of the request of a {@link Task}, as far as it concerns its host.
 *
 * @param kind what became of the request
 * @param time the pause, delay or response time that belongs to the kind; zero without one
 * @param next the target of the task as the next one of its host; null when it is not
 * @param errand for which the host waits; null unless the kind is {@link Kind#ELSEWHERE}
 */
record Outcome(Kind kind, Duration time, @Nullable Target next, Target.@Nullable Errand errand) {
    enum Kind {
        /** The server responded, to a page after a time: the host may be requested again once its delay has passed. */
        RESPONDED,
        /** The server failed at this URL: the same, but a delay that adapts becomes longer. */
        FAILED,
        /** The site asks to log in: the same as a response, but the host is given up after too many of these in a row. */
        TURNED_AWAY,
        /** The host is overloaded: it backs off, longer each time, and at least for the time that it requests. */
        OVERLOADED,
        /** The host did not respond: it backs off, longer each time, and is given up after too many of these. */
        NO_RESPONSE,
        /** No request was made, so the host needs no delay. */
        NOT_REQUESTED,
        /** The request was for robots.txt, which sets a crawl delay; the URL is the next one of its host. */
        ROBOTS_READ,
        /** The request was for robots.txt, which has moved on the same host; the URL is the next one of its host. */
        ROBOTS_REDIRECTED,
        /** No request was made, since the server of the host has no room for it: the URL is the next one of its host. */
        SERVER_BUSY,
        /** The host pauses; then the URL is the next one of its host. */
        POSTPONED,
        /** The robots.txt is on another host: the URL is the next one of its host after the errand. */
        ELSEWHERE
    }

    /** Nothing was sent, so the host needs no delay. */
    static final Outcome NOT_REQUESTED = new Outcome(Kind.NOT_REQUESTED);

    Outcome(Kind kind) {
        this(kind, Duration.ZERO, null);
    }

    Outcome(Kind kind, Duration time, @Nullable Target next) {
        this(kind, time, next, null);
    }

    /** Returns whether the server responded, with any status; a robots.txt that is unavailable does not count. */
    boolean hasResponse() {
        return switch (kind) {
            case RESPONDED, FAILED, TURNED_AWAY, OVERLOADED, ROBOTS_READ, ROBOTS_REDIRECTED, ELSEWHERE -> true;
            case POSTPONED, NO_RESPONSE, NOT_REQUESTED, SERVER_BUSY -> false;
        };
    }

    /** Adapts the delay of the host, and returns whether this says anything about its load. */
    boolean adapt(AdaptiveDelay delay) {
        switch (kind) {
            case RESPONDED -> delay.responded(time);
            case FAILED, OVERLOADED, NO_RESPONSE -> delay.failed();
            case NOT_REQUESTED, TURNED_AWAY, SERVER_BUSY, ROBOTS_READ, ROBOTS_REDIRECTED, POSTPONED, ELSEWHERE -> {
                return false;
            }
        }
        return true;
    }
}
