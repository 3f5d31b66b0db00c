package dev.sieve.bloom;

/**
 * The formulas of Bloom filters: size, number of hashes, false-positive rate and fill.
 *
 * <p>In all of them n is the number of distinct keys, m the number of bits, k the number of bits that a key sets, p the
 * false-positive rate and X the number of bits that are set. They assume a random hash and a large m; for a filter of
 * a few hundred bits the error may be some percent. Results too large for a long are {@link Long#MAX_VALUE}.
 *
 * <p>Sources: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13 (1970); A. Broder and
 * M. Mitzenmacher, "Network applications of Bloom filters: a survey", Internet Mathematics 1 (2004), called BM04 below;
 * S. J. Swamidass and P. Baldi, "Mathematical correction for fingerprint similarity measures", J. Chem. Inf. Model. 47
 * (2007), called SB07.
 */
public final class BloomSize {
    /** The lowest rate supported: below it, collisions of the hash itself matter. */
    public static final double MIN_RATE = 1e-15;

    /** The highest rate supported: above it, less than one bit per key would be needed. */
    public static final double MAX_RATE = 0.5;

    /** The largest number of bits that a key may set. */
    public static final int MAX_HASHES = 255;

    /** Bits in a line of a {@link SplitBlockFilter}: 64 bytes. */
    static final int LINE_BITS = 512;

    private static final double LN2 = Math.log(2);

    private BloomSize() {}

    /**
     * Returns the bits for n keys at rate p with the best number of hashes: m = -n ln p / (ln 2)². [BM04, section 2]
     */
    public static long bits(long keys, double rate) {
        return (long) Math.ceil(-checkKeys(keys) * Math.log(checkRate(rate)) / (LN2 * LN2));
    }

    /** Returns the hashes for rate p and m from {@link #bits}: k = -log2 p, rounded, at least 1. [BM04, section 2] */
    public static int hashes(double rate) {
        return (int) Math.max(1, Math.round(-Math.log(checkRate(rate)) / LN2));
    }

    /** Returns the rate of m bits with k hashes and n keys: p = (1 - e^(-kn/m))^k. [BM04, section 2] */
    public static double rate(long keys, long bits, int hashes) {
        return Math.pow(-Math.expm1(-(double) checkHashes(hashes) * keys / checkBits(bits)), hashes);
    }

    /** Returns the keys for m bits at rate p with the best number of hashes: n = -m (ln 2)² / ln p. */
    public static long keys(long bits, double rate) {
        return (long) (-checkBits(bits) * (LN2 * LN2) / Math.log(checkRate(rate)));
    }

    /**
     * Returns the distinct keys in a filter by its set bits: n = -(m/k) ln(1 - X/m). [SB07]
     *
     * <p>When every bit is set the formula is undefined; half a bit then counts as clear, and the result is a lower
     * bound rather than an estimate.
     */
    public static double estimate(long setBits, long bits, int hashes) {
        double clear = Math.max(0.5, (double) checkBits(bits) - setBits);
        return -Math.log(clear / bits) * bits / checkHashes(hashes);
    }

    /** Returns the bits that n keys set on average, the inverse of {@link #estimate}: X = m (1 - e^(-kn/m)). */
    public static double expectedSetBits(long keys, long bits, int hashes) {
        return -Math.expm1(-(double) checkHashes(hashes) * keys / checkBits(bits)) * bits;
    }

    /**
     * Returns the bits that every data structure for n keys at rate p needs at least: n log2(1/p). [BM04, section 2.2]
     */
    public static double floorBits(long keys, double rate) {
        return -checkKeys(keys) * Math.log(checkRate(rate)) / LN2;
    }

    /** Returns the bits for n keys at rate p in split blocks: whole lines of 512 with {@link #splitBlockHashes}. */
    public static long splitBlockBits(long keys, double rate) {
        double lines = Math.ceil(checkKeys(keys) / keysPerLine(rate, splitBlockHashes(rate)));
        return Math.min((long) lines, Long.MAX_VALUE / LINE_BITS) * LINE_BITS;
    }

    /** Returns the keys for split blocks of m bits at rate p, with {@link #splitBlockHashes}. */
    public static long splitBlockKeys(long bits, double rate) {
        double lines = Math.floor((double) checkBits(bits) / LINE_BITS);
        return (long) (lines * keysPerLine(rate, splitBlockHashes(rate)));
    }

    /** Returns the hashes for rate p in split blocks: 8 or 16, whichever needs fewer bits. */
    public static int splitBlockHashes(double rate) {
        return keysPerLine(rate, 8) >= keysPerLine(rate, 16) ? 8 : 16;
    }

    /**
     * Returns the rate of split blocks with k hashes and an average number of keys per line.
     *
     * <p>A line with j keys is wrong with probability (1 - (1 - k/512)^j)^k, since each key sets one of 512/k bits in
     * each of k parts. The number of keys in a line follows Poisson's distribution. [F. Putze, P. Sanders and J.
     * Singler, "Cache-, hash- and space-efficient Bloom filters", ACM JEA 14 (2009), section 3; J. Apple, "Split block
     * Bloom filters", arXiv:2101.01719 (2021)]
     *
     * @param keysPerLine at least 0; n divided by the number of lines
     * @param hashes 8 or 16
     */
    public static double splitBlockRate(double keysPerLine, int hashes) {
        return splitBlockRate(keysPerLine, Long.MAX_VALUE, hashes);
    }

    /** Returns the rate of a number of lines, above 1: with few of them, the number of keys is binomial, and less uneven. */
    static double splitBlockRate(double keysPerLine, long lines, int hashes) {
        double clear = 1 - (double) checkHashes(hashes) / LINE_BITS;
        if (Math.pow(clear, keysPerLine) < 1e-12) {
            return 1;
        }
        // Weights in proportion to the probabilities, outwards from the most likely number of keys until they are 0.
        int middle = (int) keysPerLine;
        double others = lines / (lines - 1.0);
        double sum = 0;
        double wrong = 0;
        double weight = 1;
        for (int j = middle; weight > 1e-18; j++) {
            sum += weight;
            wrong += weight * Math.pow(1 - Math.pow(clear, j), hashes);
            weight *= Math.max(0, keysPerLine - (double) j / lines) / (j + 1) * others;
        }
        weight = middle / (keysPerLine - (middle - 1.0) / lines) / others;
        for (int j = middle - 1; j >= 0 && weight > 1e-18; j--) {
            sum += weight;
            wrong += weight * Math.pow(1 - Math.pow(clear, j), hashes);
            weight *= j / (keysPerLine - (j - 1.0) / lines) / others;
        }
        return wrong / sum;
    }

    /** Returns the largest average number of keys per line for a rate, the inverse of {@link #splitBlockRate}. */
    private static double keysPerLine(double rate, int hashes) {
        checkRate(rate);
        double tooFew = 0;
        double tooMany = LINE_BITS;
        for (int i = 0; i < 60; i++) {
            double middle = (tooFew + tooMany) / 2;
            if (splitBlockRate(middle, hashes) <= rate) {
                tooFew = middle;
            } else {
                tooMany = middle;
            }
        }
        return tooFew;
    }

    private static long checkKeys(long keys) {
        check(keys >= 1, "capacity must be at least 1: ", keys);
        return keys;
    }

    /**
     * Returns a rate that is supported.
     *
     * @throws IllegalArgumentException when it is not from {@link #MIN_RATE} to {@link #MAX_RATE}
     */
    public static double checkRate(double rate) {
        boolean isInRange = rate >= MIN_RATE && rate <= MAX_RATE;
        check(isInRange, "false-positive rate must be from " + MIN_RATE + " to " + MAX_RATE + ": ", rate);
        return rate;
    }

    static long checkBits(long bits) {
        check(bits >= 1, "bits must be at least 1: ", bits);
        return bits;
    }

    static int checkHashes(int hashes) {
        check(hashes >= 1 && hashes <= MAX_HASHES, "hashes must be from 1 to " + MAX_HASHES + ": ", hashes);
        return hashes;
    }

    private static void check(boolean isValid, String message, Number value) {
        if (!isValid) {
            throw new IllegalArgumentException(message + value);
        }
    }
}
