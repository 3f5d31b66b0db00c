package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A set of the whole hashes of its keys: in practice it never mistakes a new key for an old one.
 *
 * <p>Two keys are mistaken for each other when all 128 bits of their hashes are equal; among a billion keys that
 * happens in less than one of 10^20 sets. It is the reference for the other memberships, and the right choice when no
 * page may be missed. It needs 18 to 23 bytes per key and grows as needed, a thousandth at a time.
 */
public final class ExactSet implements Membership {
    static final int KIND = 4;

    private static final int PART_BITS = 10;
    private static final int FIRST_SLOTS = 4;

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Random odd numbers that select where a digest is stored, different in each process: an attacker cannot choose
     * keys or a saved form so that all digests are stored in one place.
     */
    private static final long SPREAD1 = RANDOM.nextLong() | 1;

    private static final long SPREAD2 = RANDOM.nextLong() | 1;

    private final long seed;

    /** Hash tables with open addressing, two words per slot; many small ones, since a table is copied when it grows. */
    private final long[][] parts = new long[1 << PART_BITS][2 * FIRST_SLOTS];

    private final int[] partSizes = new int[1 << PART_BITS];
    private long size;
    private long slots = (long) FIRST_SLOTS << PART_BITS;

    private ExactSet(long seed) {
        this.seed = seed;
    }

    /** Makes an empty set. Use {@link Memberships#randomSeed()} when others choose the keys. */
    public static ExactSet create(long seed) {
        return new ExactSet(seed);
    }

    @Override
    public boolean add(long h1, long h2) {
        long second = notZero(h1, h2);
        long spread = spread(h1, second);
        int part = part(spread);
        int at = find(parts[part], spread, h1, second);
        if (!isEmpty(parts[part], at)) {
            return false;
        }
        // At 7/8 a search for an empty slot passes thirty others on average, all adjacent in memory. The table grows
        // before the insertion: a search without the lock would not end in a table without an empty slot.
        if (16L * (partSizes[part] + 1) > 7L * parts[part].length) {
            grow(part);
            at = find(parts[part], spread, h1, second);
        }
        put(parts[part], at, h1, second);
        size++;
        partSizes[part]++;
        return true;
    }

    private static void put(long[] table, int at, long h1, long h2) {
        table[at] = h1;
        table[at + 1] = h2;
    }

    /** Returns the index of a digest in its table, or of the empty slot where it belongs. */
    private static int find(long[] table, long spread, long h1, long h2) {
        int at = slot(table, spread);
        while (!isEmpty(table, at) && (table[at] != h1 || table[at + 1] != h2)) {
            at = at + 2 == table.length ? 0 : at + 2;
        }
        return at;
    }

    private void grow(int part) {
        long[] table = parts[part];
        int more = table.length / 2 + Math.max(FIRST_SLOTS, table.length / 8);
        if (more > ArrayFilter.MAX / 2) {
            throw new IllegalStateException("the set is full: " + size + " keys");
        }
        long[] larger = new long[2 * more];
        for (int at = 0; at < table.length; at += 2) {
            if (!isEmpty(table, at)) {
                int place = find(larger, spread(table[at], table[at + 1]), table[at], table[at + 1]);
                put(larger, place, table[at], table[at + 1]);
            }
        }
        // A reader without the lock sees either the old table or all of the new one.
        VarHandle.releaseFence();
        parts[part] = larger;
        slots += more - table.length / 2;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        long second = notZero(h1, h2);
        long spread = spread(h1, second);
        long[] table = parts[part(spread)];
        return !isEmpty(table, find(table, spread, h1, second));
    }

    @Override
    public long absent(long[] hashes, int count) {
        long elsewhere = 0;
        for (int i = 0; i < count; i++) {
            long second = notZero(hashes[2 * i], hashes[2 * i + 1]);
            long spread = spread(hashes[2 * i], second);
            long[] table = parts[part(spread)];
            int at = slot(table, spread);
            long differs = (table[at] ^ hashes[2 * i]) | (table[at + 1] ^ second);
            elsewhere |= (differs | -differs) >>> 63 << i;
        }
        long absent = 0;
        for (long bits = elsewhere; bits != 0; bits &= bits - 1) {
            int i = Long.numberOfTrailingZeros(bits);
            absent |= mightContain(hashes[2 * i], hashes[2 * i + 1]) ? 0 : 1L << i;
        }
        return absent;
    }

    /** Returns the second half of a digest; 1 for the one digest that would look like an empty slot. */
    private static long notZero(long h1, long h2) {
        return (h1 | h2) == 0 ? 1 : h2;
    }

    private static long spread(long h1, long h2) {
        return h1 * SPREAD1 + h2 * SPREAD2;
    }

    private static int part(long spread) {
        return (int) (spread >>> (64 - PART_BITS));
    }

    private static int slot(long[] table, long spread) {
        return 2 * (int) ArrayFilter.reduce(spread << PART_BITS, table.length / 2);
    }

    private static boolean isEmpty(long[] table, int at) {
        return (table[at] | table[at + 1]) == 0;
    }

    @Override
    public long seed() {
        return seed;
    }

    /** {@inheritDoc} Unlimited. */
    @Override
    public long capacity() {
        return Long.MAX_VALUE;
    }

    /** {@inheritDoc} Exact. */
    @Override
    public long estimatedSize() {
        return size;
    }

    /** {@inheritDoc} About 10^-30 for a billion keys. */
    @Override
    public double falsePositiveRate() {
        return size * 0x1p-128;
    }

    @Override
    public long memoryBytes() {
        return 16 * slots;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SavedFormWriter form = new SavedFormWriter(out, KIND, seed);
        for (long[] table : parts) {
            long[] digests = digests(table);
            if (digests.length > 0) {
                form.writeLong(digests.length / 2);
                form.writeWords(digests, 0, digests.length);
            }
        }
        form.writeLong(0);
        form.finish();
    }

    /** Returns the digests of a table without its empty slots. */
    private static long[] digests(long[] table) {
        long[] digests = new long[table.length];
        int filled = 0;
        for (int at = 0; at < table.length; at += 2) {
            if (!isEmpty(table, at)) {
                digests[filled++] = table[at];
                digests[filled++] = table[at + 1];
            }
        }
        return Arrays.copyOf(digests, filled);
    }

    static ExactSet read(SavedFormReader form) throws IOException {
        ExactSet set = new ExactSet(form.seed());
        long count;
        while ((count = form.readLong("digests", 0, ArrayFilter.MAX / 2)) > 0) {
            long[] digests = form.readWords("digests", 2 * count, 0);
            for (int at = 0; at < digests.length; at += 2) {
                set.add(digests[at], digests[at + 1]);
            }
        }
        return set;
    }
}
