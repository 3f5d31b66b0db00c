package dev.sieve.report;

import dev.sieve.crawl.Crawler;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A running crawl as its report, which is updated, and as metrics. */
final class LivePage implements LiveContent {
    private final CrawlRecord record;
    /** Returns what the page shows: the record, or that of the whole crawl if others share it. */
    private final Supplier<CrawlRecord> crawl;

    private final InstantSource clock;
    private final String script = ReportPage.resource("live.js");
    private final Crawler crawler;
    /** The metrics; null until they are requested, since they take time that most crawls can save. */
    private @Nullable MetricsText metrics;

    LivePage(CrawlRecord record, Supplier<CrawlRecord> crawl, Crawler crawler, InstantSource clock) {
        this.record = record;
        this.crawl = crawl;
        this.crawler = crawler;
        this.clock = clock;
    }

    @Override
    public String page() {
        record.show(crawler.report(), clock.instant());
        return ReportPage.livePage(crawl.get(), clock.instant(), script);
    }

    @Override
    public String update(boolean isComplete) {
        record.show(crawler.report(), clock.instant());
        return isComplete ? ReportPage.sections(crawl.get()) : ReportPage.progress(crawl.get());
    }

    @Override
    public synchronized String metrics() {
        if (metrics == null) {
            metrics = new MetricsText(record, crawler);
        }
        return metrics.text();
    }
}
