package dev.sieve.polite;

import java.time.Duration;
import java.util.Optional;

/**
 * Measures how long polls were in vain because all hosts with items had to wait, and attributes that time to the host that
 * was ready next, unless it is new.
 */
final class WaitMeter {
    private boolean waiting;
    private long sinceNanos;
    private long waitedNanos;
    private String slowestName;
    private int slowestMillis;

    /** Begins the waiting time, if it has not begun. */
    void starved(long nowNanos) {
        if (!waiting) {
            waiting = true;
            sinceNanos = nowNanos;
        }
    }

    /** Ends the waiting time with a request to a host. */
    void served(long nowNanos, Host host) {
        if (!waiting) {
            return;
        }
        waiting = false;
        long nanos = Math.max(0, nowNanos - sinceNanos);
        waitedNanos += nanos;
        if (!host.isStarted) {
            return;
        }
        host.waitedMillis = (int) Math.min(Integer.MAX_VALUE, host.waitedMillis + (nanos + 500_000) / 1_000_000);
        if (host.waitedMillis > slowestMillis) {
            slowestMillis = host.waitedMillis;
            slowestName = host.name();
        }
    }

    Duration waited() {
        return Duration.ofNanos(waitedNanos);
    }

    Optional<String> slowestHost() {
        return Optional.ofNullable(slowestName);
    }

    Duration slowestWaited() {
        return Duration.ofMillis(slowestMillis);
    }
}
