package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.OpenRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static CrawlReport largeCrawl() throws Exception {
        return Reports.with(Map.of(
                "PAGES",
                Map.of("2xx", 1_234_567_890L),
                "left",
                9_876_543_210L,
                "FAILED",
                123_456_789L,
                "elapsed",
                Duration.ofDays(40)));
    }

    @Test
    void theLineIsNeverLongerThanTheTerminalIsWide() throws Exception {
        CrawlReport report = largeCrawl();
        String whole = Progress.line(report, null, false, 357.2, 1000);

        for (int width = 20; width <= whole.length(); width++) {
            String line = Progress.line(report, null, false, 357.2, width);
            assertThat(line).hasSizeLessThanOrEqualTo(width);
            assertThat(whole).startsWith(line);
        }
    }

    @Test
    void thePagesComeFirstAndFieldsAreNotCut() throws Exception {
        assertThat(Progress.line(largeCrawl(), null, false, 357.2, 30)).isEqualTo("1,234,567,890 pages  357.2/s");
        assertThat(Progress.line(largeCrawl(), null, false, 357.2, 5)).isEqualTo("1,234,567,890 pages");
    }

    @Test
    void anOrdinaryLineFitsIntoEightyColumns() throws Exception {
        CrawlReport report =
                Reports.with(Map.of("PAGES", Map.of("2xx", 12_345L), "left", 123_456L, "elapsed", Duration.ZERO));

        assertThat(Progress.line(report, null, false, 357.2, 79))
                .contains("pages", "/s", "queued", "0:05:45 left", "broken", "filter");
        assertThat(Progress.line(report, null, false, 357.2, 119))
                .endsWith("filter 0.0 %  0.0 s elapsed  false-positive rate 0");
    }

    @Test
    void theRemainingTimeIsShownWhenItCanBeEstimated() throws Exception {
        assertThat(Progress.line(Reports.with(Map.of("left", 0L)), null, false, 3, 200))
                .doesNotContain("left");
        assertThat(Progress.line(Reports.with(Map.of("left", 7L)), null, false, 0, 200))
                .doesNotContain("left");
        assertThat(Progress.line(Reports.with(Map.of("left", 7L)), null, false, 0.5, 200))
                .contains("7 queued  14.0 s left");
        assertThat(Progress.line(Reports.with(Map.of("left", 7L, "ending", Ending.STOPPED)), null, false, 0.5, 200))
                .doesNotContain("left");
    }

    @Test
    void theRequestThatIsWaitedForIsNamed() throws Exception {
        CrawlReport report = Reports.with(Map.of("left", 7L));
        OpenRequest oldest = new OpenRequest("http://127.0.0.1:8081/hang/" + "x".repeat(100), Duration.ofSeconds(14));

        assertThat(Progress.line(report, oldest, false, 0, 79))
                .contains("7 queued  waiting 14.0 s for http://127.0.0.1:8081/hang/xx...");
        assertThat(Progress.line(report, new OpenRequest("http://a.test/", Duration.ofSeconds(4)), false, 0, 79))
                .doesNotContain("waiting 4");
    }

    @Test
    void theRateIsThatOfTheLastMinute() {
        Progress.RecentRate rate = new Progress.RecentRate();

        assertThat(rate.add(Duration.ofSeconds(10), 100)).isEqualTo(10);
        for (int second = 11; second <= 200; second++) {
            rate.add(Duration.ofSeconds(second), 100 + 2 * (second - 10));
        }
        assertThat(rate.add(Duration.ofSeconds(201), 482)).isEqualTo(2);
        assertThat(rate.add(Duration.ofSeconds(1000), 482)).isZero();
    }
}
