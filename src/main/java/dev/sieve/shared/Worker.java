package dev.sieve.shared;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A worker of a crawl: its identity, its way to the engine, and what it holds.
 *
 * @param name chosen at random
 * @param trip held during the round trips that take, store what is done, and keep the slices; no other lock is held
 *     during a round trip
 */
record Worker(
        String name,
        Engine engine,
        CrawlKeys keys,
        CrawlSettings settings,
        Holdings holdings,
        Totals totals,
        ReentrantLock trip) {
    private static final long TRIP_WAIT_MILLIS = 1000;
    /** The response of a script that compares the identity of the crawl. */
    static final long OTHER_CRAWL = -3;

    /** Waits a little for the lock of the round trips, which another thread may hold until the timeout of its own. */
    boolean tryTrip() {
        try {
            return trip.tryLock() || trip.tryLock(TRIP_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
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
