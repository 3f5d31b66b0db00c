package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.polite.ScheduleStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a crawl has done so far, or has done in all.
 *
 * <p>The numbers add up: {@code before + urlsNew} is {@code pages + redirects + failed + refused + left}, and
 * {@code urlsFound} is {@code urlsNew + urlsSeen} and all of {@code skipped}.
 *
 * @param ending why the crawl is over; null while it goes on
 * @param elapsed since its start
 * @param pages answers that are no redirects, by the first digit of their status
 * @param redirects answers that led elsewhere
 * @param failed URLs for which there was no usable answer
 * @param refusals URLs that were not asked for, by the rule that forbids it: robots.txt, or a place that is not public
 * @param retried requests that were made because an earlier one for the same URL had failed
 * @param cut pages of which only the beginning was read
 * @param bytes bytes of all bodies, after decoding
 * @param urlsFound seeds, distinct links of each page, and targets of redirects
 * @param urlsNew those of them that were queued
 * @param urlsSeen those of them that had been queued before, up to the false-positive rate
 * @param skipped those of them that do not belong to the crawl, by reason
 * @param before URLs that were in the frontier at the start, left there by an earlier crawl
 * @param left URLs that were queued and not dealt with
 * @param failures the first URLs that failed or answered with a status from 400 on
 * @param failureCounts all of those, by reason
 * @param sieve the frontier's own counters
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
        SieveStats sieve,
        ScheduleStats schedule) {

    /**
     * A URL that could not be had.
     *
     * @param url the URL
     * @param reason its status, or what went wrong, in a word or two
     * @param referrer the page on which it was first found; null for a seed
     */
    public record Failure(String url, String reason, String referrer) {}

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
