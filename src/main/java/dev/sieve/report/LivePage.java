package dev.sieve.report;

import dev.sieve.crawl.Crawler;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** A running crawl as its report, which is updated, and as metrics. */
final class LivePage implements LiveContent {
    private final CrawlRecord record;
    private final InstantSource clock;
    private final String script = ReportPage.resource("live.js");
    private final Crawler crawler;
    /** The metrics; null until they are requested, since they take time that most crawls can save. */
    private @Nullable MetricsText metrics;

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
            metrics = new MetricsText(record, crawler);
        }
        return metrics.text();
    }
}
