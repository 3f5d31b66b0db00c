package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A folder that CI checks in each run, with what earlier runs have found of its links. */
@Timeout(120)
class FolderJobTest {
    private static final Pattern RECORD =
            Pattern.compile("\"url\": \"(?:http://localhost:?\\d*)?([^\"]+)\".*\"status\": (\\d+|null)");

    @TempDir
    private Path directory;

    @AutoClose
    private final Site other = new Site();

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Path folder;
    private int runs;

    @BeforeEach
    void build() throws IOException {
        System.setErr(new PrintStream(err, true, UTF_8));
        folder = Files.createDirectory(directory.resolve("public"));
        other.page("/a").redirect("/moved", "/a").answer("/i.png", Site.ok("image/png", "x"));
        other.answer("/s.css", Site.ok("text/css", "b { background: url(b.png) }"));
        write(
                "index.html",
                Site.links("p.html", other.url("/a"), other.url("/moved"), other.url("/bad"), "#no")
                        + "<img src='%s'><link rel=stylesheet href='%s'>"
                                .formatted(other.url("/i.png"), other.url("/s.css")));
        write("p.html", Site.links(other.url("/a"), "q.html"));
        write("q.html", "q");
    }

    @AfterEach
    void stop() {
        System.setErr(before);
    }

    private void write(String name, String html) throws IOException {
        Files.writeString(folder.resolve(name), html);
    }

    /** Returns the records of a run, each as path and status. */
    private List<String> run(int exitCode, String... options) throws IOException {
        Path records = directory.resolve(runs++ + ".jsonl");
        List<String> all = new ArrayList<>(List.of(folder.toString(), "--job=" + directory.resolve("job")));
        all.addAll(List.of("--check-links", "--check-resources", "--check-fragments", "-o=" + records));
        all.addAll(List.of("--delay=0", "--retries=0", "--allow-private=127.0.0.0/8"));
        all.addAll(List.of(options));
        Run run = Run.of(Main.commandLine(), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err() + err.toString(UTF_8)).isEqualTo(exitCode);
        List<String> results = new ArrayList<>();
        for (String line : Files.readAllLines(records)) {
            Matcher fields = RECORD.matcher(line);
            assertThat(fields.find()).as(line).isTrue();
            results.add(fields.group(1) + " " + fields.group(2));
        }
        return results;
    }

    @Test
    void whatWorkedIsNotRequestedAgain() throws IOException {
        List<String> first = run(0);
        assertThat(other.requests()).containsExactlyInAnyOrder("/a", "/moved", "/bad", "/i.png", "/s.css", "/b.png");

        List<String> second = run(0);

        assertThat(second).containsExactlyInAnyOrderElementsOf(first);
        assertThat(other.requests().subList(6, other.requests().size()))
                .containsExactlyInAnyOrder("/bad", "/s.css", "/b.png");
        assertThat(Files.readAllLines(directory.resolve("1.jsonl")))
                .filteredOn(line -> line.contains("\"earlier\": \"2"))
                .hasSize(3);
        assertThat(err.toString(UTF_8)).contains("3 of them worked in an earlier run, and were not requested again");
    }

    @Test
    void theFilesOfTheFolderAreReadAnew() throws IOException {
        run(0);
        write("p.html", Site.links("new.html"));
        write("new.html", "n");
        Files.delete(folder.resolve("q.html"));

        List<String> second = run(6, "--fail-on=broken");

        assertThat(second).contains("/new.html 200", "/p.html 200").noneMatch(line -> line.contains("q.html"));
        write("new.html", Site.links("q.html"));
        assertThat(run(6, "--fail-on=newly-broken")).contains("/q.html 404");
    }

    @Test
    void onlyNewlyBrokenLinksFailARun() throws Exception {
        run(6, "--fail-on=newly-broken");
        run(0, "--fail-on=newly-broken");
        Files.delete(folder.resolve("q.html"));
        write("p.html", "<p>" + Site.links("q.html", "p.html#gone"));
        Path report = directory.resolve("report.html");
        Path summary = directory.resolve("summary.md");
        Path junit = directory.resolve("junit.xml");
        err.reset();

        run(
                6,
                "--fail-on=newly-broken",
                "--annotations=always",
                "--report=" + report,
                "--summary=" + summary,
                "-o=" + junit);

        assertThat(err.toString(UTF_8))
                .contains("2 URLs newly broken (--fail-on newly-broken)", "; newly broken 2")
                .contains("title=Newly broken link::404: http://localhost/q.html")
                .contains("title=Newly broken link::missing fragment: http://localhost/p.html#gone")
                .contains("title=Broken link::404: " + other.url("/bad"));
        assertThat(Files.readString(summary))
                .contains("| newly\\_broken | 2 |".replace("\\", ""), "| 404, new | <http://localhost/q.html>")
                .contains("| 404 | <" + other.url("/bad"));
        assertThat(Files.readString(junit))
                .contains("type=\"404\" message=\"newly broken, status 404\"", "type=\"404\" message=\"status 404\"")
                .contains("message=\"newly broken, missing fragment\"");
        assertThat(Files.readString(report)).contains("page, newly broken", "part of a page, newly broken", ">check<");
        run(0, "--fail-on=newly-broken");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--again | Option '--again' is not for a folder, which every run reads anew",
                "--keep-log | Option '--keep-log' is not for a folder, which every run reads anew",
                "--min-age=1h | Option '--min-age' requires '--again'",
                "--max-age=0s | Invalid value for option '--max-age'",
            })
    void otherOptionsOfJobsAreRefused(String option, String message) throws IOException {
        Run run = Run.of(Main.commandLine(), "-q", folder.toString(), "--job=" + directory.resolve("job"), option);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void newlyBrokenNeedsRunsToCompare() {
        Run run = Run.of(Main.commandLine(), "-q", folder.toString(), "--fail-on=newly-broken");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("Option '--fail-on newly-broken' requires '--again', or '--job' and a folder as SEED");
    }

    @Test
    void aJobIsOfAFolderOrNot() throws IOException {
        run(0);
        String job = "--job=" + directory.resolve("job");
        Run without = Run.of(Main.commandLine(), "-q", job);
        Run withUrl = Run.of(Main.commandLine(), "-q", other.url("/a"), job);
        String ordinary = "--job=" + directory.resolve("ordinary");
        Run.of(Main.commandLine(), "-q", other.url("/a"), ordinary, "-o=" + directory.resolve("u.txt"));
        Run withFolder = Run.of(Main.commandLine(), "-q", folder.toString(), ordinary);

        assertThat(List.of(without, withUrl, withFolder))
                .extracting(Run::exitCode)
                .containsOnly(2);
        assertThat(without.err()).contains("the job of a folder; name the folder as SEED, or another job");
        assertThat(withUrl.err()).contains("the job of a folder; name the folder as SEED, or another job");
        assertThat(withFolder.err()).contains("not the job of a folder; choose another one");
        assertThat(run(0)).isNotEmpty();
    }
}
