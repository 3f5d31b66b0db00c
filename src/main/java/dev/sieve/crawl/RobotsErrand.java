package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.url.UrlParts;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for the robots.txt of an origin that another host has to answer, since that is where it was redirected: an item
 * in the queue of the other host, for which the host of the origin waits.
 *
 * @param host the other host
 * @param origin the origin
 */
record RobotsErrand(String host, String origin) {
    /** No URL of a frontier has it. */
    private static final int LABEL = -1;

    /** Returns the errand in the form of other items; its id is not one of the frontier. */
    Lease lease(long id) {
        return new Lease(id, "http://" + host + "/", 0, 0, origin, LABEL, 0);
    }

    /** Returns the errand that a lease stands for; null when it is one of the frontier. */
    static @Nullable RobotsErrand of(Lease lease) {
        return lease.label() == LABEL
                ? new RobotsErrand(UrlParts.host(lease.url()), Objects.requireNonNull(lease.referrer()))
                : null;
    }

    /** Returns the host that waits. */
    String waiting() {
        return UrlParts.host(origin + "/");
    }
}
