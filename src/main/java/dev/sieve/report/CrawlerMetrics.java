package dev.sieve.report;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.fetch.FetchResult;
import dev.sieve.scope.Trap;
import dev.sieve.url.Refusal;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The meters of a crawl, for Micrometer, including those of its frontier: see {@link FrontierMetrics}.
 *
 * <p>The values of all tags are from fixed lists, so whatever a crawl finds, the number of time series stays the same.
 */
public final class CrawlerMetrics implements MeterBinder {
    private static final String OTHER = "other";
    private static final String SECONDS = "seconds";

    /** The rules by which queued URLs are not requested; any other one is counted as {@value #OTHER}. */
    private static final List<String> REFUSALS =
            List.of("address not public", "over the budget", "port not allowed", "robots.txt");

    /** The rules by which URLs that were found are not queued; any other one is counted as {@value #OTHER}. */
    private static final List<String> RULES = Stream.of(
                    Stream.of(
                            "beyond the limit of a page",
                            "beyond the limit of a sitemap",
                            "excluded",
                            "gave up",
                            "no URL in a sitemap",
                            "nofollow",
                            "not included",
                            "out of scope",
                            "sitemap beyond the limit of a site",
                            "sitemap in an index of an index",
                            "sitemap of another site",
                            "sitemap too many or too long for a robots.txt",
                            "sitemap without a URL",
                            "too deep"),
                    Arrays.stream(Refusal.values()).map(Refusal::words),
                    Arrays.stream(Trap.values()).map(each -> "trap " + each.words()))
            .flatMap(Function.identity())
            .toList();

    private static final List<String> REASONS = Arrays.stream(FetchResult.Reason.values())
            .map(FetchResult.Reason::text)
            .toList();

    private final Crawler crawler;

    /** Creates the meters of a crawl. */
    public CrawlerMetrics(Crawler crawler) {
        this.crawler = crawler;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<Crawler, CrawlReport> meters = Meters.of(registry, crawler, Crawler::report);
        FrontierMetrics.bind(meters.part(CrawlReport::sieve));
        responses(meters);
        links(meters);
        hosts(meters);
        time(meters);
    }

    private static void responses(Meters<?, CrawlReport> meters) {
        statuses(meters, "sieve.crawl.pages", "Responses that are not redirects, by status class.", CrawlReport::pages);
        String checked = "URLs outside of the crawl that were only checked, by status class; none: no usable response.";
        statuses(meters, "sieve.crawl.checked", checked, CrawlReport::checked);
        status(meters.part(CrawlReport::checked), "sieve.crawl.checked", checked, "none", 0, 0);
        meters.counter(
                "sieve.crawl.redirects", null, "Responses that are redirects to another URL.", CrawlReport::redirects);
        perName(
                meters,
                "sieve.crawl.failures",
                "URLs without a usable response, those that were only checked included.",
                "reason",
                REASONS,
                CrawlReport::failureCounts);
        meters.counter("sieve.crawl.retries", null, "Requests that repeat a failed one.", CrawlReport::retried);
        meters.counter("sieve.crawl.truncated", null, "Pages of which only the beginning was read.", CrawlReport::cut);
        meters.counter(
                "sieve.crawl.body", "bytes", "Bytes of all bodies that were read, after decoding.", CrawlReport::bytes);
    }

    private static void statuses(
            Meters<?, CrawlReport> meters,
            String counter,
            String description,
            Function<CrawlReport, Map<Integer, Long>> counts) {
        Meters<?, Map<Integer, Long>> part = meters.part(counts);
        for (int digit = 1; digit <= 5; digit++) {
            status(part, counter, description, digit + "xx", digit, digit);
        }
        status(part, counter, description, OTHER, 6, 9);
    }

    /** Registers a counter of the responses whose status begins with one of the digits from {@code first} to {@code last}. */
    private static void status(
            Meters<?, Map<Integer, Long>> meters,
            String counter,
            String description,
            String status,
            int first,
            int last) {
        meters.counter(
                counter,
                null,
                description,
                each -> sum(each, digit -> digit >= first && digit <= last),
                "status",
                status);
    }

    private static void links(Meters<?, CrawlReport> meters) {
        String links = "URLs found on pages, in sitemaps and as seeds, and whether they were new.";
        meters.counter("sieve.crawl.links", null, links, CrawlReport::urlsNew, "result", "new");
        meters.counter("sieve.crawl.links", null, links, CrawlReport::urlsSeen, "result", "seen");
        meters.counter(
                "sieve.crawl.links", null, links, report -> sum(report.skipped(), each -> true), "result", "skipped");
        perName(
                meters,
                "sieve.crawl.skipped",
                "URLs found that do not belong to the crawl.",
                "rule",
                RULES,
                CrawlReport::skipped);
        perName(
                meters,
                "sieve.crawl.refused",
                "Queued URLs that were not requested.",
                "rule",
                REFUSALS,
                CrawlReport::refusals);
        meters.counter(
                "sieve.crawl.sitemaps",
                null,
                "Sitemaps that were read.",
                report -> report.sitemaps().read());
        meters.gauge(
                "sieve.crawl.left", "urls", "URLs that are still queued or requested in this run.", CrawlReport::left);
        meters.gauge(
                "sieve.crawl.unfinished",
                "urls",
                "URLs that this run cannot request, and that a crawl that continues tries again.",
                CrawlReport::unfinished);
    }

    private static void hosts(Meters<?, CrawlReport> meters) {
        meters.gauge(
                "sieve.host.queued",
                null,
                "Hosts with queued URLs.",
                report -> report.schedule().hosts());
        meters.gauge(
                "sieve.host.waiting",
                null,
                "Hosts with queued URLs that wait for their delay or back off.",
                report -> report.schedule().waiting());
        meters.gauge(
                "sieve.host.backoff",
                null,
                "Hosts that back off after failures.",
                report -> report.schedule().backingOff());
        meters.gauge(
                "sieve.requests.active",
                null,
                "Requests that were sent and have no complete response yet.",
                report -> report.schedule().underWay());
    }

    private static void time(Meters<?, CrawlReport> meters) {
        meters.gauge(
                "sieve.crawl.elapsed",
                SECONDS,
                "Time since the crawl was started, until it was over.",
                report -> Meters.seconds(report.elapsed()));
        meters.gauge(
                "sieve.crawl.running",
                null,
                "1 while the crawl runs, 0 when it has ended.",
                report -> report.ending() == null ? 1 : 0);
        String waited = "Time in which no host could be requested, by cause.";
        meters.counter(
                "sieve.crawl.waited",
                SECONDS,
                waited,
                report -> Meters.seconds(
                        report.schedule().waited().minus(report.schedule().backedOff())),
                "cause",
                "delay");
        meters.counter(
                "sieve.crawl.waited",
                SECONDS,
                waited,
                report -> Meters.seconds(report.schedule().backedOff()),
                "cause",
                "backoff");
        meters.counter(
                "sieve.crawl.waited",
                SECONDS,
                waited,
                report -> Meters.seconds(report.schedule().limited()),
                "cause",
                "limit per host");
        meters.counter(
                "sieve.crawl.workers.busy",
                SECONDS,
                "Time in which all workers were busy and more of them would have been faster.",
                report -> Meters.seconds(report.busy()));
        meters.counter(
                "sieve.crawl.processing",
                SECONDS,
                "Time in which pages were being processed on all processors.",
                report -> Meters.seconds(report.processing()));
    }

    /** Registers a counter per name of a fixed list, and one for all other names, except for HTTP statuses. */
    private static void perName(
            Meters<?, CrawlReport> meters,
            String counter,
            String description,
            String tag,
            List<String> names,
            Function<CrawlReport, Map<String, Long>> counts) {
        Meters<?, Map<String, Long>> part = meters.part(counts);
        for (String name : names) {
            part.counter(counter, null, description, each -> sum(each, key -> matches(key, name)), tag, name);
        }
        part.counter(
                counter,
                null,
                description,
                each -> sum(each, key -> !isStatus(key) && names.stream().noneMatch(name -> matches(key, name))),
                tag,
                OTHER);
    }

    /** Whether a reason is a name, or a name with details. */
    private static boolean matches(String reason, String name) {
        return reason.equals(name) || reason.startsWith(name + ": ");
    }

    private static boolean isStatus(String reason) {
        return !reason.isEmpty() && reason.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static <K> double sum(Map<K, Long> counts, Predicate<K> condition) {
        return counts.entrySet().stream()
                .filter(each -> condition.test(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
