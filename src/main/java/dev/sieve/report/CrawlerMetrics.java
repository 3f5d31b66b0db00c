package dev.sieve.report;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.polite.ScheduleStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The meters of a crawl, for Micrometer, including those of its frontier: see {@link FrontierMetrics}.
 *
 * <p>The values of all tags are from fixed lists, so whatever a crawl finds, the number of time series stays the same.
 */
public final class CrawlerMetrics implements MeterBinder {
    private static final String OTHER = "other";
    private static final String SECONDS = "seconds";

    private final Crawler crawler;

    /** Creates the meters of a crawl. */
    public CrawlerMetrics(Crawler crawler) {
        this.crawler = crawler;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<Crawler, CrawlReport> meters = Meters.of(registry, crawler, Crawler::report);
        FrontierMetrics.bind(meters.part(CrawlReport::sieve));
        Meters<Crawler, Counts> counts = meters.part(CrawlReport::counts);
        for (Counter counter : Counter.values()) {
            bind(counts, counter);
        }
        pending(meters);
        hosts(meters.part(report -> report.load().schedule()));
        time(meters);
    }

    /** Registers a counter, or one per part of a fixed list and one for all other parts, except for HTTP statuses. */
    private static void bind(Meters<?, Counts> meters, Counter counter) {
        Counter.Parts parts = counter.parts();
        if (parts == null) {
            meters.counter(name(counter), counter.unit(), counter.description(), counts -> counts.get(counter));
            return;
        }
        Meters<?, Map<String, Long>> part = meters.part(counts -> counts.by(counter));
        parts.names().forEach(name -> part(part, counter, parts.tag(), name, key -> matches(key, name)));
        if (!parts.isComplete()) {
            Predicate<String> isOther =
                    key -> !isStatus(key) && parts.names().stream().noneMatch(name -> matches(key, name));
            part(part, counter, parts.tag(), OTHER, isOther);
        }
    }

    private static void part(
            Meters<?, Map<String, Long>> meters, Counter counter, String tag, String value, Predicate<String> isPart) {
        meters.counter(name(counter), counter.unit(), counter.description(), each -> sum(each, isPart), tag, value);
    }

    private static String name(Counter counter) {
        return "sieve.crawl." + counter.key().replace('_', '.');
    }

    private static void pending(Meters<?, CrawlReport> meters) {
        meters.gauge(
                "sieve.crawl.left",
                "urls",
                "URLs that are still queued or requested in this run.",
                report -> report.pending().left());
        meters.gauge(
                "sieve.crawl.unfinished",
                "urls",
                "URLs that this run cannot request, and that a crawl that continues tries again.",
                report -> report.pending().unfinished());
    }

    private static void hosts(Meters<?, ScheduleStats> meters) {
        meters.gauge("sieve.host.queued", null, "Hosts with queued URLs.", ScheduleStats::hosts);
        meters.gauge(
                "sieve.host.waiting",
                null,
                "Hosts with queued URLs that wait for their delay or back off.",
                ScheduleStats::waiting);
        meters.gauge("sieve.host.backoff", null, "Hosts that back off after failures.", ScheduleStats::backingOff);
        meters.gauge(
                "sieve.requests.active",
                null,
                "Requests that were sent and have no complete response yet.",
                ScheduleStats::underWay);
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
        Meters<?, ScheduleStats> schedule = meters.part(report -> report.load().schedule());
        waited(schedule, "delay", each -> each.waited().minus(each.backedOff()));
        waited(schedule, "backoff", ScheduleStats::backedOff);
        waited(schedule, "limit per host", ScheduleStats::limited);
        meters.counter(
                "sieve.crawl.workers.busy",
                SECONDS,
                "Time in which all workers were busy and more of them would have been faster.",
                report -> Meters.seconds(report.load().busy()));
        meters.counter(
                "sieve.crawl.processing",
                SECONDS,
                "Time in which pages were being processed on all processors.",
                report -> Meters.seconds(report.load().processing()));
    }

    private static void waited(Meters<?, ScheduleStats> meters, String cause, Function<ScheduleStats, Duration> time) {
        String help = "Time in which no host could be requested, by cause.";
        meters.counter("sieve.crawl.waited", SECONDS, help, each -> Meters.seconds(time.apply(each)), "cause", cause);
    }

    /** Whether a reason is a name, or a name with details. */
    private static boolean matches(String reason, String name) {
        return reason.equals(name) || reason.startsWith(name + ": ");
    }

    private static boolean isStatus(String reason) {
        return !reason.isEmpty() && reason.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static double sum(Map<String, Long> counts, Predicate<String> condition) {
        return counts.entrySet().stream()
                .filter(each -> condition.test(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
