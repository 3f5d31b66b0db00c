package dev.sieve;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * What a frontier in memory knows of the URLs that it has handed out: which of them are held, at which attempt, until
 * when, and which have been given back for later.
 *
 * <p>A held lease costs about a bit. Only where leases expire does each of them have to be kept. Not safe for use by
 * many threads.
 */
public final class Leases {
    /** A lease that falls due: it is to be handed out again, or it expires. Of equal moments the earlier id comes first. */
    private record Due(long nanos, Lease lease) {
        static final Comparator<Due> ORDER = (a, b) -> {
            int byTime = Long.signum(a.nanos - b.nanos);
            return byTime != 0 ? byTime : Long.compare(a.lease.id(), b.lease.id());
        };
    }

    private final long timeoutNanos;
    private final IdSet held = new IdSet();
    /** The present attempt of each URL that was given back before; all others are at attempt 0. */
    private final Map<Long, Integer> attempts;

    private final PriorityQueue<Due> delayed = new PriorityQueue<>(Due.ORDER);
    /** All leases take equally long to expire, so the one that was handed out first expires first. */
    private final ArrayDeque<Due> expiries = new ArrayDeque<>();

    /** Leases that expire after so many nanoseconds; {@link Long#MAX_VALUE}: never. */
    Leases(long timeoutNanos) {
        this(timeoutNanos, new HashMap<>());
    }

    /** Leases that go on with attempts that were counted before. */
    public Leases(long timeoutNanos, Map<Long, Integer> attempts) {
        this.timeoutNanos = timeoutNanos;
        this.attempts = attempts;
    }

    public Lease hold(Lease lease, long nowNanos) {
        held.add(lease.id());
        if (timeoutNanos != Long.MAX_VALUE) {
            expiries.addLast(new Due(nowNanos + timeoutNanos, lease));
        }
        return lease;
    }

    /** Takes a lease back for good; false when it was not held any more. */
    public boolean release(Lease lease) {
        if (!isHeld(lease)) {
            return false;
        }
        held.remove(lease.id());
        attempts.remove(lease.id());
        return true;
    }

    /** Takes a lease back, to be handed out again at some moment; false when it was not held any more. */
    public boolean delay(Lease lease, long readyNanos) {
        if (!isHeld(lease)) {
            return false;
        }
        held.remove(lease.id());
        attempts.put(lease.id(), lease.attempt() + 1);
        delayed.add(new Due(readyNanos, again(lease)));
        return true;
    }

    private static Lease again(Lease lease) {
        return new Lease(
                lease.id(),
                lease.url(),
                lease.depth(),
                lease.redirects(),
                lease.referrer(),
                lease.label(),
                lease.attempt() + 1);
    }

    private boolean isHeld(Lease lease) {
        return held.contains(lease.id()) && attempts.getOrDefault(lease.id(), 0) == lease.attempt();
    }

    /** The URL that has been due the longest; null when none is. */
    public Lease pollDue(long nowNanos) {
        expire(nowNanos);
        Due next = delayed.peek();
        return next == null || next.nanos - nowNanos > 0 ? null : delayed.remove().lease;
    }

    private void expire(long nowNanos) {
        for (Due first = expiries.peekFirst(); first != null; first = expiries.peekFirst()) {
            if (isHeld(first.lease)) {
                if (first.nanos - nowNanos > 0) {
                    return;
                }
                delay(first.lease, first.nanos);
            }
            expiries.removeFirst();
        }
    }

    /** How long until {@link #pollDue} answers, if nothing else happens; {@link Long#MAX_VALUE}: never. */
    public long waitNanos(long nowNanos) {
        expire(nowNanos);
        long toDelayed = delayed.isEmpty() ? Long.MAX_VALUE : Math.max(0, delayed.peek().nanos - nowNanos);
        long toExpiry = expiries.isEmpty() ? Long.MAX_VALUE : Math.max(0, expiries.peekFirst().nanos - nowNanos);
        return Math.min(toDelayed, toExpiry);
    }

    public long held() {
        return held.size();
    }

    long delayed() {
        return delayed.size();
    }
}
