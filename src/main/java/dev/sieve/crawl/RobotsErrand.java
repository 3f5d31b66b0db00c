package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.url.UrlParts;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for the robots.txt of an origin that another host has to answer, since that is where it was redirected: an item
 * in the queue of the other host, for which the host of the origin waits.
 */
record RobotsErrand(String host, String origin) {
    /** Returns the errand in the form of other items; its id is not one of the frontier. */
    Target target(long id) {
        Lease lease = new Lease(id, "http://" + host + "/", 0, 0, origin, 0, 0);
        return new Target(lease, Target.Kind.ERRAND, null, 0, false);
    }

    /** Returns the errand that a target stands for; null when it is one of the frontier. */
    static @Nullable RobotsErrand of(Target target) {
        return target.is(Target.Kind.ERRAND)
                ? new RobotsErrand(
                        UrlParts.host(target.url()),
                        Objects.requireNonNull(target.lease().referrer()))
                : null;
    }

    String waiting() {
        return UrlParts.host(origin + "/");
    }
}
