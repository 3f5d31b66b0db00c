package dev.sieve;

import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.Membership;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A URL frontier in memory: a first-in, first-out queue behind a Bloom filter, so it remembers a URL in a few bits.
 *
 * <p>The filter mistakes some new URLs for seen ones: at most the requested false-positive rate of them, up to its
 * capacity. {@link #stats()} returns how full the filter is and an estimate of the pages missed. The logger
 * {@code dev.sieve.capacity} and {@link Builder#onCapacity} receive an event at 80 % and 100 % of the capacity and at
 * each doubling after that.
 *
 * <p>URLs are compared byte by byte: normalise them first, or push them with a key in a {@link UrlBatch}. {@link #pop}
 * returns the next URL and forgets it; {@link #take} returns it as a lease, which {@link #done} or {@link #retry} ends.
 * A push costs the same however many URLs were seen, except for cache misses; a batch overlaps these and is several
 * times faster per URL.
 *
 * <p>Safe for use by many threads; duplicates are detected without a lock. Nothing is kept when the process ends.
 */
public final class Sieve implements Frontier {
    /** The default false-positive rate: one new page in ten thousand is missed; 3 bytes per URL. */
    public static final double DEFAULT_FALSE_POSITIVE_RATE = FrontierSettings.DEFAULT_RATE;

    private final Deduplicator deduplicator;

    /** Guards the fields below. */
    private final ReentrantLock lock;

    private final UrlQueue queue = new UrlQueue();
    private final Leases leases;
    private final boolean leasesExpire;
    /** Every lease that may be handed out again: those given back, and when leases expire, all. */
    private final Map<Long, Lease> kept = new HashMap<>();

    private long done;

    /** Makes a frontier at the {@link #DEFAULT_FALSE_POSITIVE_RATE}; see {@link #Sieve(long, double)}. */
    public Sieve(long capacity) {
        this(capacity, DEFAULT_FALSE_POSITIVE_RATE);
    }

    /**
     * Makes a frontier.
     *
     * @param capacity distinct URLs that the filter is made for, at least 1
     * @param falsePositiveRate the largest share of new URLs that may be mistaken for seen ones when the filter is
     *     full, from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}, which is 0.5
     * @throws IllegalArgumentException when a number is out of range, or the filter needs more than 16 GiB or than
     *     the heap may have
     */
    public Sieve(long capacity, double falsePositiveRate) {
        this(builder().capacity(capacity).falsePositiveRate(falsePositiveRate));
    }

    private Sieve(Builder builder) {
        deduplicator = builder.deduplicator();
        lock = deduplicator.lock();
        leases = new Leases(builder.leaseTimeoutNanos(), new HashMap<>());
        leasesExpire = builder.leaseTimeoutNanos() != Long.MAX_VALUE;
    }

    /** Returns a builder of a frontier, which requires a {@link Builder#capacity}. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the URL is new, the filter is full and {@link OnFull#FAIL} is set
     */
    @Override
    public boolean push(String url) {
        return deduplicator.push(UrlBatch.utf8(url), queue);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when a URL is new, the filter is full and {@link OnFull#FAIL} is set
     */
    @Override
    public int pushAll(UrlBatch batch) {
        return deduplicator.pushAll(batch, queue);
    }

    /**
     * Returns the next URL and counts it as done; empty when there is none. URLs given back by {@link #retry} are
     * handed out by {@link #take} only.
     */
    public Optional<String> pop() {
        return locked(() -> {
            Lease lease = queue.poll();
            done += lease == null ? 0 : 1;
            return Optional.ofNullable(lease).map(Lease::url);
        });
    }

    @Override
    public @Nullable Lease take(long nowNanos) {
        lock.lock();
        try {
            OptionalLong due = leases.pollDue(nowNanos);
            Lease next = due.isPresent() ? nextAttempt(due.getAsLong()) : queue.poll();
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

    private Lease nextAttempt(long id) {
        Lease last = Objects.requireNonNull(kept.remove(id));
        return new Lease(
                id, last.url(), last.depth(), last.redirects(), last.referrer(), last.label(), last.attempt() + 1);
    }

    @Override
    public long waitNanos(long nowNanos) {
        return locked(() -> queue.size() > 0 ? 0 : leases.waitNanos(nowNanos));
    }

    @Override
    public boolean done(Lease lease) {
        return locked(() -> {
            boolean isHeld = leases.release(lease);
            if (isHeld) {
                kept.remove(lease.id());
                done++;
            }
            return isHeld;
        });
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        return locked(() -> {
            boolean isHeld = leases.delay(lease, readyNanos);
            if (isHeld) {
                kept.put(lease.id(), lease);
            }
            return isHeld;
        });
    }

    @Override
    public long pending() {
        return locked(() -> queue.size() + leases.delayed());
    }

    @Override
    public long inFlight() {
        return locked(leases::held);
    }

    @Override
    public SieveStats stats() {
        return locked(() -> deduplicator.stats(queue.accepted(), queue.size() + leases.delayed(), leases.held(), done));
    }

    private <T> T locked(Supplier<T> supplier) {
        lock.lock();
        try {
            return supplier.get();
        } finally {
            lock.unlock();
        }
    }

    /** Publishes the capacity events that are due. There is nothing to release. */
    @Override
    public void close() {
        deduplicator.announceDueEvents();
        deduplicator.publish();
    }

    /** The options of a {@link Sieve}. */
    public static final class Builder extends FrontierBuilder.Filtered<Builder> {
        private @Nullable Membership membership;

        private Builder() {}

        /** An existing filter, which the frontier owns from now on. Default: a new one. */
        public Builder membership(Membership set) {
            membership = Objects.requireNonNull(set, "membership");
            return this;
        }

        /**
         * Makes the frontier and allocates the memory of its filter.
         *
         * @throws IllegalStateException when a membership was set together with a filter, rate, seed or growth
         * @throws IllegalArgumentException when no capacity was set, or the filter does not support the choice for a
         *     full filter, or needs more than 16 GiB or than the heap may have
         */
        public Sieve build() {
            return new Sieve(this);
        }

        private Deduplicator deduplicator() {
            FrontierSettings settings = settings();
            Membership filter = membership == null ? settings.newFilter() : membership;
            boolean isContrary = settings.filter() != null
                    || settings.falsePositiveRate() != null
                    || settings.seed() != null
                    || settings.onFull() == OnFull.GROW;
            if (membership != null && isContrary) {
                throw new IllegalStateException("a membership has its own filter, rate, seed and growth");
            }
            OnFull onFull = settings.onFull(settings.filter(FilterKind.SPLIT_BLOCKS));
            return new Deduplicator(filter, settings.requireCapacity(), onFull, settings.listener());
        }
    }
}
