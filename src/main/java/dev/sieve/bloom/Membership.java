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
 * <p>Not safe for use by many threads, but for {@link #touch}: whoever adds holds a lock.
 */
public interface Membership {

    /** The most keys that one call of {@link #addAll} takes. */
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
     * Adds up to {@link #BATCH} keys in their order; key i is {@code hashes[2i], hashes[2i + 1]}.
     *
     * @return a bit for each key, the lowest for the first: 1 when the key was not there
     */
    default long addAll(long[] hashes, int count) {
        long isNew = 0;
        for (int i = 0; i < count; i++) {
            if (add(hashes[2 * i], hashes[2 * i + 1])) {
                isNew |= 1L << i;
            }
        }
        return isNew;
    }

    /**
     * Reads the memory that {@link #addAll} of these keys is going to need, so that many cache misses are under way at
     * once. Changes nothing and may race with everything.
     *
     * @return a value without meaning, which the caller has to use in some way, lest the reads are optimised away
     */
    default long touch(long[] hashes, int count) {
        return 0;
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
