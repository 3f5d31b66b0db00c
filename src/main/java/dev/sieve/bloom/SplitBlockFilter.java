package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A Bloom filter in which all bits of a key are in one line of 64 bytes: one cache miss per key at any rate.
 *
 * <p>The upper bits of h1 select the line. A line is eight words, and a key sets one bit in each of them, selected by
 * eight slices of h2, six bits each. At low rates it sets one in each half of them, 16 in all: five bits of a slice
 * select the one in the lower half, and slices of h2 times an odd number the one in the upper half. [J. Apple, "Split
 * block Bloom filters", arXiv:2101.01719 (2021)]
 *
 * <p>Keys spread unevenly over the lines, and a crowded line has more false positives. To meet the requested rate, the
 * filter has more bits than a {@link BloomFilter}: 5 % at a rate of 1e-2, 9 % at 1e-3, 20 % at 1e-4, and far more at
 * rates above 0.2 or below 1e-6; see {@link BloomSize#splitBlockBits}.
 *
 * <p>Keys cannot be removed. Above its capacity the filter mistakes more and more new keys for old ones.
 */
public final class SplitBlockFilter extends ArrayFilter {
    static final int KIND = 5;

    private static final int LINE_WORDS = 8;

    /**
     * Words before the first line. G1, ZGC and Shenandoah align a large array to 64 bytes, and its first word has the
     * offset 16: with this lead a line is a cache line. With other collectors a line may span two cache lines, hence
     * {@link #readEnds}.
     */
    private static final int LEAD = 6;

    private static final int MAX_LINES = (MAX - LEAD) / LINE_WORDS;

    /** The number of bits that fit into one array. */
    static final long MAX_BITS = (long) BloomSize.LINE_BITS * MAX_LINES;

    /** An odd number without a pattern, 2^64 divided by the golden ratio. */
    private static final long REMIX = 0x9e3779b97f4a7c15L;

    private final int lines;
    private final long fullAt;

    private SplitBlockFilter(long capacity, int lines, int hashes, long seed, long[] words) {
        super(capacity, (long) BloomSize.LINE_BITS * lines, hashes, seed, words, countBits(words));
        this.lines = lines;
        this.fullAt = Math.round(BloomSize.expectedSetBits(capacity, cells, hashes));
    }

    /** Makes a filter; see {@link BloomFilter#create}. */
    public static SplitBlockFilter create(long capacity, double falsePositiveRate, long seed) {
        long lines = BloomSize.splitBlockBits(capacity, falsePositiveRate) / BloomSize.LINE_BITS;
        int hashes = BloomSize.splitBlockHashes(falsePositiveRate);
        long[] words = new long[length(LINE_WORDS * lines + LEAD)];
        return new SplitBlockFilter(capacity, (int) lines, hashes, seed, words);
    }

    /** {@inheritDoc} Most keys of a crawl are duplicates, and reading a line is cheaper than writing it. */
    @Override
    public boolean add(long h1, long h2) {
        return !mightContain(h1, h2) && set(line(h1), h2);
    }

    /** {@inheritDoc} Without branches that depend on a key: they would be mispredicted. */
    @Override
    public long absent(long[] keys, int count) {
        if (count == 1) {
            return clear(line(keys[0]), keys[1]);
        }
        int[] starts = new int[count];
        for (int i = 0; i < count; i++) {
            starts[i] = line(keys[2 * i]);
        }
        long read = readEnds(starts);
        long absent = 0;
        for (int i = 0; i < count; i++) {
            absent |= clear(starts[i], keys[2 * i + 1]) << i;
        }
        // Uses the result of the reads, so that they are not optimised away. Once in 2^64 calls this reports all keys
        // absent, which is allowed.
        return read == REMIX ? super.absent(keys, count) : absent;
    }

    /**
     * Reads first one end of all lines, then the other. A processor looks a limited number of instructions ahead of a
     * cache miss, so the misses overlap the most when the loop does nothing else.
     */
    private long readEnds(int[] starts) {
        long read = 0;
        for (int at : starts) {
            read ^= words[at];
        }
        for (int at : starts) {
            read ^= words[at + LINE_WORDS - 1];
        }
        return read;
    }

    @Override
    public long addAbsent(long[] keys, long absent) {
        long isNew = 0;
        for (long bits = absent; bits != 0; bits &= bits - 1) {
            int i = Long.numberOfTrailingZeros(bits);
            // A key may be in the batch twice, or another thread may have added it.
            if (set(line(keys[2 * i]), keys[2 * i + 1])) {
                isNew |= 1L << i;
            }
        }
        return isNew;
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        return clear(line(h1), h2) == 0;
    }

    /** Returns the index of the first word of a key's line. */
    private int line(long h1) {
        return LEAD + LINE_WORDS * (int) reduce(h1, lines);
    }

    /** Sets a key's bits and returns whether one of them was clear. */
    private boolean set(int at, long h2) {
        int flipped = hashes == LINE_WORDS ? setEight(at, h2) : setSixteen(at, h2);
        setCells += flipped;
        return flipped != 0;
    }

    private int setEight(int at, long h2) {
        int flipped = 0;
        for (int i = 0; i < LINE_WORDS; i++) {
            long bit = h2 >>> (6 * i);
            long word = words[at + i];
            words[at + i] = word | (1L << bit);
            flipped += (int) (~word >>> bit) & 1;
        }
        return flipped;
    }

    private int setSixteen(int at, long h2) {
        long upper = upper(h2);
        int flipped = 0;
        for (int i = 0; i < LINE_WORDS; i++) {
            long bits = pair(h2, upper, i);
            long word = words[at + i];
            words[at + i] = word | bits;
            flipped += Long.bitCount(bits & ~word);
        }
        return flipped;
    }

    /** Returns 1 when one of a key's bits is clear, else 0. */
    private long clear(int at, long h2) {
        return hashes == LINE_WORDS ? clearOfEight(at, h2) : clearOfSixteen(at, h2);
    }

    private long clearOfEight(int at, long h2) {
        long[] w = words;
        long all = (w[at] >>> h2)
                & (w[at + 1] >>> (h2 >>> 6))
                & (w[at + 2] >>> (h2 >>> 12))
                & (w[at + 3] >>> (h2 >>> 18))
                & (w[at + 4] >>> (h2 >>> 24))
                & (w[at + 5] >>> (h2 >>> 30))
                & (w[at + 6] >>> (h2 >>> 36))
                & (w[at + 7] >>> (h2 >>> 42));
        return ~all & 1;
    }

    private long clearOfSixteen(int at, long h2) {
        long upper = upper(h2);
        long missing = 0;
        for (int i = 0; i < LINE_WORDS; i++) {
            missing |= pair(h2, upper, i) & ~words[at + i];
        }
        return (missing | -missing) >>> 63;
    }

    /** Returns a key's bits in word i: one in each half. */
    private static long pair(long lower, long upper, int i) {
        return (1L << ((lower >>> (6 * i)) & 31)) | (1L << ((upper >>> (6 * i)) | 32));
    }

    /** Returns eight more slices, for the upper halves; the low bits of a product depend on too few bits of h2. */
    private static long upper(long h2) {
        return (h2 * REMIX) >>> 16;
    }

    /** Whether as many bits are set as a number of keys equal to the capacity sets. */
    boolean isFull() {
        return setCells >= fullAt;
    }

    /** {@inheritDoc} By {@link BloomSize#splitBlockRate}. */
    @Override
    public double falsePositiveRate() {
        double size = BloomSize.estimate(setCells, cells, hashes);
        return setCells == cells
                ? 1
                : lines == 1
                        ? Math.pow((double) setCells / cells, hashes)
                        : BloomSize.splitBlockRate(size / lines, lines, hashes);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SavedFormWriter form = new SavedFormWriter(out, KIND, seed);
        writeTo(form);
        form.finish();
    }

    void writeTo(SavedFormWriter form) throws IOException {
        form.writeLong(capacity);
        form.writeLong(lines);
        form.writeLong(hashes / LINE_WORDS);
        form.writeWords(words, LEAD, words.length);
    }

    static SplitBlockFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        int lines = (int) form.readLong("lines", 1, MAX_LINES);
        int hashes = (int) form.readLong("bits per word", 1, 2) * LINE_WORDS;
        long[] words = form.readWords("words", (long) LINE_WORDS * lines, LEAD);
        return new SplitBlockFilter(capacity, lines, hashes, form.seed(), words);
    }
}
