package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.SieveStats;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * What a crawl does, handed to its sink and counted, both here and nowhere else, so that they agree.
 *
 * <p>Once the sink has failed it is given nothing more, and nothing more counts. Safe for use by many threads; the sink
 * is called by one at a time.
 */
final class Ledger {
    private final Tally tally = new Tally();
    private final Object sinkLock = new Object();
    private PageSink sink = visit -> {};
    private boolean hasFailed;

    private interface Entry {
        void handTo(PageSink sink) throws IOException;
    }

    void sink(PageSink choice) {
        synchronized (sinkLock) {
            sink = choice;
        }
    }

    /** URLs were pushed, some of which were new. */
    void pushed(int all, int newOnes) {
        tally.pushed(all, newOnes);
    }

    void retried() {
        tally.retried();
    }

    /** The work on a URL is over but for saying so; false when that must not be said, for the sink has failed. */
    boolean visited(Visit visit) {
        if (!handOver(each -> each.accept(visit))) {
            return false;
        }
        tally.visited(visit);
        return true;
    }

    /** A URL that was found on a page is not queued. */
    void skipped(String url, SkipReason reason, String referrer) {
        if (handOver(each -> each.skipped(new Skip(url, reason, referrer)))) {
            tally.skipped(reason.rule(), 1);
        }
    }

    /** What is only counted, since nobody knows the URLs, is not queued. */
    void skipped(String reason, long urls) {
        tally.skipped(reason, urls);
    }

    /** A URL that has failed is not done in the frontier, and left to another time. */
    void leftUndone() {
        tally.leftUndone();
    }

    /** A URL that was queued is not asked for; false when that must not be said, for the sink has failed. */
    boolean refused(Lease lease, SkipReason reason) {
        String url = SitemapKind.of(lease) == null
                ? lease.url()
                : SitemapKind.unmarked(lease).url();
        Skip skip = new Skip(url, reason, lease.referrer());
        if (!handOver(each -> each.skipped(skip))) {
            return false;
        }
        tally.refused(reason);
        return true;
    }

    /** A sitemap was read, and lists so many URLs. */
    void sitemapRead(long urls) {
        tally.sitemapRead(urls);
    }

    /** A sitemap that nobody names is not where it might be. */
    void sitemapAbsent() {
        tally.sitemapAbsent();
    }

    /** A sitemap is elsewhere. */
    void sitemapMoved() {
        tally.sitemapMoved();
    }

    /** A sitemap cannot be had. */
    void sitemapFailed(CrawlReport.Failure failure) {
        tally.sitemapFailed(failure);
    }

    private boolean handOver(Entry entry) {
        synchronized (sinkLock) {
            if (hasFailed) {
                return false;
            }
            hasFailed = true;
            try {
                entry.handTo(sink);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            hasFailed = false;
            return true;
        }
    }

    CrawlReport report(
            Ending ending, Duration elapsed, long before, SieveStats sieve, Duration busy, ScheduleStats schedule) {
        return tally.report(ending, elapsed, before, sieve, busy, schedule);
    }
}
