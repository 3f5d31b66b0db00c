package dev.sieve.polite;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures how long polls returned nothing although items were queued, by reason: all hosts with items had to wait, for
 * their delay or because they back off, or all had as many requests under way as they may have. The time of waiting is
 * attributed to the host that was ready next, unless it is new.
 */
final class WaitMeter {
    private static final int SLOWEST = 5;

    long waitedNanos;
    long backedOffNanos; // a part of waitedNanos
    long limitedNanos;
    /** The hosts that were waited for the longest, and how long. */
    private final Map<String, Integer> slowest = new HashMap<>();

    private boolean isStarved;
    private boolean isLimited;
    private long sinceNanos;

    /** Records a poll that returned nothing; {@code byLimit}: no host is waiting, so a request must end first. */
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
        if (host.isStarted) {
            host.waitedMillis = (int) Math.min(Integer.MAX_VALUE, host.waitedMillis + (nanos + 500_000) / 1_000_000);
        }
    }

    /** Notes the end of a request, with the name of its host. */
    void ended(String hostName, Host host) {
        if (host.waitedMillis > 0
                && (slowest.size() < SLOWEST || host.waitedMillis > Collections.min(slowest.values()))) {
            // A host that was forgotten in between begins at zero again.
            slowest.merge(hostName, host.waitedMillis, Math::max);
            if (slowest.size() > SLOWEST) {
                slowest.values().remove(Collections.min(slowest.values()));
            }
        }
    }

    Map<String, Duration> slowest() {
        Map<String, Duration> sorted = new LinkedHashMap<>();
        slowest.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(each -> sorted.put(each.getKey(), Duration.ofMillis(each.getValue())));
        return sorted;
    }

    private long since(long nowNanos) {
        return Math.max(0, nowNanos - sinceNanos);
    }
}
