package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.Visit;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.url.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Counts what a crawl does. Safe for use by many threads. */
final class Tally {
    private static final int FAILURES_KEPT = 10;

    private final Map<Integer, Long> pages = new TreeMap<>();
    private long redirects;
    private long failed;
    private final Map<String, Long> refusals = new TreeMap<>();
    private long retried;
    private long cut;
    private long bytes;
    private long found;
    private long isNew;
    private long seen;
    private final Map<String, Long> skipped = new TreeMap<>();
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
            failureCounts.merge(reason, 1L, Long::sum);
            if (failures.size() < FAILURES_KEPT) {
                failures.add(new CrawlReport.Failure(visit.url(), reason, visit.referrer()));
            }
        }
    }

    synchronized void refused(FetchResult.Refused refused) {
        refusals.merge(refused.error(), 1L, Long::sum);
    }

    synchronized void retried() {
        retried++;
    }

    synchronized void pushed(int all, int newOnes) {
        found += all;
        isNew += newOnes;
        seen += all - newOnes;
    }

    /** Counts links that are not followed for a reason of the page they are on. */
    synchronized void skipped(String reason, long links) {
        if (links > 0) {
            found += links;
            skipped.merge(reason, links, Long::sum);
        }
    }

    synchronized void skipped(Verdict verdict) {
        found++;
        skipped.merge(verdict.name().toLowerCase(Locale.ROOT).replace('_', ' '), 1L, Long::sum);
    }

    synchronized CrawlReport report(
            Ending ending, Duration elapsed, long before, SieveStats sieve, ScheduleStats schedule) {
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
                sieve.pending() + sieve.inFlight(),
                List.copyOf(failures),
                new TreeMap<>(failureCounts),
                sieve,
                schedule);
    }
}
