package dev.sieve.report;

import dev.sieve.OptionalLibrary;
import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Metrics in the text format of Prometheus: of a crawl, those of {@link CrawlerMetrics} and the times of its responses;
 * of a server, those of {@link FrontierMetrics} per crawl; and those of the process, such as its memory and processor
 * time.
 *
 * <p>Safe for use by many threads.
 */
public final class MetricsText {
    private static final String START = "# HELP ";
    private static final int MAX_LISTED = 100;

    static {
        OptionalLibrary.require(
                "io.micrometer.prometheusmetrics.PrometheusMeterRegistry",
                "io.micrometer:micrometer-registry-prometheus");
    }

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** The numbers of a crawl of a server: its frontier, queues that have, or had, URLs, and those handed to clients. */
    public record Served(SieveStats frontier, long queues, long inProcess) {}

    private MetricsText() {
        List.of(new JvmMemoryMetrics(), new JvmThreadMetrics(), new FileDescriptorMetrics(), new UptimeMetrics())
                .forEach(process -> process.bindTo(registry));
        // Under the name that Prometheus gives it in every process.
        FunctionCounter.builder("process.cpu", ProcessHandle.current(), MetricsText::cpuSeconds)
                .baseUnit("seconds")
                .description("Processor time of the process.")
                .register(registry);
        // Micrometer has no histogram of values that were counted elsewhere, and no meter without a value.
        Collector build = () -> build(CrawlOptions.version());
        registry.getPrometheusRegistry().register(build);
    }

    /** Creates the metrics of a crawl and the process; the times of responses come from the record. */
    public MetricsText(CrawlRecord record, Crawler crawler) {
        this();
        new CrawlerMetrics(crawler).bindTo(registry);
        Collector times = () -> histogram(record.responseTimes());
        registry.getPrometheusRegistry().register(times);
    }

    /**
     * Creates the metrics of a server of frontiers, as of now, and the process; a crawl may have no numbers. Clients
     * choose the names of crawls, so only the first hundred have metrics of their own, labelled with their names; the
     * others are counted.
     */
    public MetricsText(List<String> crawls, Function<String, @Nullable Served> reader) {
        this();
        Map<String, Served> listed = new LinkedHashMap<>();
        crawls.stream().limit(MAX_LISTED).forEach(name -> listed.computeIfAbsent(name, reader));
        // The numbers are in the meters; as their source, a constant is never garbage.
        listed.forEach((name, crawl) -> {
            Meters<?, Served> meters = Meters.of(registry, START, each -> crawl).tagged("crawl", name);
            FrontierMetrics.bind(meters.part(Served::frontier));
            meters.gauge("sieve.serve.queues", null, "Queues that have, or had, URLs.", Served::queues);
            String help = "URLs that were handed to clients, and whose time to be reported is not over.";
            meters.gauge("sieve.serve.in.process", "urls", help, Served::inProcess);
        });
        String help = "Crawls, and whether they are in the other metrics: the first 100 by name, if their disk has not"
                + " failed.";
        Meters<?, Integer> all = Meters.of(registry, START, each -> crawls.size());
        all.gauge("sieve.serve.crawls", null, help, count -> listed.size(), "listed", "true");
        all.gauge("sieve.serve.crawls", null, help, count -> count - listed.size(), "listed", "false");
    }

    private static double cpuSeconds(ProcessHandle process) {
        return process.info().totalCpuDuration().map(Meters::seconds).orElse(Double.NaN);
    }

    private static InfoSnapshot build(String version) {
        return InfoSnapshot.builder()
                .name("sieve_build")
                .help("The version of Sieve.")
                .dataPoint(InfoDataPointSnapshot.builder()
                        .labels(Labels.of("version", version))
                        .build())
                .build();
    }

    private static HistogramSnapshot histogram(ResponseTimes times) {
        return HistogramSnapshot.builder()
                .name("sieve_crawl_response_seconds")
                .help("Time from a request to the end of its response, redirects and error statuses included.")
                .dataPoint(HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(ClassicHistogramBuckets.of(ResponseTimes.bounds(), times.counts()))
                        .sum(times.sumSeconds())
                        .build())
                .build();
    }

    /** Returns the present values. */
    public String text() {
        return registry.scrape();
    }

    /** Writes the present values to a file, which replaces an earlier one at once. */
    public void write(Path file) throws IOException {
        ReportPage.write(text(), file);
    }

    /** Refuses a file to which metrics cannot be written, or with another content. */
    public static void check(Path file) throws IOException {
        ReportPage.check(file, Set.of("", START), "has no metrics in it");
    }
}
