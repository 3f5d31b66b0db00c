package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.report.BrokenLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jsoup.Jsoup;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What a pipeline reads of a crawl: test cases, a summary in Markdown, and errors for GitHub. */
@Timeout(120)
class CiOutputsTest {
    @TempDir
    private Path folder;

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    private final String site = server.url("");

    @BeforeEach
    void serve() throws IOException {
        System.setErr(new PrintStream(err, true, UTF_8));
        server.redirect("/moved", "/gone?a=1&b=<2>")
                .redirect("/ring1", "/ring2")
                .redirect("/ring2", "/ring1");
        server.html("/", Site.links("/a", "/b", "/missing", "/private", "/a#part"));
        server.html("/a", Site.links("/missing", "/moved", "http://[::1", "http://10.0.0.1/"));
        server.html("/b", Site.links("/missing"));
        server.robots("User-agent: *\nDisallow: /private");
    }

    @Test
    void controlCharactersKeepTestCasesApart() throws Exception {
        server.html("/b", Site.links("http://a\u0001b/", "http://a\u0002b/", "http://a\u007fb/"));

        crawl("-o", folder.resolve("results.junit.xml").toString());

        assertThat(Files.readString(folder.resolve("results.junit.xml")))
                .contains("http://a\\u0001b/", "http://a\\u0002b/", "http://a\\u007fb/");
    }

    @AfterEach
    void stop() {
        System.setErr(before);
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(site + "/", "--delay", "0", "--retries", "0", "-q"));
        all.addAll(List.of("--concurrency", "1", "--check-links", "--check-fragments"));
        all.addAll(List.of("-o", folder.resolve("urls.txt").toString(), "--force"));
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private Element suite() throws Exception {
        NodeList suites = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("results.junit.xml").toFile())
                .getElementsByTagName("testsuite");
        assertThat(suites.getLength()).isEqualTo(1);
        return (Element) suites.item(0);
    }

    /** Returns the results by class and path: passed, or what a failure or skip says. */
    private Map<String, String> results() throws Exception {
        Map<String, String> results = new TreeMap<>();
        NodeList cases = suite().getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
            Element each = (Element) cases.item(i);
            NodeList children = each.getElementsByTagName("*");
            Element child = (Element) children.item(0);
            String result = child == null
                    ? "passed"
                    : String.join(
                            "|",
                            child.getTagName(),
                            child.getAttribute("type"),
                            child.getAttribute("message"),
                            child.getTextContent().strip().replace("\n", " "));
            String name = each.getAttribute("classname") + " " + each.getAttribute("name");
            assertThat(results.put(name.replace(site, ""), result.replace(site, "")))
                    .isNull();
            assertThat(each.getAttribute("time")).matches("\\d+\\.\\d{3}");
        }
        return results;
    }

    @Test
    void eachUrlIsATestCaseThatNamesThePagesThatLinkToIt() throws Exception {
        String output = folder.resolve("results.junit.xml").toString();
        assertThat(crawl("-o", output, "--fail-on", "broken").exitCode()).isEqualTo(6);

        Map<String, String> expected = new TreeMap<>(Map.of(
                "page /", "passed",
                "page /a", "passed",
                "page /b", "passed",
                "page /moved", "passed",
                "page /missing", "failure|404|status 404|status 404 linked from / /a /b",
                "page /gone?a=1&b=%3C2%3E", "failure|404|status 404|status 404 linked from /a",
                "page /private", "skipped|robots.txt|robots.txt: forbids it|",
                "link http://[::1",
                        "failure|malformed URL|malformed URL: no valid host|malformed URL: no valid host linked from /a",
                "page http://10.0.0.1/", "skipped|address not public|address not public: 10.0.0.1 is private|",
                "fragment /a#part", "failure|missing fragment|missing fragment|missing fragment linked from /"));
        assertThat(results()).isEqualTo(expected);
        Element suite = suite();
        assertThat(suite.getAttribute("tests")).isEqualTo("10");
        assertThat(suite.getAttribute("failures")).isEqualTo("4");
        assertThat(suite.getAttribute("skipped")).isEqualTo("2");
        assertThat(suite.getAttribute("errors")).isEqualTo("0");
        assertThat(folder.resolve("results.junit.xml.lines")).doesNotExist();
    }

    @Test
    void linksThatHaveMovedForGoodAreListed() throws Exception {
        server.answer("/old", () -> Site.status(301).field("Location", "/new"))
                .answer("/new", () -> Site.status(308).field("Location", "/newest"))
                .html("/newest", "here");
        server.html("/", Site.links("/b", "/old", "/moved"));
        server.html("/b", Site.links("/old"));
        Path output = folder.resolve("results.junit.xml");
        Path report = folder.resolve("report.html");
        Path summary = folder.resolve("summary.md");
        String[] files = {"-o", output.toString(), "--report", report.toString(), "--summary", summary.toString()};
        assertThat(crawl(files).exitCode()).isZero();
        assertThat(results()).containsEntry("page /old", "passed");
        assertThat(report).content().doesNotContain("Moved links");

        Run run = crawl(
                Stream.concat(Arrays.stream(files), Stream.of("--fail-on", "redirected", "--annotations", "always"))
                        .toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(6);
        assertThat(err.toString(UTF_8))
                .contains("sieve: 1 link to update: its URL has moved for good (--fail-on redirected)")
                .contains("title=Moved link::301, moved to " + site + "/new: " + site + "/old (linked from " + site);
        assertThat(results())
                .containsEntry("page /old", "failure|301|moved to /new|moved to /new linked from / /b")
                .containsEntry("page /new", "passed")
                .containsEntry("page /moved", "passed");
        Elements cells = Jsoup.parse(report.toFile()).select("#moved-table tbody td");
        assertThat(cells.eachText())
                .containsExactly(site + "/old", "301", site + "/new", "2", site + "/ " + site + "/b");
        assertThat(summary).content().contains("| 301, moved to <" + site + "/new> | <" + site + "/old> |");
    }

    @Test
    void aLaterRoundReplacesTheResultsOfAnEarlierOne() throws Exception {
        String output = folder.resolve("results.junit.xml").toString();
        String[] again = {
            "-o", output, "--again", "--job", folder.resolve("job").toString()
        };
        crawl(again);
        assertThat(results()).hasSize(10);

        server.html("/missing", "found");
        server.html("/a", "<p id=part>a</p>");
        server.remove("/b");
        crawl(again);

        assertThat(results())
                .containsEntry("page /missing", "passed")
                .containsEntry(
                        "page /b", "failure|404|newly broken, status 404|newly broken, status 404 linked from /");
    }

    @Test
    void whateverAUrlContainsIsWellFormed() throws Exception {
        server.html("/", Site.links("http://[x\u0001\ufffe<>&\"\ud800", "http://[y\tz\nx"));
        crawl("-o", folder.resolve("results.junit.xml").toString());

        assertThat(results()).hasSize(3);
    }

    @Test
    void theMarkdownSummaryListsBrokenLinks() throws IOException {
        Path file = folder.resolve("summary.md");
        server.html("/b", Site.links("/missing", "http://[ | <b> `x`"));
        for (int i = 0; i < 2; i++) {
            assertThat(crawl("--summary", file.toString(), "--fail-on", "broken")
                            .exitCode())
                    .isEqualTo(6);
        }

        assertThat(file)
                .content()
                .startsWith("# Crawl: 5 pages, 5 broken links\n\nnothing left to crawl, in ")
                .contains("; exit code 6\n")
                .contains("\n| pages | 5 | 2xx 3, 4xx 2 |\n")
                .contains("\n| refused | 2 | address not public 1, robots\\.txt 1 |\n")
                .contains("\n## Broken links\n")
                .contains("\n| 404 | <" + site + "/missing> | <" + site + "/> |\n")
                .contains("\n| 404 | <" + site + "/gone?a=1&b=%3C2%3E> | <" + site + "/a> |\n")
                .contains("\n| malformed URL | <http://[::1> | <" + site + "/a> |\n")
                .contains("\n| malformed URL | http\\:\\/\\/\\[ \\| \\<b\\> \\`x\\` | <" + site + "/b> |\n");

        Path notes = Files.writeString(folder.resolve("notes.md"), "# My notes");
        Run refused = crawl("--summary", notes.toString());
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("notes.md exists, and is not a summary");
    }

    @Test
    void aCrawlWithoutAPageIsGreenNowhere() throws Exception {
        server.robots("User-agent: *\nDisallow: /");
        Path summary = folder.resolve("summary.md");
        Path report = folder.resolve("report.html");
        for (int run = 0; run < 2; run++) {
            Files.deleteIfExists(report);
            int exitCode = Run.of(
                            Main.commandLine(),
                            site + "/",
                            "-q",
                            "-o",
                            folder.resolve("urls.txt").toString(),
                            "--skipped",
                            folder.resolve("skipped.tsv").toString(),
                            "--summary",
                            summary.toString(),
                            "--report",
                            report.toString())
                    .exitCode();
            assertThat(exitCode).isEqualTo(3);
        }
        crawl("-o", folder.resolve("results.junit.xml").toString());

        assertThat(Files.readString(summary)).startsWith("# Crawl: no page could be fetched: robots.txt 1\n");
        assertThat(Jsoup.parse(report.toFile()).select("#verdict.bad").text())
                .isEqualTo("No page could be fetched: robots.txt 1.");
        assertThat(suite().getAttribute("failures")).isEqualTo("1");
        assertThat(results())
                .isEqualTo(
                        Map.of(
                                "page /",
                                "failure|robots.txt|no page could be fetched: robots.txt: forbids it|no page could be fetched: robots.txt: forbids it a seed"));
    }

    @Test
    void theVerdictIsAboutTheJob() {
        String job = folder.resolve("job").toString();
        server.html("/", Site.links("/missing", "/a", "/moved"));
        server.html("/a", "a");
        String[] options = {"--job", job, "--max-pages", "1", "--fail-on", "broken"};
        List<Integer> codes = new ArrayList<>();
        for (int run = 0; run < 5; run++) {
            codes.add(crawl(options).exitCode());
        }
        assertThat(codes).containsExactly(0, 6, 6, 6, 6);
        assertThat(err.toString(UTF_8)).endsWith("error responses 2, no usable response 0 (--fail-on broken)\n");
        assertThat(crawl("--job", job).exitCode()).isZero();
    }

    @Test
    void aSitemapThatFailsCountsInLaterRuns() {
        server.robots("Sitemap: " + site + "/gone.xml");
        server.html("/", "a");
        String[] options = {"--job", folder.resolve("job").toString(), "--sitemaps", "--fail-on", "broken"};

        assertThat(crawl(options).exitCode()).isEqualTo(6);
        assertThat(crawl(options).exitCode()).isEqualTo(6);
    }

    @Test
    void aRingIsFoundByTwoRuns() {
        String job = folder.resolve("job").toString();
        server.html("/", Site.links("/ring1"));
        List<Integer> codes = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            codes.add(crawl("--job", job, "--max-pages", "1", "--fail-on", "error")
                    .exitCode());
        }
        assertThat(codes).containsExactly(0, 6, 6);
    }

    @Test
    void aRunWithFailuresOnlyEndsAsTheJob() {
        String job = folder.resolve("job").toString();
        server.html("/", Site.links("/missing"));

        assertThat(crawl("--job", job, "--max-pages", "1").exitCode()).isZero();
        assertThat(crawl("--job", job).exitCode()).isZero();
    }

    @Test
    void aJobWithoutAPageEndsAsBefore() {
        String job = folder.resolve("job").toString();
        server.remove("/");

        assertThat(crawl("--job", job).exitCode()).isEqualTo(3);
        assertThat(crawl("--job", job).exitCode()).isEqualTo(3);
        assertThat(crawl("--job", job, "--fail-on", "broken").exitCode()).isEqualTo(6);
    }

    @Test
    void annotationsAreErrorsOfGitHub() {
        crawl("--annotations", "never");
        assertThat(err.toString(UTF_8)).doesNotContain("::error");

        crawl("--annotations", "always");

        String page = site.replace(":", "%3A") + "/";
        assertThat(err.toString(UTF_8))
                .contains("::error file=" + page + ",title=Broken link::404: " + site + "/missing (linked from " + site
                        + "/)\n")
                .contains("b=%253C2%253E (linked from " + site + "/a)\n");
        assertThat(err.toString(UTF_8).lines().filter(line -> line.startsWith("::error")))
                .hasSize(4);
        Run wrong = crawl("--annotations", "sometimes");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--annotations", "sometimes");
    }

    @Test
    void annotationsAreLimited() {
        List<BrokenLink> links = IntStream.range(0, 60)
                .mapToObj(i -> new BrokenLink("http://a.test/" + i, "404", null, List.of(), 0, false))
                .toList();
        assertThat(Annotations.of(links, null, Path.of("")).lines())
                .hasSize(50)
                .first()
                .isEqualTo("::error file=http%3A//a.test/0,title=Broken link::404: http://a.test/0 (a seed)");
    }
}
