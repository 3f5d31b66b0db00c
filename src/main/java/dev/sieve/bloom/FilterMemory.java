package dev.sieve.bloom;

/** The array of words that a filter consists of, and how a hash becomes a place in it. */
final class FilterMemory {
    /** The longest array that every JVM can make. */
    static final int MAX = Integer.MAX_VALUE - 8;

    private FilterMemory() {}

    /** The number of words as an array length, refused when no array can be that long. */
    static int length(long words) {
        if (words > MAX) {
            throw new IllegalArgumentException("a filter holds at most " + MAX + " words of 64 bits: " + words);
        }
        return (int) words;
    }

    /** Words for so many bits, 1 at least. */
    static long forBits(long bits) {
        return ((bits - 1) >>> 6) + 1;
    }

    /**
     * A number from 0 to range - 1 from the upper bits of a hash, without a division.
     *
     * <p>D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), section 2.
     *
     * @param range from 1 to 2^62
     */
    static long reduce(long hash, long range) {
        return Math.multiplyHigh(hash >>> 1, range << 1);
    }

    /**
     * Place i of a key among so many, by double hashing: h1 + i * h2 in 64 bits, mixed, scaled down.
     *
     * <p>[A. Kirsch and M. Mitzenmacher, "Less hashing, same performance: building a better Bloom filter", ESA 2006].
     * Without the mixing, places go up in equal steps; two keys whose steps are alike share nearly all of their places,
     * and that is more likely than a rate of one in a million where keys are few.
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
