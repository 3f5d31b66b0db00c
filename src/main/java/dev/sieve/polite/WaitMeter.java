package dev.sieve.polite;

import java.time.Duration;
import java.util.Optional;

/**
 * Measures how long an item was wanted while there were only hosts that could not be asked yet, and puts that time down
 * to the host that ended it, unless that one is new.
 */
final class WaitMeter {
    private final HostTable hosts;
    private boolean waiting;
    private long sinceNanos;
    private long waitedNanos;
    private String slowestName;
    private int slowestMillis;

    WaitMeter(HostTable hosts) {
        this.hosts = hosts;
    }

    /** No item could be handed out, and it is time that some host waits for. */
    void starved(long nowNanos) {
        if (!waiting) {
            waiting = true;
            sinceNanos = nowNanos;
        }
    }

    /** A host was given its turn. */
    void served(long nowNanos, int host) {
        if (!waiting) {
            return;
        }
        waiting = false;
        long nanos = Math.max(0, nowNanos - sinceNanos);
        waitedNanos += nanos;
        if (!hosts.is(host, HostTable.ASKED)) {
            return;
        }
        hosts.waitedMillis[host] =
                (int) Math.min(Integer.MAX_VALUE, hosts.waitedMillis[host] + (nanos + 500_000) / 1_000_000);
        if (hosts.waitedMillis[host] > slowestMillis) {
            slowestMillis = hosts.waitedMillis[host];
            slowestName = hosts.names.name(host);
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
