package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A set of keys that answers one question: was this key added before?
 *
 * <p>A key enters as the two halves of its 128-bit {@link Murmur3} hash under this set's {@link #seed()}, so that it is
 * hashed once, outside of any lock, whatever is asked about it. The methods that take a String hash it first.
 *
 * <p>"No" is always true. "Yes" is wrong at the {@link #falsePositiveRate()}.
 *
 * <p>Not safe for use by many threads, but for {@link #absent} and {@link #writeTo}: whoever adds holds a lock.
 */
public interface Membership {

    /** The most keys that one call of {@link #absent} takes. */
    int BATCH = 64;

    /**
     * Adds a key.
     *
     * @return true when the key was not there: something changed
     */
    boolean add(long h1, long h2);

    /** Whether the key was added before, up to the false-positive rate. */
    boolean mightContain(long h1, long h2);

    /**
     * Which of up to {@link #BATCH} keys are not there, asked without a lock: one thread may add meanwhile. A set that
     * does not override it says that all are absent, so that each is added under the lock; one that does lets the cache
     * misses of the keys overlap.
     *
     * @param hashes key i is {@code hashes[2i], hashes[2i + 1]}
     * @return a bit for each key, the lowest for the first: 0 when it was added before, up to the false-positive rate, and
     *     need not be added again; 1 when it is not there, or not known to be, or was added a moment ago
     */
    default long absent(long[] hashes, int count) {
        return count == BATCH ? -1 : (1L << count) - 1;
    }

    /**
     * Adds keys in their order.
     *
     * @param hashes key i is {@code hashes[2i], hashes[2i + 1]}
     * @param absent a bit for each key that is to be added, the lowest for the first, as answered by {@link #absent}
     * @return a bit for each key, the lowest for the first: 1 when it was not there
     */
    default long addAbsent(long[] hashes, long absent) {
        long isNew = 0;
        for (long bits = absent; bits != 0; bits &= bits - 1) {
            int i = Long.numberOfTrailingZeros(bits);
            if (add(hashes[2 * i], hashes[2 * i + 1])) {
                isNew |= 1L << i;
            }
        }
        return isNew;
    }

    /** Adds a key; true when it was not there. */
    default boolean add(String key) {
        long[] hash = Murmur3.hash(key, seed());
        return add(hash[0], hash[1]);
    }

    /** Whether the key was added before, up to the false-positive rate. */
    default boolean mightContain(String key) {
        long[] hash = Murmur3.hash(key, seed());
        return mightContain(hash[0], hash[1]);
    }

    /** The seed that keys have to be hashed with. */
    long seed();

    /** How many keys the set was made for; {@link Long#MAX_VALUE} when it does not matter. */
    long capacity();

    /** How many distinct keys are in the set, estimated where it does not count them. */
    long estimatedSize();

    /**
     * The probability that a key which was never added is taken for one that was, at this moment. Not for every key: it
     * may take some microseconds.
     */
    double falsePositiveRate();

    /** The memory that the set takes, in bytes. */
    long memoryBytes();

    /**
     * Writes the set, its seed included, in a form that {@link Memberships#read} understands on any machine.
     *
     * <p>One thread may go on to add meanwhile. Every key that was in when the call began is in what is written; of those
     * that come later some are.
     *
     * @throws IOException when the stream fails
     */
    void writeTo(OutputStream out) throws IOException;
}
