package dev.sieve.crawl;

import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.polite.ScheduleStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a crawl so far.
 *
 * <p>The numbers add up: {@link Pending#before} and the {@link Counter#NEW} ones of {@link Counter#LINKS} are {@link
 * Counter#PAGES}, {@link Counter#CHECKED}, {@link Counter#REDIRECTS}, {@link Counter#FAILED}, {@link Counter#REFUSED},
 * {@link Counter#SITEMAPS}, {@link Counter#SITEMAPS_ABSENT} and {@link Pending#left}. The sink receives each URL that
 * is {@link Counter#REFUSED} or {@link Counter#SKIPPED}. In a crawl that several processes share, each counts what it
 * has done itself; {@code before}, {@code left} and {@code sieve} are those of all, and the sum holds for none of them
 * alone.
 *
 * @param ending why the crawl is over; null while it runs
 * @param elapsed the time from the call of {@link Crawler#run} until it is over, or so far; before the call, the time
 *     since the crawler was created
 * @param counts the counters of this run
 * @param earlier of those on which a verdict depends, what earlier runs of the job have counted, in the present round
 *     if it has rounds
 * @param pending URLs that are not finished
 * @param failures the first URLs that failed or have a status of 400 or above that is not accepted
 * @param sieve the counters of the frontier
 * @param load what limited the speed
 */
public record CrawlReport(
        @Nullable Ending ending,
        Duration elapsed,
        Counts counts,
        Counts earlier,
        Pending pending,
        List<Failure> failures,
        SieveStats sieve,
        Load load) {

    /**
     * URLs that wait, for this run or for the next one.
     *
     * @param before URLs that an earlier crawl has left in the frontier
     * @param left URLs that are still queued or in flight, without the unfinished ones
     * @param unfinished pages, failed and refused URLs that are not done in the frontier, so that a crawl that
     *     continues with it tries them again; see {@link Crawler}
     */
    public record Pending(long before, long left, long unfinished) {
        /** Returns how many URLs a crawl that continues requests. */
        public long notDone() {
            return left + unfinished;
        }
    }

    /**
     * What limited the speed.
     *
     * @param busy for how long all workers were busy and more of them would have been faster
     * @param processing for how long pages were being processed on all processors, so that neither more workers nor
     *     more requests per host would have been faster
     * @param schedule how many hosts wait, and for how much of the time workers waited for them
     */
    public record Load(Duration busy, Duration processing, ScheduleStats schedule) {}

    /**
     * A URL that failed.
     *
     * @param url the URL
     * @param reason its status, or the error in a word or two
     * @param referrer the page on which it was first found; null for a seed
     */
    public record Failure(
            String url, String reason, @Nullable String referrer) {}

    public long count(Counter counter) {
        return counts.get(counter);
    }

    public long count(Counter counter, String part) {
        return counts.get(counter, part);
    }

    /** Returns the parts of a counter that are not 0, in the order of their names. */
    public Map<String, Long> by(Counter counter) {
        return counts.by(counter);
    }

    /** Returns why the crawl is over, in a few words; null while it runs. */
    public @Nullable String endingText() {
        if (ending == null) {
            return null;
        }
        String unknown = Reason.DNS.text();
        Map<String, Long> reasons = by(Counter.FAILURES);
        boolean hasNoNames =
                !reasons.isEmpty() && reasons.keySet().stream().allMatch(reason -> reason.endsWith(unknown));
        return ending.text() + (ending == Ending.UNREACHABLE && hasNoNames ? " (no network?)" : "");
    }

    /** Returns the number of URLs without a usable response: those of the crawl, and those that were only checked. */
    public long withoutResponse() {
        return count(Counter.FAILED) + count(Counter.CHECKED, Counter.NONE);
    }

    /** Returns the same with what earlier runs of the job have found, by which a verdict is given. */
    public CrawlReport ofJob() {
        return new CrawlReport(ending, elapsed, counts.plus(earlier), Counts.NONE, pending, failures, sieve, load);
    }

    /** Returns whether there were URLs but not one successful page. */
    public boolean isFruitless() {
        return Counter.FRUITS.stream().allMatch(status -> count(Counter.PAGES, status) == 0)
                && Stream.concat(Stream.of(Counter.FAILURES, Counter.REFUSED, Counter.PAGES), Counter.ofOthers())
                        .anyMatch(counter -> count(counter) > 0);
    }
}
