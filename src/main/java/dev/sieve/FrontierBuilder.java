package dev.sieve;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options that all frontiers of this project have. Not safe for use by many threads.
 *
 * @param <B> the builder of a frontier
 */
public abstract class FrontierBuilder<B extends FrontierBuilder<B>> {
    private FrontierSettings settings = FrontierSettings.DEFAULTS;
    private long leaseTimeoutNanos = Long.MAX_VALUE;

    /** Creates a builder with the defaults. */
    protected FrontierBuilder() {}

    /** All settings that frontiers have in common; replaces those that were set before. */
    public B settings(FrontierSettings all) {
        settings = Objects.requireNonNull(all, "settings");
        return self();
    }

    /** The number of distinct URLs that the filter is made for, at least 1. Required for a new frontier. */
    public B capacity(long count) {
        return settings(settings.withCapacity(count));
    }

    /** What happens when the filter is full. Default: {@link FilterKind#defaultOnFull()}. */
    public B onFull(OnFull choice) {
        return settings(settings.withOnFull(Objects.requireNonNull(choice, "onFull")));
    }

    /**
     * Receives each {@link CapacityEvent}, in order, outside of locks, on a thread that uses the frontier or one of its
     * own. What it throws is logged, and the push continues. Default: no listener.
     */
    public B onCapacity(Consumer<CapacityEvent> callback) {
        return settings(settings.withListener(Objects.requireNonNull(callback, "onCapacity")));
    }

    /**
     * The seed of the hash. Default: a secret random number. An attacker who has the seed can choose URLs that hide
     * others, so set it only when runs must be repeatable.
     */
    public B seed(long value) {
        return settings(settings.withSeed(value));
    }

    /**
     * The time after which a URL that is not done is handed out again, above 0. A crawler finishes a URL up to a second
     * after its page was processed. Default: none.
     */
    public B leaseTimeout(Duration timeout) {
        leaseTimeoutNanos = Leases.timeoutNanos(timeout);
        return self();
    }

    /** Returns the settings. */
    public final FrontierSettings settings() {
        return settings;
    }

    /** Returns the nanoseconds of the timeout of a lease; {@link Long#MAX_VALUE} for none. */
    public final long leaseTimeoutNanos() {
        return leaseTimeoutNanos;
    }

    /** Returns a value that is at least another; throws an {@link IllegalArgumentException} for a lower one. */
    protected static long atLeast(String name, long least, long value) {
        if (value < least) {
            throw new IllegalArgumentException(name + " < " + least + ": " + value);
        }
        return value;
    }

    @SuppressWarnings("unchecked") // B is the class of the builder
    private B self() {
        return (B) this;
    }

    /** The builder of a frontier with a filter in this process. */
    public abstract static class Filtered<B extends Filtered<B>> extends FrontierBuilder<B> {
        /** Creates a builder with the defaults. */
        protected Filtered() {}

        /** The share of new URLs mistaken for seen ones when the filter is full, at most 0.5. Default: 0.0001. */
        public B falsePositiveRate(double rate) {
            return settings(settings().withFalsePositiveRate(rate));
        }

        /**
         * The filter. Default: {@link FilterKind#SPLIT_BLOCKS}, or {@link FilterKind#GROWING} with {@link OnFull#GROW}.
         */
        public B filter(FilterKind choice) {
            return settings(settings().withFilter(Objects.requireNonNull(choice, "filter")));
        }
    }
}
