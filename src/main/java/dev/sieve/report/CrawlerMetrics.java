package dev.sieve.report;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Loss;
import dev.sieve.fetch.BotWall;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.Change;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.scope.SkipRule;
import dev.sieve.scope.Trap;
import dev.sieve.url.Refusal;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
            rules(true, EnumSet.of(Trap.HOST, Trap.SAME_TEXT, Trap.SHAPE), Stream.empty());

    /** The rules by which URLs that were found are not queued; any other one is counted as {@value #OTHER}. */
    private static final List<String> RULES = rules(
            false, EnumSet.allOf(Trap.class), Arrays.stream(Refusal.values()).map(Refusal::words));

    private static final List<String> REASONS = Arrays.stream(FetchResult.Reason.values())
            .map(FetchResult.Reason::text)
            .toList();

    /** The parts of a counter that have time series, and whether these are all. */
    private record Parts(String tag, List<String> names, boolean isComplete) {}

    private static final Map<Counter, Parts> PARTS = Map.of(
            Counter.DROPPED,
                    new Parts(
                            "kind", Arrays.stream(Loss.values()).map(Loss::text).toList(), true),
            Counter.PAGES,
                    new Parts(
                            "status",
                            List.of("1xx", "2xx", Counter.NOT_MODIFIED, "3xx", "4xx", "5xx", Counter.WALL),
                            false),
            Counter.CHANGES,
                    new Parts(
                            "change",
                            Arrays.stream(Change.values()).map(Change::text).toList(),
                            true),
            Counter.CHECKED,
                    new Parts("status", List.of(Counter.NONE, "1xx", "2xx", "3xx", "4xx", "5xx", Counter.WALL), false),
            Counter.WALLS,
                    new Parts(
                            "wall",
                            Arrays.stream(BotWall.values()).map(BotWall::text).toList(),
                            true),
            Counter.RENDERED, new Parts("outcome", List.of(Counter.READY, Counter.NOT_READY, Counter.NONE), true),
            Counter.LINKS, new Parts("result", List.of(Counter.NEW, Counter.SEEN, Counter.OUTSIDE), true),
            Counter.FAILURES, new Parts("reason", REASONS, false),
            Counter.SKIPPED, new Parts("rule", RULES, false),
            Counter.REFUSED, new Parts("rule", REFUSALS, false));

    private static List<String> rules(boolean areOfRequests, Set<Trap> traps, Stream<String> others) {
        Stream<String> rules = Arrays.stream(SkipRule.values())
                .filter(rule -> rule.isOfRequests() == areOfRequests)
                .map(SkipRule::text);
        return Stream.concat(rules, Stream.concat(traps.stream().map(Trap::rule), others))
                .toList();
    }

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
        Parts parts = PARTS.get(counter);
        if (parts == null) {
            meters.counter(name(counter), counter.unit(), counter.description(), counts -> counts.get(counter));
            return;
        }
        Meters<?, Map<String, Long>> part = meters.part(counts -> counts.by(counter));
        parts.names.forEach(name -> part(part, counter, parts.tag, name, key -> matches(key, name)));
        if (!parts.isComplete) {
            Predicate<String> isOther =
                    key -> !isStatus(key) && parts.names.stream().noneMatch(name -> matches(key, name));
            part(part, counter, parts.tag, OTHER, isOther);
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
