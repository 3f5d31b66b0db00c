package dev.sieve.bloom;

import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;

/**
 * Reads saved memberships, and makes seeds for new ones.
 *
 * <p>The saved form; every number is little-endian and, except for the last, 8 bytes wide:
 *
 * <pre>
 *  offset  field
 *       0  magic      the bytes "sieveset"
 *       8  version    1
 *      16  kind       see below
 *      24  seed       any
 *      32  fields of the kind
 *     end  checksum   4 bytes, CRC32C of all bytes before it
 *
 *  kind 1, {@link BloomFilter}            capacity, bits, hashes, then bits / 64 words, rounded up
 *  kind 2, {@link CountingBloomFilter}    capacity, counters, hashes, then counters / 16 words, rounded up
 *  kind 3, {@link GrowingBloomFilter}     capacity, rate (a double), number of layers, then each layer as kind 5 from
 *                                capacity on, the oldest first
 *  kind 4, {@link ExactSet}               chunks: number of digests, 1 or more, then two words per digest; a 0 ends them
 *  kind 5, {@link SplitBlockFilter}       capacity, lines, bits per word (1 or 2), then 8 words per line
 * </pre>
 *
 * <p>Nothing is used before the checksum was verified. A released version never changes: a better form gets the next
 * number.
 */
public final class Memberships {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Memberships() {}

    /** Returns a secret random seed. Safe for use by many threads. */
    public static long randomSeed() {
        return RANDOM.nextLong();
    }

    /**
     * Reads a saved form and not one byte after it.
     *
     * @throws IOException when the stream fails or the form is incomplete or damaged; the message contains the field
     *     and its offset in bytes from the beginning of the form
     */
    public static Membership read(InputStream in) throws IOException {
        SavedFormReader form = new SavedFormReader(in);
        Membership membership = switch (form.kind()) {
            case BloomFilter.KIND -> BloomFilter.read(form);
            case CountingBloomFilter.KIND -> CountingBloomFilter.read(form);
            case GrowingBloomFilter.KIND -> GrowingBloomFilter.read(form);
            case SplitBlockFilter.KIND -> SplitBlockFilter.read(form);
            case ExactSet.KIND -> ExactSet.read(form);
            default -> throw new IOException("damaged saved form: unknown kind at offset 16: " + form.kind());
        };
        form.finish();
        return membership;
    }
}
