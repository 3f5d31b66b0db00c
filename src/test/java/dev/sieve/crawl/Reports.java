package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every report. */
final class Reports {
    private Reports() {}

    /** Whatever was queued was dealt with or is left, and whatever was found was queued, or skipped by name. */
    static void assertAddsUp(CrawlReport report) {
        assertThat(report.before() + report.urlsNew())
                .isEqualTo(report.pageCount()
                        + report.checkedCount()
                        + report.redirects()
                        + report.failed()
                        + report.refused()
                        + report.sitemaps().read()
                        + report.sitemaps().absent()
                        + report.left());
        assertThat(report.urlsFound())
                .isEqualTo(report.urlsNew()
                        + report.urlsSeen()
                        + report.skipped().values().stream()
                                .mapToLong(Long::longValue)
                                .sum());
    }
}
