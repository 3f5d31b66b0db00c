package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.scope.SkipReason;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What depends on how many processes work on a crawl. The methods here are those of a crawl of one process. Safe for
 * use by many threads.
 */
public interface Sharing {
    /** That of a crawl of one process. */
    Sharing NONE = new Sharing() {
        @Override
        public int processes() {
            return 1;
        }

        @Override
        public boolean isIdle(long waitNanos, long waiting) {
            return waitNanos == Long.MAX_VALUE;
        }
    };

    /** Returns how many processes work on the crawl, this one included. */
    int processes();

    /**
     * Refuses work, named in the message of an {@link IllegalArgumentException}, for which one process would need what
     * the others have found.
     */
    default void requireAlone(String work) {}

    /**
     * Stores options that all processes of the crawl have to share; returns those of the others that differ, with null
     * for one that they do not have.
     */
    default Map<String, @Nullable String> differences(Map<String, String> options) {
        return Map.of();
    }

    /**
     * Stores what this process has done, for the report of a crawl that others share, in place of what it has stored
     * before. It is lost if the place cannot store it now.
     */
    default void share(byte[] share) {}

    /** Returns how many pages this run may visit. */
    default PageBudget budget(long mostPages) {
        return PageBudget.of(mostPages);
    }

    /**
     * Returns what a limit of the crawl is for what this process alone observes: how many URLs of a host its schedule
     * hands out, and up to which depth all URLs of one depth are visited before those of the next.
     */
    default int ownLimit(int most) {
        return most;
    }

    /** Returns whether nothing is due later, given how long the crawl waits and how many URLs wait for their hosts. */
    boolean isIdle(long waitNanos, long waiting);

    /** Calls an action that takes over what other processes have added to the job, if that is needed. */
    default void takeOver(BooleanSupplier isNeeded, Runnable action) {}

    /**
     * Counts a URL that is about to be requested for the first time; returns why it is not, when it is beyond the limit
     * of a trap that holds for all processes of the crawl, and null otherwise. It is not counted when it is taken from
     * the frontier: URLs that wait for their host are taken again by the process to which the host moves.
     */
    default @Nullable SkipReason countForTraps(Lease lease) {
        return null;
    }

    /** Ends the waiting for a frontier that does not respond: threads that wait get its exception. */
    default void impatient() {}
}
