package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A to-visit queue in memory that gives out each URL once.
 *
 * <p>It pairs a first-in, first-out queue with a Bloom filter, so it remembers a URL in a few bits instead of storing it.
 * In exchange it takes some new URLs for seen ones: at most the false-positive rate asked for, until it holds as many
 * URLs as it was made for. {@link #stats()} returns how full it is and how many pages that has cost. The logger
 * {@code dev.sieve.capacity} and {@link Builder#onCapacity} receive an event at 80 % and 100 % of the capacity and at
 * each doubling after that, each once.
 *
 * <p>A URL is compared byte by byte: normalise it first, or push it with a key in a {@link UrlBatch}. {@link #pop} returns
 * the next URL and forgets it; {@link #take} hands it out as a lease, to be answered with {@link #done} or
 * {@link #retry}. A push costs the same however many URLs were seen, but for cache misses; a batch overlaps these, so it
 * is several times as fast per URL.
 *
 * <p>Safe for use by many threads; duplicates are detected without a lock. Nothing is kept when the process ends.
 */
public final class Sieve implements Frontier {
    /** The default false-positive rate: one new page in ten thousand is missed, at about 3 bytes per URL. */
    public static final double DEFAULT_FALSE_POSITIVE_RATE = 1e-4;

    private final Deduplicator deduplicator;

    /** Guards all below. */
    private final ReentrantLock lock;

    private final UrlQueue queue = new UrlQueue();
    private final Leases leases;
    private final boolean leasesExpire;
    /** Every lease that may be handed out again: those that were given back, and all of them where leases expire. */
    private final Map<Long, Lease> kept = new HashMap<>();

    private long done;

    /**
     * A sieve for a number of distinct URLs, at the {@link #DEFAULT_FALSE_POSITIVE_RATE}.
     *
     * @throws IllegalArgumentException when the number is below 1, or needs more memory than an array can have
     */
    public Sieve(long expectedUrls) {
        this(expectedUrls, DEFAULT_FALSE_POSITIVE_RATE);
    }

    /**
     * A sieve for a number of distinct URLs.
     *
     * @param falsePositiveRate the share of new URLs that it may take for seen ones when it is full, from
     *     {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}, which is 0.5
     * @throws IllegalArgumentException when a number is out of its bounds, or needs more memory than an array can have
     */
    public Sieve(long expectedUrls, double falsePositiveRate) {
        this(builder(expectedUrls).falsePositiveRate(falsePositiveRate));
    }

    private Sieve(Builder builder) {
        deduplicator = new Deduplicator(builder.newFilter(), builder.expectedUrls, builder.onFull(), builder.listener);
        lock = deduplicator.lock();
        leases = new Leases(builder.leaseTimeoutNanos, new HashMap<>());
        leasesExpire = builder.leaseTimeoutNanos != Long.MAX_VALUE;
    }

    /** Starts a sieve for a number of distinct URLs, at least 1, with choices. */
    public static Builder builder(long expectedUrls) {
        return new Builder(expectedUrls);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, refuses new URLs then, and the URL is new
     */
    @Override
    public boolean push(String url) {
        return deduplicator.push(url.getBytes(UTF_8), queue);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, refuses new URLs then, and there is one among the next 64: those
     *     before them were pushed
     */
    @Override
    public int pushAll(UrlBatch batch) {
        return deduplicator.pushAll(batch, queue);
    }

    /**
     * Takes the URL that was pushed first and counts it as done. Empty when none is left; a URL that was given back by
     * {@link #retry} is pending, but only {@link #take} hands it out.
     */
    public Optional<String> pop() {
        lock.lock();
        try {
            Lease lease = queue.poll();
            if (lease == null) {
                return Optional.empty();
            }
            done++;
            return Optional.of(lease.url());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Lease take(long nowNanos) {
        lock.lock();
        try {
            OptionalLong due = leases.pollDue(nowNanos);
            Lease next = due.isPresent() ? again(due.getAsLong()) : queue.poll();
            if (next == null) {
                return null;
            }
            leases.hold(next, nowNanos);
            if (leasesExpire) {
                kept.put(next.id(), next);
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private Lease again(long id) {
        return kept.remove(id).again();
    }

    @Override
    public long waitNanos(long nowNanos) {
        lock.lock();
        try {
            return queue.size() > 0 ? 0 : leases.waitNanos(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean done(Lease lease) {
        lock.lock();
        try {
            if (!leases.release(lease)) {
                return false;
            }
            kept.remove(lease.id());
            done++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        lock.lock();
        try {
            if (!leases.delay(lease, readyNanos)) {
                return false;
            }
            kept.put(lease.id(), lease);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long pending() {
        lock.lock();
        try {
            return queue.size() + leases.delayed();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long inFlight() {
        lock.lock();
        try {
            return leases.held();
        } finally {
            lock.unlock();
        }
    }

    /** How many distinct URLs were seen, estimated from the fill of the filter; above the capacity, too. */
    public long estimatedSize() {
        return stats().estimatedSize();
    }

    @Override
    public SieveStats stats() {
        lock.lock();
        try {
            return deduplicator.stats(queue.accepted(), queue.size() + leases.delayed(), leases.held(), done);
        } finally {
            lock.unlock();
        }
    }

    /** Does nothing: a sieve in memory has nothing to release. */
    @Override
    public void close() {}

    /** The choices that a sieve is made with. */
    public static final class Builder {
        private final long expectedUrls;
        private Double falsePositiveRate;
        private FilterKind kind;
        private OnFull onFull;
        private Consumer<CapacityEvent> listener = event -> {};
        private Long seed;
        private Membership membership;
        private long leaseTimeoutNanos = Long.MAX_VALUE;

        private Builder(long expectedUrls) {
            if (expectedUrls < 1) {
                throw new IllegalArgumentException("expectedUrls < 1: " + expectedUrls);
            }
            this.expectedUrls = expectedUrls;
        }

        /**
         * The share of new URLs that may be taken for seen ones when the sieve is full. Default: 0.0001.
         *
         * @throws IllegalArgumentException when it is not from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
         */
        public Builder falsePositiveRate(double rate) {
            falsePositiveRate = BloomSize.checkRate(rate);
            return this;
        }

        /** The filter. Default: {@link FilterKind#SPLIT_BLOCKS}, or {@link FilterKind#GROWING} for a sieve that grows. */
        public Builder filter(FilterKind choice) {
            kind = Objects.requireNonNull(choice, "filter");
            return this;
        }

        /** What happens once the sieve is full. Default: {@link OnFull#WARN}, or what the filter is made for. */
        public Builder onFull(OnFull choice) {
            onFull = Objects.requireNonNull(choice, "onFull");
            return this;
        }

        /** Receives each {@link CapacityEvent}, on the thread whose push caused it, outside the lock. Default: no listener. */
        public Builder onCapacity(Consumer<CapacityEvent> callback) {
            listener = Objects.requireNonNull(callback, "onCapacity");
            return this;
        }

        /**
         * The seed of the hash. Default: a secret random one. An attacker who has the seed can choose URLs that hide
         * others, so set it only where runs have to be repeatable.
         */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** The set that remembers what was seen, in place of a new filter; it belongs to the sieve from now on. */
        public Builder membership(Membership set) {
            membership = Objects.requireNonNull(set, "membership");
            return this;
        }

        /** How long a URL may be handed out before it is handed out again, above 0. Default: leases do not expire. */
        public Builder leaseTimeout(Duration timeout) {
            leaseTimeoutNanos = Leases.timeoutNanos(timeout);
            return this;
        }

        /**
         * Makes the sieve, which takes its memory now.
         *
         * @throws IllegalStateException when a membership was given together with what it decides by itself
         * @throws IllegalArgumentException when the filter cannot do what was chosen for a full sieve, or would take more
         *     memory than an array can have
         */
        public Sieve build() {
            return new Sieve(this);
        }

        private OnFull onFull() {
            return onFull != null ? onFull : kind().defaultOnFull();
        }

        private FilterKind kind() {
            if (kind != null) {
                return kind;
            }
            return onFull == OnFull.GROW ? FilterKind.GROWING : FilterKind.SPLIT_BLOCKS;
        }

        private Membership newFilter() {
            if (membership != null) {
                if (kind != null || falsePositiveRate != null || seed != null || onFull == OnFull.GROW) {
                    throw new IllegalStateException(
                            "a membership that is given has its own kind, rate, seed and growth");
                }
                return membership;
            }
            kind().check(onFull());
            double rate = falsePositiveRate == null ? DEFAULT_FALSE_POSITIVE_RATE : falsePositiveRate;
            long hashSeed = seed == null ? Memberships.randomSeed() : seed;
            return kind().create(expectedUrls, rate, hashSeed);
        }
    }
}
