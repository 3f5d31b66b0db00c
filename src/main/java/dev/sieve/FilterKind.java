package dev.sieve;

import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;

/**
 * The filters that a frontier can be made with.
 *
 * <p>The {@linkplain dev.sieve.bloom.CountingBloomFilter counting filter} is not one of them: it takes four times the
 * memory of the classic one so that keys can be removed, and a frontier never removes a key.
 */
public enum FilterKind {
    /**
     * A Bloom filter with all bits of a key in one line of the cache: one cache miss per URL. The default. Below a rate
     * of one in a million, for which a line is too small, this makes a {@link #CLASSIC} filter.
     */
    SPLIT_BLOCKS,

    /** The textbook Bloom filter, with Murmur3 and double hashing: the least memory, and one cache miss per bit of a key. */
    CLASSIC,

    /** Split blocks that get a further, stricter layer whenever they are full. Goes with {@link OnFull#GROW} only. */
    GROWING,

    /** The whole hash of each URL, some 20 bytes: never takes a new URL for a seen one, and is never full. */
    EXACT;

    /**
     * Makes an empty filter.
     *
     * @param expectedUrls distinct URLs that it is made for, at least 1
     * @param falsePositiveRate the rate when it is full, from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE};
     *     an exact one ignores both
     * @param seed the seed of the hash; {@link Memberships#randomSeed()} where others choose the URLs
     * @throws IllegalArgumentException when a value is out of its range, or the filter would take more than 16 GiB
     */
    public Membership create(long expectedUrls, double falsePositiveRate, long seed) {
        return switch (this) {
            case SPLIT_BLOCKS -> Memberships.create(expectedUrls, falsePositiveRate, seed);
            case CLASSIC -> BloomFilter.create(expectedUrls, falsePositiveRate, seed);
            case GROWING -> GrowingBloomFilter.create(expectedUrls, falsePositiveRate, seed);
            case EXACT -> ExactSet.create(seed);
        };
    }

    /** What happens past the capacity where that was not chosen: a growing filter grows, the others warn. */
    public OnFull defaultOnFull() {
        return this == GROWING ? OnFull.GROW : OnFull.WARN;
    }

    /**
     * Checks that this filter can do what was chosen for the time past its capacity.
     *
     * @throws IllegalArgumentException when it cannot: only a growing filter grows, and it does nothing else
     */
    public void check(OnFull onFull) {
        if (this != EXACT && (this == GROWING) != (onFull == OnFull.GROW)) {
            throw new IllegalArgumentException("a filter of the kind " + this + " does not go with " + onFull);
        }
    }
}
