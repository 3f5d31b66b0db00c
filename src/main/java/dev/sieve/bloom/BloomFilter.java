package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * The classic Bloom filter: any number of bits and hashes, and the bits of a key spread over all of the memory.
 *
 * <p>Bit i of a key, from 0 on, is {@code h1 + i * h2} in 64 bits, mixed and scaled down to the number of bits.
 *
 * <p>Keys cannot be removed. Above its capacity the filter mistakes more and more new keys for old ones. A key costs as
 * many cache misses as it has hashes; in a {@link SplitBlockFilter} it costs one.
 */
public final class BloomFilter extends ArrayFilter {
    static final int KIND = 1;

    private BloomFilter(long capacity, long bits, int hashes, long seed, long[] words) {
        super(capacity, bits, hashes, seed, words, countBits(words));
    }

    /**
     * Makes a filter for a number of distinct keys and a false-positive rate.
     *
     * @param capacity keys that the filter is made for, at least 1
     * @param falsePositiveRate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link Memberships#randomSeed()} when others choose the keys; with one seed, equal keys set equal
     *     bits
     * @throws IllegalArgumentException when a value is out of range, or the filter needs more than 16 GiB
     */
    public static BloomFilter create(long capacity, double falsePositiveRate, long seed) {
        long bits = BloomSize.bits(capacity, falsePositiveRate);
        return make(capacity, bits, BloomSize.hashes(falsePositiveRate), seed);
    }

    /**
     * Makes a filter with a number of bits and hashes. Its capacity is the number of keys that set half of the bits,
     * (m/k) ln 2.
     *
     * @param bits at least 1
     * @param hashes from 1 to {@link BloomSize#MAX_HASHES}
     * @throws IllegalArgumentException when a value is out of range, or the filter needs more than 16 GiB
     */
    public static BloomFilter of(long bits, int hashes, long seed) {
        BloomSize.checkBits(bits);
        BloomSize.checkHashes(hashes);
        return make(Math.max(1, (long) (bits / (double) hashes * Math.log(2))), bits, hashes, seed);
    }

    private static BloomFilter make(long capacity, long bits, int hashes, long seed) {
        return new BloomFilter(capacity, bits, hashes, seed, new long[length(forBits(bits))]);
    }

    @Override
    public boolean add(long h1, long h2) {
        int flipped = 0;
        for (int i = 0; i < hashes; i++) {
            long bit = place(h1, h2, i, cells);
            int at = (int) (bit >>> 6);
            long word = words[at];
            words[at] = word | 1L << bit;
            flipped += (int) (~word >>> bit & 1);
        }
        setCells += flipped;
        return flipped != 0;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        for (int i = 0; i < hashes; i++) {
            long bit = place(h1, h2, i, cells);
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
                long bit = place(keys[2 * key], keys[2 * key + 1], i, cells);
                clear |= ~words[(int) (bit >>> 6)] >>> bit;
            }
            absent |= (clear & 1) << key;
        }
        return absent;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        writeAll(new SavedFormWriter(out, KIND, seed));
    }

    static BloomFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        long bits = form.readLong("bits", 1, 64L * MAX);
        int hashes = (int) form.readLong("hashes", 1, BloomSize.MAX_HASHES);
        long[] words = form.readWords("words", forBits(bits), 0);
        form.requireClear("bits after the last", words[words.length - 1] & (-1L << (bits - 1)) << 1);
        return new BloomFilter(capacity, bits, hashes, form.seed(), words);
    }
}
