package dev.sieve;

import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.SplitBlockFilter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a frontier.
 *
 * <p>The {@linkplain dev.sieve.bloom.CountingBloomFilter counting filter} is not one of them: it takes four times the
 * memory so that keys can be removed, and a frontier never removes a key.
 */
public enum FilterKind {
    /**
     * A Bloom filter with all bits of a key in one cache line: one cache miss per URL. The default. At rates below one
     * in a million, for which a line is too small, this is a {@link #CLASSIC} filter.
     */
    SPLIT_BLOCKS,

    /** The textbook Bloom filter, with Murmur3 and double hashing: least memory, one cache miss per bit of a key. */
    CLASSIC,

    /** Split blocks that get a stricter layer whenever they are full. Requires {@link OnFull#GROW}. */
    GROWING,

    /** The hashes of all URLs, about 20 bytes per URL: never mistakes a new URL for a seen one, and is never full. */
    EXACT;

    /** The most memory of a filter, or of a layer of a growing one, in bytes: that of one array. */
    public static final long MAX_MEMORY_BYTES = 8L * (Integer.MAX_VALUE - 64);

    /** Below it split blocks need over 1.4 times the bits of the classic layout. */
    private static final double LOWEST_SPLIT_BLOCK_RATE = 1e-6;

    private static final long MEGABYTE = 1_000_000;

    /** Returns the kind of a filter; null when it is none of these. */
    static @Nullable FilterKind of(Membership filter) {
        if (filter instanceof SplitBlockFilter) {
            return SPLIT_BLOCKS;
        }
        if (filter instanceof BloomFilter) {
            return CLASSIC;
        }
        if (filter instanceof GrowingBloomFilter) {
            return GROWING;
        }
        return filter instanceof ExactSet ? EXACT : null;
    }

    /**
     * Returns the default filter for a choice: one that grows if the choice is to grow.
     *
     * @param onFull null when nothing was chosen
     */
    public static FilterKind forOnFull(@Nullable OnFull onFull) {
        return onFull == OnFull.GROW ? GROWING : SPLIT_BLOCKS;
    }

    /** Returns the kind of filter that {@link #create} makes at a false-positive rate: another one if it is too low. */
    public FilterKind at(double falsePositiveRate) {
        return this == SPLIT_BLOCKS && falsePositiveRate < LOWEST_SPLIT_BLOCK_RATE ? CLASSIC : this;
    }

    /**
     * Returns the memory of an empty filter in bytes, whether or not a filter may have so much. {@link #GROWING} gets
     * more when it is full. {@link #EXACT} starts with next to nothing.
     *
     * @param capacity as for {@link #create}
     * @param falsePositiveRate as for {@link #create}
     */
    public long memoryBytes(long capacity, double falsePositiveRate) {
        long bits = switch (at(falsePositiveRate)) {
            case SPLIT_BLOCKS -> BloomSize.splitBlockBits(capacity, falsePositiveRate);
            case CLASSIC -> BloomSize.bits(capacity, falsePositiveRate);
            case GROWING -> GrowingBloomFilter.firstBits(capacity, falsePositiveRate);
            case EXACT -> 0;
        };
        return bits / Byte.SIZE;
    }

    /**
     * Makes an empty filter. {@link #EXACT} ignores the capacity and the rate.
     *
     * @param capacity distinct URLs that it is made for, at least 1
     * @param falsePositiveRate the rate when it is full, from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed the seed of the hash; {@link Memberships#randomSeed()} where others choose the URLs
     * @throws IllegalArgumentException when a value is out of range, or the filter needs more than 16 GiB or than the
     *     heap may have
     */
    public Membership create(long capacity, double falsePositiveRate, long seed) {
        requireMemory(capacity, falsePositiveRate);
        return switch (at(falsePositiveRate)) {
            case SPLIT_BLOCKS -> SplitBlockFilter.create(capacity, falsePositiveRate, seed);
            case CLASSIC -> BloomFilter.create(capacity, falsePositiveRate, seed);
            case GROWING -> GrowingBloomFilter.create(capacity, falsePositiveRate, seed);
            case EXACT -> ExactSet.create(seed);
        };
    }

    /** The alternative is an OutOfMemoryError without a number. */
    private void requireMemory(long urls, double rate) {
        long bytes = memoryBytes(urls, rate);
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > Math.min(heap, MAX_MEMORY_BYTES)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "a filter with a capacity of %,d URLs at a false-positive rate of %s needs %,d MB, but %s to %,d MB",
                    urls,
                    rate,
                    bytes / MEGABYTE,
                    bytes > MAX_MEMORY_BYTES ? "a filter is limited" : "the heap is limited (-Xmx)",
                    Math.min(heap, MAX_MEMORY_BYTES) / MEGABYTE));
        }
    }

    /** Returns the default for a full filter: a growing filter grows, the others warn. */
    public OnFull defaultOnFull() {
        return this == GROWING ? OnFull.GROW : OnFull.WARN;
    }

    /** Returns whether this filter supports a choice: a growing filter grows, no Bloom filter else does. */
    public boolean supports(OnFull onFull) {
        return this == EXACT || (this == GROWING) == (onFull == OnFull.GROW);
    }

    /**
     * Requires that this filter supports a choice for a full filter.
     *
     * @throws IllegalArgumentException when it does not: a growing filter grows, and no other one does
     */
    public void check(OnFull onFull) {
        if (!supports(onFull)) {
            throw new IllegalArgumentException("filter " + name() + " does not support " + onFull.name());
        }
    }

    /** Returns the word of an option: {@code split-blocks}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
