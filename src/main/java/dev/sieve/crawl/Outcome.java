package dev.sieve.crawl;

import java.time.Duration;

/**
 * What the request of a {@link Dispatcher.Task} means for its host.
 *
 * @param kind what became of the request
 * @param time the duration that belongs to it, see the factories; zero without one
 */
record Outcome(Kind kind, Duration time) {
    /** The server responded: the host may be requested again once its delay has passed. */
    static final Outcome RESPONDED = new Outcome(Kind.RESPONDED, Duration.ZERO);

    /** There was no response: the host backs off, longer each time, and is given up after too many of these. */
    static final Outcome NO_RESPONSE = new Outcome(Kind.NO_RESPONSE, Duration.ZERO);

    /** No request was made, so the host needs no delay. */
    static final Outcome NOT_REQUESTED = new Outcome(Kind.NOT_REQUESTED, Duration.ZERO);

    /** No request was made, and the URL stays in flight: a crawl that continues later requests it. */
    static final Outcome LEFT = new Outcome(Kind.LEFT, Duration.ZERO);

    enum Kind {
        RESPONDED,
        OVERLOADED,
        NO_RESPONSE,
        NOT_REQUESTED,
        LEFT,
        ROBOTS_READ,
        POSTPONED
    }

    /** The host is overloaded: it backs off, longer each time, and at least as long as it requests. */
    static Outcome overloaded(Duration retryAfter) {
        return new Outcome(Kind.OVERLOADED, retryAfter);
    }

    /** The request was for robots.txt, which sets this delay; the URL is the next one of its host. */
    static Outcome robotsRead(Duration crawlDelay) {
        return new Outcome(Kind.ROBOTS_READ, crawlDelay);
    }

    /** The host pauses; then the URL is the next one of its host. */
    static Outcome postponed(Duration pause) {
        return new Outcome(Kind.POSTPONED, pause);
    }

    /** Returns whether the server responded, with whatever status. */
    boolean hasResponse() {
        return kind == Kind.RESPONDED || kind == Kind.OVERLOADED || kind == Kind.ROBOTS_READ;
    }
}
