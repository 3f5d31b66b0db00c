package dev.sieve.bloom;

/**
 * The formulas of Bloom filters: how large, how many hashes, how often wrong, how full.
 *
 * <p>In all of them n is the number of distinct keys, m the number of bits, k the number of bits that a key sets, p the
 * false-positive rate and X the number of bits that are set. They take the hash for random and m for large; a filter of
 * a few hundred bits may be off by some percent. Results too large for a long are {@link Long#MAX_VALUE}.
 *
 * <p>Sources: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13 (1970); A. Broder and
 * M. Mitzenmacher, "Network applications of Bloom filters: a survey", Internet Mathematics 1 (2004), called BM04 below;
 * S. J. Swamidass and P. Baldi, "Mathematical correction for fingerprint similarity measures", J. Chem. Inf. Model. 47
 * (2007), called SB07.
 */
public final class BloomSize {
    /** The lowest rate that can be asked for: below it the hash itself begins to count. */
    public static final double MIN_RATE = 1e-15;

    /** The highest rate that can be asked for: above it not even one bit a key is needed. */
    public static final double MAX_RATE = 0.5;

    /** The most bits that a key may set. */
    public static final int MAX_HASHES = 255;

    /** Bits in a line of a {@link SplitBlockFilter}: 64 bytes. */
    static final int LINE_BITS = 512;

    private static final double LN2 = Math.log(2);

    private BloomSize() {}

    /** Bits for n keys at rate p, when the best number of hashes is used: m = -n ln p / (ln 2)². [BM04, section 2] */
    public static long bits(long keys, double rate) {
        return (long) Math.ceil(-checkKeys(keys) * Math.log(checkRate(rate)) / (LN2 * LN2));
    }

    /** Hashes for rate p, when m is what {@link #bits} says: k = -log2 p, rounded, at least 1. [BM04, section 2] */
    public static int hashes(double rate) {
        return (int) Math.max(1, Math.round(-Math.log(checkRate(rate)) / LN2));
    }

    /** The rate at which m bits with k hashes are wrong once they hold n keys: p = (1 - e^(-kn/m))^k. [BM04, section 2] */
    public static double rate(long keys, long bits, int hashes) {
        return Math.pow(-Math.expm1(-(double) checkHashes(hashes) * keys / checkBits(bits)), hashes);
    }

    /** Keys that m bits hold until their rate is p, with the best number of hashes: n = -m (ln 2)² / ln p. */
    public static long keys(long bits, double rate) {
        return (long) (-checkBits(bits) * (LN2 * LN2) / Math.log(checkRate(rate)));
    }

    /**
     * The distinct keys in a filter by the bits they have set: n = -(m/k) ln(1 - X/m). [SB07]
     *
     * <p>When every bit is set the formula has no answer; half a bit is then taken for clear, so that the result stays
     * finite. It is then the least number of keys that is likely, not an estimate.
     */
    public static double estimate(long setBits, long bits, int hashes) {
        double clear = Math.max(0.5, (double) checkBits(bits) - setBits);
        return -Math.log(clear / bits) * bits / checkHashes(hashes);
    }

    /** The bits that n keys are likely to set: X = m (1 - e^(-kn/m)), what {@link #estimate} turns round. */
    public static double expectedSetBits(long keys, long bits, int hashes) {
        return -Math.expm1(-(double) checkHashes(hashes) * keys / checkBits(bits)) * bits;
    }

    /**
     * The bits below which no structure whatever can go that holds n keys at rate p: n log2(1/p). [BM04, section 2.2]
     */
    public static double floorBits(long keys, double rate) {
        return -checkKeys(keys) * Math.log(checkRate(rate)) / LN2;
    }

    /**
     * Bits for n keys at rate p in split blocks: whole lines of 512, no more of them than {@link #splitBlockRate} asks
     * for with {@link #splitBlockHashes}.
     */
    public static long splitBlockBits(long keys, double rate) {
        double lines = Math.ceil(checkKeys(keys) / keysPerLine(rate, splitBlockHashes(rate)));
        return Math.min((long) lines, Long.MAX_VALUE / LINE_BITS) * LINE_BITS;
    }

    /** Keys that split blocks of m bits hold until their rate is p, with {@link #splitBlockHashes}. */
    public static long splitBlockKeys(long bits, double rate) {
        double lines = Math.floor((double) checkBits(bits) / LINE_BITS);
        return (long) (lines * keysPerLine(rate, splitBlockHashes(rate)));
    }

    /** Hashes for rate p in split blocks: 8 or 16, whichever takes fewer bits. */
    public static int splitBlockHashes(double rate) {
        return keysPerLine(rate, 8) >= keysPerLine(rate, 16) ? 8 : 16;
    }

    /**
     * The rate of split blocks with k hashes in lines that hold so many keys on average.
     *
     * <p>A line that holds j keys is wrong with probability (1 - (1 - k/512)^j)^k, as each key sets one in 512/k bits of
     * k parts. A line holds j of them with the probability of Poisson's distribution. [F. Putze, P. Sanders and
     * J. Singler, "Cache-, hash- and space-efficient Bloom filters", ACM JEA 14 (2009), section 3; J. Apple, "Split
     * block Bloom filters", arXiv:2101.01719 (2021)]
     *
     * @param keysPerLine at least 0; n divided by the number of lines
     * @param hashes 8 or 16
     */
    public static double splitBlockRate(double keysPerLine, int hashes) {
        double clear = 1 - (double) checkHashes(hashes) / LINE_BITS;
        if (Math.pow(clear, keysPerLine) < 1e-12) {
            return 1;
        }
        // Weights in proportion to the probabilities, outwards from the most likely number of keys until they vanish.
        int middle = (int) keysPerLine;
        double sum = 0;
        double wrong = 0;
        double weight = 1;
        for (int j = middle; weight > 1e-18; j++) {
            sum += weight;
            wrong += weight * Math.pow(1 - Math.pow(clear, j), hashes);
            weight *= keysPerLine / (j + 1);
        }
        weight = middle / keysPerLine;
        for (int j = middle - 1; j >= 0 && weight > 1e-18; j--) {
            sum += weight;
            wrong += weight * Math.pow(1 - Math.pow(clear, j), hashes);
            weight *= j / keysPerLine;
        }
        return wrong / sum;
    }

    /** The most keys a line may hold on average for a rate, what {@link #splitBlockRate} turns round. */
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

    static long checkKeys(long keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("expected keys must be at least 1: " + keys);
        }
        return keys;
    }

    /**
     * Returns a rate that can be asked for.
     *
     * @throws IllegalArgumentException when it is not from {@link #MIN_RATE} to {@link #MAX_RATE}
     */
    public static double checkRate(double rate) {
        if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
            throw new IllegalArgumentException(
                    "false-positive rate must be from " + MIN_RATE + " to " + MAX_RATE + ": " + rate);
        }
        return rate;
    }

    static long checkBits(long bits) {
        if (bits < 1) {
            throw new IllegalArgumentException("bits must be at least 1: " + bits);
        }
        return bits;
    }

    static int checkHashes(int hashes) {
        if (hashes < 1 || hashes > MAX_HASHES) {
            throw new IllegalArgumentException("hashes must be from 1 to " + MAX_HASHES + ": " + hashes);
        }
        return hashes;
    }
}
