package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A Bloom filter from which keys can be removed: it has a counter of four bits in place of every bit.
 *
 * <p>[L. Fan, P. Cao, J. Almeida and A. Broder, "Summary cache", IEEE/ACM Transactions on Networking 8 (2000)]
 *
 * <p>A key is contained as long as it was added more often than removed. A counter that has reached 15 stays there,
 * since its true value is lost: a key may remain after its removal, but a contained key is always reported.
 *
 * <p>Remove only keys that were added. A key that was not may be reported as contained, at the
 * {@link #falsePositiveRate()}; removing it takes counts from other keys.
 *
 * <p>{@link #absent} reports every key, since a key that seems to be contained must be counted again, under the lock.
 *
 * <p>It needs four times the memory of a {@link BloomFilter}, at the same rate and speed.
 */
public final class CountingBloomFilter extends ArrayFilter {
    static final int KIND = 2;

    private static final int PER_WORD = 16;
    private static final int HIGHEST = 15;

    private CountingBloomFilter(long capacity, long counters, int hashes, long seed, long[] words) {
        super(capacity, counters, hashes, seed, words, countAbove0(words));
    }

    /** Makes a filter; see {@link BloomFilter#create}. */
    public static CountingBloomFilter create(long capacity, double falsePositiveRate, long seed) {
        long counters = BloomSize.bits(capacity, falsePositiveRate);
        long[] words = new long[length(wordsFor(counters))];
        int hashes = BloomSize.hashes(falsePositiveRate);
        return new CountingBloomFilter(capacity, counters, hashes, seed, words);
    }

    /** {@inheritDoc} A key that is contained is counted once more. */
    @Override
    public boolean add(long h1, long h2) {
        boolean isNew = false;
        for (int i = 0; i < hashes; i++) {
            long counter = place(h1, h2, i, cells);
            int value = value(counter);
            if (value < HIGHEST) {
                words[(int) (counter / PER_WORD)] += one(counter);
            }
            if (value == 0) {
                setCells++;
                isNew = true;
            }
        }
        return isNew;
    }

    /** Removes a key once, as by {@link #remove(long, long)}. */
    public boolean remove(String key) {
        long[] hash = Murmur3.hash(key, seed);
        return remove(hash[0], hash[1]);
    }

    /**
     * Removes a key once.
     *
     * @return false when the key is not contained; nothing has changed then
     */
    public boolean remove(long h1, long h2) {
        if (!mightContain(h1, h2)) {
            return false;
        }
        for (int i = 0; i < hashes; i++) {
            long counter = place(h1, h2, i, cells);
            int value = value(counter);
            // A key that was never added may use a counter twice that is only 1.
            if (value > 0 && value < HIGHEST) {
                words[(int) (counter / PER_WORD)] -= one(counter);
                setCells -= value == 1 ? 1 : 0;
            }
        }
        return true;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        for (int i = 0; i < hashes; i++) {
            if (value(place(h1, h2, i, cells)) == 0) {
                return false;
            }
        }
        return true;
    }

    private int value(long counter) {
        return (int) (words[(int) (counter / PER_WORD)] >>> (4 * counter)) & HIGHEST;
    }

    /** Returns the value of a counter's lowest bit in its word. */
    private static long one(long counter) {
        return 1L << (4 * counter);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        writeAll(new SavedFormWriter(out, KIND, seed));
    }

    static CountingBloomFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        long counters = form.readLong("counters", 1, (long) PER_WORD * MAX);
        int hashes = (int) form.readLong("hashes", 1, BloomSize.MAX_HASHES);
        long[] words = form.readWords("words", wordsFor(counters), 0);
        form.requireClear("counters after the last", words[words.length - 1] & -one(counters - 1) << 4);
        return new CountingBloomFilter(capacity, counters, hashes, form.seed(), words);
    }

    private static long wordsFor(long counters) {
        return (counters - 1) / PER_WORD + 1;
    }

    private static long countAbove0(long[] words) {
        long count = 0;
        for (long word : words) {
            long pairs = word | word >>> 1;
            count += Long.bitCount((pairs | pairs >>> 2) & 0x1111111111111111L);
        }
        return count;
    }
}
