package dev.sieve.bloom;

import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;

/**
 * Makes memberships and reads saved ones.
 *
 * <p>The saved form, in this order; every number is little-endian and 8 bytes wide, but for the last:
 *
 * <pre>
 *  offset  field
 *       0  magic      the bytes "sieveset"
 *       8  version    1
 *      16  kind       see below
 *      24  seed       any
 *      32  what the kind needs
 *     end  checksum   4 bytes, CRC32C of all bytes before it
 *
 *  kind 1, {@link BloomFilter}            capacity, bits, hashes, then bits / 64 words, rounded up
 *  kind 2, {@link CountingBloomFilter}    capacity, counters, hashes, then counters / 16 words, rounded up
 *  kind 3, {@link GrowingBloomFilter}     capacity, rate (a double), number of layers, then each layer as kind 5 from
 *                                capacity on, the oldest first
 *  kind 4, {@link ExactSet}               chunks: number of digests, 1 or more, then two words a digest; a 0 ends them
 *  kind 5, {@link SplitBlockFilter}       capacity, lines, bits a word (1 or 2), then 8 words a line
 * </pre>
 *
 * <p>The form is complete when its checksum is there and right; nothing of it is used before. A version is never
 * changed once it is released: a better form gets the next number.
 */
public final class Memberships {
    /** Below it split blocks take over 1.4 times the bits of the classic layout. */
    private static final double LOWEST_SPLIT_BLOCK_RATE = 1e-6;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Memberships() {}

    /**
     * The filter to take when nothing speaks for another: a {@link SplitBlockFilter}; at rates below one in a million,
     * for which a line is too small, a {@link BloomFilter}.
     *
     * @param expectedKeys at least 1
     * @param falsePositiveRate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link #randomSeed()} when others choose the keys and must not know which bits they set
     * @throws IllegalArgumentException when a value is out of its range, or the filter would take more than 16 GiB
     */
    public static Membership create(long expectedKeys, double falsePositiveRate, long seed) {
        return falsePositiveRate < LOWEST_SPLIT_BLOCK_RATE
                ? BloomFilter.create(expectedKeys, falsePositiveRate, seed)
                : SplitBlockFilter.create(expectedKeys, falsePositiveRate, seed);
    }

    /** A seed that nobody can guess. Safe for use by many threads. */
    public static long randomSeed() {
        return RANDOM.nextLong();
    }

    /**
     * Reads what {@link Membership#writeTo} wrote, and not one byte more.
     *
     * @throws IOException when the stream fails, ends early or is not a whole and undamaged saved form; the message
     *     names the field and the offset in bytes from where the stream stood
     */
    public static Membership read(InputStream in) throws IOException {
        SavedFormReader form = new SavedFormReader(in);
        Membership membership = readKind(form);
        form.finish();
        return membership;
    }

    private static Membership readKind(SavedFormReader form) throws IOException {
        return switch (form.kind()) {
            case BloomFilter.KIND -> BloomFilter.read(form);
            case CountingBloomFilter.KIND -> CountingBloomFilter.read(form);
            case GrowingBloomFilter.KIND -> GrowingBloomFilter.read(form);
            case SplitBlockFilter.KIND -> SplitBlockFilter.read(form);
            case ExactSet.KIND -> ExactSet.read(form);
            default -> throw new IOException("damaged saved form: unknown kind at offset 16: " + form.kind());
        };
    }
}
