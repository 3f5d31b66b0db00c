package dev.sieve.shared;

import dev.sieve.SieveStats;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a crawl over all workers: those of the last survey, and what this worker did since. A survey may or
 * may not include a push whose response arrives after it, so the counter of a slice is never added up here: the engine
 * returns it with each push, and within a run it only grows. Safe for use by many threads.
 */
final class Totals {
    /** The engine stores a fingerprint in 4 bytes, and the set it is in takes half as much again. */
    private static final double BYTES_PER_URL = 6;

    private final CrawlSettings settings;
    private final Holdings holdings;
    /** Duplicates that the engine has not stored yet. */
    private long unsentSeen;

    /** The run of the engine in which {@link #acceptedInSlice} was read; null before the first survey. */
    private Session.@Nullable Run run;

    private final long[] acceptedInSlice;
    private long accepted;
    private long done;
    private long seen;

    Totals(CrawlSettings settings, Holdings holdings) {
        this.settings = settings;
        this.holdings = holdings;
        acceptedInSlice = new long[settings.slices()];
    }

    /** Notes that a slice has accepted new URLs of this worker, and how many it has accepted in all. */
    synchronized void pushed(Session.Run ofPush, int slice, long inSlice, int newUrls) {
        if (ofPush == run) {
            long before = acceptedInSlice[slice];
            acceptedInSlice[slice] = Math.max(before, inSlice);
            accepted += acceptedInSlice[slice] - before;
        } else {
            // Until the next survey replaces it.
            accepted += newUrls;
        }
    }

    synchronized void seen(int count) {
        unsentSeen += count;
    }

    synchronized long unsentSeen() {
        return unsentSeen;
    }

    synchronized void storedSeen(long count) {
        unsentSeen -= count;
        seen += count;
    }

    synchronized void storedDone(int count) {
        done += count;
    }

    synchronized void note(Survey survey) {
        if (survey.run != run) {
            run = survey.run;
            Arrays.fill(acceptedInSlice, 0);
        }
        accepted = 0;
        for (int i = 0; i < acceptedInSlice.length; i++) {
            acceptedInSlice[i] = Math.max(acceptedInSlice[i], survey.slice(i).accepted());
            accepted += acceptedInSlice[i];
        }
        done = survey.done();
        seen = survey.seen();
    }

    synchronized long accepted() {
        return accepted;
    }

    private long done() {
        return done + holdings.unsentDone();
    }

    /** Returns how many URLs wait, those that other workers have taken included. */
    synchronized long pending() {
        return Math.max(0, accepted() - done() - holdings.held());
    }

    synchronized SieveStats stats() {
        long total = accepted();
        long held = holdings.held();
        return settings.stats(total, seen + unsentSeen, held, done(), memoryBytes(total));
    }

    /** Returns the memory that the fingerprints take on the engine, estimated. */
    static long memoryBytes(long accepted) {
        return (long) Math.ceil(accepted * BYTES_PER_URL);
    }
}
