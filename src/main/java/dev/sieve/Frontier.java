package dev.sieve;

import dev.sieve.bloom.Membership;
import java.util.Collection;

/**
 * A to-visit queue that takes each URL once and hands it out until it is done.
 *
 * <p>A URL is <em>new</em> when its key was not pushed before, up to the false-positive rate of the filter behind the
 * frontier. New URLs come out first in, first out; a URL that was given back by {@link #retry} comes out again when its
 * time has come. Of racing pushes of one URL exactly one returns that it was new.
 *
 * <p>Every frontier is safe for use by many threads. Time is passed in, from any clock that never runs backwards; all
 * calls on one frontier use the same clock, usually {@link System#nanoTime()}.
 *
 * <p>A frontier on a disk or behind a network throws {@link java.io.UncheckedIOException} from any method when it can
 * no longer keep its promises; a URL that was not accepted is never reported as accepted.
 *
 * <p>To write one, use a {@link Deduplicator} and a store.
 */
public interface Frontier extends AutoCloseable {

    /**
     * Queues a seed: a URL at depth 0 that no page refers to.
     *
     * @return true when the URL was new
     */
    boolean push(String url);

    /**
     * Queues seeds in batches of 64, which costs far less than pushing each by itself. When a batch throws, the batches
     * before it were pushed.
     *
     * @return how many of them were new
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
     * Queues the URLs that were found on one page, in their order. Afterwards {@link UrlBatch#isNew} returns which of
     * them were new.
     *
     * @return how many of them were new
     */
    int pushAll(UrlBatch batch);

    /**
     * Hands out the next URL.
     *
     * @param nowNanos the present time, in nanoseconds of the caller's clock
     * @return null when nothing can be handed out at this moment; see {@link #pending()} and {@link #inFlight()} for
     *     whether that may change
     */
    Lease take(long nowNanos);

    /**
     * How long until {@link #take} may have something to hand out, in nanoseconds, if nothing else happens.
     *
     * @param nowNanos the present time, in nanoseconds of the caller's clock
     * @return 0 when it has something now; {@link Long#MAX_VALUE} when waiting alone changes nothing
     */
    long waitNanos(long nowNanos);

    /**
     * Ends the work on a URL, which will not be handed out again. Push what was found on the page first.
     *
     * @return false when the lease was no longer held: it was answered before, or it had expired
     */
    boolean done(Lease lease);

    /**
     * Gives a URL back, to be handed out again with {@link Lease#attempt()} one higher. After a crash it may come out
     * earlier than requested, never later.
     *
     * @param readyNanos the time from which it may be handed out, on the clock that {@link #take} is given
     * @return false when the lease was no longer held: it was answered before, or it had expired
     */
    boolean retry(Lease lease, long readyNanos);

    /** How many URLs wait to be handed out, including those that were given back for later. */
    long pending();

    /** How many URLs are handed out and not answered. The crawl is over when this and {@link #pending()} are 0. */
    long inFlight();

    /** The counters of the frontier and the state of its filter. */
    SieveStats stats();

    /** Releases what the frontier holds. Leases that are still out count as not answered. */
    @Override
    void close();
}
