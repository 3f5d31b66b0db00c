package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records what a crawl does: hands it to the sink and counts it, both here and nowhere else, so that they agree.
 *
 * <p>Once the sink has failed it receives nothing more, and nothing more is counted. Safe for use by many threads; the
 * sink is called by one at a time, and counting never waits for it.
 */
final class Recorder {
    private static final int FAILURES_KEPT = 10;

    private final Object sinkLock = new Object();
    private PageSink sink = visit -> {};
    private boolean hasFailed;

    private final Map<Integer, Long> pages = new TreeMap<>();
    private long redirects;
    private long failed;
    private long undone;
    private final Map<String, Long> refusals = new TreeMap<>();
    private long retried;
    private long cut;
    private long bytes;
    private long found;
    private long isNew;
    private long seen;
    private final Map<String, Long> skipped = new TreeMap<>();
    private long sitemapsRead;
    private long sitemapsAbsent;
    private long urlsInSitemaps;
    private final List<CrawlReport.Failure> failures = new ArrayList<>();
    private final Map<String, Long> failureCounts = new TreeMap<>();

    private interface Event {
        void handTo(PageSink sink) throws IOException;
    }

    void sink(PageSink choice) {
        synchronized (sinkLock) {
            sink = choice;
        }
    }

    private boolean handOver(Event event) {
        synchronized (sinkLock) {
            if (hasFailed) {
                return false;
            }
            hasFailed = true;
            try {
                event.handTo(sink);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            hasFailed = false;
            return true;
        }
    }

    /** A URL was visited; false when it must not be marked as done, because the sink has failed. */
    boolean visited(Visit visit) {
        boolean isKept = handOver(each -> each.accept(visit));
        if (isKept) {
            count(visit);
        }
        return isKept;
    }

    private synchronized void count(Visit visit) {
        FetchResult.Page page = visit.page();
        if (page != null) {
            pages.merge(page.status() / 100, 1L, Long::sum);
            bytes += page.body().length;
            cut += page.isCut() ? 1 : 0;
        } else if (visit.result() instanceof FetchResult.Redirect) {
            redirects++;
        } else {
            failed++;
        }
        if (page == null ? visit.result() instanceof FetchResult.Failed : page.status() >= 400) {
            String reason = page == null ? visit.result().error() : String.valueOf(page.status());
            note(new CrawlReport.Failure(visit.url(), reason, visit.referrer()));
        }
    }

    private void note(CrawlReport.Failure failure) {
        failureCounts.merge(failure.reason(), 1L, Long::sum);
        if (failures.size() < FAILURES_KEPT) {
            failures.add(failure);
        }
    }

    /** A URL that was queued is not requested; false when it must not be marked as done, because the sink has failed. */
    boolean refused(Lease lease, SkipReason reason) {
        boolean isKept = handOver(each -> each.skipped(new Skip(lease.url(), reason, lease.referrer())));
        if (isKept) {
            synchronized (this) {
                refusals.merge(reason.rule(), 1L, Long::sum);
            }
        }
        return isKept;
    }

    /** A URL that was found on a page is not queued. */
    void skipped(String url, SkipReason reason, String referrer) {
        if (handOver(each -> each.skipped(new Skip(url, reason, referrer)))) {
            skipped(reason.rule(), 1);
        }
    }

    /** Counts URLs that are not queued and whose spelling was not kept. */
    synchronized void skipped(String rule, long urls) {
        if (urls > 0) {
            found += urls;
            skipped.merge(rule, urls, Long::sum);
        }
    }

    /** URLs were pushed, some of which were new. */
    synchronized void pushed(int all, int newOnes) {
        found += all;
        isNew += newOnes;
        seen += all - newOnes;
    }

    synchronized void retried() {
        retried++;
    }

    /** A URL that has failed is not done in the frontier, and left to another time. */
    synchronized void leftUndone() {
        undone++;
    }

    /** A sitemap was read that lists this many URLs. */
    synchronized void sitemapRead(long urls) {
        sitemapsRead++;
        urlsInSitemaps += urls;
    }

    /** A sitemap that was only guessed is not there. */
    synchronized void sitemapAbsent() {
        sitemapsAbsent++;
    }

    /** A sitemap is elsewhere. */
    synchronized void sitemapMoved() {
        redirects++;
    }

    /** A sitemap cannot be read. */
    synchronized void sitemapFailed(CrawlReport.Failure failure) {
        failed++;
        note(failure);
    }

    synchronized CrawlReport report(
            Ending ending, Duration elapsed, long before, SieveStats sieve, Duration busy, ScheduleStats schedule) {
        return new CrawlReport(
                ending,
                elapsed,
                Map.copyOf(pages),
                redirects,
                failed,
                new TreeMap<>(refusals),
                retried,
                cut,
                bytes,
                found,
                isNew,
                seen,
                new TreeMap<>(skipped),
                before,
                sieve.pending() + sieve.inFlight() - undone,
                List.copyOf(failures),
                new TreeMap<>(failureCounts),
                new CrawlReport.Sitemaps(sitemapsRead, sitemapsAbsent, urlsInSitemaps),
                sieve,
                busy,
                schedule);
    }
}
