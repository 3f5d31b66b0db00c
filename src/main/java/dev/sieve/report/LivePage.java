package dev.sieve.report;

import dev.sieve.OptionalLibrary;
import dev.sieve.crawl.Crawler;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.InstantSource;

/** A running crawl as its report, which is updated, and as metrics. */
final class LivePage implements LiveContent {
    static {
        OptionalLibrary.require(
                "io.micrometer.prometheusmetrics.PrometheusMeterRegistry",
                "io.micrometer:micrometer-registry-prometheus");
    }

    private final CrawlRecord record;
    private final InstantSource clock;
    private final String script = ReportPage.resource("live.js");
    private final Crawler crawler;
    /** Null until it is requested, since it takes time that most crawls can save. */
    private PrometheusMeterRegistry metrics;

    LivePage(CrawlRecord record, Crawler crawler, InstantSource clock) {
        this.record = record;
        this.crawler = crawler;
        this.clock = clock;
    }

    @Override
    public String page() {
        return ReportPage.livePage(record, clock.instant(), script);
    }

    @Override
    public String update(boolean isComplete) {
        return isComplete ? ReportPage.sections(record) : ReportPage.progress(record);
    }

    @Override
    public synchronized String metrics() {
        if (metrics == null) {
            metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new CrawlerMetrics(crawler).bindTo(metrics);
            new JvmMemoryMetrics().bindTo(metrics);
        }
        return metrics.scrape();
    }
}
