package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A Bloom filter in its classic layout: any number of bits, any number of hashes, bits spread over all of the memory.
 *
 * <p>Bit i of a key, from 0 on, is {@code h1 + i * h2} in 64 bits, mixed and scaled down to the number of bits.
 *
 * <p>Nothing is ever forgotten. Past its capacity the filter goes on to work, and takes more and more new keys for old
 * ones. Each key costs as many cache misses as it has hashes; {@link SplitBlockFilter} costs one.
 */
public final class BloomFilter implements Membership {
    static final int KIND = 1;

    private final long capacity;
    private final long bits;
    private final int hashes;
    private final long seed;
    private final long[] words;
    private long setBits;

    private BloomFilter(long capacity, long bits, int hashes, long seed, long[] words) {
        this.capacity = capacity;
        this.bits = bits;
        this.hashes = hashes;
        this.seed = seed;
        this.words = words;
        this.setBits = FilterMemory.countBits(words);
    }

    /** A filter as by {@link #create(long, double, long)} with the seed 0: equal keys set equal bits in all of them. */
    public static BloomFilter create(long expectedInsertions, double falsePositiveRate) {
        return create(expectedInsertions, falsePositiveRate, 0);
    }

    /**
     * A filter that is large enough for so many distinct keys at such a rate.
     *
     * @param expectedInsertions distinct keys, at least 1
     * @param falsePositiveRate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link Memberships#randomSeed()} when others choose the keys and must not know which bits they set
     * @throws IllegalArgumentException when a value is out of its range, or the filter would take more than 16 GiB
     */
    public static BloomFilter create(long expectedInsertions, double falsePositiveRate, long seed) {
        long bits = BloomSize.bits(expectedInsertions, falsePositiveRate);
        return make(expectedInsertions, bits, BloomSize.hashes(falsePositiveRate), seed);
    }

    /** A filter as by {@link #of(long, int, long)} with the seed 0. */
    public static BloomFilter of(long bits, int hashes) {
        return of(bits, hashes, 0);
    }

    /**
     * A filter of so many bits, of which each key sets so many. Its capacity is the number of keys that set half of its
     * bits, (m/k) ln 2.
     *
     * @param bits at least 1
     * @param hashes from 1 to {@link BloomSize#MAX_HASHES}
     * @throws IllegalArgumentException when a value is out of its range, or the filter would take more than 16 GiB
     */
    public static BloomFilter of(long bits, int hashes, long seed) {
        BloomSize.checkBits(bits);
        BloomSize.checkHashes(hashes);
        return make(Math.max(1, (long) (bits / (double) hashes * Math.log(2))), bits, hashes, seed);
    }

    private static BloomFilter make(long capacity, long bits, int hashes, long seed) {
        return new BloomFilter(capacity, bits, hashes, seed, new long[FilterMemory.length(FilterMemory.forBits(bits))]);
    }

    @Override
    public boolean add(long h1, long h2) {
        int flipped = 0;
        for (int i = 0; i < hashes; i++) {
            long bit = FilterMemory.place(h1, h2, i, bits);
            int at = (int) (bit >>> 6);
            long word = words[at];
            words[at] = word | 1L << bit;
            flipped += (int) (~word >>> bit & 1);
        }
        setBits += flipped;
        return flipped != 0;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        for (int i = 0; i < hashes; i++) {
            long bit = FilterMemory.place(h1, h2, i, bits);
            if ((words[(int) (bit >>> 6)] >>> bit & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long absent(long[] keys, int count) {
        long absent = 0;
        for (int key = 0; key < count; key++) {
            long clear = 0;
            for (int i = 0; i < hashes; i++) {
                long bit = FilterMemory.place(keys[2 * key], keys[2 * key + 1], i, bits);
                clear |= ~words[(int) (bit >>> 6)] >>> bit;
            }
            absent |= (clear & 1) << key;
        }
        return absent;
    }

    /** The number of bits, m. */
    public long bits() {
        return bits;
    }

    /** The number of bits that a key sets, k. */
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
        return Math.round(BloomSize.estimate(setBits, bits, hashes));
    }

    @Override
    public double falsePositiveRate() {
        return Math.pow((double) setBits / bits, hashes);
    }

    @Override
    public long memoryBytes() {
        return 8L * words.length;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SavedFormWriter form = new SavedFormWriter(out, KIND, seed);
        form.writeLong(capacity);
        form.writeLong(bits);
        form.writeLong(hashes);
        form.writeWords(words, 0, words.length);
        form.finish();
    }

    static BloomFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        long bits = form.readLong("bits", 1, 64L * FilterMemory.MAX);
        int hashes = (int) form.readLong("hashes", 1, BloomSize.MAX_HASHES);
        long[] words = form.readWords("words", FilterMemory.forBits(bits), 0);
        form.requireClear("bits after the last", words[words.length - 1] & (-1L << (bits - 1)) << 1);
        return new BloomFilter(capacity, bits, hashes, form.seed(), words);
    }
}
