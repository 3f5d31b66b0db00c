package dev.sieve.shared;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A worker of a crawl: its identity, its way to the engine, and what it holds.
 *
 * @param name chosen at random
 * @param trip held during the round trips that take, store what is done, and keep the slices; no other lock is held during a
 *     round trip
 */
record Worker(
        String name,
        Engine engine,
        CrawlKeys keys,
        CrawlSettings settings,
        Holdings holdings,
        Totals totals,
        ReentrantLock trip) {

    /** Returns whether this thread may make these round trips, and use what only they change. */
    boolean isInTrip() {
        return trip.isHeldByCurrentThread();
    }
}
