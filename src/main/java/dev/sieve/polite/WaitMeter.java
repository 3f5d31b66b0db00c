package dev.sieve.polite;

/**
 * Measures how long polls were in vain although items were queued, by the reason: all hosts with items had to wait, for
 * their delay or because they back off, or all had as many requests under way as they may have. The time of waiting is
 * attributed to the host that was ready next, unless it is new.
 */
final class WaitMeter {
    long waitedNanos;
    long backedOffNanos; // a part of waitedNanos
    long limitedNanos;
    int slowestMillis;
    String slowestHost;

    private boolean isStarved;
    private boolean isLimited;
    private long sinceNanos;

    /**
     * Notes a poll in vain.
     *
     * @param byLimit whether no host waits, so that a request has to end first
     */
    void starved(long nowNanos, boolean byLimit) {
        if (isStarved && isLimited && !byLimit) {
            limitedNanos += since(nowNanos);
            isStarved = false;
        }
        if (!isStarved) {
            isStarved = true;
            isLimited = byLimit;
            sinceNanos = nowNanos;
        }
    }

    /** Ends the time with a request to a host. */
    void served(long nowNanos, Host host) {
        if (!isStarved) {
            return;
        }
        isStarved = false;
        long nanos = since(nowNanos);
        if (isLimited) {
            limitedNanos += nanos;
            return;
        }
        waitedNanos += nanos;
        backedOffNanos += host.hasBackedOff ? nanos : 0;
        if (!host.isStarted) {
            return;
        }
        host.waitedMillis = (int) Math.min(Integer.MAX_VALUE, host.waitedMillis + (nanos + 500_000) / 1_000_000);
        if (host.waitedMillis > slowestMillis) {
            slowestMillis = host.waitedMillis;
            slowestHost = host.name();
        }
    }

    private long since(long nowNanos) {
        return Math.max(0, nowNanos - sinceNanos);
    }
}
