package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.Visit;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.scope.SkipReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts what a crawl does. Safe for use by many threads. */
final class Tally {
    private static final int FAILURES_KEPT = 10;

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

    synchronized void visited(Visit visit) {
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

    synchronized void sitemapRead(long urls) {
        sitemapsRead++;
        urlsInSitemaps += urls;
    }

    synchronized void sitemapAbsent() {
        sitemapsAbsent++;
    }

    synchronized void sitemapMoved() {
        redirects++;
    }

    synchronized void sitemapFailed(CrawlReport.Failure failure) {
        failed++;
        note(failure);
    }

    synchronized void refused(SkipReason reason) {
        refusals.merge(reason.rule(), 1L, Long::sum);
    }

    /** Counts a failure that is not done in the frontier. */
    synchronized void leftUndone() {
        undone++;
    }

    synchronized void retried() {
        retried++;
    }

    synchronized void pushed(int all, int newOnes) {
        found += all;
        isNew += newOnes;
        seen += all - newOnes;
    }

    /** Counts URLs that were found and are not queued. */
    synchronized void skipped(String reason, long urls) {
        if (urls > 0) {
            found += urls;
            skipped.merge(reason, urls, Long::sum);
        }
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
