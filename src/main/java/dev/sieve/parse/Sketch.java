package dev.sieve.parse;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A sketch of the shingles of a text in 1,024 bits: the share of bits in which two sketches differ is on average half
 * of the share of shingles that only one of the two texts has, which is 1 minus their Jaccard similarity.
 *
 * <p>Each bit is that of the least hash in one of 1,024 classes of shingles: minwise hashing with one permutation (Li,
 * Owen and Zhang, "One permutation hashing", NIPS 2012), of which one bit is kept (Li and König, "b-bit minwise
 * hashing", WWW 2010). An empty class takes the bit of the next one that is not empty.
 *
 * <p>A SimHash of 64 bits (Manku, Jain and Das Sarma, WWW 2007) is shorter, but it does not separate documents well: of
 * pages with 2 % of their words changed, few differ in at most 3 bits when its features are shingles; when they are
 * words, so do many pages that are not similar.
 */
public final class Sketch {
    public static final int BITS = 1024;

    /** The largest distance of texts that count as nearly the same: usually a similarity of 0.8 or more. */
    public static final int NEAR = 77;

    private static final int BYTES = BITS / Byte.SIZE;
    /** Characters of Base64. */
    private static final int LENGTH = (BITS + 5) / 6;

    private final long[] bits;

    private Sketch(long[] bits) {
        this.bits = bits;
    }

    /** Returns the number of bits in which two sketches differ. */
    public int distance(Sketch other) {
        int distance = 0;
        for (int i = 0; i < bits.length; i++) {
            distance += Long.bitCount(bits[i] ^ other.bits[i]);
        }
        return distance;
    }

    /** Returns the bits from one position to another, at most 31 of them. */
    public int bits(int from, int to) {
        int value = 0;
        for (int bit = from; bit < to; bit++) {
            value = (value << 1) | (int) ((bits[bit / Long.SIZE] >>> (bit % Long.SIZE)) & 1);
        }
        return value;
    }

    /** Returns the sketch in Base64, as of RFC 4648 section 5. */
    public String base64() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.asLongBuffer().put(bits);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** Returns the sketch in such a text; null for any other one. */
    public static @Nullable Sketch parse(@Nullable String base64) {
        if (base64 == null || base64.length() != LENGTH) {
            return null;
        }
        long[] bits = new long[BITS / Long.SIZE];
        try {
            ByteBuffer.wrap(Base64.getUrlDecoder().decode(base64))
                    .asLongBuffer()
                    .get(bits);
        } catch (IllegalArgumentException e) {
            return null;
        }
        return new Sketch(bits);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Sketch sketch && Arrays.equals(bits, sketch.bits);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bits);
    }

    /** Computes a sketch from the hashes of shingles. */
    static final class Builder {
        private static final long NONE = Long.MAX_VALUE;

        private final long[] least = new long[BITS];

        Builder() {
            Arrays.fill(least, NONE);
        }

        /** Adds the hash of a shingle, whose bits must be independent. */
        void add(long hash) {
            int place = (int) hash & (BITS - 1);
            least[place] = Math.min(least[place], hash >>> 1);
        }

        /** Returns the sketch of the shingles added so far, without a set bit when there are none. */
        Sketch build() {
            long[] bits = new long[BITS / Long.SIZE];
            int first = 0;
            while (first < BITS && least[first] == NONE) {
                first++;
            }
            // Backwards and around: an empty class has the bit of the next one that is not empty.
            int from = first + BITS;
            for (int at = from; first < BITS && at > first; at--) {
                int place = at % BITS;
                from = least[place] == NONE ? from : at;
                // Differs by the distance, so that an empty class and the next one are not the same feature twice.
                bits[place / Long.SIZE] |= (mix(least[from % BITS] + from - at) & 1) << (place % Long.SIZE);
            }
            return new Sketch(bits);
        }

        /** Makes each bit of the result depend on all bits: the finaliser of MurmurHash3. */
        static long mix(long value) {
            long hash = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
            hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
            return hash ^ (hash >>> 33);
        }
    }
}
