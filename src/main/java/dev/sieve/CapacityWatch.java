package dev.sieve;

import dev.sieve.bloom.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports how full a filter is and how many pages were missed.
 *
 * <p>The size is estimated from the fill, since false positives make a counter too low when the filter is full. An
 * estimate is expensive, so there is one per thousandth of the capacity, and one when a frontier is saved, opened or
 * closed: an event is late by at most that.
 *
 * <p>Pages missed: a new URL is accepted with probability 1 - f, f being the false-positive rate. So f / (1 - f) new
 * URLs were rejected per accepted one, on average; the sum of these is the estimate.
 *
 * <p>Guarded by the lock of the frontier, except {@link #publish}.
 */
final class CapacityWatch {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.capacity");
    private static final double FIRST_THRESHOLD = 0.8;
    private static final int STEPS = 1024;

    private final Membership filter;
    private final long capacity;
    private final OnFull onFull;
    private final Consumer<CapacityEvent> listener;
    private final long step;

    private long sinceCheck;
    private double threshold = FIRST_THRESHOLD;
    private boolean full;
    private double missedPerAccepted;
    private double missed;

    CapacityWatch(Membership filter, long capacity, OnFull onFull, Consumer<CapacityEvent> listener) {
        this.filter = filter;
        this.capacity = capacity;
        this.onFull = onFull;
        this.listener = listener;
        step = Math.max(1, capacity / STEPS);
        long size = filter.estimatedSize();
        skip(size);
        update(size);
    }

    /** Passes the thresholds up to a size without their events, which were published when the filter had that size. */
    private void skip(long size) {
        threshold = FIRST_THRESHOLD;
        while (hasPassed(size)) {
            threshold = next(threshold);
        }
    }

    /**
     * Continues an earlier run.
     *
     * @param missedBefore estimated pages missed; replaces the present estimate
     * @param sizeBefore estimated size up to which the events of this filter were published
     */
    void restore(double missedBefore, long sizeBefore) {
        missed = missedBefore;
        sinceCheck = 0;
        skip(sizeBefore);
    }

    /** Counts new URLs and returns the events to publish, nearly always none. */
    List<CapacityEvent> accepted(int count) {
        sinceCheck += count;
        return sinceCheck < step ? List.of() : due();
    }

    /** Estimates the size and returns the events to publish. */
    List<CapacityEvent> due() {
        long size = filter.estimatedSize();
        update(size);
        List<CapacityEvent> events = new ArrayList<>();
        for (; hasPassed(size); threshold = next(threshold)) {
            events.add(new CapacityEvent(
                    threshold, size, capacity, filter.falsePositiveRate(), missed, filter.memoryBytes(), onFull));
        }
        return events;
    }

    private void update(long size) {
        full = size >= capacity;
        double rate = filter.falsePositiveRate();
        double now = rate < 1 ? rate / (1 - rate) : missedPerAccepted;
        missed += sinceCheck * (missedPerAccepted + now) / 2;
        missedPerAccepted = now;
        sinceCheck = 0;
    }

    private boolean hasPassed(long size) {
        return isLimited() && size >= threshold * capacity;
    }

    /** Whether the filter has a capacity: an exact set does not. */
    private boolean isLimited() {
        return filter.capacity() != Long.MAX_VALUE;
    }

    private static double next(double threshold) {
        return threshold < 1 ? 1 : threshold * 2;
    }

    /**
     * Requires that the filter may take the keys that are absent.
     *
     * @param absent a bit per key, as returned by {@link Membership#absent}
     * @throws SieveFullException when the filter is full, new URLs are refused, and a key is new; nothing has changed
     */
    void refuseIfFull(long[] hashes, long absent) {
        if (!full || onFull != OnFull.FAIL || !isLimited()) {
            return;
        }
        for (long bits = absent; bits != 0; bits &= bits - 1) {
            int i = Long.numberOfTrailingZeros(bits);
            if (!filter.mightContain(hashes[2 * i], hashes[2 * i + 1])) {
                throw new SieveFullException(filter.estimatedSize(), capacity);
            }
        }
    }

    double missed() {
        return missed + sinceCheck * missedPerAccepted;
    }

    /** Logs events and passes them to the listener; called without the lock, since both may block. */
    void publish(List<CapacityEvent> events) {
        // The check avoids an iterator per push.
        if (!events.isEmpty()) {
            events.forEach(this::publish);
        }
    }

    private void publish(CapacityEvent event) {
        LOG.atLevel(event.isError() ? Level.ERROR : Level.WARN)
                .addKeyValue("event", "capacity")
                .addKeyValue("threshold", event.threshold())
                .addKeyValue("size", event.estimatedSize())
                .addKeyValue("capacity", event.capacity())
                .addKeyValue("rate", event.falsePositiveRate())
                .addKeyValue("missed", event.estimatedMissed())
                .log(message(event));
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.error("the capacity listener failed", e);
        }
    }

    private static String message(CapacityEvent event) {
        return String.format(
                Locale.ROOT,
                "filter %.0f %% full: about %,d of %,d URLs, false-positive rate %.2g, about %s pages missed so far; %s",
                event.threshold() * 100,
                event.estimatedSize(),
                event.capacity(),
                event.falsePositiveRate(),
                String.format(Locale.ROOT, event.estimatedMissed() < 10 ? "%.2f" : "%,.0f", event.estimatedMissed()),
                advice(event));
    }

    private static String advice(CapacityEvent event) {
        boolean isBefore = event.threshold() < 1;
        return switch (event.onFull()) {
            case WARN ->
                (isBefore ? "above 100 % the rate rises fast" : "the rate now rises fast")
                        + ": use a larger capacity or let the filter grow";
            case GROW -> String.format(Locale.ROOT, "it grows as needed, now %,d bytes", event.memoryBytes());
            case FAIL ->
                (isBefore ? "at 100 % new URLs are refused" : "new URLs are refused") + ": use a larger capacity";
        };
    }
}
