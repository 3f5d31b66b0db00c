package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.polite.ScheduleStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a crawl has done so far, or has done in all.
 *
 * <p>The numbers add up: {@code before + urlsNew} is {@code pages + redirects + failed + refused + left} and
 * the sitemaps that were read or absent, and
 * {@code urlsFound} is {@code urlsNew + urlsSeen} and all of {@code skipped}. Each URL in {@code refusals} and in
 * {@code skipped} was told to the sink.
 *
 * @param ending why the crawl is over; null while it goes on
 * @param elapsed since its start
 * @param pages answers that are no redirects, by the first digit of their status
 * @param redirects answers that led elsewhere
 * @param failed URLs for which there was no usable answer; those of hosts that were given up are not done in the
 *     frontier, and are not counted as left
 * @param refusals URLs that were not asked for, by the {@linkplain dev.sieve.scope.SkipReason#rule rule} that forbids it
 * @param retried requests that were made because an earlier one for the same URL had failed
 * @param cut pages of which only the beginning was read
 * @param bytes bytes of all bodies, after decoding
 * @param urlsFound seeds, distinct references of each page, targets of redirects, sitemaps, and what these list
 * @param urlsNew those of them that were queued
 * @param urlsSeen those of them that had been queued before, up to the false-positive rate
 * @param skipped those of them that do not belong to the crawl, by the {@linkplain dev.sieve.scope.SkipReason#rule rule}
 * @param before URLs that were in the frontier at the start, left there by an earlier crawl
 * @param left URLs that were queued and not dealt with
 * @param failures the first URLs that failed or answered with a status from 400 on
 * @param failureCounts all of those, by reason
 * @param sitemaps the sitemaps that were settled, which are no pages; those that have moved, could not be had or were
 *     refused count as {@code redirects}, {@code failed} and {@code refusals}
 * @param sieve the frontier's own counters
 * @param busy for how long every worker had a URL to deal with, so that more of them would have been faster
 * @param schedule the schedule's: how many hosts wait, and how much of the time that was the reason for
 */
public record CrawlReport(
        Ending ending,
        Duration elapsed,
        Map<Integer, Long> pages,
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
        List<Failure> failures,
        Map<String, Long> failureCounts,
        Sitemaps sitemaps,
        SieveStats sieve,
        Duration busy,
        ScheduleStats schedule) {

    /**
     * A URL that could not be had.
     *
     * @param url the URL
     * @param reason its status, or what went wrong, in a word or two
     * @param referrer the page on which it was first found; null for a seed
     */
    public record Failure(String url, String reason, String referrer) {}

    /**
     * What came of sitemaps.
     *
     * @param read sitemaps that were read, if not to their end
     * @param absent sitemaps that nobody names, and that are not where they often are
     * @param urls entries of all that were read, of pages and of further sitemaps, as far as they count
     */
    public record Sitemaps(long read, long absent, long urls) {}

    /** All pages, whatever their status. */
    public long pageCount() {
        return pages.values().stream().mapToLong(Long::longValue).sum();
    }

    /** All URLs that were not asked for since a rule forbids it. */
    public long refused() {
        return refusals.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Whether no page could be fetched although there were URLs: nothing but failures and refusals. */
    public boolean isFruitless() {
        return pages.getOrDefault(2, 0L) == 0 && failed + refused() + pageCount() > 0;
    }
}
