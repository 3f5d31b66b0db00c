package dev.sieve;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The part that all frontiers share: it finds out which of the URLs pushed are new and appends these to a {@link Store}.
 *
 * <p>It holds the filter, the watch over its capacity, the number of URLs seen, and the lock of the frontier. Keys are
 * hashed and looked up in the filter without the lock, 64 at a time; a URL that was seen rarely takes it. New URLs are
 * added to the filter and appended to the store under the lock, so of racing pushes of one URL exactly one appends it.
 * Capacity events are published after the lock was released.
 *
 * <p>A frontier of your own consists of one of these, a store, and {@link #lock()} around all that it does with the
 * store. Safe for use by many threads.
 */
public final class Deduplicator {
    private static final int BATCH = Membership.BATCH;

    /** Where a frontier keeps the URLs that are new, in the order in which they are appended. */
    @FunctionalInterface
    public interface Store {
        /**
         * Appends new URLs. Called under the lock. When this throws, the URLs stay in the filter, so the store should
         * not be used any more.
         *
         * @param batch the URLs that were pushed, with their context; good until this returns
         * @param from the index of the first URL that {@code mask} is about
         * @param mask a bit per URL, the lowest for the one at {@code from}: 1 when it is new; at least one is
         */
        void append(UrlBatch batch, int from, long mask);

        /**
         * Throws an unchecked exception when the store has failed or is closed. Called before every answer, with and
         * without the lock, and before anything changes. Does nothing by default.
         */
        default void requireUsable() {}

        /**
         * Finishes an append once the lock was released, for instance by forcing it to the disk; the push returns
         * afterwards. Does nothing by default.
         */
        default void appended() {}
    }

    /** Counted without the lock, since most URLs that were seen never take it. */
    private final LongAdder seen = new LongAdder();

    /** Guards all below, except calls of {@link Membership#absent}. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Membership filter;
    private final long capacity;
    private final CapacityWatch watch;

    /**
     * Makes one around a filter, which is from now on its own.
     *
     * @param filter remembers the keys; see {@link FilterKind#create}
     * @param capacity distinct URLs that the filter was made for
     * @param onFull what happens once there are that many
     * @param listener receives each capacity event, on the thread whose push caused it, outside the lock
     */
    public Deduplicator(Membership filter, long capacity, OnFull onFull, Consumer<CapacityEvent> listener) {
        this.filter = filter;
        this.capacity = capacity;
        watch = new CapacityWatch(filter, capacity, onFull, listener);
    }

    /** The lock of the frontier. */
    public ReentrantLock lock() {
        return lock;
    }

    /**
     * Pushes a seed that is its own key.
     *
     * @param url UTF-8; not copied before it is appended
     * @return true when it is new: it was appended to the store
     * @throws SieveFullException when the filter is full, refuses new URLs then, and the URL is new
     */
    public boolean push(byte[] url, Store store) {
        long[] hash = new long[2];
        Murmur3.hash(url, 0, url.length, filter.seed(), hash, 0);
        long absent = filter.absent(hash, 1);
        if (absent == 0) {
            store.requireUsable();
            seen.increment();
            return false;
        }
        return pushAbsent(new UrlBatch(url), 0, 1, hash, absent, store) > 0;
    }

    /**
     * Pushes all URLs of a batch and notes in it which of them are new.
     *
     * @return how many are new: they were appended to the store
     * @throws SieveFullException when the filter is full, refuses new URLs then, and there is one among the next 64.
     *     Those before it were pushed, and {@link UrlBatch#isNew} is right for all URLs of the batch
     */
    public int pushAll(UrlBatch batch, Store store) {
        batch.noteNoneNew();
        int isNew = 0;
        for (int from = 0; from < batch.size(); from += BATCH) {
            int count = Math.min(BATCH, batch.size() - from);
            long[] hashes = batch.hash(from, count, filter.seed());
            long absent = filter.absent(hashes, count);
            if (absent == 0) {
                store.requireUsable();
                seen.add(count);
            } else {
                isNew += pushAbsent(batch, from, count, hashes, absent, store);
            }
        }
        return isNew;
    }

    private int pushAbsent(UrlBatch batch, int from, int count, long[] hashes, long absent, Store store) {
        int isNew;
        List<CapacityEvent> events;
        lock.lock();
        try {
            store.requireUsable();
            watch.refuseIfFull(hashes, absent);
            long mask = filter.addAbsent(hashes, absent);
            if (mask != 0) {
                store.append(batch, from, mask);
                batch.noteNew(from, mask);
            }
            isNew = Long.bitCount(mask);
            seen.add(count - isNew);
            events = watch.accepted(isNew);
        } finally {
            lock.unlock();
        }
        if (isNew > 0) {
            store.appended();
        }
        watch.publish(events);
        return isNew;
    }

    /** Adds URLs that were accepted by an earlier run to the filter; no event is published. */
    public void restore(UrlBatch batch) {
        lock.lock();
        try {
            for (int from = 0; from < batch.size(); from += BATCH) {
                int count = Math.min(BATCH, batch.size() - from);
                long[] hashes = batch.hash(from, count, filter.seed());
                filter.addAbsent(hashes, filter.absent(hashes, count));
                watch.accepted(count);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds the counts of an earlier run.
     *
     * @param seenBefore URLs that were seen before
     * @param missedBefore new URLs that were taken for seen ones, on average
     */
    public void restore(long seenBefore, double missedBefore) {
        lock.lock();
        try {
            seen.add(seenBefore);
            watch.restore(missedBefore);
        } finally {
            lock.unlock();
        }
    }

    /** The counters of a frontier at this moment, given those that its store keeps; called under the lock. */
    public SieveStats stats(long accepted, long pending, long inFlight, long done) {
        assert lock.isHeldByCurrentThread();
        return new SieveStats(
                accepted,
                seen.sum(),
                pending,
                inFlight,
                done,
                filter.estimatedSize(),
                capacity,
                filter.falsePositiveRate(),
                watch.missed(),
                filter.memoryBytes());
    }
}
