package dev.sieve;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a frontier: which URLs are handed out, at which attempt and until when, and which were given back for
 * later. URLs are stored by their ids only.
 *
 * <p>A held lease takes about one bit; about 50 bytes when leases expire. Guarded by the lock of the frontier.
 */
public final class Leases {
    /** When a URL is to be handed out again, or its lease expires. Of equal times the lower id is first. */
    private record Due(long nanos, long id, int attempt) {
        static final Comparator<Due> ORDER = (a, b) -> {
            int byTime = Long.signum(a.nanos - b.nanos);
            return byTime != 0 ? byTime : Long.compare(a.id, b.id);
        };
    }

    private final long timeoutNanos;
    private final IdSet held = new IdSet();
    /** The attempt of each URL that was given back before; all others are at attempt 0. */
    private final Map<Long, Integer> attempts;

    private final PriorityQueue<Due> delayed = new PriorityQueue<>(Due.ORDER);
    /** All leases have the same timeout, so the first one expires first. */
    private final ArrayDeque<Due> expiries = new ArrayDeque<>();

    /**
     * Makes an empty set of leases.
     *
     * @param timeoutNanos how long a lease is held before it expires; {@link Long#MAX_VALUE}: it does not
     * @param attempts the attempts of an earlier run; kept up to date
     */
    public Leases(long timeoutNanos, Map<Long, Integer> attempts) {
        this.timeoutNanos = timeoutNanos;
        this.attempts = attempts;
    }

    /**
     * Returns a lease timeout in nanoseconds; {@link Long#MAX_VALUE}, no timeout, if it is longer than 292 years.
     *
     * @throws IllegalArgumentException when it is not above 0
     */
    public static long timeoutNanos(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("leaseTimeout must be above 0: " + timeout);
        }
        return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    /** Adds a lease. */
    public void hold(Lease lease, long nowNanos) {
        held.add(lease.id());
        if (timeoutNanos != Long.MAX_VALUE) {
            expiries.addLast(new Due(nowNanos + timeoutNanos, lease.id(), lease.attempt()));
        }
    }

    /** Removes a lease; false when it was not held. */
    public boolean release(Lease lease) {
        if (!isHeld(lease.id(), lease.attempt())) {
            return false;
        }
        held.remove(lease.id());
        attempts.remove(lease.id());
        return true;
    }

    /** Removes a lease whose URL is to be handed out again at some time; false when it was not held. */
    public boolean delay(Lease lease, long readyNanos) {
        return delay(lease.id(), lease.attempt(), readyNanos);
    }

    private boolean delay(long id, int attempt, long readyNanos) {
        if (!isHeld(id, attempt)) {
            return false;
        }
        held.remove(id);
        attempts.put(id, attempt + 1);
        delayed.add(new Due(readyNanos, id, attempt + 1));
        return true;
    }

    /** Returns whether a lease is held. */
    public boolean holds(Lease lease) {
        return isHeld(lease.id(), lease.attempt());
    }

    /** Forgets URLs, whether they are handed out or were given back. */
    public void removeIf(LongPredicate isRemoved) {
        held.removeIf(isRemoved);
        attempts.keySet().removeIf(isRemoved::test);
        delayed.removeIf(due -> isRemoved.test(due.id));
    }

    private boolean isHeld(long id, int attempt) {
        return held.contains(id) && attempts.getOrDefault(id, 0) == attempt;
    }

    /** Removes and returns the id of the URL that has been due the longest; empty when none is due. */
    public OptionalLong pollDue(long nowNanos) {
        expire(nowNanos);
        Due next = delayed.peek();
        if (next == null || next.nanos - nowNanos > 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(delayed.remove().id);
    }

    private void expire(long nowNanos) {
        for (Due first = expiries.peekFirst(); first != null; first = expiries.peekFirst()) {
            if (isHeld(first.id, first.attempt)) {
                if (first.nanos - nowNanos > 0) {
                    return;
                }
                delay(first.id, first.attempt, first.nanos);
            }
            expiries.removeFirst();
        }
    }

    /** Returns the time until {@link #pollDue} may return an id; {@link Long#MAX_VALUE} when nothing is due later. */
    public long waitNanos(long nowNanos) {
        expire(nowNanos);
        return Math.min(wait(delayed.peek(), nowNanos), wait(expiries.peekFirst(), nowNanos));
    }

    private static long wait(@Nullable Due due, long nowNanos) {
        return due == null ? Long.MAX_VALUE : Math.max(0, due.nanos - nowNanos);
    }

    /** Returns how many URLs are handed out. */
    public long held() {
        return held.size;
    }

    /** Returns how many URLs were given back for later. */
    public long delayed() {
        return delayed.size();
    }

    /** A set of ids that come and go roughly in order, in chunks of 4,096 bits; empty chunks are dropped. */
    private static final class IdSet {
        private static final int CHUNK_SHIFT = 12;
        private static final int CHUNK_IDS = 1 << CHUNK_SHIFT;

        private final Map<Long, BitSet> chunks = new HashMap<>();
        private long size;

        void add(long id) {
            BitSet chunk = chunks.computeIfAbsent(id >> CHUNK_SHIFT, number -> new BitSet(CHUNK_IDS));
            size += chunk.get(index(id)) ? 0 : 1;
            chunk.set(index(id));
        }

        /** Removes an id that is in the set. */
        void remove(long id) {
            BitSet chunk = Objects.requireNonNull(chunks.get(id >> CHUNK_SHIFT));
            chunk.clear(index(id));
            size--;
            if (chunk.isEmpty()) {
                chunks.remove(id >> CHUNK_SHIFT);
            }
        }

        boolean contains(long id) {
            BitSet chunk = chunks.get(id >> CHUNK_SHIFT);
            return chunk != null && chunk.get(index(id));
        }

        void removeIf(LongPredicate isRemoved) {
            chunks.forEach((number, chunk) -> {
                for (int i = chunk.nextSetBit(0); i >= 0; i = chunk.nextSetBit(i + 1)) {
                    if (isRemoved.test((number << CHUNK_SHIFT) + i)) {
                        chunk.clear(i);
                        size--;
                    }
                }
            });
            chunks.values().removeIf(BitSet::isEmpty);
        }

        private static int index(long id) {
            return (int) id & CHUNK_IDS - 1;
        }
    }
}
