package dev.sieve;

import dev.sieve.bloom.Membership;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A queue of URLs to visit that accepts each URL once and hands it out until it is done.
 *
 * <p>A URL is <em>new</em> when its key was not pushed before, up to the false-positive rate of the filter. New URLs
 * are handed out first in, first out; a URL given back by {@link #retry} is handed out again when its time has come.
 * When threads race to push a URL, exactly one push reports it as new.
 *
 * <p>Every frontier is safe for use by many threads. Time is passed in, from a clock that never runs backwards; all
 * calls on one frontier use the same clock, usually {@link System#nanoTime()}.
 *
 * <p>A frontier on disk or behind a network throws {@link java.io.UncheckedIOException} from any method when it can no
 * longer keep its promises. A URL that was not accepted is never reported as accepted.
 *
 * <p>To write a frontier, combine a {@link Deduplicator} with a store.
 */
public interface Frontier extends AutoCloseable {

    /**
     * Queues a seed: a URL at depth 0 without a referrer.
     *
     * @return whether the URL was new
     */
    default boolean push(String url) {
        UrlBatch batch = new UrlBatch();
        batch.add(url);
        return pushAll(batch) > 0;
    }

    /**
     * Queues seeds in batches of 64, which is several times faster per URL. When a batch throws, the batches before it
     * were pushed.
     *
     * @return how many were new
     */
    default int pushAll(Collection<String> urls) {
        UrlBatch batch = new UrlBatch();
        int isNew = 0;
        for (String url : urls) {
            batch.add(url);
            if (batch.size() == Membership.BATCH) {
                isNew += pushAll(batch);
                batch.clear();
            }
        }
        return isNew + pushAll(batch);
    }

    /**
     * Queues the URLs found on one page, in their order. Afterwards {@link UrlBatch#isNew} returns which were new.
     *
     * @return how many were new
     */
    int pushAll(UrlBatch batch);

    /**
     * Hands out the next URL.
     *
     * @param nowNanos the current time of the caller's clock
     * @return null when no URL can be handed out now
     */
    @Nullable
    Lease take(long nowNanos);

    /**
     * Returns the time in nanoseconds until {@link #take} may return a URL.
     *
     * @param nowNanos the current time of the caller's clock
     * @return 0 when there is a URL now; {@link Long#MAX_VALUE} when there is none until another method is called
     */
    long waitNanos(long nowNanos);

    /**
     * Begins work on a URL. A caller that keeps leases for a while calls this just before it requests the URL, since
     * some frontiers take leases away from a caller, for example when another process is to work on them. Call it again
     * after anything that may have taken long: it never waits.
     *
     * @return false when the lease has ended: the URL is handed out again, so drop it. Default: true
     */
    default boolean begin(Lease lease) {
        return true;
    }

    /**
     * Ends a lease; its URL is not handed out again. Push the links of the page first.
     *
     * @return false when the lease had ended or expired before
     */
    boolean done(Lease lease);

    /**
     * Ends a lease and gives its URL back, to be handed out again with the next {@link Lease#attempt()}. After a crash
     * it may be handed out earlier than requested, never later.
     *
     * @param readyNanos the earliest time to hand it out, on the clock of {@link #take}
     * @return false when the lease had ended or expired before
     */
    boolean retry(Lease lease, long readyNanos);

    /**
     * Notes that the caller holds on to a lease without working on it, so that its URL is handed out only when the
     * frontier is opened again; see {@link #isOver}. Frontiers that take leases away from a caller need it, to count
     * only those that it still holds. Default: does nothing
     */
    default void leave(Lease lease) {}

    /**
     * Returns whether what is done survives a power failure, so that {@link #done} should be called for many URLs
     * together. Default: false
     */
    default boolean forces() {
        return false;
    }

    /** Returns how many URLs wait to be handed out, including those given back for later. */
    long pending();

    /** Returns how many leases are held. */
    long inFlight();

    /**
     * Returns whether the crawl is over: nothing is pending, and nothing is in flight but what the caller leaves.
     *
     * @param left how many of its leases the caller has {@linkplain #leave left}
     */
    default boolean isOver(long left) {
        // In this order: once nothing is in flight, nothing can become pending.
        return inFlight() <= left && pending() == 0;
    }

    /** Returns the counters of the frontier and the state of its filter. */
    SieveStats stats();

    /**
     * Releases the resources of the frontier; URLs with a lease are not done. Afterwards, a frontier on disk or behind
     * a network throws {@link IllegalStateException} from every method that would change it. Closing again has no
     * effect.
     */
    @Override
    void close();
}
