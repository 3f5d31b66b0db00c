package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.polite.ScheduleStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a crawl has done so far.
 *
 * <p>The numbers add up: {@code before + urlsNew} is {@code pages + checked + redirects + failed + refused + left} plus the
 * sitemaps that were read or absent, and {@code urlsFound} is {@code urlsNew + urlsSeen} plus all of {@code skipped}. The sink
 * receives each URL in {@code refusals} and {@code skipped}. In a crawl that several processes share, each counts what it has
 * done itself; {@code before}, {@code left} and {@code sieve} are those of all, and the first sum holds for none of them alone.
 *
 * @param ending why the crawl is over; null while it runs
 * @param elapsed the time from the call of {@link Crawler#run} until it is over, or so far; before the call, the time since
 *     the crawler was created
 * @param pages responses that are not redirects, by the first digit of their status
 * @param checked URLs outside of the crawl that were only checked, by the first digit of the status of the response; 0 for
 *     those without a usable response
 * @param redirects responses that are redirects, without those of checks
 * @param failed URLs without a usable response, without those of checks
 * @param refusals queued URLs that were not requested, by {@linkplain dev.sieve.scope.SkipReason#rule rule}
 * @param retried requests that repeat a failed one
 * @param cut pages of which only the beginning was read
 * @param bytes {@linkplain dev.sieve.fetch.FetchResult.Page#length bytes} of all pages: those that were read
 * @param urlsFound seeds, distinct references of each page, targets of redirects, sitemaps, and what these list
 * @param urlsNew those of them that were queued
 * @param urlsSeen those of them that had been queued before, up to the false-positive rate
 * @param skipped those of them that do not belong to the crawl, by {@linkplain dev.sieve.scope.SkipReason#rule rule}
 * @param before URLs that an earlier crawl has left in the frontier
 * @param left URLs that are still queued or in flight, without the unfinished ones
 * @param unfinished those of the pages, failed and refused URLs that are not done in the frontier, so that a crawl that continues
 *     with it tries them again; see {@link Crawler}
 * @param failures the first URLs that failed or have a status of 400 or above that is not accepted
 * @param failureCounts all of those, by reason
 * @param sitemaps what became of sitemaps; those that have moved, failed or were refused count as {@code redirects},
 *     {@code failed} and {@code refusals}
 * @param sieve the counters of the frontier
 * @param busy for how long all workers were busy and more of them would have been faster
 * @param processing for how long pages were being processed on all processors, so that neither more workers nor more requests
 *     per host would have been faster
 * @param schedule how many hosts wait, and for how much of the time workers waited for them
 */
public record CrawlReport(
        @Nullable Ending ending,
        Duration elapsed,
        Map<Integer, Long> pages,
        Map<Integer, Long> checked,
        long redirects,
        long failed,
        Map<String, Long> refusals,
        long retried,
        long cut,
        long bytes,
        long urlsFound,
        long urlsNew,
        long urlsSeen,
        Map<String, Long> skipped,
        long before,
        long left,
        long unfinished,
        List<Failure> failures,
        Map<String, Long> failureCounts,
        Sitemaps sitemaps,
        SieveStats sieve,
        Duration busy,
        Duration processing,
        ScheduleStats schedule) {

    /**
     * A URL that failed.
     *
     * @param url the URL
     * @param reason its status, or the error in a word or two
     * @param referrer the page on which it was first found; null for a seed
     */
    public record Failure(
            String url, String reason, @Nullable String referrer) {}

    /**
     * What became of sitemaps.
     *
     * @param read sitemaps that were read, completely or not
     * @param absent sitemaps that were guessed and do not exist
     * @param urls entries of all that were read, pages and sitemaps, within the limits
     */
    public record Sitemaps(long read, long absent, long urls) {}

    /** Returns why the crawl is over, in a few words; null while it runs. */
    public @Nullable String endingText() {
        if (ending == null) {
            return null;
        }
        String unknown = Reason.DNS.text();
        boolean hasNoNames = !failureCounts.isEmpty()
                && failureCounts.keySet().stream().allMatch(reason -> reason.endsWith(unknown));
        return ending.text() + (ending == Ending.UNREACHABLE && hasNoNames ? " (no network?)" : "");
    }

    /** Returns the number of pages, whatever their status. */
    public long pageCount() {
        return sum(pages);
    }

    /** Returns the number of URLs that were only checked, whatever the result. */
    public long checkedCount() {
        return sum(checked);
    }

    /** Returns the number of URLs without a usable response: those of the crawl, and those that were only checked. */
    public long withoutResponse() {
        return failed + checked.getOrDefault(0, 0L);
    }

    /** Returns the number of URLs that were queued and not requested. */
    public long refused() {
        return sum(refusals);
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether there were URLs but not one successful page. */
    public boolean isFruitless() {
        return pages.getOrDefault(2, 0L) == 0 && failed + refused() + pageCount() > 0;
    }
}
