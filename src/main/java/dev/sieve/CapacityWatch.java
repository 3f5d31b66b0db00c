package dev.sieve;

import dev.sieve.bloom.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reports how full a filter is and how many pages were missed.
 *
 * <p>The size is estimated from the fill, since false positives make a counter too low when the filter is full. An
 * estimate is expensive, so there is one per thousandth of the capacity, and one when a frontier is saved, opened or
 * closed: an event is late by at most that.
 *
 * <p>Pages missed: a new URL is accepted with probability 1 - f, f being the false-positive rate. So f / (1 - f) new
 * URLs were rejected per accepted one, on average; the sum of these is the estimate. Where f rises too fast for that,
 * or is 1, it is the part of the growth that was not accepted, since a rejected URL has its bits in the filter as well.
 * When all bits are set, the filter does not grow further, and the estimate is a lower bound.
 *
 * <p>Guarded by the lock of the frontier, except {@link #publish()}.
 */
final class CapacityWatch {
    private static final double FIRST_THRESHOLD = 0.8;
    private static final int STEPS = 1024;

    private final Membership filter;
    private final long capacity;
    private final OnFull onFull;
    private final CapacityAlerts alerts;

    /** How many new URLs there are between two estimates: fewer when most are rejected. */
    private long step;

    private long sinceCheck;
    private long sizeAtCheck;
    private double threshold = FIRST_THRESHOLD;
    private boolean full;
    private double missedPerAccepted;
    private double missed;
    /** The number of missed pages that is next to be published: a power of ten. */
    private double nextMissed = 1;

    CapacityWatch(Membership filter, long capacity, OnFull onFull, Consumer<CapacityEvent> listener) {
        this.filter = filter;
        this.capacity = capacity;
        this.onFull = onFull;
        alerts = new CapacityAlerts(listener);
        long size = filter.estimatedSize();
        skip(size);
        sizeAtCheck = size;
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
        passMissed();
        sinceCheck = 0;
        skip(sizeBefore);
    }

    /** Counts new URLs that an earlier run has accepted, without publishing events. */
    void restored(int count) {
        sinceCheck += count;
        if (sinceCheck >= step) {
            due();
        }
    }

    private List<CapacityEvent> due() {
        long size = filter.estimatedSize();
        update(size);
        List<CapacityEvent> events = new ArrayList<>();
        for (; hasPassed(size); threshold = next(threshold)) {
            events.add(event(threshold, size));
        }
        if (passMissed() && events.isEmpty()) {
            events.add(event((double) size / capacity, size));
        }
        return events;
    }

    private CapacityEvent event(double share, long size) {
        return new CapacityEvent(
                share, size, capacity, filter.falsePositiveRate(), missed, filter.memoryBytes(), onFull);
    }

    /** Returns whether the estimate has passed a power of ten. */
    private boolean passMissed() {
        boolean hasPassed = isLimited() && missed >= nextMissed;
        while (missed >= nextMissed) {
            nextMissed *= 10;
        }
        return hasPassed;
    }

    private void update(long size) {
        full = size >= capacity;
        double rate = filter.falsePositiveRate();
        boolean isSaturated = rate >= 1;
        double now = isSaturated ? missedPerAccepted : rate / (1 - rate);
        boolean isJump = isSaturated || now > 1 + 4 * missedPerAccepted;
        // With all bits set, the size is that of half a clear bit; a quarter more than enough URLs to set them all may
        // be too many.
        long least = isSaturated ? size - size / 4 : size;
        missed += isJump ? Math.max(0, least - sizeAtCheck - sinceCheck) : sinceCheck * (missedPerAccepted + now) / 2;
        missed = isSaturated ? Math.max(1, missed) : missed;
        missedPerAccepted = now;
        sizeAtCheck = size;
        sinceCheck = 0;
        step = (long) Math.ceil(Math.max(1, capacity * (1 - rate) / STEPS));
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

    /** Counts new URLs; {@link #publish()} passes on the events, nearly always none. */
    void announce(int count) {
        sinceCheck += count;
        if (sinceCheck >= step) {
            announceDue();
        }
    }

    /** Estimates the size; {@link #publish()} passes on the events. Returns whether there are any. */
    boolean announceDue() {
        List<CapacityEvent> events = due();
        events.forEach(alerts::add);
        return !events.isEmpty();
    }

    /** Logs the announced events and passes them to the listener; called without the lock. */
    void publish() {
        alerts.publish();
    }
}
