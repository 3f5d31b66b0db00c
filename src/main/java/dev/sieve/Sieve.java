package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A to-visit queue in memory that gives out each URL once.
 *
 * <p>It pairs a first-in, first-out queue with a Bloom filter, so that what it remembers of a URL that was seen is a few
 * bits and never the URL. The price is that it sometimes takes a new URL for a seen one: at most the false-positive rate
 * asked for, while it holds no more URLs than it was made for. {@link #stats()} tells how full it is and what that has
 * cost; the logger {@code dev.sieve.capacity} and {@link Builder#onCapacity} are told at 80 % and 100 % of the capacity
 * and at each doubling from there, once each.
 *
 * <p>A URL is compared byte by byte: normalise it first, or push it with a key in a {@link UrlBatch}. {@link #pop} is
 * for those who only want the next URL; {@link #take} hands it out as a lease that has to be answered. A push costs the
 * same whether a million or a billion URLs were seen, but for the cache misses; a batch overlaps these, so it is several
 * times as fast a URL.
 *
 * <p>Safe for use by many threads; what a Bloom filter has seen it tells without a lock. Nothing is kept when the process
 * ends.
 */
public final class Sieve implements Frontier {
    /** The false-positive rate where none is given: one new page in ten thousand is missed, for about 3 bytes a URL. */
    public static final double DEFAULT_FALSE_POSITIVE_RATE = 1e-4;

    private static final int BATCH = Membership.BATCH;

    /** Counted without the lock, since most URLs that were seen never take it. */
    private final LongAdder seen = new LongAdder();

    /**
     * Guards all below, but for {@link Membership#absent}. What is slow and needs no lock, hashing and cache misses,
     * happens before it is taken.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Membership filter;
    private final long capacity;
    private final CapacityWatch watch;
    private final UrlQueue queue = new UrlQueue();
    private final Leases leases;
    private long accepted;
    private long done;

    /**
     * A sieve for so many distinct URLs, at the {@link #DEFAULT_FALSE_POSITIVE_RATE}.
     *
     * @throws IllegalArgumentException when the number is below 1, or needs more memory than an array can have
     */
    public Sieve(long expectedUrls) {
        this(expectedUrls, DEFAULT_FALSE_POSITIVE_RATE);
    }

    /**
     * A sieve for so many distinct URLs.
     *
     * @param falsePositiveRate the share of new URLs that it may take for seen ones when it is full, above 0, below 1
     * @throws IllegalArgumentException when a number is out of its bounds, or needs more memory than an array can have
     */
    public Sieve(long expectedUrls, double falsePositiveRate) {
        this(builder(expectedUrls).falsePositiveRate(falsePositiveRate));
    }

    private Sieve(Builder builder) {
        filter = builder.newFilter();
        capacity = builder.expectedUrls;
        watch = new CapacityWatch(filter, capacity, builder.onFull(), builder.listener);
        leases = new Leases(builder.leaseTimeoutNanos);
    }

    /** Starts a sieve for so many distinct URLs, at least 1, with choices. */
    public static Builder builder(long expectedUrls) {
        return new Builder(expectedUrls);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, fails then, and the URL is new
     */
    @Override
    public boolean push(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        long[] hash = new long[2];
        Murmur3.hash(utf8, 0, utf8.length, filter.seed(), hash, 0);
        long absent = filter.absent(hash, 1);
        if (absent == 0) {
            seen.increment();
            return false;
        }
        List<CapacityEvent> events;
        lock.lock();
        try {
            watch.refuseIfFull(hash, absent);
            if (filter.addAbsent(hash, absent) == 0) {
                seen.increment();
                return false;
            }
            queue.append(utf8);
            accepted++;
            events = watch.accepted(1);
        } finally {
            lock.unlock();
        }
        watch.publish(events);
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, fails then, and there is a new URL among the next 64: those
     *     before it were accepted
     */
    @Override
    public int pushAll(UrlBatch batch) {
        int isNew = 0;
        for (int from = 0; from < batch.size(); from += BATCH) {
            isNew += push(batch, from, Math.min(BATCH, batch.size() - from));
        }
        return isNew;
    }

    private int push(UrlBatch batch, int from, int count) {
        long[] hashes = batch.hash(from, count, filter.seed());
        long absent = filter.absent(hashes, count);
        if (absent == 0) {
            batch.noteNew(from, 0);
            seen.add(count);
            return 0;
        }
        int isNew;
        List<CapacityEvent> events;
        lock.lock();
        try {
            watch.refuseIfFull(hashes, absent);
            long mask = filter.addAbsent(hashes, absent);
            batch.noteNew(from, mask);
            queue.append(batch, from, mask);
            isNew = Long.bitCount(mask);
            accepted += isNew;
            seen.add(count - isNew);
            events = watch.accepted(isNew);
        } finally {
            lock.unlock();
        }
        watch.publish(events);
        return isNew;
    }

    /** Takes the URL that was pushed first and counts it as done; empty when none is pending. */
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
            Lease due = leases.pollDue(nowNanos);
            Lease next = due != null ? due : queue.poll();
            return next == null ? null : leases.hold(next, nowNanos);
        } finally {
            lock.unlock();
        }
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
            return leases.delay(lease, readyNanos);
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
        lock.lock();
        try {
            return filter.estimatedSize();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SieveStats stats() {
        lock.lock();
        try {
            return new SieveStats(
                    accepted,
                    seen.sum(),
                    queue.size() + leases.delayed(),
                    leases.held(),
                    done,
                    filter.estimatedSize(),
                    capacity,
                    filter.falsePositiveRate(),
                    watch.missed(),
                    filter.memoryBytes());
        } finally {
            lock.unlock();
        }
    }

    /** Does nothing: a sieve in memory holds nothing but memory. */
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

        /** The share of new URLs that may be taken for seen ones when the sieve is full, above 0, below 1; 0.0001. */
        public Builder falsePositiveRate(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException("falsePositiveRate must be above 0 and below 1: " + rate);
            }
            falsePositiveRate = rate;
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

        /** Who is told of each {@link CapacityEvent}, by the thread whose push caused it, outside of any lock; nobody. */
        public Builder onCapacity(Consumer<CapacityEvent> callback) {
            listener = Objects.requireNonNull(callback, "onCapacity");
            return this;
        }

        /**
         * The seed of the hash; a secret random one. Whoever knows it can choose URLs that hide others: give one only
         * where runs have to be repeatable.
         */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** The set that remembers what was seen, in place of a new Bloom filter; from now on the sieve's own. */
        public Builder membership(Membership set) {
            membership = Objects.requireNonNull(set, "membership");
            return this;
        }

        /** How long a URL may be handed out before it is handed out again, above 0; for ever. */
        public Builder leaseTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("leaseTimeout must be above 0: " + timeout);
            }
            leaseTimeoutNanos = timeout.toNanos();
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
