package dev.sieve.scope;

/**
 * Counters for the most recently used keys, in fixed memory.
 *
 * <p>Each key belongs to one of many short lists, ordered from the most to the least recently used key; a new key evicts
 * the last key of its list. Keys must be hashes, so that the lists fill evenly. Safe for use by many threads: the lists
 * share a fixed number of locks.
 */
final class RecentCounts {
    private static final int LIST = 8;
    private static final int LOCKS = 64;

    private final long[] keys;
    private final int[] counts;
    private final Object[] locks = new Object[LOCKS];

    /**
     * Creates counters that are all zero.
     *
     * @param capacity how many keys are stored; a power of two, at least 8
     */
    RecentCounts(int capacity) {
        keys = new long[capacity];
        counts = new int[capacity];
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** Returns the count of a key and marks the key as used; 0 when the key is not stored. */
    int count(long key) {
        int list = list(key);
        synchronized (lock(list)) {
            int at = find(list, key);
            if (at < 0) {
                return 0;
            }
            int count = counts[at];
            moveToFront(list, at, key, count);
            return count;
        }
    }

    /** Adds one to the count of a key and returns the new count. */
    int increment(long key) {
        int list = list(key);
        synchronized (lock(list)) {
            int at = find(list, key);
            int count = at < 0 ? 1 : Math.min(counts[at], Integer.MAX_VALUE - 1) + 1;
            moveToFront(list, at < 0 ? list + LIST - 1 : at, key, count);
            return count;
        }
    }

    private int list(long key) {
        return (int) key & (keys.length - 1) & -LIST;
    }

    private Object lock(int list) {
        return locks[(list / LIST) & (LOCKS - 1)];
    }

    /** The index of a key; -1 when it is not stored. An entry whose count is zero is unused. */
    private int find(int list, long key) {
        for (int i = list; i < list + LIST && counts[i] > 0; i++) {
            if (keys[i] == key) {
                return i;
            }
        }
        return -1;
    }

    private void moveToFront(int list, int at, long key, int count) {
        System.arraycopy(keys, list, keys, list + 1, at - list);
        System.arraycopy(counts, list, counts, list + 1, at - list);
        keys[list] = key;
        counts[list] = count;
    }
}
