package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.CHECKED;
import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SEEN;
import static dev.sieve.crawl.Counter.SITEMAPS;
import static dev.sieve.crawl.Counter.SITEMAPS_ABSENT;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every report. */
public final class Reports {
    private Reports() {}

    /** Whatever was queued was dealt with or is left, and whatever was found was queued, or skipped by name. */
    public static void assertAddsUp(CrawlReport report) {
        assertThat(report.pending().before() + report.count(LINKS, NEW))
                .isEqualTo(report.count(PAGES)
                        + report.count(CHECKED)
                        + report.count(REDIRECTS)
                        + report.count(FAILED)
                        + report.count(REFUSED)
                        + report.count(SITEMAPS)
                        + report.count(SITEMAPS_ABSENT)
                        + report.pending().left());
        assertThat(report.count(LINKS))
                .isEqualTo(report.count(LINKS, NEW)
                        + report.count(LINKS, SEEN)
                        + report.by(SKIPPED).values().stream()
                                .mapToLong(Long::longValue)
                                .sum());
    }
}
