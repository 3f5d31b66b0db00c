package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sieve.browser.Browser;
import dev.sieve.browser.BrowserExtension;
import dev.sieve.browser.PageChecks;
import dev.sieve.browser.Tab;
import dev.sieve.demo.DemoWeb;
import dev.sieve.demo.HostileHost;
import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The report of a crawl of the demo web with its hostile host, opened in a browser. */
@Tag("browser")
@Tag("slow")
@Timeout(300)
@ExtendWith(BrowserExtension.class)
class ReportInBrowserTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REDIRECT = 3;

    @TempDir
    private static Path folder;

    private static Path report;
    private static final List<JsonNode> LINES = new ArrayList<>();

    @BeforeAll
    static void crawl() throws IOException {
        report = folder.resolve("report.html");
        Path records = folder.resolve("records.jsonl");
        try (DemoWeb web = PolitenessJudge.web().hosts(8).pages(200).open();
                HostileHost hostile = new HostileHost()) {
            long urls = web.expected().count() + hostile.documents().size();
            Run run = Run.of(
                    Main.commandLine(),
                    web.start(),
                    hostile.start(),
                    "--scope=any",
                    "--delay=0",
                    "--per-host=4",
                    "--resolve=.test=127.0.0.1",
                    "-q",
                    "--capacity=" + urls * 9 / 10,
                    "-o" + records,
                    "--report=" + report);
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        for (String line : Files.readAllLines(records)) {
            LINES.add(JSON.readTree(line));
        }
    }

    private static String url() {
        return report.toUri().toString();
    }

    private static Document document() throws IOException {
        return Jsoup.parse(report.toFile(), "UTF-8");
    }

    @Test
    void everyChartIsDrawnWithoutAProblemInEveryView(Browser browser) throws IOException {
        int charts = document().select("figure.chart").size();
        assertThat(charts).isGreaterThan(5);
        try (Tab tab = browser.tab()) {
            for (int width : new int[] {1280, 400}) {
                for (String scheme : new String[] {"light", "dark"}) {
                    tab.size(width, 900).media("screen", scheme).open(url());

                    assertThat(PageChecks.problems(tab)).isEmpty();
                    assertThat(PageChecks.drawnCharts(tab)).hasSize(charts).allMatch(colors -> colors > 4);
                    assertThat(PageChecks.width(tab)).isLessThanOrEqualTo(width);
                    assertThat(PageChecks.brightness(tab) > 128).isEqualTo(scheme.equals("light"));
                }
            }
        }
    }

    @Test
    void noTileIsAloneInItsRow(Browser browser) {
        try (Tab tab = browser.tab()) {
            for (int width : new int[] {1280, 1000, 700}) {
                tab.size(width, 900).open(url());
                for (int tiles = 8; tiles <= 9; tiles++) {
                    int last = tab.eval("(() => { const all = document.querySelector('.tiles');"
                                    + " while (all.children.length > " + tiles + ") all.lastChild.remove();"
                                    + " while (all.children.length < " + tiles + ")"
                                    + " all.append(all.children[0].cloneNode(true));"
                                    + " const tops = [...all.children].map(each => each.getBoundingClientRect().top);"
                                    + " return tops.filter(top => top === tops.at(-1)).length; })()")
                            .asInt();
                    assertThat(last).as("%d tiles at %d", tiles, width).isGreaterThan(1);
                }
            }
        }
    }

    @Test
    void rowsAreCardsOnANarrowScreen(Browser browser) {
        try (Tab tab = browser.tab()) {
            tab.size(400, 900).open(url());

            assertThat(tab.eval(
                                    "[...document.querySelectorAll('#broken-links td.url')].map(cell =>"
                                            + " cell.getBoundingClientRect()).every(box => box.width > 300 && box.height < 200)")
                            .asBoolean())
                    .isTrue();
            assertThat(tab.eval(
                                    "getComputedStyle(document.querySelector('#broken-links td:nth-child(4)'), '::before').content")
                            .asText())
                    .isEqualTo("\"Linked from: \"");
        }
    }

    @Test
    void tablesAreSortedByAClickOnAHeader(Browser browser) {
        try (Tab tab = browser.tab()) {
            tab.open(url());
            for (String table : PageChecks.tables(tab)) {
                assertThat(PageChecks.sortsByEachColumn(tab, table)).as(table).isTrue();
            }
            tab.click("#host-table thead th:nth-child(2) button");
            List<Double> once = PageChecks.numbers(tab, "host-table", 2);
            tab.click("#host-table thead th:nth-child(2) button");
            List<Double> twice = PageChecks.numbers(tab, "host-table", 2);

            assertThat(once).hasSizeGreaterThan(5).isNotEqualTo(twice);
            assertThat(List.of(once, twice))
                    .anySatisfy(numbers -> assertThat(numbers).isSorted())
                    .anySatisfy(numbers -> assertThat(numbers).isSortedAccordingTo((a, b) -> Double.compare(b, a)));
        }
    }

    @Test
    void tablesShowOnlyTheRowsThatAreSearchedFor(Browser browser) {
        try (Tab tab = browser.tab()) {
            tab.open(url());
            List<String> all = PageChecks.visibleRows(tab, "host-table");
            tab.type("#search-host-table", "BLOG.");
            List<String> found = PageChecks.visibleRows(tab, "host-table");
            tab.type("#search-host-table", " ");
            tab.eval("(i => { i.value = ''; i.dispatchEvent(new Event('input')) })(document.querySelector("
                    + "'#search-host-table'))");

            assertThat(found).isNotEmpty().allMatch(row -> row.contains("blog."));
            assertThat(all).hasSizeGreaterThan(found.size());
            assertThat(PageChecks.visibleRows(tab, "host-table")).containsExactlyElementsOf(all);
        }
    }

    @Test
    void withoutScriptsAllNumbersAreReadable(Browser browser) {
        try (Tab tab = browser.tab()) {
            List<String> cells = PageChecks.cells(tab.open(url()));
            tab.scripts(false).open(url());

            assertThat(PageChecks.cells(tab)).isEqualTo(cells).hasSizeGreaterThan(500);
            assertThat(PageChecks.problems(tab)).isEmpty();
            assertThat(tab.eval("document.querySelectorAll('canvas, button, input').length")
                            .asInt())
                    .isZero();
            assertThat(tab.eval("[...document.querySelectorAll('figure')].every(f => f.offsetHeight === 0)")
                            .asBoolean())
                    .as("places of charts that cannot be drawn")
                    .isTrue();
            assertThat(PageChecks.hiddenTables(tab)).isEmpty();
        }
    }

    @Test
    void itPrintsAllNumbersOnWhite(Browser browser) {
        try (Tab tab = browser.tab()) {
            tab.media("print", "dark").open(url());
            tab.eval("dispatchEvent(new Event('beforeprint'))");

            assertThat(PageChecks.brightness(tab)).isEqualTo(255);
            assertThat(PageChecks.hiddenTables(tab)).isEmpty();
            assertThat(tab.eval("[...document.querySelectorAll('input')].every(i => i.offsetHeight === 0)")
                            .asBoolean())
                    .isTrue();
            assertThat(new String(tab.pdf(), UTF_8)).startsWith("%PDF");
        }
    }

    @Test
    void hostileTextHasNoEffect(Browser browser) throws IOException {
        try (Tab tab = browser.tab()) {
            tab.open(url());

            assertThat(PageChecks.injections(tab)).isEmpty();
            assertThat(PageChecks.problems(tab)).isEmpty();
            assertThat(document().text()).contains("window.injected=1").doesNotContain("\u202e", "\u001b");
        }
    }

    @Test
    void hostileRecordsOfAnyFieldHaveNoEffect(Browser browser) throws IOException {
        Path records = folder.resolve("hostile.jsonl");
        List<String> lines = new ArrayList<>();
        for (JsonNode line : LINES) {
            String title = line.path("title").asText();
            if (!line.path("url").asText().contains("hostile.test")) {
                continue;
            }
            for (String field : List.of("url", "key", "referrer", "type", "redirect_to", "title", "error")) {
                ObjectNode changed = line.deepCopy();
                changed.put(field, title + "<b class=injected>" + field + "</b>");
                if (field.equals("error")) {
                    changed.putNull("status");
                }
                lines.add(changed.toString());
            }
        }
        Files.write(records, lines);
        Path file = folder.resolve("hostile.html");
        Run run = Run.of(Main.commandLine(), "report", records.toString(), "-o", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();

        try (Tab tab = browser.tab()) {
            tab.open(file.toUri().toString());

            assertThat(PageChecks.injections(tab)).isEmpty();
            assertThat(PageChecks.problems(tab)).isEmpty();
            assertThat(tab.eval("[...document.querySelectorAll('a')].every(a => /^https?:$/.test(a.protocol)"
                                    + " || a.getAttribute('href').startsWith('#'))")
                            .asBoolean())
                    .isTrue();
            tab.size(400, 900).open(file.toUri().toString());
            assertThat(PageChecks.width(tab)).isLessThanOrEqualTo(400);
        }
    }

    @Test
    void theNumbersAreThoseOfTheRecords() throws IOException {
        Document page = document();
        List<JsonNode> responses =
                LINES.stream().filter(line -> line.get("error").isNull()).toList();
        List<JsonNode> pages =
                responses.stream().filter(line -> !isRedirect(line)).toList();
        List<JsonNode> broken = LINES.stream()
                .filter(line ->
                        !line.get("error").isNull() || line.get("status").asInt() >= 400)
                .toList();

        assertThat(tile(page, "Pages")).isEqualTo(pages.size());
        assertThat(tile(page, "Redirects"))
                .isEqualTo(responses.stream()
                        .filter(ReportInBrowserTest::isRedirect)
                        .count());
        assertThat(tile(page, "Failed")).isEqualTo(LINES.size() - responses.size());
        assertThat(tile(page, "Broken links")).isEqualTo(broken.size());
        assertThat(column(page, "classes", 1))
                .isEqualTo(counts(
                        LINES,
                        line -> line.get("error").isNull() ? line.get("status").asInt() / 100 + "xx" : "failed"));
        assertThat(column(page, "statuses", 1))
                .isEqualTo(counts(pages, line -> line.get("status").asText()));
        assertThat(column(page, "depths", 1))
                .isEqualTo(counts(pages, line -> line.get("depth").asText()));
        assertThat(column(page, "types", 1).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(pages.size());
        assertThat(column(page, "host-table", 1)).isEqualTo(ofHosts(pages));
        assertThat(column(page, "host-table", 3)).isEqualTo(ofHosts(broken));
        assertThat(column(page, "runs", 1)).containsEntry("Pages", (long) pages.size());
        assertThat(column(page, "skips", 1)).containsKeys("not http or https", "no valid host");
        assertThat(column(page, "skips", 2)).containsKey("robots.txt");
        assertThat(rows(page, "events")).hasSize(2);

        Map<String, JsonNode> lines =
                LINES.stream().collect(Collectors.toMap(line -> line.get("url").asText(), line -> line));
        Map<String, String> referrers =
                broken.stream().collect(Collectors.toMap(line -> line.get("url").asText(), line -> page(line, lines)));
        assertThat(rows(page, "broken-links")).hasSize(broken.size()).allSatisfy(row -> {
            String url = row.select("td a").first().attr("href");
            assertThat(row.select("td:gt(1) a").eachAttr("href")).contains(referrers.get(url));
        });
    }

    /** The page that led to a URL, be it over redirects. */
    private static String page(JsonNode line, Map<String, JsonNode> lines) {
        String referrer = line.get("referrer").asText();
        JsonNode from = lines.get(referrer);
        return from != null && isRedirect(from) && !from.get("referrer").isNull() ? page(from, lines) : referrer;
    }

    private static boolean isRedirect(JsonNode line) {
        return line.get("status").asInt() / 100 == REDIRECT;
    }

    private static Map<String, Long> counts(List<JsonNode> lines, Function<JsonNode, String> key) {
        return new TreeMap<>(lines.stream().collect(Collectors.groupingBy(key, Collectors.counting())));
    }

    private static Map<String, Long> ofHosts(List<JsonNode> lines) {
        return counts(lines, line -> line.get("key").asText().split("/", -1)[2]);
    }

    private static long tile(Document page, String name) {
        Element term = page.select(".tiles dt").stream()
                .filter(each -> each.text().equals(name))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(term.nextElementSibling().text().replace(",", ""));
    }

    private static List<Element> rows(Document page, String table) {
        return page.select("#" + table + " tbody tr");
    }

    /** Returns the counts above 0 in a column, by the text in the first one. */
    private static Map<String, Long> column(Document page, String table, int column) {
        Map<String, Long> counts = new TreeMap<>();
        for (Element row : rows(page, table)) {
            long count = Long.parseLong(row.child(column).attr("data-v"));
            if (count > 0) {
                counts.put(row.child(0).text(), count);
            }
        }
        return counts;
    }
}
