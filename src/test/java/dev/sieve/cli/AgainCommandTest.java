package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.output.Archive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same command crawls again what it has crawled. */
@Timeout(120)
class AgainCommandTest {
    private static final String REDIRECT = "to ";

    @TempDir
    private Path folder;

    private final Map<String, String> pages = new ConcurrentHashMap<>();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    private final String site = server.url("/");
    private final AtomicInteger requests = new AtomicInteger();
    private volatile String failing = "";
    /** Does not respond. */
    private volatile String silent = "";
    /** Removes the folder of the report. */
    private volatile String report = "";

    @BeforeEach
    void start() throws IOException {
        System.setErr(new PrintStream(err, true, UTF_8));
        server.otherwise(request -> {
            requests.incrementAndGet();
            String path = request.getRequestURI().getPath();
            if (path.equals(report)) {
                Files.deleteIfExists(folder.resolve("reports"));
            }
            return path.equals(silent) ? null : reply(path, pages.get(path));
        });
        pages.put("/", "<a href=a>a</a><a href=b>b</a>");
        pages.put("/a", "a");
        pages.put("/b", "b");
    }

    @AfterEach
    void stop() {
        System.setErr(before);
    }

    private Site.Reply reply(String path, @Nullable String page) {
        if (path.equals(failing) || page == null) {
            return Site.status(path.equals(failing) ? 503 : 404);
        } else if (page.equals(REDIRECT)) {
            return Site.status(302);
        } else if (page.startsWith(REDIRECT)) {
            return Site.status(302).field("Location", page.substring(REDIRECT.length()));
        }
        return path.startsWith("/untagged") ? Site.ok("text/html", page) : Site.tagged(page);
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--delay", "0", "--retries", "0", "--concurrency", "1"));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private Run again(String... options) {
        List<String> all = new ArrayList<>(
                List.of(site, "--again", "--job", folder.resolve("job").toString()));
        all.addAll(List.of(options));
        return crawl(all.toArray(String[]::new));
    }

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    @Test
    void theSameCommandBeginsTheNextRound() throws IOException {
        String file = folder.resolve("pages.jsonl").toString();
        again("-o", file);
        assertThat(err.toString(UTF_8)).contains("round    1: 3 new");
        pages.put("/a", "<b>a</b>");
        pages.remove("/b");

        Run second = again("-o", file);

        assertThat(second.exitCode()).isZero();
        assertThat(err.toString(UTF_8))
                .contains(
                        "3 URLs of the job and 0 new seeds",
                        "round    2: 1 changed (1 only in the markup), 1 unchanged, 1 gone");
        assertThat(lines("pages.jsonl")).hasSize(6);
        assertThat(lines("pages.jsonl").subList(3, 6))
                .anyMatch(line -> line.contains("/a\"")
                        && line.contains("\"change\": \"changed\", \"same_text\": true, \"last_visit\": \"2"))
                .anyMatch(line -> line.contains("/b\"") && line.contains("\"change\": \"gone\""))
                .anyMatch(line -> line.contains("\"status\": 304") && line.contains("\"visits\": 2}"));
    }

    @Test
    void onlyNewlyBrokenLinksFailARound() throws IOException {
        pages.put("/", "<a href=a>a</a><a href=b>b</a><a href=no>x</a><a href=a#no>x</a>");
        String[] options = {"-q", "--fail-on", "newly-broken", "--check-fragments"};
        assertThat(again(options).exitCode()).isEqualTo(FailOn.ExitCode.FAIL_ON);
        assertThat(again(options).exitCode()).isZero();
        pages.remove("/b");
        err.reset();

        Run third = again(options);

        assertThat(third.exitCode()).isEqualTo(FailOn.ExitCode.FAIL_ON);
        assertThat(err.toString(UTF_8)).contains("sieve: 1 URL newly broken (--fail-on newly-broken)");
        assertThat(again(options).exitCode()).isZero();
    }

    @Test
    void aPageThatIsNotModifiedHasTheDigestsOfItsLastVisit() throws IOException {
        again("-q", "-o", folder.resolve("first.jsonl").toString());
        again("-q", "-o", folder.resolve("second.jsonl").toString());

        assertThat(lines("second.jsonl")).hasSize(3).allMatch(line -> line.contains("\"status\": 304"));
        assertThat(digests("second.jsonl")).hasSize(3).isEqualTo(digests("first.jsonl"));
    }

    /** Returns the digests of the pages in a file, by their URLs. */
    private Map<String, String> digests(String name) throws IOException {
        return lines(name).stream()
                .collect(Collectors.toMap(
                        line -> line.split("\"", 5)[3],
                        line -> line.replaceFirst(
                                ".*(\"digest\": \"[0-9a-f]{16}\", \"text_digest\": \"[0-9a-f]{16}\").*", "$1")));
    }

    @Test
    void anArchiveRefersToThatOfAnEarlierRound() throws IOException {
        pages.put("/b", "<a href=untagged>u</a><a href=untagged2>u</a>");
        pages.put("/untagged", "the same");
        pages.put("/untagged2", "in round 1");
        for (int round = 1; round <= 3; round++) {
            pages.put("/untagged2", "in round " + round);
            again("-q", "-o", folder.resolve(round + ".warc.gz").toString());
        }

        Map<String, Archive.Entry> first = responses("1.warc.gz");
        assertThat(first.values()).extracting(Archive.Entry::type).containsOnly("response");
        for (String later : List.of("2.warc.gz", "3.warc.gz")) {
            Map<String, Archive.Entry> records = responses(later);
            assertThat(records).hasSameSizeAs(first);
            assertThat(records.get("untagged2").type()).isEqualTo("response");
            for (String path : List.of("", "a", "b", "untagged")) {
                Archive.Entry record = records.get(path);
                assertThat(record.type()).as(path).isEqualTo("revisit");
                assertThat(record.field("WARC-Profile"))
                        .endsWith(path.equals("untagged") ? "/identical-payload-digest" : "/server-not-modified");
                assertThat(record.field("WARC-Refers-To-Target-URI"))
                        .isEqualTo(first.get(path).url());
                assertThat(record.field("WARC-Refers-To-Date"))
                        .isEqualTo(first.get(path).field("WARC-Date"));
            }
            assertThat(records.get("untagged").field("WARC-Payload-Digest"))
                    .isEqualTo(first.get("untagged").field("WARC-Payload-Digest"));
        }
    }

    /** Returns the responses and revisits in an archive by the paths of their URLs, robots.txt aside. */
    private Map<String, Archive.Entry> responses(String archive) throws IOException {
        return Archive.read(folder.resolve(archive)).stream()
                .filter(entry -> List.of("response", "revisit").contains(entry.type()))
                .filter(entry -> !entry.url().endsWith("/robots.txt"))
                .collect(Collectors.toMap(entry -> entry.url().replaceFirst(".*/", ""), entry -> entry));
    }

    @Test
    void unchangedPagesAreLeftOutOnRequest() throws IOException {
        again("-q", "-o", folder.resolve("first.csv").toString());
        pages.put("/", "<a href=a>a</a>");

        again(
                "--only-changes",
                "-o",
                folder.resolve("second.csv").toString(),
                "-o",
                folder.resolve("x.txt").toString());

        assertThat(lines("second.csv")).hasSize(2);
        assertThat(lines("second.csv").get(1)).startsWith(site + ",").contains(",changed,,");
        assertThat(lines("x.txt")).containsExactly(site);
        assertThat(err.toString(UTF_8)).contains("orphans  no page links any more to 1 page: " + site + "b");
    }

    @Test
    void aRoundInWhichNothingHasChangedIsASuccess() throws IOException {
        again("-q", "-o", folder.resolve("first.txt").toString());
        assertThat(again("-o", folder.resolve("second.txt").toString()).exitCode())
                .isZero();
        assertThat(lines("second.txt"))
                .containsExactlyElementsOf(lines("first.txt"))
                .hasSize(3);
    }

    @Test
    void roundsNeedAJobThatHasThemFromTheStart() {
        assertThat(crawl(site, "--again").err()).contains("Option '--again' requires '--job'");
        String job = folder.resolve("job").toString();
        assertThat(crawl(site, "-q", "--job", job).exitCode()).isZero();

        Run refused = again();

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--again").contains("begun without rounds");
    }

    @Test
    void roundOfDuePagesVisitsNoneThatWasVisitedToday() throws IOException {
        crawlDue("1.jsonl");
        pages.put("/a", "other");
        crawlDue("2.jsonl");
        assertThat(lines("1.jsonl")).hasSize(3);
        assertThat(lines("2.jsonl")).isEmpty();

        assertThat(again("-o", folder.resolve("3.jsonl").toString()).exitCode()).isZero();
        assertThat(lines("3.jsonl")).hasSize(3);
    }

    private void crawlDue(String output) {
        Run run = crawl(
                "--again=due",
                "--job",
                folder.resolve("job").toString(),
                site,
                "-o",
                folder.resolve(output).toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @Test
    void reportIsAboutTheRound() throws IOException {
        Path report = folder.resolve("r.html");
        for (int round = 1; round <= 3; round++) {
            assertThat(again("--min-age", "2d", "--report", report.toString()).exitCode())
                    .isZero();
            Element tile =
                    Jsoup.parse(report.toFile(), "UTF-8").selectFirst("dl.tiles > div:has(dt:containsOwn(Pages)) > dd");
            assertThat(tile.text()).as("round %d", round).startsWith("3");
        }
    }

    /** The text of an element in a report of the crawl; null if it is not there. */
    private static String text(Path report, String selector) throws IOException {
        Element element = Jsoup.parse(report.toFile(), "UTF-8").selectFirst(selector);
        return element == null ? null : element.text();
    }

    @Test
    void reportAndSummaryOfARoundSayWhatHasChanged() throws IOException {
        Path report = folder.resolve("r.html");
        Path summary = folder.resolve("s.json");
        String[] options = {"--report", report.toString(), "--summary", summary.toString()};
        pages.put("/", pages.get("/") + "<a href=c>c</a>");
        assertThat(again(options).exitCode()).isZero();
        assertThat(text(report, "#changed")).as("in the first round").isNull();
        pages.put("/", "<a href=a>a</a><a href=b>b</a><a href=c>c</a><a href=d>d</a>");
        pages.put("/a", "<b>a</b>");
        pages.put("/c", "c");
        pages.put("/d", "d");
        pages.remove("/b");

        assertThat(again(options).exitCode()).isZero();

        assertThat(text(report, "#changed"))
                .isEqualTo("Since the crawl before: 1 new, 2 changed (1 only in the markup), 1 gone, 1 back;"
                        + " newly broken 1, repaired 1.");
        assertThat(text(report, "#broke tbody")).isEqualTo(site + "b 200 404 " + site);
        assertThat(text(report, "#repaired tbody")).isEqualTo(site + "c 404 200 " + site);
        assertThat(text(report, "#pages-new tbody")).isEqualTo(site + "d 200 " + site);
        assertThat(Files.readString(summary))
                .contains("\"changes\":{\"back\":1,\"changed\":2,\"gone\":1,\"new\":1}", "\"same_text\":1");

        Path later = folder.resolve("later.html");
        assertThat(again("--report", later.toString()).exitCode()).isZero();
        assertThat(text(later, "#changed")).isEqualTo("Since the crawl before: 5 unchanged.");
        assertThat(text(later, "#changes p")).isEqualTo("None.");
    }

    @Test
    void changesAndGonePagesAreAnExitCodeOnRequest() {
        String[] options = {"--fail-on", "changed", "--fail-on", "gone"};
        assertThat(again(options).exitCode()).as("in the first round").isZero();
        assertThat(again(options).exitCode()).as("without a change").isZero();
        pages.put("/a", "another");
        pages.remove("/b");

        assertThat(again(options).exitCode()).isEqualTo(FailOn.ExitCode.FAIL_ON);

        assertThat(err.toString(UTF_8))
                .contains("sieve: 1 page changed (--fail-on changed)", "sieve: 1 page gone (--fail-on gone)");
    }

    /** A page that failed in the round before is repaired by a status of 304. */
    @Test
    void aPageThatFailedForARoundIsRepaired() throws IOException {
        Path report = folder.resolve("r.html");
        assertThat(again().exitCode()).isZero();
        failing = "/a";
        assertThat(again("--report", report.toString()).exitCode()).isZero();
        assertThat(text(report, "#broke tbody")).isEqualTo(site + "a 200 503 " + site);
        failing = "";

        assertThat(again("--report", report.toString()).exitCode()).isZero();

        assertThat(text(report, "#changed"))
                .isEqualTo("Since the crawl before: 3 unchanged; newly broken 0, repaired 1.");
        assertThat(text(report, "#repaired tbody")).isEqualTo(site + "a 503 304 " + site);
        assertThat(text(report, "#classes tbody")).isEqualTo("304 (as before) 3");
    }

    @Test
    void aRecoveryIsAChange() throws IOException {
        String changes = folder.resolve("changes.jsonl").toString();
        String[] options = {
            "-q",
            "--only-changes",
            "-o",
            changes,
            "-o",
            folder.resolve("junit.xml").toString()
        };
        again(options);
        failing = "/a";
        again(options);
        assertThat(Files.readString(folder.resolve("junit.xml"))).contains("failures=\"1\"");
        failing = "";
        again(options);
        again(options);

        assertThat(Files.readString(folder.resolve("junit.xml"))).contains("failures=\"0\"");
        assertThat(lines("changes.jsonl")).hasSize(5);
        assertThat(lines("changes.jsonl").get(4))
                .contains("/a\"", "\"status\": 304", "\"change\": \"unchanged\"", "\"last_status\": 503");
    }

    @Test
    void aFailureForgetsNoPartOfAPage() throws IOException {
        pages.put("/", "<a href=a>a</a><a href=a#no>x</a><a href=a#yes>y</a>");
        pages.put("/a", "<p id=yes><a href=/#none>z</a>");
        String[] options = {
            "-q",
            "--check-fragments",
            "--fail-on",
            "broken",
            "--summary",
            folder.resolve("s.json").toString()
        };
        for (String each : List.of("", "/a", "", "/", "", "")) {
            failing = each;
            again(options);
            assertThat(Files.readString(folder.resolve("s.json")))
                    .as(each)
                    .contains("\"fragments\":{\"found\":1,\"missing\":2}");
        }
    }

    @Test
    void aPageThatFailedIsBrokenOnceAndRepairedOnce() throws IOException {
        Path report = folder.resolve("r.html");
        List<String> expected = List.of("", "broken 1, repaired 0", "broken 0, repaired 1", "", "broken 1, repaired 0");
        for (int round = 1; round <= 5; round++) {
            failing = round % 3 == 2 ? "/a" : "";
            assertThat(again("--report", report.toString()).exitCode()).isZero();
            assertThat(links(report)).as("round %d", round).isEqualTo(expected.get(round - 1));
        }
        assertThat(text(report, "#broke tbody")).isEqualTo(site + "a 200 503 " + site);
    }

    @Test
    void aPageThatDoesNotRespondIsBrokenOnceAndRepairedOnce() throws IOException {
        Path report = folder.resolve("r.html");
        List<String> expected = List.of("", "broken 1, repaired 0", "", "broken 0, repaired 1", "");
        for (int round = 1; round <= 5; round++) {
            // The last page of a run without a response is not done.
            silent = round == 2 || round == 3 ? "/b" : "";
            assertThat(again("--report", report.toString()).exitCode()).isZero();
            assertThat(links(report)).as("round %d", round).isEqualTo(expected.get(round - 1));
        }
    }

    @Test
    void badRedirectsAreBrokenAsBefore() throws IOException {
        pages.put("/", "<a href=none></a><a href=self></a><a href=a></a><a href=bad></a><a href=0></a>");
        pages.put("/none", REDIRECT);
        pages.put("/self", REDIRECT + "/self");
        pages.put("/bad", REDIRECT + "http://");
        pages.put("/a", REDIRECT + "/b");
        pages.put("/b", REDIRECT + "/a");
        for (int i = 0; i < 40; i++) {
            pages.put("/" + i, REDIRECT + "/" + (i + 1));
        }
        Path report = folder.resolve("r.html");
        for (int round = 1; round <= 4; round++) {
            assertThat(again("--report", report.toString()).exitCode()).isZero();
            assertThat(text(report, "#changed"))
                    .as("round %d", round)
                    .isEqualTo(round == 1 ? null : "Since the crawl before: 12 unchanged, 5 failed.");
        }
    }

    /** Returns how many links broke, and how many were repaired, as a report says it; empty when it does not. */
    private static String links(Path report) throws IOException {
        String sentence = text(report, "#changed");
        return sentence == null || !sentence.contains("; ") ? "" : sentence.replaceFirst(".*; newly (.*)\\.", "$1");
    }

    /** The folder of the report is removed in the second round, in place of a disk that is full. */
    @Test
    void aRoundEndsWhenItsReportIsWritten() throws IOException {
        Path reports = folder.resolve("reports");
        String[] options = {"--report", reports.resolve("r.html").toString()};
        Files.createDirectories(reports);
        assertThat(again(options).exitCode()).isZero();
        Files.delete(reports.resolve("r.html"));
        pages.put("/a", "other");
        report = "/b";
        assertThat(again(options).exitCode()).isEqualTo(FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED);
        assertThat(err.toString(UTF_8)).contains("the crawl has failed");
        report = "";
        Files.createDirectories(reports);
        int before = requests.get();

        assertThat(again(options).exitCode()).isZero();

        assertThat(requests.get()).isEqualTo(before);
        assertThat(text(reports.resolve("r.html"), "#changed"))
                .isEqualTo("Since the crawl before: 1 changed, 2 unchanged.");
        assertThat(again(options).exitCode()).isZero();
        assertThat(requests.get()).isGreaterThan(before);
        assertThat(text(reports.resolve("r.html"), "#changed")).isEqualTo("Since the crawl before: 3 unchanged.");
    }

    @Test
    void missingFragmentsAreBrokenInEachRound() throws IOException {
        pages.put("/", "<p id=here><a href=#here>a</a><a href=a#lost>b</a><a href=b#gone>c</a>");
        pages.put("/a", "<a href=b#gone>b</a>");
        Path report = folder.resolve("r.html");
        Path summary = folder.resolve("summary.json");
        for (int round = 1; round <= 2; round++) {
            String records = "pages" + round + ".jsonl";
            Run run = again(
                    "--check-fragments",
                    "--fail-on",
                    "broken",
                    "--report",
                    report.toString(),
                    "--summary",
                    summary.toString(),
                    "-o",
                    folder.resolve(records).toString());

            assertThat(run.exitCode()).as("round %d: %s", round, run.err()).isEqualTo(6);
            assertThat(Files.readString(summary)).contains("\"fragments\":{\"found\":1,\"missing\":3}");
            assertThat(lines(records).subList(3, 6))
                    .allMatch(line -> line.contains("\"error\": \"missing fragment\", \"check\": true"))
                    .anyMatch(line -> line.contains("\"url\": \"" + site + "a#lost\"")
                            && line.contains("\"referrer\": \"" + site + "\""));
            assertBrokenFragments(Jsoup.parse(report.toFile(), "UTF-8"));
        }
        assertThat(err.toString(UTF_8))
                .contains(
                        "parts    4 links to parts of pages = 1 found + 3 missing + 0 unchecked",
                        "error responses 0, no usable response 0, missing fragments 2 (--fail-on broken)");

        Path later = folder.resolve("later.html");
        String job = folder.resolve("job").toString();
        assertThat(Run.of(Main.commandLine(), "report", job, "-o", later.toString())
                        .exitCode())
                .isZero();
        assertBrokenFragments(Jsoup.parse(later.toFile(), "UTF-8"));
    }

    private void assertBrokenFragments(Element report) {
        assertThat(report.select("#verdict").text()).isEqualTo("2 fragments are broken, of 3 URLs requested.");
        assertThat(report.select("#broken-links h3").eachText()).containsExactly("missing fragment (2)");
        assertThat(report.select("#broken-links tbody tr").eachText())
                .extracting(row -> row.replace(", newly broken", ""))
                .containsExactlyInAnyOrder(
                        site + "a#lost part of a page 1 " + site,
                        site + "b#gone part of a page 2 " + site + " " + site + "a");
    }

    @Test
    void sharedCrawlDoesNotCheckFragments() {
        assertThat(crawl(site, "--check-fragments", "--frontier", "valkey://127.0.0.1:1/x")
                        .err())
                .contains("Options '--check-fragments' and '--frontier' exclude each other");
    }

    @Test
    void agesAreChecked() {
        assertThat(again("--min-age", "3d", "--max-age", "2d").err())
                .contains("Invalid value for option '--min-age': must be at least 1 s, and not above the longest one");
        assertThat(crawl(site, "--max-age", "2d").err()).contains("Option '--max-age' requires '--job'");
    }

    @Test
    void diffEndsAsDiffDoes() throws IOException {
        Path first = folder.resolve("first.jsonl");
        Path second = folder.resolve("second.jsonl");
        again("-q", "-o", first.toString());
        again(
                "-q",
                "-o",
                second.toString(),
                "--report",
                folder.resolve("r.html").toString());
        Path job = folder.resolve("job");

        assertThat(diff(first, second).exitCode()).isZero();
        assertThat(diff(job).exitCode()).isZero();

        pages.remove("/a");
        Path third = folder.resolve("third.jsonl");
        again("-q", "-o", third.toString(), "--report", folder.resolve("r.html").toString());

        Path report = folder.resolve("diff.html");
        assertThat(diff(first, third, "--report", report.toString()).exitCode()).isEqualTo(1);
        assertThat(text(report, "#pages-gone tbody")).isEqualTo(site + "a 200 404 " + site);
        assertThat(diff(job, "--json").exitCode()).isEqualTo(1);
        assertThat(diff(third).exitCode()).isEqualTo(1);

        assertThat(diff(first, third, "--report", report.toString()).err()).contains("exists; use --force");
        assertThat(diff(first).exitCode()).isEqualTo(1);
        assertThat(diff(first, folder.resolve("none")))
                .returns(2, Run::exitCode)
                .returns("sieve: " + folder.resolve("none") + ": no such file or directory\n", Run::err);
    }

    private static Run diff(Object... arguments) {
        return Run.of(
                Main.commandLine(),
                Stream.concat(Stream.of("diff"), Stream.of(arguments).map(Object::toString))
                        .toArray(String[]::new));
    }
}
