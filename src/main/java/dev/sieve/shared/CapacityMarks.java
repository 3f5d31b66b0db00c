package dev.sieve.shared;

import dev.sieve.CapacityAlerts;
import dev.sieve.CapacityEvent;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Publishes the capacity events of a crawl. Each threshold is marked on the engine by the worker that publishes its
 * event, so that there is one event over all workers. Safe for use by many threads.
 */
final class CapacityMarks {
    private static final double FIRST_THRESHOLD = 0.8;

    private final Worker worker;
    private final CapacityAlerts alerts;

    /** Held while a threshold is marked. */
    private final ReentrantLock marking = new ReentrantLock();

    private volatile double threshold = FIRST_THRESHOLD;

    CapacityMarks(Worker worker, Consumer<CapacityEvent> listener) {
        this.worker = worker;
        alerts = new CapacityAlerts(listener);
    }

    /** Publishes the events that are due, in one round trip each; does nothing while another thread does. */
    void publish(long accepted) {
        while (hasPassed(accepted) && marking.tryLock()) {
            try {
                if (hasPassed(accepted) && !mark(accepted)) {
                    return;
                }
            } finally {
                marking.unlock();
            }
        }
        alerts.publish();
    }

    private boolean hasPassed(long accepted) {
        return accepted >= threshold * worker.settings().capacity();
    }

    /** Marks the threshold and proceeds to the next; returns false when the engine is away. */
    private boolean mark(long accepted) {
        byte[] field = CrawlKeys.utf8(Double.toString(threshold));
        String marker = worker.engine().tryCall((session, number) -> {
            byte[][] keys = {worker.keys().events(), worker.keys().settings()};
            session.send(Script.MARK, keys, new byte[][] {
                field,
                CrawlKeys.utf8(worker.name()),
                CrawlKeys.utf8(worker.settings().id())
            });
            session.send("HGET", worker.keys().events(), field);
            session.receive();
            return Replies.textOrNull(session.receive());
        });
        if (marker == null) {
            return false;
        }
        // Compared with the stored name, since the answer to a first attempt may have been lost.
        if (marker.equals(worker.name())) {
            alerts.add(new CapacityEvent(
                    threshold,
                    accepted,
                    worker.settings().capacity(),
                    worker.settings().falsePositiveRate(accepted),
                    worker.settings().missed(accepted),
                    Totals.memoryBytes(accepted),
                    worker.settings().onFull()));
        }
        threshold = threshold < 1 ? 1 : threshold * 2;
        return true;
    }
}
