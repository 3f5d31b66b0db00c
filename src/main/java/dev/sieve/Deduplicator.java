package dev.sieve;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the frontiers of one process, {@link Sieve} and {@code DurableSieve}, and of those that are
 * written outside of this project: it detects which of the pushed URLs are new and appends these to a {@link Store}.
 *
 * <p>Keys are hashed and looked up in the filter without the lock, 64 at a time; a duplicate rarely takes the lock. New
 * URLs are added to the filter and appended to the store under the lock, so when threads race to push a URL, exactly
 * one appends it. Capacity events are published after the lock was released.
 *
 * <p>A frontier consists of a deduplicator and a store, and holds {@link #lock()} whenever it uses the store. Safe for
 * use by many threads.
 */
public final class Deduplicator {
    private static final int BATCH = Membership.BATCH;

    /**
     * The queue of new URLs, in the order in which they were appended. For a batch with a new URL, the calls are
     * {@link #requireUsable}, {@link #append} and, before the push returns, {@link #appended}.
     */
    @FunctionalInterface
    public interface Store {
        /**
         * Appends new URLs. Called under the lock. When this throws, the URLs stay in the filter, so every later push
         * throws.
         *
         * @param batch the pushed URLs; valid until this method returns
         * @param mask a bit per URL, the lowest for the one at {@code from}: 1 when it is to be appended; at least one
         *     bit is set
         */
        void append(UrlBatch batch, int from, long mask);

        /**
         * Throws an unchecked exception when the store has failed or is closed. Called by every push, with or without
         * the lock, before anything changes. Default: does nothing.
         */
        default void requireUsable() {}

        /** Completes an append without the lock, for example by a sync of the disk. Default: does nothing. */
        default void appended() {}

        /**
         * Stops the store. Called under the lock when URLs may have been added to the filter that were not appended,
         * for example when there was no memory: if the filter were saved, they would be lost. Every later push throws.
         * Default: does nothing.
         */
        default void stop(Throwable cause) {}
    }

    /** Counted without the lock, since most duplicates do not take it. */
    private final LongAdder seen = new LongAdder();

    /** Guards the fields below, except calls of {@link Membership#absent}. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Membership filter;
    private final long capacity;
    private final CapacityWatch watch;
    /** Set when URLs may be in the filter that were not appended. */
    private volatile @Nullable Throwable failure;
    /** Reused by every push of a single URL. */
    private final UrlBatch single = new UrlBatch();

    /**
     * Makes a deduplicator, which owns the filter from now on.
     *
     * @param filter see {@link FilterKind#create}
     * @param capacity distinct URLs that the filter was made for
     * @param onFull what happens when the filter is full
     * @param listener receives each capacity event, in order, outside the lock, on a thread that pushes, or that saves,
     *     opens or closes the frontier
     */
    public Deduplicator(Membership filter, long capacity, OnFull onFull, Consumer<CapacityEvent> listener) {
        this.filter = filter;
        this.capacity = capacity;
        watch = new CapacityWatch(filter, capacity, onFull, listener);
    }

    /** Returns the lock of the frontier. */
    public ReentrantLock lock() {
        return lock;
    }

    /**
     * Pushes a seed that is its own key.
     *
     * @param url in UTF-8
     * @return whether it is new and was appended to the store
     * @throws SieveFullException when the URL is new, the filter is full and refuses new URLs
     */
    public boolean push(byte[] url, Store store) {
        long[] hash = new long[2];
        Murmur3.hash(url, 0, url.length, filter.seed(), hash, 0);
        long absent = filter.absent(hash, 1);
        if (absent == 0) {
            requireUsable(store);
            seen.increment();
            return false;
        }
        return pushAbsent(url, hash, absent, store);
    }

    private boolean pushAbsent(byte[] url, long[] hash, long absent, Store store) {
        int isNew;
        lock.lock();
        try {
            single.clear();
            single.add(url, 0, url.length);
            isNew = addAbsent(single, 0, 1, hash, absent, store);
        } finally {
            lock.unlock();
        }
        complete(isNew, store);
        return isNew > 0;
    }

    /**
     * Pushes all URLs of a batch and marks the new ones in it.
     *
     * @return how many are new and were appended to the store
     * @throws SieveFullException when a URL is new, the filter is full and refuses new URLs
     */
    public int pushAll(UrlBatch batch, Store store) {
        batch.clearNew();
        int isNew = 0;
        for (int from = 0; from < batch.size(); from += BATCH) {
            int count = Math.min(BATCH, batch.size() - from);
            long[] hashes = batch.hash(from, count, filter.seed());
            long absent = filter.absent(hashes, count);
            if (absent == 0) {
                requireUsable(store);
                seen.add(count);
            } else {
                isNew += pushAbsent(batch, from, count, hashes, absent, store);
            }
        }
        return isNew;
    }

    private int pushAbsent(UrlBatch batch, int from, int count, long[] hashes, long absent, Store store) {
        int isNew;
        lock.lock();
        try {
            isNew = addAbsent(batch, from, count, hashes, absent, store);
        } finally {
            lock.unlock();
        }
        complete(isNew, store);
        return isNew;
    }

    /** Adds and appends URLs that may be new; returns how many are. */
    private int addAbsent(UrlBatch batch, int from, int count, long[] hashes, long absent, Store store) {
        requireUsable(store);
        watch.refuseIfFull(hashes, absent);
        int isNew = add(batch, from, hashes, absent, 0, store);
        seen.add(count - isNew);
        watch.announce(isNew);
        return isNew;
    }

    /** Completes {@link #addAbsent}, without the lock. */
    private void complete(int isNew, Store store) {
        if (isNew > 0) {
            store.appended();
        }
        watch.publish();
    }

    /**
     * Appends up to 64 URLs, whether they are new or not, and adds those that are new to the filter; marks these in the
     * batch. They are not counted as seen. Called under the lock; afterwards call {@link Store#appended} and
     * {@link #publish} without it.
     *
     * @throws SieveFullException when a URL is new, the filter is full and refuses new URLs; nothing has changed
     * @throws IllegalArgumentException when the batch is empty or has more than 64 URLs
     */
    public void appendAgain(UrlBatch batch, Store store) {
        assert lock.isHeldByCurrentThread();
        int count = batch.size();
        if (count < 1 || count > BATCH) {
            throw new IllegalArgumentException("URLs to queue again must be from 1 to " + BATCH + ": " + count);
        }
        requireUsable(store);
        batch.clearNew();
        long[] hashes = batch.hash(0, count, filter.seed());
        long absent = filter.absent(hashes, count);
        watch.refuseIfFull(hashes, absent);
        watch.announce(add(batch, 0, hashes, absent, -1L >>> (BATCH - count), store));
    }

    /** Adds URLs to the filter, and appends those that are new and those of another mask; returns how many are new. */
    private int add(UrlBatch batch, int from, long[] hashes, long absent, long others, Store store) {
        try {
            long mask = filter.addAbsent(hashes, absent);
            if ((mask | others) != 0) {
                store.append(batch, from, mask | others);
                batch.setNew(from, mask);
            }
            return Long.bitCount(mask);
        } catch (RuntimeException | Error e) {
            failure = e;
            store.stop(e);
            throw e;
        }
    }

    private void requireUsable(Store store) {
        store.requireUsable();
        if (failure != null) {
            throw new IllegalStateException("no URL is accepted after an earlier error: " + failure, failure);
        }
    }

    /** Returns whether a key was pushed before, up to the false-positive rate; false is always right. */
    public boolean mightContain(String key) {
        byte[] utf8 = UrlBatch.utf8(key);
        long[] hash = new long[2];
        Murmur3.hash(utf8, 0, utf8.length, filter.seed(), hash, 0);
        lock.lock();
        try {
            return filter.mightContain(hash[0], hash[1]);
        } finally {
            lock.unlock();
        }
    }

    /** Adds URLs that an earlier run accepted to the filter, without publishing events. */
    public void restore(UrlBatch batch) {
        lock.lock();
        try {
            for (int from = 0; from < batch.size(); from += BATCH) {
                int count = Math.min(BATCH, batch.size() - from);
                long[] hashes = batch.hash(from, count, filter.seed());
                // Those that are in the filter were queued again, or were added to it while it was saved.
                watch.restored(Long.bitCount(filter.addAbsent(hashes, filter.absent(hashes, count))));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Continues the counts of an earlier run.
     *
     * @param seenBefore duplicates; added to the present number
     * @param missedBefore estimated pages missed; replaces the present estimate
     * @param sizeBefore estimated size of this filter up to which its capacity events were published
     */
    public void restore(long seenBefore, double missedBefore, long sizeBefore) {
        lock.lock();
        try {
            seen.add(seenBefore);
            watch.restore(missedBefore, sizeBefore);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Looks for capacity events that are due, which {@link #publish} passes on. Pushes do so once per thousandth of the
     * capacity; call this as well when the frontier is saved, opened or closed.
     *
     * @return whether there are any
     */
    public boolean announceDueEvents() {
        lock.lock();
        try {
            return watch.announceDue();
        } finally {
            lock.unlock();
        }
    }

    /** Logs the due events and passes them to the listener; called without the lock, since both may block. */
    public void publish() {
        watch.publish();
    }

    /** Returns the statistics of a frontier, given the counters of its store; called under the lock. */
    public SieveStats stats(long accepted, long pending, long inFlight, long done) {
        assert lock.isHeldByCurrentThread();
        return new SieveStats(
                FilterKind.of(filter),
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
