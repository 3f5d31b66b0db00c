package dev.sieve.shared;

import dev.sieve.SieveStats;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of a crawl over all workers: those of the last survey, and what this worker did since. Safe for use by many
 * threads.
 */
final class Totals {
    /** The engine stores a fingerprint in 4 bytes, and the set it is in takes half as much again. */
    private static final double BYTES_PER_URL = 6;

    private final CrawlSettings settings;
    private final Holdings holdings;
    private final LongAdder acceptedSince = new LongAdder();
    /** Duplicates that the engine has not stored yet. */
    private final LongAdder unsentSeen = new LongAdder();

    private long accepted;
    private long done;
    private long seen;

    Totals(CrawlSettings settings, Holdings holdings) {
        this.settings = settings;
        this.holdings = holdings;
    }

    /** Counts a push. */
    void pushed(int newUrls, int seenUrls) {
        acceptedSince.add(newUrls);
        unsentSeen.add(seenUrls);
    }

    long unsentSeen() {
        return unsentSeen.sum();
    }

    /** Notes that the engine has stored duplicates. */
    synchronized void storedSeen(long count) {
        unsentSeen.add(-count);
        seen += count;
    }

    /** Notes that the engine has stored that URLs are done. */
    synchronized void storedDone(int count) {
        done += count;
    }

    /** Returns how many URLs this worker has pushed since the last survey, to be passed with the next one. */
    long acceptedSince() {
        return acceptedSince.sum();
    }

    /** Notes a survey. */
    synchronized void note(Survey survey, long acceptedBefore) {
        acceptedSince.add(-acceptedBefore);
        accepted = survey.accepted();
        done = survey.done();
        seen = survey.seen();
    }

    synchronized long accepted() {
        return accepted + acceptedSince.sum();
    }

    private synchronized long done() {
        return done + holdings.unsentDone();
    }

    /** Returns how many URLs wait, those that other workers have taken included. */
    long pending() {
        return Math.max(0, accepted() - done() - holdings.held());
    }

    synchronized SieveStats stats() {
        long total = accepted();
        long held = holdings.held();
        return new SieveStats(
                null,
                total,
                seen + unsentSeen.sum(),
                Math.max(0, total - done() - held),
                held,
                done(),
                total,
                settings.capacity(),
                settings.falsePositiveRate(total),
                settings.missed(total),
                memoryBytes(total));
    }

    /** Returns the memory that the fingerprints take on the engine, estimated. */
    static long memoryBytes(long accepted) {
        return (long) Math.ceil(accepted * BYTES_PER_URL);
    }
}
