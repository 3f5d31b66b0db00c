package dev.sieve.shared;

import dev.sieve.Lease;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A frame that this worker has taken, whose URLs have the ids from {@link #firstId} on. Its text is kept until all URLs were
 * handed out. Guarded by the lock of {@link Holdings}.
 */
final class TakenFrame {
    /** The index of its slice. */
    final int slice;

    final long number;
    final long firstId;
    private final int count;

    private @Nullable Frame text;
    private int next;
    private final BitSet done;
    private final BitSet begun = new BitSet();
    private int newlyDone;
    private int newPages;
    private Map<String, Integer> newHosts = Map.of();

    TakenFrame(int slice, long number, long firstId, Frame text, BitSet done) {
        this.slice = slice;
        this.number = number;
        this.firstId = firstId;
        this.text = text;
        this.done = done;
        count = text.count();
        next = done.nextClearBit(0);
    }

    int count() {
        return count;
    }

    boolean contains(long id) {
        return id - firstId < count;
    }

    /** Returns whether a URL was not handed out yet. */
    boolean hasNext() {
        return next < count;
    }

    /** Returns the next URL. */
    Lease next() {
        Lease lease = Objects.requireNonNull(text).lease(firstId + next, next, 0);
        next = done.nextClearBit(next + 1);
        text = hasNext() ? text : null;
        return lease;
    }

    /** Begins work on a URL; returns false when that was done before. */
    boolean begin(long id) {
        int index = (int) (id - firstId);
        boolean isFirst = !begun.get(index);
        begun.set(index);
        return isFirst;
    }

    /** Ends work on a URL; returns whether it was begun. */
    boolean end(long id) {
        int index = (int) (id - firstId);
        boolean wasBegun = begun.get(index);
        begun.clear(index);
        return wasBegun;
    }

    /** Notes that a URL is done; its host is null where URLs per host are not counted. */
    void done(long id, boolean isPage, @Nullable String host) {
        done.set((int) (id - firstId));
        newlyDone++;
        newPages += isPage ? 1 : 0;
        if (host != null) {
            newHosts = newHosts.isEmpty() ? new HashMap<>() : newHosts;
            newHosts.merge(host, 1, Integer::sum);
        }
    }

    boolean isDone() {
        return done.cardinality() == count;
    }

    /** Returns a bit per URL, the lowest bit of the first byte for the first URL. */
    byte[] doneBits() {
        return done.toByteArray();
    }

    int newlyDone() {
        return newlyDone;
    }

    /** Returns how many of the {@link #newlyDone} are pages. */
    int newPages() {
        return newPages;
    }

    /** Returns {@link #newPages} and starts from 0 again. */
    int countNewPages() {
        int sum = newPages;
        newPages = 0;
        return sum;
    }

    /** Adds how many of the {@link #newlyDone} each host has, and starts from 0 again. */
    void countNewHosts(Map<String, Integer> sums) {
        newHosts.forEach((host, count) -> sums.merge(host, count, Integer::sum));
        newHosts = Map.of();
    }

    /** Returns {@link #newlyDone()} and starts from 0 again. */
    int countNewlyDone() {
        int sum = newlyDone;
        newlyDone = 0;
        return sum;
    }
}
