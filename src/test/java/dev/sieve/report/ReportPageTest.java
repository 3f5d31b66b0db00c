package dev.sieve.report;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.SieveStats;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.output.Skip;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;

/** The page: text of servers stays text, and nothing may be requested. */
class ReportPageTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final List<String> HOSTILE = List.of(
            "<script>alert(1)</script>",
            "</title></style></script><img src=x onerror=alert(1)>",
            "\" onmouseover=\"alert(1)",
            "'><svg/onload=alert(1)>",
            "<!--",
            "]]>",
            "&lt;b&gt;",
            "\u202egnp.exe\u2066\u200f",
            "\0\u001b[31m\u009b\ud800",
            "x".repeat(8192));

    private static CrawlRecord hostile() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        for (String text : HOSTILE) {
            String url = "http://h.test/" + text;
            record.accept(Visits.page(url, 404, url, text, text, 100));
            record.accept(Visits.page("http://" + text + "/", 200, text, text, text, 100));
            record.accept(Visits.page("javascript:alert(1)//" + text, 500, "data:text/html," + text, text, text, 100));
            record.accept(Visits.redirect(url + "r", "javascript:" + text, url));
            record.skipped(new Skip(text, new SkipReason(text, text), text));
        }
        return record;
    }

    @Test
    void textOfServersStaysText() throws IOException {
        Document page = Jsoup.parse(ReportPage.page(hostile(), NOW));

        assertThat(page.select("script")).hasSize(2);
        assertThat(page.select("img, svg, iframe, object, embed, base, form")).isEmpty();
        for (Element element : page.getAllElements()) {
            assertThat(element.attributes().asList())
                    .noneMatch(each -> each.getKey().startsWith("on")
                            || each.getKey().equals("style")
                            || each.getKey().equals("src"));
        }
        for (Element link : page.select("section a")) {
            assertThat(link.attr("href")).matches("(?s)https?://.*");
            assertThat(link.attr("rel")).isEqualTo("noreferrer noopener");
        }
        assertThat(page.select("bdi").eachText()).anyMatch(text -> text.contains("<script>alert(1)</script>"));
        assertThat(page.select("bdi").eachText()).allMatch(text -> text.length() <= 210);
        assertThat(page.body().select("main").text()).doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\\p{Cs}]");
    }

    @Test
    void titleNamesTheHostOfTheFirstSeed() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        assertThat(Jsoup.parse(ReportPage.page(record, NOW)).title()).isEqualTo("Crawl report");

        record.accept(Visits.failed("http://a.test:8080/x", null));
        record.accept(Visits.failed("http://b.test/", null));
        record.delays(host -> null);

        assertThat(Jsoup.parse(ReportPage.page(record, NOW)).title()).isEqualTo("a.test:8080: crawl report");
        assertThat(Jsoup.parse(ReportPage.livePage(record, NOW, "")).title()).isEqualTo("a.test:8080: crawl report");
    }

    @Test
    void onlyPlainUrlsThatCanBeRequestedAreLinks() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        for (String url : List.of("http://a.test/\u202egpj.exe", "http://a.test/\u2028x", "http://[::1", "http:///")) {
            record.accept(Visits.failed(url, "http://a.test/\u200f"));
        }
        record.accept(Visits.failed("http://a.test/\u00e9?<x>", "http://a.test/"));

        Document page = Jsoup.parse(ReportPage.page(record, NOW));

        assertThat(page.select("#broken-links a").eachAttr("href"))
                .containsExactly("http://a.test/\u00e9?<x>", "http://a.test/");
    }

    @Test
    void onlyItsOwnScriptsAndStylesAreAllowed() throws Exception {
        Document page = Jsoup.parse(ReportPage.page(hostile(), NOW));
        String policy = page.select("meta[http-equiv=Content-Security-Policy]").attr("content");

        assertThat(policy)
                .startsWith("default-src 'none'; ")
                .doesNotContain("unsafe")
                .doesNotContain("connect-src");
        for (Element each : page.select("script, style")) {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(each.data().getBytes(UTF_8));
            assertThat(policy).contains("'sha256-" + Base64.getEncoder().encodeToString(hash) + "'");
        }
        assertThat(page.select("style").first().data()).doesNotContain("url(", "@import");
        assertThat(page.html()).doesNotContain("sourceMappingURL");
    }

    @Test
    void everyChartHasATableWithItsNumbers() throws IOException {
        Document page = Jsoup.parse(ReportPage.page(hostile(), NOW));
        assertThat(page.select("figure")).isNotEmpty();
        for (Element figure : page.select("figure")) {
            Element table = page.getElementById(figure.attr("data-table"));
            assertThat(table).isNotNull();
            int columns = table.select("thead th").size();
            assertThat(Integer.parseInt(figure.attr("data-x"))).isLessThan(columns);
            assertThat(Integer.parseInt(figure.attr("data-y"))).isLessThan(columns);
        }
        assertThat(page.select("canvas")).isEmpty();
    }

    @Test
    void everySectionHasALink() throws IOException {
        Document page = Jsoup.parse(ReportPage.page(hostile(), NOW));
        assertThat(page.select("nav a").eachAttr("href"))
                .hasSizeGreaterThan(5)
                .isEqualTo(page.select("main > section").eachAttr("id").stream()
                        .map(id -> "#" + id)
                        .toList());
        assertThat(page.select("nav").text()).contains("Broken links (20)");
    }

    private static Sample sample(FilterKind filter) {
        Counts counts = new Counts(Map.of("pages", 300L, "links", 300L), Map.of("links", Map.of("new", 300L)));
        return new Sample(
                1000,
                1000,
                "done",
                counts,
                new CrawlReport.Pending(0, 0, 0),
                new SieveStats(filter, 300, 0, 0, 0, 300, 300, 100, 1e-12, 1e-9, 1000));
    }

    private static Element sections(FilterKind filter) {
        Aggregate crawl = new Aggregate(true);
        crawl.run(0, null);
        crawl.capacity(new CapacityEvent(0.8, 80, 100, 1e-5, 0, 1000, filter.defaultOnFull()), 500);
        crawl.sample(sample(filter));
        Element main = Html.document().body();
        Sections.append(crawl, main, false);
        return main;
    }

    @Test
    void chartsBeginAtTheStart() {
        assertThat(sections(FilterKind.SPLIT_BLOCKS)
                        .select("#samples tbody tr td:first-child")
                        .eachText())
                .containsExactly("0.0", "1.0");
    }

    @Test
    void onlyFilterThatDoesNotGrowIsOverfull() {
        assertThat(sections(FilterKind.SPLIT_BLOCKS).select("#sieve meter")).hasSize(1);
        assertThat(sections(FilterKind.GROWING).select("#sieve meter")).isEmpty();
    }

    @Test
    void exactFilterMissesNoPage() {
        assertThat(sections(FilterKind.EXACT).select("#sieve").text())
                .isEqualTo("Filter of seen URLs An exact filter of 300 URLs, 1.00 kB: no page is missed.");
        assertThat(sections(FilterKind.CLASSIC).select("#sieve").text()).doesNotContain("exact");
    }

    @ParameterizedTest
    @EnumSource
    @NullSource
    void journalStoresWholeSample(FilterKind filter) throws IOException {
        Aggregate crawl = new Aggregate(true);
        JournalFormat.read(new String(JournalFormat.sample(sample(filter)), US_ASCII), crawl);
        assertThat(crawl.runs.last()).isEqualTo(sample(filter));
    }

    @Test
    void noNumberHasAnExponent() {
        assertThat(sections(FilterKind.SPLIT_BLOCKS).text())
                .contains("<0.000001 %", "<0.01")
                .doesNotContainPattern("[0-9]e-?[0-9]");
    }

    @Test
    void theCapacityOfTheCrawlIsMarked() {
        assertThat(sections(FilterKind.SPLIT_BLOCKS)
                        .select("#capacities .own td:first-child")
                        .eachText())
                .containsExactly("100");
    }

    @Test
    void aPageOfARunningCrawlMayRequestItsOrigin() throws IOException {
        String script = "sieve.update('')";
        Document page = Jsoup.parse(ReportPage.livePage(hostile(), NOW, script));
        assertThat(page.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
                .endsWith("; connect-src 'self'");
        assertThat(page.select("script").last().data()).isEqualTo(script);
        assertThat(page.select("main").html())
                .isEqualTo(Jsoup.parseBodyFragment(ReportPage.sections(hostile()))
                        .body()
                        .html());
    }

    @Test
    void aFileOnAFullDiskIsNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("report.html");
        Files.createSymbolicLink(folder.resolve("report.html.tmp"), Path.of("/dev/full"));

        assertThatThrownBy(() -> ReportPage.write("page", file))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot write " + file + ": ");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFileIsReplacedAtOnceAndRecognised(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("report.html");
        Files.writeString(file, "<!doctype html><title>mine</title>");
        assertThat(ReportPage.isReport(file)).isFalse();

        ReportPage.write(ReportPage.page(hostile(), NOW), file);

        assertThat(ReportPage.isReport(file)).isTrue();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
