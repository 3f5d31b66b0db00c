package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The whole hash of each key: a set that in practice never takes a new key for an old one.
 *
 * <p>Two keys are confused when all 128 bits of their hashes agree; among a billion keys that happens less than once in
 * 10^20 sets. What the other memberships are measured against, and the right one for a crawl that may miss no page. It
 * takes 18 to 23 bytes a key and grows as needed, a thousandth at a time.
 */
public final class ExactSet implements Membership {
    static final int KIND = 4;

    private static final int PART_BITS = 10;
    private static final int FIRST_SLOTS = 4;

    /**
     * Random odd numbers that say where a digest lies, others in each process: who makes up keys or a saved form cannot
     * bring all digests to one place.
     */
    private static final long SPREAD1 = new SecureRandom().nextLong() | 1;

    private static final long SPREAD2 = new SecureRandom().nextLong() | 1;

    private final long seed;

    /** Open addressing, two words a slot, in many small tables: when one of them grows the others stay. */
    private final long[][] parts = new long[1 << PART_BITS][2 * FIRST_SLOTS];

    private final int[] partSizes = new int[1 << PART_BITS];
    private long size;
    private long slots = (long) FIRST_SLOTS << PART_BITS;

    private ExactSet(long seed) {
        this.seed = seed;
    }

    /** An empty set whose keys are hashed with the seed 0. */
    public static ExactSet create() {
        return create(0);
    }

    /**
     * An empty set.
     *
     * @param seed {@link Memberships#randomSeed()} when others choose the keys and must not make two that collide
     */
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
        // At 7/8 a new digest finds its slot after some thirty others on average, which lie side by side. The table
        // grows
        // before it is put in: in one without an empty slot whoever reads without the lock would search for ever.
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

    /** The index of a digest in its table, or of the empty slot where it belongs. */
    private static int find(long[] table, long spread, long h1, long h2) {
        int at = slot(table, spread);
        while (!isEmpty(table, at) && (table[at] != h1 || table[at + 1] != h2)) {
            at += 2;
            if (at == table.length) {
                at = 0;
            }
        }
        return at;
    }

    private void grow(int part) {
        long[] table = parts[part];
        int more = table.length / 2 + Math.max(FIRST_SLOTS, table.length / 8);
        if (more > Words.MAX / 2) {
            throw new IllegalStateException("the set is full: " + size + " keys");
        }
        long[] larger = new long[2 * more];
        for (int at = 0; at < table.length; at += 2) {
            if (!isEmpty(table, at)) {
                int place = find(larger, spread(table[at], table[at + 1]), table[at], table[at + 1]);
                put(larger, place, table[at], table[at + 1]);
            }
        }
        // Whoever reads without the lock sees the old table or a whole new one.
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

    /** The second half of a digest; 1 for the one digest that would look like an empty slot. */
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
        return 2 * (int) Words.reduce(spread << PART_BITS, table.length / 2);
    }

    private static boolean isEmpty(long[] table, int at) {
        return (table[at] | table[at + 1]) == 0;
    }

    @Override
    public long seed() {
        return seed;
    }

    /** {@inheritDoc} It does not matter. */
    @Override
    public long capacity() {
        return Long.MAX_VALUE;
    }

    /** {@inheritDoc} Counted. */
    @Override
    public long estimatedSize() {
        return size;
    }

    /** {@inheritDoc} Some 10^-30 for a billion keys. */
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
        FormWriter form = new FormWriter(out, KIND, seed);
        for (int part = 0; part < parts.length; part++) {
            long[] digests = digests(parts[part]);
            if (digests.length > 0) {
                form.writeLong(digests.length / 2);
                form.writeWords(digests, 0, digests.length);
            }
        }
        form.writeLong(0);
        form.finish();
    }

    /** The digests of a table without its empty slots. */
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

    static ExactSet read(FormReader form) throws IOException {
        ExactSet set = new ExactSet(form.seed());
        long count;
        while ((count = form.readLong("digests", 0, Words.MAX / 2)) > 0) {
            long[] digests = form.readWords("digests", 2 * count, 0);
            for (int at = 0; at < digests.length; at += 2) {
                set.add(digests[at], digests[at + 1]);
            }
        }
        return set;
    }
}
