package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.polite.Trust;
import java.time.Duration;

/**
 * A URL for a worker to process.
 *
 * @param startNanos when it was handed out
 * @param trust whether its host has shown that it responds
 * @param waited how long its host had to wait for its delay or a back-off
 */
record Task(Target target, String host, long startNanos, Action action, Trust trust, Duration waited) {
    enum Action {
        /** Request it. */
        REQUEST,
        /** Count it as refused, without being done, since its host has used up its budget. */
        SKIP,
        /** Count it as failed, without a request and without being done, since its host was given up. */
        LEAVE
    }

    Lease lease() {
        return target.lease();
    }

    boolean mayBePage() {
        return action == Action.REQUEST && !target.is(Target.Kind.ERRAND);
    }
}
