package dev.sieve;

import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings that frontiers have in common. One that is null stays as it is in a frontier that exists, and is the
 * default in a new one, which only requires a capacity.
 *
 * @param capacity distinct URLs that the filter is made for, at least 1
 * @param filter the kind of filter; a shared frontier has its own
 * @param falsePositiveRate the rate of the full filter, at most 0.5; a shared frontier has its own
 * @param onFull what happens when the filter is full
 * @param seed the seed of the hash, a secret
 * @param listener receives each capacity event
 */
public record FrontierSettings(
        @Nullable Long capacity,
        @Nullable FilterKind filter,
        @Nullable Double falsePositiveRate,
        @Nullable OnFull onFull,
        @Nullable Long seed,
        Consumer<CapacityEvent> listener) {
    /** The false-positive rate of a frontier that is made without one. */
    static final double DEFAULT_RATE = 1e-4;

    /** All settings as they are stored, or their defaults. */
    public static final FrontierSettings DEFAULTS = new FrontierSettings(null, null, null, null, null, event -> {});

    /** Checks each setting. */
    public FrontierSettings {
        if (capacity != null && capacity < 1) {
            throw new IllegalArgumentException("capacity < 1: " + capacity);
        }
        if (falsePositiveRate != null) {
            BloomSize.checkRate(falsePositiveRate);
        }
    }

    /** Returns these settings with a capacity. */
    public FrontierSettings withCapacity(long count) {
        return new FrontierSettings(count, filter, falsePositiveRate, onFull, seed, listener);
    }

    /** Returns these settings with a kind of filter. */
    public FrontierSettings withFilter(FilterKind kind) {
        return new FrontierSettings(capacity, kind, falsePositiveRate, onFull, seed, listener);
    }

    /** Returns these settings with a false-positive rate. */
    public FrontierSettings withFalsePositiveRate(double rate) {
        return new FrontierSettings(capacity, filter, rate, onFull, seed, listener);
    }

    /** Returns these settings with a choice for a full filter. */
    public FrontierSettings withOnFull(OnFull choice) {
        return new FrontierSettings(capacity, filter, falsePositiveRate, choice, seed, listener);
    }

    /** Returns these settings with a seed. */
    public FrontierSettings withSeed(long value) {
        return new FrontierSettings(capacity, filter, falsePositiveRate, onFull, value, listener);
    }

    /** Returns these settings with a listener. */
    public FrontierSettings withListener(Consumer<CapacityEvent> callback) {
        return new FrontierSettings(capacity, filter, falsePositiveRate, onFull, seed, callback);
    }

    /**
     * Returns the capacity of a new frontier.
     *
     * @throws IllegalArgumentException when none is set
     */
    public long requireCapacity() {
        if (capacity == null) {
            throw new IllegalArgumentException("capacity is required to make a frontier");
        }
        return capacity;
    }

    /**
     * Returns the kind of the filter.
     *
     * @param stored the present one; that of new frontiers is {@link FilterKind#SPLIT_BLOCKS}
     * @throws IllegalArgumentException when the requested filter does not support the choice for a full one
     */
    public FilterKind filter(FilterKind stored) {
        if (filter != null) {
            filter.check(onFull(filter));
            return filter;
        }
        boolean isSupported = onFull == null || (onFull == OnFull.GROW) == (stored == FilterKind.GROWING);
        return isSupported ? stored : FilterKind.forOnFull(onFull);
    }

    /** Returns what happens when a filter is full. */
    public OnFull onFull(FilterKind kind) {
        return onFull != null ? onFull : kind.defaultOnFull();
    }

    /** Returns the false-positive rate, given the present one. */
    public double falsePositiveRate(double stored) {
        return falsePositiveRate == null ? stored : falsePositiveRate;
    }

    /** Returns the seed, given the present one. */
    public long seed(long stored) {
        return seed == null ? stored : seed;
    }

    Membership newFilter() {
        return filter(FilterKind.SPLIT_BLOCKS)
                .create(requireCapacity(), falsePositiveRate(DEFAULT_RATE), seed(Memberships.randomSeed()));
    }
}
