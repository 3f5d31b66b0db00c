package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.JobLines;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.job.CrawlDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The one rule that decides about a URL is named, and nothing is requested. */
class WhyCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int why(List<String> options, String... arguments) {
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
        return line.execute(Stream.of(Stream.of("why"), options.stream(), Stream.of(arguments))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h.test/a | crawled: in scope",
                "http://h.test/ | crawled: a seed",
                "http://h.test/docs/a | crawled: include /docs/",
                "http://h.test/docs/a.pdf | not crawled: excluded: exclude \\.pdf$",
                "http://h.test/a | not crawled: not included: no include expression matches",
                "http://o.test/a | not crawled: out of scope: not the host and port of a seed",
                "mailto:x@y | not crawled: not http or https",
                "http://h:0/ | not crawled: no valid port",
                "http://h.test/x/x/x/x/x | not crawled: trap repeated-segments: more than 2 times the same segments in a row, or 4 times a single one",
                "http://10.0.0.1/ | not crawled: address not public: 10.0.0.1 is private",
                "http://127.0.0.1:7/ | crawled: a seed",
            })
    void theRuleThatDecidesIsNamed(String url, String rule) {
        List<String> options = rule.contains("include /docs/") || rule.contains("excluded") || rule.contains("included")
                ? List.of("--include", "/docs/", "--exclude", "\\.pdf$")
                : url.contains("10.0.0.1") ? List.of("--scope", "any") : List.of();

        int exitCode = why(options, url, "http://h.test/", "http://127.0.0.1:7/");

        assertThat(out.toString().lines().findFirst()).contains(rule);
        assertThat(exitCode).isEqualTo(rule.startsWith("crawled") ? 0 : 5);
    }

    @Test
    void whatTakesARequestToKnowIsSaid() {
        why(List.of("--depth", "3"), "http://h.test/a", "http://h.test/");

        assertThat(out.toString().lines())
                .containsExactly(
                        "crawled: in scope",
                        "if it is at most 3 links from a seed, which only a crawl can show",
                        "if the robots.txt of http://h.test allows it, which is not requested here");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "all | rendered: --render all",
                "/app/ | rendered: --render /app/",
                "^$ | not rendered: --render ^$",
                "auto | rendered if it has scripts, and few words or no link: --render auto",
            })
    void whetherAPageIsRenderedIsSaid(String which, String line) {
        // A crawl would need a browser.
        List<String> options = List.of("--render", which, "--browser", "/bin/sh");

        assertThat(why(options, "http://h.test/app/a", "http://h.test/")).isZero();
        assertThat(why(options, "http://o.test/app/a", "http://h.test/")).isEqualTo(5);

        assertThat(out.toString().lines().filter(each -> each.contains("rendered")))
                .containsExactly(line);
    }

    @Test
    void aLinkThatIsOnlyCheckedIsSaidToBe() {
        assertThat(why(List.of("--check-links", "--exclude", "/x"), "http://o.test/a", "http://h.test/"))
                .isEqualTo(5);
        assertThat(why(List.of("--check-links", "--exclude", "/x"), "http://o.test/x", "http://h.test/"))
                .isEqualTo(5);

        assertThat(out.toString().lines())
                .containsExactly(
                        "not crawled: out of scope: not the host and port of a seed",
                        "checked, if a page that is crawled links to it: requested once, its own links are not followed",
                        "not crawled: out of scope: not the host and port of a seed");
    }

    @Test
    void aTrapOrAnAddressThatIsAllowedIsCrawled() {
        assertThat(why(List.of("--allow-trap", "all"), "http://h.test/x/x/x/x/x", "http://h.test/"))
                .isZero();
        assertThat(why(List.of("--scope", "any", "--allow-private", "10.0.0.0/8"), "http://10.0.0.1/"))
                .isZero();
    }

    @Test
    void aJobTellsItsSeedsAndWhatItHas() throws IOException {
        Path job = folder.resolve("job");
        CrawlDirectory.open(job, builder -> builder.capacity(100).keepLog(true)).close();
        try (DurableSieve sieve = DurableSieve.builder(job).open()) {
            sieve.pushAll(List.of("http://h.test/", "http://h.test/a"));
            sieve.done(sieve.take(0));
        }
        JobLines.replace(job, "crawl-seeds", "http://h.test/");

        List<String> options = List.of("--ignore-robots", "--job", job.toString());
        assertThat(why(options, "http://h.test/")).isZero();
        assertThat(why(options, "http://h.test/a#x")).isZero();
        assertThat(why(options, "http://h.test/b")).isZero();
        assertThat(why(options, "http://o.test/")).isEqualTo(5);

        assertThat(out.toString().lines())
                .containsExactly(
                        "crawled: a seed",
                        "in the job: done",
                        "crawled: in scope",
                        "in the job: pending",
                        "crawled: in scope",
                        "in the job: not seen yet",
                        "not crawled: out of scope: not the host and port of a seed",
                        "in the job: not seen yet");
    }

    @Test
    void seedsOfAJobAreAllowedLikeTypedOnes() throws IOException {
        Path job = folder.resolve("job");
        CrawlDirectory.open(job, builder -> builder.capacity(100)).close();
        JobLines.replace(job, "crawl-seeds", "http://127.0.0.1:7/");

        assertThat(why(List.of("--job", job.toString()), "http://127.0.0.1:7/a"))
                .isZero();
        assertThat(out.toString()).startsWith("crawled: in scope");
    }

    @Test
    void whatTheLogNoLongerHasIsInTheFilter() throws IOException {
        try (DurableSieve sieve = DurableSieve.builder(folder).capacity(1000).open()) {
            sieve.push("http://h.test/");
            sieve.sync();
            assertThat(DurableFolder.filterMightContain(folder, "http://h.test/"))
                    .as("in the log only")
                    .isFalse();
        }

        assertThat(DurableFolder.filterMightContain(folder, "http://h.test/")).isTrue();
        assertThat(DurableFolder.filterMightContain(folder, "http://h.test/a")).isFalse();
    }

    @Test
    void atDepth0OnlySeedsAreCrawled() {
        assertThat(why(List.of("--depth", "0"), "http://h.test/a", "http://h.test/"))
                .isEqualTo(5);
        assertThat(why(List.of("--depth", "0"), "http://h.test/", "http://h.test/"))
                .isZero();

        assertThat(out.toString().lines())
                .startsWith(
                        "not crawled: too deep: depth at most 0",
                        "unless a seed redirects to it, which only a crawl can show",
                        "crawled: a seed");
    }

    @Test
    void allOptionsOfTheCrawlAreTaken() {
        List<String> options = List.of(
                "--max-pages", "5", "--sitemaps", "-o", "x.jsonl", "--capacity", "1k", "--resolve", "h.test=10.0.0.1");

        assertThat(why(options, "http://h.test/a", "http://h.test/")).isZero();
        assertThat(why(List.of("--max-pages", "none"), "http://h.test/a", "http://h.test/"))
                .isEqualTo(2);
    }

    @Test
    void aTrapThatIsNoneIsNamedInOneLine() {
        assertThat(why(List.of("--allow-trap", "mouse"), "http://h.test/", "http://h.test/"))
                .isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).contains("--allow-trap", "mouse", "path-depth");
    }

    @Test
    void withoutASeedThereIsNoScope() {
        assertThat(why(List.of(), "http://h.test/")).isEqualTo(2);
        assertThat(err.toString()).contains("SEED");
    }
}
