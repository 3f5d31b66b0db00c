package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A Bloom filter that can forget: a counter of four bits in place of every bit.
 *
 * <p>[L. Fan, P. Cao, J. Almeida and A. Broder, "Summary cache", IEEE/ACM Transactions on Networking 8 (2000)]
 *
 * <p>A key is in as often as it was added, less as often as it was removed. A counter that has reached 15 stays there for
 * good, as what it counts is no longer known: a key may then outlive its removal, but no key that is still in ever
 * becomes a "no".
 *
 * <p>That holds for those who remove only what they added. A key that was never added and is taken for one that was, at
 * the {@link #falsePositiveRate()}, can be removed like any other, and takes from the counters of keys that are in.
 *
 * <p>All keys are {@link #absent} to it: one that seems to be in is to be counted once more, under the lock.
 *
 * <p>It takes four times the memory of a {@link BloomFilter} and has its rate and its cost in time.
 */
public final class CountingBloomFilter implements Membership {
    static final int KIND = 2;

    private static final int PER_WORD = 16;
    private static final int HIGHEST = 15;

    private final long capacity;
    private final long counters;
    private final int hashes;
    private final long seed;
    private final long[] words;
    private long above0;

    private CountingBloomFilter(long capacity, long counters, int hashes, long seed, long[] words) {
        this.capacity = capacity;
        this.counters = counters;
        this.hashes = hashes;
        this.seed = seed;
        this.words = words;
        this.above0 = countAbove0(words);
    }

    /** A filter as by {@link #create(long, double, long)} with the seed 0. */
    public static CountingBloomFilter create(long expectedInsertions, double falsePositiveRate) {
        return create(expectedInsertions, falsePositiveRate, 0);
    }

    /**
     * A filter that is large enough for so many distinct keys at such a rate.
     *
     * @param expectedInsertions distinct keys that are in at one time, at least 1
     * @param falsePositiveRate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link Memberships#randomSeed()} when others choose the keys and must not know what they count
     * @throws IllegalArgumentException when a value is out of its range, or the filter would take more than 16 GiB
     */
    public static CountingBloomFilter create(long expectedInsertions, double falsePositiveRate, long seed) {
        long counters = BloomSize.bits(expectedInsertions, falsePositiveRate);
        long[] words = new long[FilterMemory.length(wordsFor(counters))];
        int hashes = BloomSize.hashes(falsePositiveRate);
        return new CountingBloomFilter(expectedInsertions, counters, hashes, seed, words);
    }

    /** {@inheritDoc} A key that was there is counted once more. */
    @Override
    public boolean add(long h1, long h2) {
        boolean isNew = false;
        for (int i = 0; i < hashes; i++) {
            long counter = FilterMemory.place(h1, h2, i, counters);
            int value = value(counter);
            if (value < HIGHEST) {
                words[(int) (counter / PER_WORD)] += one(counter);
            }
            if (value == 0) {
                above0++;
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
     * @return false when the key is certainly not in; nothing has changed then
     */
    public boolean remove(long h1, long h2) {
        if (!mightContain(h1, h2)) {
            return false;
        }
        for (int i = 0; i < hashes; i++) {
            long counter = FilterMemory.place(h1, h2, i, counters);
            int value = value(counter);
            // A key that was never added may come to one counter twice, though it stands at 1.
            if (value > 0 && value < HIGHEST) {
                words[(int) (counter / PER_WORD)] -= one(counter);
                above0 -= value == 1 ? 1 : 0;
            }
        }
        return true;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        for (int i = 0; i < hashes; i++) {
            if (value(FilterMemory.place(h1, h2, i, counters)) == 0) {
                return false;
            }
        }
        return true;
    }

    private int value(long counter) {
        return (int) (words[(int) (counter / PER_WORD)] >>> (4 * counter)) & HIGHEST;
    }

    /** What one more is in a counter's word. */
    private static long one(long counter) {
        return 1L << (4 * counter);
    }

    /** The number of counters, m. */
    public long counters() {
        return counters;
    }

    /** The number of counters that a key raises, k. */
    public int hashes() {
        return hashes;
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    /** {@inheritDoc} By {@link BloomSize#estimate}, from the counters above 0. */
    @Override
    public long estimatedSize() {
        return Math.round(BloomSize.estimate(above0, counters, hashes));
    }

    @Override
    public double falsePositiveRate() {
        return Math.pow((double) above0 / counters, hashes);
    }

    @Override
    public long memoryBytes() {
        return 8L * words.length;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SavedFormWriter form = new SavedFormWriter(out, KIND, seed);
        form.writeLong(capacity);
        form.writeLong(counters);
        form.writeLong(hashes);
        form.writeWords(words, 0, words.length);
        form.finish();
    }

    static CountingBloomFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        long counters = form.readLong("counters", 1, (long) PER_WORD * FilterMemory.MAX);
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
