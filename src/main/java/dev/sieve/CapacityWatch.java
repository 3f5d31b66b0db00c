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
 * Watches how full a filter is and what that has cost so far.
 *
 * <p>The size is estimated from the fill, never from a counter: false positives freeze a counter just when it matters.
 * An estimate costs logarithms, so it is made again only after a thousandth of the capacity was accepted; an event is
 * late by that much at most.
 *
 * <p>Pages missed: a push is accepted with probability 1 - f when the URL is new, f being the false-positive rate. So
 * for each accepted URL, f / (1 - f) new ones were rejected on average; that is summed up.
 *
 * <p>Guarded by the lock of its frontier, except {@link #publish}, which runs outside it.
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
        passSilently(filter.estimatedSize());
    }

    /** Adds the URLs that an earlier run has missed. */
    void restore(double missedBefore) {
        missed += missedBefore;
    }

    /** A filter that was loaded has passed these thresholds before: their events are not published again. */
    private void passSilently(long size) {
        while (watches() && size >= threshold * capacity) {
            threshold = next(threshold);
        }
        look(size);
    }

    /** Notes that a number of URLs were new; returns the events to be published, nearly always none. */
    List<CapacityEvent> accepted(int count) {
        sinceCheck += count;
        return sinceCheck < step ? List.of() : check();
    }

    private List<CapacityEvent> check() {
        long size = filter.estimatedSize();
        look(size);
        List<CapacityEvent> events = List.of();
        while (watches() && size >= threshold * capacity) {
            if (events.isEmpty()) {
                events = new ArrayList<>();
            }
            events.add(new CapacityEvent(
                    threshold, size, capacity, filter.falsePositiveRate(), missed, filter.memoryBytes(), onFull));
            threshold = next(threshold);
        }
        return events;
    }

    private void look(long size) {
        full = size >= capacity;
        double rate = filter.falsePositiveRate();
        double now = rate < 1 ? rate / (1 - rate) : missedPerAccepted;
        missed += sinceCheck * (missedPerAccepted + now) / 2;
        missedPerAccepted = now;
        sinceCheck = 0;
    }

    /** An exact set has no capacity to watch. */
    private boolean watches() {
        return filter.capacity() != Long.MAX_VALUE;
    }

    private static double next(double threshold) {
        return threshold < 1 ? 1 : threshold * 2;
    }

    /**
     * Refuses hashed keys when the sieve is full, may not take more, and one of them is new.
     *
     * @param absent a bit for each key that may be, as answered by {@link Membership#absent}
     * @throws SieveFullException in that case; nothing has changed
     */
    void refuseIfFull(long[] hashes, long absent) {
        if (!full || onFull != OnFull.FAIL || !watches()) {
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

    /** Logs events and hands them to the listener; called without the lock, since both may block. */
    void publish(List<CapacityEvent> events) {
        // An iterator for each push would be garbage.
        if (!events.isEmpty()) {
            events.forEach(this::publish);
        }
    }

    private void publish(CapacityEvent event) {
        log(event);
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.error("the capacity callback failed", e);
        }
    }

    private static void log(CapacityEvent event) {
        LOG.atLevel(event.isError() ? Level.ERROR : Level.WARN)
                .addKeyValue("event", "capacity")
                .addKeyValue("threshold", event.threshold())
                .addKeyValue("size", event.estimatedSize())
                .addKeyValue("capacity", event.capacity())
                .addKeyValue("rate", event.falsePositiveRate())
                .addKeyValue("missed", event.estimatedMissed())
                .log(message(event));
    }

    static String message(CapacityEvent event) {
        return String.format(
                Locale.ROOT,
                "sieve past %.0f %% of its capacity: about %,d of %,d URLs, false-positive rate now %.2g,"
                        + " about %s new pages missed so far; %s",
                event.threshold() * 100,
                event.estimatedSize(),
                event.capacity(),
                event.falsePositiveRate(),
                pages(event.estimatedMissed()),
                advice(event));
    }

    private static String pages(double missed) {
        return missed < 10 ? String.format(Locale.ROOT, "%.2f", missed) : String.format(Locale.ROOT, "%,.0f", missed);
    }

    private static String advice(CapacityEvent event) {
        return switch (event.onFull()) {
            case WARN ->
                event.threshold() < 1
                        ? "past 100 % the rate rises fast: make the sieve for more URLs, or let it grow"
                        : "the rate rises from here on: make the sieve for more URLs, or let it grow";
            case GROW -> String.format(Locale.ROOT, "it grows as needed, now %,d bytes", event.memoryBytes());
            case FAIL ->
                event.threshold() < 1
                        ? "at 100 % it will refuse new URLs: make it for more of them"
                        : "it refuses new URLs from here on: make it for more of them";
        };
    }
}
