package dev.sieve.scope;

/**
 * Counts by key, of the keys that were met last, in fixed memory.
 *
 * <p>A key has its place in one of many short lists, in which the key that was met last stands first; a new key pushes
 * the last one of its list out. Keys are hashes, so that the lists fill alike. Safe for use by many threads: a list is
 * guarded by one of some locks.
 */
final class RecentCounts {
    private static final int LIST = 8;
    private static final int LOCKS = 64;

    private final long[] keys;
    private final int[] counts;
    private final Object[] locks = new Object[LOCKS];

    /**
     * Counts that are all zero.
     *
     * @param capacity how many keys are remembered; a power of two from 8 on
     */
    RecentCounts(int capacity) {
        keys = new long[capacity];
        counts = new int[capacity];
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** The count of a key, which is met by that; 0 when it is not known. */
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

    /** Counts one more, and answers the new count. */
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

    /** Where a key is; -1 when it is not there. A place whose count is zero is free. */
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
