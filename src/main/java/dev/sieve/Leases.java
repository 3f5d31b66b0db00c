package dev.sieve;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Which of the URLs handed out are held, at which attempt, until when, and which were given back for later. Only ids and
 * attempts are kept, no URLs.
 *
 * <p>A held lease costs about a bit; where leases expire, some 50 bytes. Owned by the lock of its frontier.
 */
public final class Leases {
    /** A URL that falls due: it is to be handed out again, or its lease expires. Of equal times the lower id is first. */
    private record Due(long nanos, long id, int attempt) {
        static final Comparator<Due> ORDER = (a, b) -> {
            int byTime = Long.signum(a.nanos - b.nanos);
            return byTime != 0 ? byTime : Long.compare(a.id, b.id);
        };
    }

    private final long timeoutNanos;
    private final IdSet held = new IdSet();
    /** The present attempt of each URL that was given back before; all others are at attempt 0. */
    private final Map<Long, Integer> attempts;

    private final PriorityQueue<Due> delayed = new PriorityQueue<>(Due.ORDER);
    /** All leases take equally long to expire, so the one that was handed out first expires first. */
    private final ArrayDeque<Due> expiries = new ArrayDeque<>();

    /**
     * No leases yet.
     *
     * @param timeoutNanos how long a lease is held before it expires; {@link Long#MAX_VALUE}: for ever
     * @param attempts attempts that were counted before; kept up to date
     */
    public Leases(long timeoutNanos, Map<Long, Integer> attempts) {
        this.timeoutNanos = timeoutNanos;
        this.attempts = attempts;
    }

    /**
     * A lease timeout in nanoseconds.
     *
     * @throws IllegalArgumentException when it is not above 0
     */
    public static long timeoutNanos(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("leaseTimeout must be above 0: " + timeout);
        }
        return timeout.toNanos();
    }

    /** Notes that a URL is handed out. */
    public void hold(Lease lease, long nowNanos) {
        held.add(lease.id());
        if (timeoutNanos != Long.MAX_VALUE) {
            expiries.addLast(new Due(nowNanos + timeoutNanos, lease.id(), lease.attempt()));
        }
    }

    /** Takes a lease back for good; false when it was no longer held. */
    public boolean release(Lease lease) {
        if (!isHeld(lease.id(), lease.attempt())) {
            return false;
        }
        held.remove(lease.id());
        attempts.remove(lease.id());
        return true;
    }

    /** Takes a lease back, to be handed out again at some time; false when it was no longer held. */
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

    private boolean isHeld(long id, int attempt) {
        return held.contains(id) && attempts.getOrDefault(id, 0) == attempt;
    }

    /** Takes out the id of the URL that has been due the longest; empty when none is. */
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

    /** How long until {@link #pollDue} returns an id, if nothing else happens; {@link Long#MAX_VALUE}: never. */
    public long waitNanos(long nowNanos) {
        expire(nowNanos);
        long toDelayed = delayed.isEmpty() ? Long.MAX_VALUE : Math.max(0, delayed.peek().nanos - nowNanos);
        long toExpiry = expiries.isEmpty() ? Long.MAX_VALUE : Math.max(0, expiries.peekFirst().nanos - nowNanos);
        return Math.min(toDelayed, toExpiry);
    }

    /** How many URLs are handed out. */
    public long held() {
        return held.size();
    }

    /** How many URLs were given back for later. */
    public long delayed() {
        return delayed.size();
    }
}
