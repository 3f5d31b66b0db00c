package dev.sieve;

import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Passes capacity events on, to the logger {@code dev.sieve.capacity} and to a listener, one at a time and in their
 * order; for implementations of {@link Frontier}. Safe for use by many threads.
 */
public final class CapacityAlerts {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.capacity");

    private final Consumer<CapacityEvent> listener;
    private final Queue<CapacityEvent> unpublished = new ConcurrentLinkedQueue<>();
    /** Held by the thread that publishes. */
    private final ReentrantLock publishing = new ReentrantLock();

    /** Creates alerts for one frontier. */
    public CapacityAlerts(Consumer<CapacityEvent> listener) {
        this.listener = listener;
    }

    /** Adds an event, which the next {@link #publish} passes on; never blocks. */
    public void add(CapacityEvent event) {
        unpublished.add(event);
    }

    /**
     * Logs the announced events and passes them to the listener, one at a time and in their order; called without the
     * lock, since both may block. Does not wait for a thread that publishes already: that thread publishes all.
     */
    public void publish() {
        while (!unpublished.isEmpty() && publishing.tryLock()) {
            try {
                for (CapacityEvent event = unpublished.poll(); event != null; event = unpublished.poll()) {
                    publish(event);
                }
            } finally {
                publishing.unlock();
            }
        }
    }

    private void publish(CapacityEvent event) {
        LOG.atLevel(level(event))
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

    /** A filter that grows keeps its rate, so beyond its capacity only its memory is of interest. */
    private static Level level(CapacityEvent event) {
        return event.isError()
                ? Level.ERROR
                : event.onFull() == OnFull.GROW && event.threshold() > 1 ? Level.INFO : Level.WARN;
    }

    private static String message(CapacityEvent event) {
        return String.format(
                Locale.ROOT,
                "filter %.0f %% full: about %,d of %,d URLs, false-positive rate %.2g, %s missed so far; %s",
                event.threshold() * 100,
                event.estimatedSize(),
                event.capacity(),
                event.falsePositiveRate(),
                SieveStats.missed(event.estimatedMissed(), event.falsePositiveRate()),
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
