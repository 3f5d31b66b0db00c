package dev.sieve.crawl;

import java.time.Duration;

/**
 * What became of the request for which a worker was given a {@link Dispatcher.Task}, as far as its host is concerned.
 *
 * @param kind what became of it
 * @param time the duration that goes with it, see the factories; zero without one
 */
record Outcome(Kind kind, Duration time) {
    /** The server responded: the host may be requested again once its delay has passed. */
    static final Outcome ANSWERED = new Outcome(Kind.ANSWERED, Duration.ZERO);

    /** There was no response: the host is left alone, longer each time, and given up after too many of these. */
    static final Outcome UNANSWERED = new Outcome(Kind.UNANSWERED, Duration.ZERO);

    /** No request was made, so the host needs no delay. */
    static final Outcome NOT_REQUESTED = new Outcome(Kind.NOT_REQUESTED, Duration.ZERO);

    /** No request was made, and the URL stays in flight: a crawl that continues later requests it. */
    static final Outcome LEFT = new Outcome(Kind.LEFT, Duration.ZERO);

    enum Kind {
        ANSWERED,
        OVERLOADED,
        UNANSWERED,
        NOT_REQUESTED,
        LEFT,
        ROBOTS_READ,
        POSTPONED
    }

    /** The host is overloaded: it is left alone as long as it asks for, and longer each time. */
    static Outcome overloaded(Duration retryAfter) {
        return new Outcome(Kind.OVERLOADED, retryAfter);
    }

    /** The request was for robots.txt, which asks for this delay; the URL comes next for its host. */
    static Outcome robotsRead(Duration crawlDelay) {
        return new Outcome(Kind.ROBOTS_READ, crawlDelay);
    }

    /** The host is left alone for a while; then the URL comes next for its host. */
    static Outcome postponed(Duration pause) {
        return new Outcome(Kind.POSTPONED, pause);
    }

    /** Whether the server responded, however badly. */
    boolean isAnswered() {
        return kind == Kind.ANSWERED || kind == Kind.OVERLOADED || kind == Kind.ROBOTS_READ;
    }
}
