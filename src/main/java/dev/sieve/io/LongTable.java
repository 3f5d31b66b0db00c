package dev.sieve.io;

/**
 * A hash table from hashes to numbers other than 0, which takes a limited number of bytes. Not safe for use by many
 * threads.
 */
public final class LongTable {
    private static final int ENTRY_BYTES = 2 * Long.BYTES;
    private static final int FIRST_SLOTS = 1 << 10;

    private final int maxEntries;
    private long[] keys = new long[FIRST_SLOTS];
    /** The value of the key in the same slot; 0 when the slot is free. */
    private long[] values = new long[FIRST_SLOTS];

    private int entries;

    /** Creates an empty table whose entries take no more than a number of bytes. */
    public LongTable(int maxBytes) {
        maxEntries = maxBytes / ENTRY_BYTES / 4 * 3;
    }

    /** Returns the value of a key; 0 if there is none. */
    public long get(long key) {
        return values[slot(key)];
    }

    /** Sets the value of a key; returns false if the key is new and there is no room for it. */
    public boolean put(long key, long value) {
        if (get(key) == 0) {
            if (isFull()) {
                return false;
            }
            if (entries >= keys.length / 4 * 3) {
                grow();
            }
            entries++;
        }
        insert(key, value);
        return true;
    }

    /** Returns whether there is no room for another key. */
    public boolean isFull() {
        return entries >= maxEntries;
    }

    public int entries() {
        return entries;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new long[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != 0) {
                insert(oldKeys[i], oldValues[i]);
            }
        }
    }

    private void insert(long key, long value) {
        int slot = slot(key);
        keys[slot] = key;
        values[slot] = value;
    }

    private int slot(long key) {
        int slot = (int) (key ^ (key >>> 32)) & (keys.length - 1);
        while (values[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & (keys.length - 1);
        }
        return slot;
    }
}
