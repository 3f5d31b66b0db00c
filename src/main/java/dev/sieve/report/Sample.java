package dev.sieve.report;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlReport;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a run at one moment, as in {@link CrawlReport}.
 *
 * @param at the time of day in epoch milliseconds
 * @param millis since the start of the run
 * @param ending why the run has ended; null while it runs
 * @param counts the counters, without the reasons of failures
 */
record Sample(
        long at, long millis, @Nullable String ending, Counts counts, CrawlReport.Pending pending, SieveStats sieve) {
    private static final CrawlReport.Pending NOTHING_PENDING = new CrawlReport.Pending(0, 0, 0);
    private static final SieveStats NO_SIEVE = new SieveStats(null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Replaces what a line lacks. */
    Sample {
        counts = Objects.requireNonNullElse(counts, Counts.NONE);
        pending = Objects.requireNonNullElse(pending, NOTHING_PENDING);
        sieve = Objects.requireNonNullElse(sieve, NO_SIEVE);
    }

    static Sample of(CrawlReport report, long at) {
        return new Sample(
                at,
                report.elapsed().toMillis(),
                report.endingText(),
                // Of the parts, the ones of which a server chooses the number.
                report.counts().withoutParts(Counter.FAILURES),
                report.pending(),
                report.sieve());
    }

    long count(Counter counter) {
        return counts.get(counter);
    }
}
