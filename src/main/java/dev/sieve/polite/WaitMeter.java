package dev.sieve.polite;

/**
 * Measures how long polls were in vain because all hosts with items had to wait, and attributes that time to the host that
 * was ready next, unless it is new.
 */
final class WaitMeter {
    long waitedNanos;
    int slowestMillis;
    String slowestHost;

    private boolean isWaiting;
    private long sinceNanos;

    /** Begins the waiting time, if it has not begun. */
    void starved(long nowNanos) {
        if (!isWaiting) {
            isWaiting = true;
            sinceNanos = nowNanos;
        }
    }

    /** Ends the waiting time with a request to a host. */
    void served(long nowNanos, Host host) {
        if (!isWaiting) {
            return;
        }
        isWaiting = false;
        long nanos = Math.max(0, nowNanos - sinceNanos);
        waitedNanos += nanos;
        if (!host.isStarted) {
            return;
        }
        host.waitedMillis = (int) Math.min(Integer.MAX_VALUE, host.waitedMillis + (nanos + 500_000) / 1_000_000);
        if (host.waitedMillis > slowestMillis) {
            slowestMillis = host.waitedMillis;
            slowestHost = host.name();
        }
    }
}
