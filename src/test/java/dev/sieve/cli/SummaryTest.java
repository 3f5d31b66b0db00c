package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FilterKind;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Ending;
import dev.sieve.job.CrawlPlace;
import dev.sieve.job.FolderPlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static CrawlReport drained(Map<String, Object> components) throws Exception {
        return Reports.with(Reports.with(components), Map.of("ending", Ending.DRAINED));
    }

    private static SieveStats sieve(long size, long capacity, double rate, double missed) throws Exception {
        return Reports.copy(
                new Sieve(1).stats(),
                Map.of(
                        "estimatedSize", size,
                        "capacity", capacity,
                        "accepted", size,
                        "falsePositiveRate", rate,
                        "estimatedMissed", missed));
    }

    @Test
    void exactFilterIsNeverFull() throws Exception {
        SieveStats exact =
                Sieve.builder().capacity(1000).filter(FilterKind.EXACT).build().stats();
        assertThat(Summary.of(
                        drained(Map.of("sieve", Reports.copy(exact, Map.of("estimatedSize", 31L)))), false, false))
                .contains("  31 URLs (exact)  ")
                .doesNotContain("of 1,000");
        assertThat(Summary.size(Reports.copy(exact, Map.of("estimatedSize", 11_700L))))
                .isEqualTo("11,700 URLs (exact)");
        assertThat(Summary.size(sieve(2, 1, 0, 0))).isEqualTo("2 of 1 URL (200 %)");
    }

    @Test
    void aJobIsCompleteAfterTheWorkThatFollowsItsLastUrl() throws Exception {
        CrawlPlace job = new FolderPlace(Path.of("job"));
        Map<Ending, String> expected = Map.of(
                Ending.DRAINED, "complete: no URL is left in job",
                Ending.MAX_PAGES, "complete: no URL is left in job",
                Ending.MAX_TIME, "no URL is left in job; repeat the command for the work after the last one",
                Ending.STOPPED, "no URL is left in job; repeat the command for the work after the last one");

        for (Map.Entry<Ending, String> each : expected.entrySet()) {
            CrawlReport report = Reports.with(drained(Map.of()), Map.of("ending", each.getKey()));
            assertThat(CrawlRun.howToContinue(report, job, false).strip().replaceAll("^job +", ""))
                    .isEqualTo(each.getValue());
        }
        CrawlReport round = Reports.with(drained(Map.of()), Map.of("ending", Ending.MAX_PAGES));
        assertThat(CrawlRun.howToContinue(round, job, true)).contains("repeat the command");
    }

    @Test
    void missedPagesHaveALineWithTheRemedy() throws Exception {
        CrawlReport report = drained(Map.of("sieve", sieve(647, 100, 0.5, 526.67)));

        assertThat(Summary.of(report, false, false))
                .contains(
                        "647 of 100 URLs (647 %)",
                        "  missed   about 527 pages missed", "--capacity 3000", "--filter exact");
        assertThat(FailOn.CAPACITY.problem(report)).isEqualTo("about 527 pages missed");
    }

    @Test
    void belowTheCapacityALargerOneIsNotTheRemedy() throws Exception {
        String summary = Summary.of(drained(Map.of("sieve", sieve(990_000, 1_000_000, 1e-4, 10))), false, false);

        assertThat(summary)
                .contains("about 10 pages missed", "--miss-rate", "--filter exact")
                .doesNotContain("--capacity");
    }

    @Test
    void lessThanAPageMissedIsNotAFailure() throws Exception {
        CrawlReport report = drained(Map.of("sieve", sieve(90, 100, 1e-4, 0.99)));

        assertThat(Summary.of(report, false, false)).doesNotContain("--capacity", "--filter exact");
        assertThat(FailOn.CAPACITY.problem(report)).isNull();
    }

    @Test
    void aLimitThatOrdinarySitesMeetIsNamedWithItsSwitch() throws Exception {
        assertThat(Summary.of(drained(Map.of("SKIPPED", Map.of("trap shape", 1234L))), false, false))
                .contains("  traps    1,234 URLs skipped by the limit 'shape'", "--allow-trap shape");
        Map<String, Object> shared =
                Map.of("SKIPPED", Map.of("trap shape", 1234L), "REFUSED", Map.of("trap shape", 66L, "trap host", 5L));
        assertThat(Summary.of(drained(shared), true, false))
                .contains("  traps    1,300 URLs skipped by the limit 'shape'", "5 URLs skipped by the limit 'host'");
        assertThat(Summary.of(drained(Map.of("SKIPPED", Map.of("trap length", 9L))), false, false))
                .doesNotContain("--allow-trap");
    }

    @Test
    void errorResponsesAreNotFailedUrls() throws Exception {
        CrawlReport report = drained(Map.of(
                "PAGES", Map.of("2xx", 100L, "4xx", 49L),
                "FAILED", 3L,
                "failures", List.of(new CrawlReport.Failure("http://h.test/x", "404", null)),
                "FAILURES", Map.of("404", 49L, "timeout", 3L)));

        assertThat(Summary.of(report, false, false))
                .contains("149 pages + 0 redirects + 3 failed", "  errors   error responses 49, no usable response 3: ")
                .contains("404 x49", "timeout x3")
                .doesNotContain("failures");
        assertThat(FailOn.BROKEN.problem(report)).isEqualTo("error responses 49, no usable response 3");
        assertThat(FailOn.ERROR.problem(report)).isEqualTo("error responses 49, no usable response 3");
        assertThat(FailOn.BROKEN.problem(Reports.with(Map.of()))).isNull();
    }

    @Test
    void emptyPagesAreShown() throws Exception {
        assertThat(Summary.of(drained(Map.of("EMPTY", 2L)), false, false)).contains(" decoded  2 empty\n");
        assertThat(Summary.of(drained(Map.of()), false, false)).doesNotContain("empty");
    }

    @Test
    void whatWasDroppedIsShown() throws Exception {
        assertThat(Summary.of(drained(Map.of("DROPPED", Map.of("cookies evicted", 2L))), false, false))
                .contains("  dropped  cookies evicted x2\n");
        assertThat(Summary.of(drained(Map.of()), false, false)).doesNotContain("dropped");
    }

    @Test
    void oneThingIsInTheSingular() throws Exception {
        Map<String, Object> one = Map.of(
                "PAGES",
                Map.of("2xx", 1L),
                "REDIRECTS",
                1L,
                "RETRIES",
                1L,
                "LINKS",
                Map.of("new", 3L),
                "sieve",
                sieve(1, 1, 1e-4, 0),
                "SITEMAPS",
                1L,
                "SITEMAP_URLS",
                1L);

        assertThat(Summary.of(drained(one), false, false))
                .contains("= 1 page + 1 redirect + 0 failed", "+ 1 sitemap + 0 left")
                .contains("  1 retried\n", "sitemaps 1 read with 1 URL\n", "1 of 1 URL (100 %)")
                .doesNotContain("1 pages", "1 URLs", "1 redirects", "1 retries");
    }

    @Test
    void onlyUnknownNamesSuggestThatThereIsNoNetwork() throws Exception {
        CrawlReport silent = Reports.with(Map.of("ending", Ending.UNREACHABLE));
        Map<String, Object> noNames = Map.of("FAILURES", Map.of("robots.txt unavailable: unknown host", 1L));
        Map<String, Object> refused = Map.of("FAILURES", Map.of("no connection", 1L, "unknown host", 1L));

        assertThat(Summary.of(Reports.with(silent, noNames), false, false))
                .contains(": no host has responded (no network?).");
        assertThat(Summary.of(Reports.with(silent, refused), false, false)).contains(": no host has responded.");
    }

    @Test
    void checkedLinksAreNoPagesAndStillAddUp() throws Exception {
        String summary = Summary.of(
                drained(Map.of(
                        "LINKS",
                        Map.of("new", 12L),
                        "PAGES",
                        Map.of("2xx", 5L),
                        "CHECKED",
                        Map.of("none", 1L, "2xx", 4L, "4xx", 3L))),
                false,
                false);

        assertThat(summary)
                .contains(
                        "12 accepted = 5 pages + 8 checked + 0 redirects",
                        "  checked  8 URLs  2xx 4  4xx 3  no usable response 1\n");
    }

    @Test
    void noNumberIsSeparatedFromItsUnit() {
        for (String unit : List.of("%", "kB", "ms")) {
            for (int length = 90; length < 112; length++) {
                StringBuilder lines = new StringBuilder();
                Summary.row(lines, "x", "%s 16 %s and more words", "a".repeat(length), unit);

                assertThat(lines.toString()).contains("16 " + unit);
            }
        }
    }

    @Test
    void noLineIsLongerThanTheTerminalOfMostPeople() throws Exception {
        Map<String, Long> many = new TreeMap<>();
        IntStream.range(0, 20).forEach(i -> many.put("some reason " + i, 1_000_000L * i));
        Map<String, Duration> hosts = new TreeMap<>();
        IntStream.range(0, 5)
                .forEach(i -> hosts.put("some-rather-long-name-of-a-host-" + i + ".example.org", Duration.ofHours(i)));
        CrawlReport report = drained(Map.of("SKIPPED", many, "REFUSED", many, "left", 1L, "PAGES", Map.of("2xx", 1L)));
        report = Reports.with(
                report,
                Map.of(
                        "elapsed",
                        Duration.ofHours(10),
                        "schedule",
                        Reports.copy(report.load().schedule(), Map.of("slowest", hosts))));

        String summary = Summary.of(report, false, false);

        assertThat(summary.lines()).allMatch(line -> line.length() <= 120);
        assertThat(summary)
                .contains(
                        "some reason 19",
                        "waiting for some-rather-long-name-of-a-host-1.example.org 10 %",
                        "  left     1 URL, about");
    }

    @Test
    void onlyOptionsThatWouldHelpAreNamed() throws Exception {
        CrawlReport report = drained(Map.of("elapsed", Duration.ofSeconds(100)));
        CrawlReport processor = Reports.with(
                report,
                Map.of(
                        "processing",
                        Duration.ofSeconds(93),
                        "schedule",
                        Reports.copy(report.load().schedule(), Map.of("limited", Duration.ofSeconds(60)))));
        CrawlReport workers = Reports.with(report, Map.of("busy", Duration.ofSeconds(58)));

        assertThat(speed(processor)).endsWith("back off 0 %, processing pages 93 %; limited by --per-host 7 %");
        assertThat(speed(workers)).endsWith("processing pages 0 %; limited by --concurrency 58 %");
        assertThat(speed(report)).endsWith("processing pages 0 %");
    }

    private static String speed(CrawlReport report) {
        String summary = Summary.of(report, false, false).strip().replaceAll("\\s+", " ");
        return summary.substring(summary.indexOf("speed "));
    }

    @Test
    void onlyErrorIsAboutUrlsWithoutAResponse() throws Exception {
        CrawlReport report = drained(Map.of("FAILURES", Map.of("404", 1L)));

        assertThat(FailOn.BROKEN.problem(report)).isEqualTo("error responses 1, no usable response 0");
        assertThat(FailOn.ERROR.problem(report)).isNull();
    }

    @Test
    void aFinishedJobIsSaidToHaveFinished() throws Exception {
        CrawlReport finished = drained(Map.of("sieve", sieve(50, 100, 1e-9, 0)));

        assertThat(Summary.of(finished, false, false))
                .contains(": this crawl had finished before; for a new one, choose another --job.");
        assertThat(finished.isFruitless()).isFalse();
        assertThat(Summary.of(Reports.with(finished, Map.of("before", 1L)), false, false))
                .contains(": nothing left to crawl.");
    }
}
