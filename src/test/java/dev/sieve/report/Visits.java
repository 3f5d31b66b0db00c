package dev.sieve.report;

import dev.sieve.Lease;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.Visit;
import dev.sieve.url.UrlNormalizer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Visits for tests. */
final class Visits {
    private Visits() {}

    static Visit page(String url, int status, String referrer, String... links) {
        return page(url, status, referrer, "text/html", "", 10, links);
    }

    static Visit page(String url, int status, String referrer, String type, String title, int millis, String... links) {
        return visit(
                url,
                referrer,
                new FetchResult.Page(status, Map.of(), type, new byte[0], 100, false),
                title,
                millis,
                links);
    }

    static Visit redirect(String url, String target, String referrer) {
        return visit(url, referrer, new FetchResult.Redirect(301, target), "", 10);
    }

    /** Returns the same visit as that of a link out of scope that is only checked. */
    static Visit check(Visit visit) {
        return like(visit, visit.content().resources(), true, false);
    }

    /** Returns a page that needs resources. */
    static Visit needing(String url, String referrer, String... resources) {
        return like(page(url, 200, referrer), List.of(resources), false, false);
    }

    /** Returns a page whose status the options of the crawl accept. */
    static Visit accepted(String url, int status, String referrer) {
        Visit page = page(url, status, referrer);
        return like(page, page.content().resources(), false, true);
    }

    private static Visit like(Visit visit, List<String> resources, boolean isCheck, boolean isAccepted) {
        return new Visit(
                visit.url(),
                visit.key(),
                visit.depth(),
                visit.referrer(),
                visit.result(),
                visit.timing(),
                new Visit.Content(visit.title(), visit.links(), resources, false),
                new Visit.Marks(isCheck, isAccepted),
                null,
                null,
                -1);
    }

    /** Returns the visit of a lease. */
    static Visit of(Lease lease, Visit visit) {
        return new Visit(
                visit.url(),
                visit.key(),
                visit.depth(),
                visit.referrer(),
                visit.result(),
                visit.timing(),
                visit.content(),
                visit.marks(),
                null,
                null,
                lease.id());
    }

    static Visit failed(String url, String referrer) {
        return visit(url, referrer, new FetchResult.Failed(0, FetchResult.Reason.TIMEOUT, "after 30 s"), "", 10);
    }

    static Visit visit(String url, String referrer, FetchResult result, String title, int millis, String... links) {
        return new Visit(
                url,
                UrlNormalizer.parse(url) == null ? url : UrlNormalizer.key(url),
                referrer == null ? 0 : 1,
                referrer,
                result,
                new Visit.Timing(Instant.ofEpochSecond(1_700_000_000), Duration.ofMillis(millis), Duration.ofMillis(7)),
                new Visit.Content(title, List.copyOf(Arrays.asList(links)), List.of(), false),
                Visit.Marks.NONE,
                null,
                null,
                -1);
    }
}
