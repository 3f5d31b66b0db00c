package dev.sieve.scope;

import java.util.Arrays;

/**
 * Counters for the most recently used keys, in fixed memory.
 *
 * <p>Each key belongs to one of many short lists, ordered from the most to the least recently used key; a new key
 * evicts the last key of its list. Keys must be hashes, so that the lists fill evenly. Safe for use by many threads:
 * the lists share a fixed number of locks.
 */
final class RecentCounts {
    private static final int LIST = 8;
    private static final int LOCKS = 64;

    private final long[] keys;
    /** An entry whose count is zero is unused. */
    private final int[] counts;

    private final Object[] locks = new Object[LOCKS];

    /** Creates counters that are all zero for a number of keys that is a power of two, at least 8. */
    RecentCounts(int capacity) {
        keys = new long[capacity];
        counts = new int[capacity];
        Arrays.setAll(locks, i -> new Object());
    }

    /** Returns the count of a key and marks the key as used; 0 when the key is not stored. */
    int count(long key) {
        return add(key, 0);
    }

    int increment(long key) {
        return add(key, 1);
    }

    /** Makes the count of a key lower, but not less than 1. */
    void lower(long key, int by) {
        int list = list(key);
        synchronized (lock(list)) {
            int count = add(key, 0);
            counts[list] = count == 0 ? counts[list] : Math.max(1, count - by);
        }
    }

    /** Makes the count of a key at least as high as another one. */
    void raise(long key, int least) {
        synchronized (lock(list(key))) {
            add(key, Math.max(0, least - add(key, 0)));
        }
    }

    private int list(long key) {
        return (int) key & (keys.length - 1) & -LIST;
    }

    private Object lock(int list) {
        return locks[(list / LIST) & (LOCKS - 1)];
    }

    private int add(long key, int step) {
        int list = list(key);
        synchronized (lock(list)) {
            int at = list;
            while (at < list + LIST && counts[at] > 0 && keys[at] != key) {
                at++;
            }
            boolean isStored = at < list + LIST && counts[at] > 0;
            int count = isStored ? Math.min(counts[at], Integer.MAX_VALUE - step) + step : step;
            if (count > 0) {
                moveToFront(list, Math.min(at, list + LIST - 1), key, count);
            }
            return count;
        }
    }

    private void moveToFront(int list, int at, long key, int count) {
        System.arraycopy(keys, list, keys, list + 1, at - list);
        System.arraycopy(counts, list, counts, list + 1, at - list);
        keys[list] = key;
        counts[list] = count;
    }
}
