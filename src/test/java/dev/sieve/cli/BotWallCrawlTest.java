package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Site;
import dev.sieve.report.CrawlDiff;
import dev.sieve.report.Difference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a crawl says of a URL behind a bot wall: neither that it works nor that it is broken. */
@Timeout(120)
class BotWallCrawlTest {
    private static final String ANUBIS = "techaro.lol-anubis-cookie-verification-1a2b3c4d=1; Path=/";

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    @AutoClose
    private final Site other = new Site();

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    @BeforeEach
    void captureErr() {
        System.setErr(new PrintStream(err, true, UTF_8));
    }

    @AfterEach
    void restoreErr() {
        System.setErr(before);
    }

    private static void wall(Site site, String path, int status, String name, String value) {
        site.answer(
                path,
                Site.status(status)
                        .field("Content-Type", "text/html")
                        .field(name, value)
                        .body("<title>Just a moment</title><a href=/never>x</a>"));
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(site.url("/"), "--delay", "0", "--retries", "0"));
        all.addAll(List.of("--check-links", "--force", "--allow-private", "127.0.0.0/8"));
        for (String name : List.of("a.jsonl", "a.txt", "sitemap.xml", "a.junit.xml")) {
            all.addAll(List.of("-o", folder.resolve(name).toString()));
        }
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns a field of the records by path. */
    private Map<String, String> records(String field) throws IOException {
        Map<String, String> values = new TreeMap<>();
        for (String line : Files.readAllLines(file("a.jsonl"))) {
            JsonNode record = new ObjectMapper().readTree(line);
            String name = record.get("url").asText().replace(site.url(""), "").replace(other.url(""), "other");
            values.put(name, record.path(field).asText());
        }
        return values;
    }

    private void pages() {
        site.page("/", "/cf", "/captcha", "/dd", "/anubis", "/ok", other.url("/aws"), other.url("/anubis"));
        wall(site, "/cf", 403, "cf-mitigated", "challenge");
        wall(site, "/captcha", 405, "x-amzn-waf-action", "captcha");
        wall(site, "/dd", 403, "x-dd-b", "2");
        wall(site, "/anubis", 200, "Set-Cookie", ANUBIS);
        wall(other, "/aws", 202, "x-amzn-waf-action", "challenge");
        wall(other, "/anubis", 200, "Set-Cookie", ANUBIS);
        site.page("/ok");
    }

    @Test
    void aWallIsNeitherASuccessNorBroken() throws IOException {
        pages();
        String[] options = {
            "--fail-on=broken",
            "--fail-on=error",
            "--accept=403",
            "--report=" + file("r.html"),
            "--metrics-file=" + file("m.prom"),
            "--summary=" + file("s.json")
        };

        assertThat(crawl(options).exitCode()).isZero();

        assertThat(records("wall"))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "/", "",
                        "/ok", "",
                        "/cf", "cloudflare",
                        "/captcha", "aws-waf",
                        "/dd", "datadome",
                        "/anubis", "anubis",
                        "other/aws", "aws-waf",
                        "other/anubis", "anubis"));
        assertThat(records("digest"))
                .containsEntry("/anubis", "")
                .hasEntrySatisfying("/ok", digest -> assertThat(digest).hasSize(16));
        assertThat(records("title")).containsEntry("/anubis", "null");
        assertThat(records("accepted").values()).containsOnly("");
        assertThat(site.requests()).doesNotContain("/never");
        assertThat(Files.readAllLines(file("a.txt"))).containsExactlyInAnyOrder(site.url("/"), site.url("/ok"));
        assertThat(Files.readString(file("sitemap.xml"))).contains("/ok<").doesNotContain("/anubis");
        assertThat(err.toString(UTF_8))
                .contains("  2xx 2  wall 4  ", "2 URLs  wall 2\n")
                .contains("walls    6 URLs behind bot walls, neither working nor broken: anubis x2  aws-waf x2  "
                        + "cloudflare x1  datadome x1\n")
                .doesNotContain("  errors ");
        assertThat(new ObjectMapper()
                        .readTree(file("s.json").toFile())
                        .at("/parts/walls/aws-waf")
                        .asInt())
                .isEqualTo(2);
        assertThat(Files.readAllLines(file("m.prom")))
                .contains(
                        "sieve_crawl_walls_total{wall=\"anubis\"} 2.0", "sieve_crawl_pages_total{status=\"wall\"} 4.0")
                .contains("sieve_crawl_checked_total{status=\"wall\"} 2.0");
        assertReport(Jsoup.parse(file("r.html").toFile(), "UTF-8"));
    }

    private void assertReport(Document report) {
        assertThat(report.select("#verdict").text()).startsWith("No broken link");
        assertThat(report.select("#of-wall").text())
                .isEqualTo("Behind bot walls, so neither working nor broken: 6 URLs.");
        assertThat(report.select("#walls h2").text()).contains("(6)");
        assertThat(report.select("#wall-table tbody tr, #wall-table tr:has(td)").eachText())
                .contains("cloudflare 1 " + site.url("/cf"));
        assertThat(report.select("#classes tr:has(td)").eachText()).containsExactly("2xx 2", "bot wall 4");
    }

    @Test
    void aWallIsASkippedTestCase() throws IOException {
        pages();
        site.page("/ok", "/refused");
        wall(site, "/refused", 403, "Server", "cloudflare");

        assertThat(crawl("--fail-on=broken").exitCode())
                .as("a 403 without a sign")
                .isEqualTo(6);

        Map<String, String> cases =
                Jsoup.parse(Files.readString(file("a.junit.xml")), Parser.xmlParser()).select("testcase").stream()
                        .collect(Collectors.toMap(
                                each -> each.attr("classname") + " "
                                        + each.attr("name")
                                                .replace(site.url(""), "")
                                                .replace(other.url(""), "other"),
                                each -> each.childrenSize() == 0
                                        ? "passed"
                                        : each.child(0).tagName() + ": "
                                                + each.child(0).attr("message")));
        assertThat(cases)
                .containsEntry("page /cf", "skipped: bot wall: cloudflare, status 403")
                .containsEntry("page /anubis", "skipped: bot wall: anubis, status 200")
                .containsEntry("link other/aws", "skipped: bot wall: aws-waf, status 202")
                .containsEntry("page /refused", "failure: status 403")
                .containsEntry("page /ok", "passed");
    }

    @Test
    void whatIsReadBackOfAJobSaysTheSame() throws IOException {
        pages();
        String job = "--job=" + file("job");
        crawl(job, "--report=" + file("r.html"));

        Run again = Run.of(
                Main.commandLine(),
                "report",
                file("job").toString(),
                "-o",
                file("again.html").toString());

        assertThat(again.exitCode()).as(again.err()).isZero();
        assertReport(Jsoup.parse(file("again.html").toFile(), "UTF-8"));
        Run why = Run.of(Main.commandLine(), "why", site.url("/cf"), job);
        assertThat(why.out()).contains("in the job: done\n", "bot wall: cloudflare responded in place of the site\n");
        assertThat(Run.of(Main.commandLine(), "why", site.url("/ok"), job).out())
                .doesNotContain("bot wall");
    }

    @Test
    void aWallSaysNothingOfAPageInALaterRound() throws IOException {
        site.page("/", "/a");
        site.page("/a");
        String[] round = {"--again", "--job=" + file("job"), "--report=" + file("r.html")};
        crawl(round);
        wall(site, "/a", 200, "Set-Cookie", ANUBIS);

        crawl(round);

        assertThat(records("change")).containsEntry("/a", "failed").containsEntry("/", "unchanged");
        assertThat(Run.of(Main.commandLine(), "why", site.url("/a"), round[1]).out())
                .contains("bot wall: anubis");
        site.page("/a");

        crawl(round);

        assertThat(records("change")).containsEntry("/a", "unchanged");
        assertThat(Run.of(Main.commandLine(), "why", site.url("/a"), round[1]).out())
                .doesNotContain("bot wall");
    }

    @Test
    void twoCrawlsAreComparedByWhatTheyHaveFound() throws IOException {
        site.page("/", "/a");
        site.page("/a");
        crawl();
        Path earlier = Files.move(file("a.jsonl"), file("earlier.jsonl"));
        wall(site, "/a", 200, "Set-Cookie", ANUBIS);
        crawl();

        List<Difference> differences = new ArrayList<>();
        new CrawlDiff(earlier, file("a.jsonl"), problem -> {}).run(differences::add);

        assertThat(differences)
                .containsExactly(new Difference("failed", "200", "wall: anubis", site.url("/a"), site.url("/"), null));
    }

    @Test
    void aCrawlThatMeetsOnlyWallsHasNoPage() {
        wall(site, "/", 202, "x-amzn-waf-action", "challenge");

        assertThat(crawl("-q").exitCode()).isEqualTo(3);
        assertThat(err.toString(UTF_8)).contains("no page could be fetched: bot wall: aws-waf 1\n");
    }

    @Test
    void aSitemapBehindAWallIsNotBroken() throws IOException {
        site.page("/").robots("Sitemap: " + site.url("/map.xml"));
        wall(site, "/map.xml", 202, "x-amzn-waf-action", "challenge");

        assertThat(crawl("--sitemaps", "--fail-on=broken").exitCode()).isZero();
        assertThat(err.toString(UTF_8))
                .contains("/map.xml cannot be read: bot wall aws-waf\n", "1 URL behind bot walls")
                .contains("2 accepted = 2 pages");
    }
}
