package dev.sieve.bloom;

import java.io.IOException;

/** A Bloom filter whose bits or counters, its cells, are stored in one array. */
abstract class ArrayFilter implements Membership {
    /** The longest array that every JVM supports. */
    static final int MAX = Integer.MAX_VALUE - 8;

    final long capacity;
    /** The number of cells, m. */
    final long cells;
    /** The number of cells that a key sets, k. */
    final int hashes;

    final long seed;
    final long[] words;
    /** The number of cells that are not 0, X. */
    long setCells;

    ArrayFilter(long capacity, long cells, int hashes, long seed, long[] words, long setCells) {
        this.capacity = capacity;
        this.cells = cells;
        this.hashes = hashes;
        this.seed = seed;
        this.words = words;
        this.setCells = setCells;
    }

    /** Returns the number of bits or counters that a key sets, k. */
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

    /** {@inheritDoc} By {@link BloomSize#estimate}; finite even when every bit is set. */
    @Override
    public long estimatedSize() {
        return Math.round(BloomSize.estimate(setCells, cells, hashes));
    }

    @Override
    public double falsePositiveRate() {
        return Math.pow((double) setCells / cells, hashes);
    }

    @Override
    public long memoryBytes() {
        return 8L * words.length;
    }

    /** Writes all that {@link #writeTo} writes after the seed, for a filter that uses the whole array. */
    void writeAll(SavedFormWriter form) throws IOException {
        form.writeLong(capacity);
        form.writeLong(cells);
        form.writeLong(hashes);
        form.writeWords(words, 0, words.length);
        form.finish();
    }

    static int length(long words) {
        if (words > MAX) {
            throw new IllegalArgumentException("a filter holds at most " + MAX + " words of 64 bits: " + words);
        }
        return (int) words;
    }

    /** Returns the number of words for a number of bits, at least 1. */
    static long forBits(long bits) {
        return ((bits - 1) >>> 6) + 1;
    }

    /**
     * Returns a number from 0 to range - 1 from the upper bits of a hash, without a division. [D. Lemire, "Fast random
     * integer generation in an interval", ACM TOMACS 29 (2019), section 2]
     *
     * @param range from 1 to 2^62
     */
    static long reduce(long hash, long range) {
        return Math.multiplyHigh(hash >>> 1, range << 1);
    }

    /**
     * Returns place i of a key within a range, by double hashing: h1 + i * h2 in 64 bits, mixed, scaled down. [A.
     * Kirsch and M. Mitzenmacher, "Less hashing, same performance: building a better Bloom filter", ESA 2006]
     *
     * <p>Without the mixing, places are equal steps apart; two keys with similar steps share nearly all of their
     * places, which is more likely than a rate of one in a million when the filter is small.
     */
    static long place(long h1, long h2, int i, long range) {
        long sum = h1 + i * h2;
        return reduce((sum ^ (sum >>> 32)) * 0x9e3779b97f4a7c15L, range);
    }

    static long countBits(long[] words) {
        long count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }
}
