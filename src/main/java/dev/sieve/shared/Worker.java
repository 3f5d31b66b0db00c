package dev.sieve.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a crawl: its identity, its way to the engine, and what it holds.
 *
 * @param name chosen at random
 * @param trip held during the round trips that take, store what is done, and keep the slices; no other lock is held
 *     during a round trip
 * @param clock by which this worker measures how long it owns its slices, in nanoseconds
 */
record Worker(
        String name,
        Engine engine,
        CrawlKeys keys,
        CrawlSettings settings,
        Holdings holdings,
        Totals totals,
        ReentrantLock trip,
        LongSupplier clock) {
    private static final long TRIP_WAIT_MILLIS = 1000;
    /** The response of a script that compares the identity of the crawl. */
    static final long OTHER_CRAWL = -3;

    long now() {
        return clock.getAsLong();
    }

    /** Waits a little for the lock of the round trips, which another thread may hold until the timeout of its own. */
    boolean tryTrip() {
        try {
            return trip.tryLock() || trip.tryLock(TRIP_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Sends what is to be done with a slice. */
    interface Sender<T> {
        void send(Session session, long callNumber, T call);
    }

    /**
     * Makes calls of slices in one round trip. Returns the replies, a refusal where the slice is of another run; null
     * when the engine is away.
     */
    <T> @Nullable List<Object> ask(List<T> calls, Function<T, Slice> slice, Sender<T> sender) {
        if (calls.isEmpty()) {
            return List.of();
        }
        return engine.tryCall((session, number) -> {
            Predicate<T> isOfRun = call -> slice.apply(call).run == session.run();
            calls.stream().filter(isOfRun).forEach(call -> sender.send(session, number, call));
            List<Object> replies = new ArrayList<>();
            calls.forEach(call -> replies.add(isOfRun.test(call) ? session.receive() : Replies.REFUSED));
            return replies;
        });
    }

    /** Throws when a script has found another crawl, or none, in place of the one that this worker belongs to. */
    Object requireStored(Object reply) {
        if (reply instanceof Long refused && refused == OTHER_CRAWL) {
            throw CrawlSettings.isGone(keys.name());
        }
        return reply;
    }

    /** Returns whether this thread may make these round trips, and use what only they change. */
    boolean isInTrip() {
        return trip.isHeldByCurrentThread();
    }
}
