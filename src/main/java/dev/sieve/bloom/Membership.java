package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A set of keys that reports whether a key was added before.
 *
 * <p>A key is passed as the two halves of its 128-bit {@link Murmur3} hash under the {@link #seed()} of the set, so
 * that it is hashed once and outside of any lock. The methods with a String hash it first.
 *
 * <p>"No" is always right. "Yes" is wrong at the {@link #falsePositiveRate()}.
 *
 * <p>Not safe for use by many threads, except {@link #absent} and {@link #writeTo}: add under a lock.
 */
public interface Membership {

    /** The largest number of keys in a call of {@link #absent}. */
    int BATCH = 64;

    /**
     * Adds a key.
     *
     * @return true when the key was not contained: the set has changed
     */
    boolean add(long h1, long h2);

    /** Returns whether the key was added before, up to the false-positive rate. */
    boolean mightContain(long h1, long h2);

    /**
     * Returns which of up to {@link #BATCH} keys are absent. Takes no lock: one thread may add at the same time.
     * Default: all, so that each is added under the lock; implementations overlap the cache misses of the keys.
     *
     * @param hashes key i is {@code hashes[2i], hashes[2i + 1]}
     * @return a bit per key, the lowest for the first: 0 when it was added before, up to the false-positive rate; 1
     *     when it is absent, or may be, or was added a moment ago
     */
    default long absent(long[] hashes, int count) {
        return count == BATCH ? -1 : (1L << count) - 1;
    }

    /**
     * Adds keys in their order.
     *
     * @param hashes key i is {@code hashes[2i], hashes[2i + 1]}
     * @param absent a bit per key to add, the lowest for the first, as returned by {@link #absent}
     * @return a bit per key, the lowest for the first: 1 when it was not contained
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

    /** Adds a key; true when it was not contained. */
    default boolean add(String key) {
        long[] hash = Murmur3.hash(key, seed());
        return add(hash[0], hash[1]);
    }

    /** Returns whether the key was added before, up to the false-positive rate. */
    default boolean mightContain(String key) {
        long[] hash = Murmur3.hash(key, seed());
        return mightContain(hash[0], hash[1]);
    }

    /** Returns the seed to hash keys with. */
    long seed();

    /** Returns how many keys the set was made for; {@link Long#MAX_VALUE} when it is unlimited. */
    long capacity();

    /** Returns the number of distinct keys, estimated by filters that do not store them. */
    long estimatedSize();

    /** Returns the current probability that a new key is mistaken for an old one. Takes some microseconds. */
    double falsePositiveRate();

    /** Returns the memory of the set in bytes. */
    long memoryBytes();

    /**
     * Writes the set and its seed in a form that {@link Memberships#read} reads on any machine. One thread may add at
     * the same time: every key added before this call is written, and perhaps some added during it.
     */
    void writeTo(OutputStream out) throws IOException;
}
