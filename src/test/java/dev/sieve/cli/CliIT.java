package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the packaged program as a user does. */
@Tag("process")
@Timeout(1200)
class CliIT {
    @TempDir
    private Path folder;

    private Cli sieve(String... args) throws IOException, InterruptedException {
        return Cli.run(folder, args);
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    @Tag("slow")
    void theDemoCrawlsAWebOfItsOwnAndShowsTheWarnings() throws Exception {
        Cli demo = sieve("demo --hosts 20 --pages 400 -o pages.jsonl -o urls.txt --report demo.html".split(" ", -1));

        assertThat(demo.exitCode()).isZero();
        assertThat(demo.stdout()).isEmpty();
        assertThat(demo.stderr())
                .contains("filter 80 % full", "filter 100 % full")
                .contains("Done in", "nothing left to crawl", "estimated pages missed")
                .contains("of the 400 pages");
        // One page in ten thousand may be missed, and what it alone leads to.
        List<String> urls = Files.readAllLines(folder.resolve("urls.txt"));
        assertThat(urls).hasSizeBetween(380, 400).doesNotHaveDuplicates();
        assertThat(Files.readAllLines(folder.resolve("pages.jsonl")))
                .hasSizeGreaterThan(urls.size())
                .allMatch(line -> line.startsWith("{\"url\": \"http://") && line.endsWith("}"));

        Cli report = sieve("report", "pages.jsonl", "-o", "again.html");
        assertThat(report.exitCode()).as(report.stderr()).isZero();
        for (String name : List.of("demo.html", "again.html")) {
            assertThat(ReportFile.responses(folder.resolve(name), "2xx")).isEqualTo(urls.size());
        }
        Cli second = sieve("report", "pages.jsonl", "-o", "again.html");
        assertThat(second.exitCode()).isEqualTo(2);
        assertThat(second.stderr()).contains("again.html exists; use --force to overwrite it");
    }

    @Test
    void dataGoesToStdoutAndTalkToStderr() throws Exception {
        try (Site server = new Site("127.0.0.1")
                .otherwise(request -> Site.ok("text/html", "<a href='/a'></a><a href='/b'></a>"))) {
            String site = server.url("");

            Cli crawl = sieve(site, "--delay", "0", "--filter=exact");

            assertThat(crawl.exitCode()).isEqualTo(0);
            assertThat(crawl.stdout().lines()).containsExactlyInAnyOrder(site + "/", site + "/a", site + "/b");
            assertThat(crawl.stderr()).contains("Done in").doesNotContain("\u001B");
        }
    }

    @Test
    @Tag("slow")
    void whatIsSkippedHasALineEach() throws Exception {
        try (Site server = new Site("127.0.0.1")
                .otherwise(
                        request -> Site.ok(
                                "text/html",
                                "<a href='/a'></a><a href='mailto:x'></a><a href='http://o.test/'></a><a href='/x/x/x/x/x'></a>"))) {
            String site = server.url("/");

            Cli crawl = sieve(site, "--delay", "0", "--filter=exact", "--ignore-robots", "--skipped", "skipped.tsv");

            assertThat(crawl.exitCode()).isZero();
            assertThat(crawl.stdout().lines()).containsExactlyInAnyOrder(site, site + "a");
            assertThat(crawl.stderr())
                    .contains("6 skipped (not http or https 2, out of scope 2, trap repeated-segments 2)");
            assertThat(Files.readAllLines(folder.resolve("skipped.tsv")))
                    .containsExactlyInAnyOrder(
                            "mailto:x\tnot http or https\t" + site,
                            "mailto:x\tnot http or https\t" + site + "a",
                            "http://o.test/\tout of scope: not the host and port of a seed\t" + site,
                            "http://o.test/\tout of scope: not the host and port of a seed\t" + site + "a",
                            site
                                    + "x/x/x/x/x\ttrap repeated-segments: more than 2 times the same segments in a row, or 4 times a single one\t"
                                    + site,
                            site
                                    + "x/x/x/x/x\ttrap repeated-segments: more than 2 times the same segments in a row, or 4 times a single one\t"
                                    + site + "a");
            assertThat(sieve(site, "--skipped", "skipped.tsv").stderr()).contains("--skipped", "exists");
        }
    }

    @Test
    void seedsComeFromStandardInputToo() throws Exception {
        Cli crawl = Cli.start(folder, "-", "--retries", "0", "-q").write("# none\n\nftp://x/\nhttp://127.0.0.1:1/\n");

        assertThat(crawl.await().exitCode()).isEqualTo(3);
        assertThat(crawl.stderr()).contains("standard input:3", "ftp://x/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--delay | -1s",
                "--delay | NaN",
                "--timeout | 0s",
                "--timeout | 25d",
                "--max-pages | 0",
                "--max-pages | many",
                "--max-time | 0",
                "--per-host | 0",
                "--per-host | 32768",
                "--per-domain | 0",
                "--max-per-host | 0",
                "--max-failures | 128",
                "--allow-trap | mouse",
                "--skipped | out.jsonl",
                "--concurrency | 0",
                "--concurrency | 2147483648",
                "--depth | -1",
                "--retries | -2",
                "--capacity | 0",
                "--capacity | 1e15",
                "--miss-rate | 2",
                "--miss-rate | 0",
                "--scope | galaxy",
                "--on-full | explode",
                "--filter | bloom",
                "--include | (",
                "--exclude | [",
                "-H | nonsense",
                "-H | User-Agent: mybot/1.0",
                "--user-agent | b\u00f6t/1.0",
                "-H | Accept-Encoding: br",
                "--allow-private | 10.0.0.1/8",
                "--allow-private | localhost",
                "-o | pages.docx",
                "--frobnicate | 1",
            })
    void aBadValueIsNamedInOneLineAndNothingIsCreated(String option, String value) throws Exception {
        Run crawl = Run.of(Main.commandLine(), "http://127.0.0.1:1/", "-o", "out.jsonl", option, value);

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.err().lines()).hasSize(1);
        assertThat(crawl.err()).contains(option);
        assertThat(crawl.out()).isEmpty();
        assertThat(Path.of("out.jsonl")).doesNotExist();
    }

    @Test
    void aJobThatIsNotThereIsNotMadeWithoutSeeds() throws Exception {
        Run crawl = Run.of(Main.commandLine(), "--job", file("nothing"));

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.err().lines()).hasSize(1);
        assertThat(folder.resolve("nothing")).doesNotExist();
    }

    @Test
    void aJobIsNotMadeForSeedsOfWhichNoneIsOne() throws Exception {
        Files.writeString(folder.resolve("seeds.txt"), "nonsense\nftp://x/\n");

        Run crawl = Run.of(Main.commandLine(), file("seeds.txt"), "http://[::1", "--job", file("new/job"));

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.err()).contains("no usable seed in " + file("seeds.txt"));
        assertThat(folder.resolve("new")).doesNotExist();
    }

    @Test
    @Tag("slow")
    void aJobIsMadeWithTheFilterThatIsChosenAndKeepsIt() throws Exception {
        Run.of(
                Main.commandLine(),
                "http://127.0.0.1:1/",
                "--job",
                file("job"),
                "--retries",
                "0",
                "--filter",
                "classic");
        Run.of(Main.commandLine(), "--job", file("job"), "--retries", "0");

        assertThat(folder.resolve("job/settings")).content().contains("\nfilter classic\n");
    }

    @Test
    void aJobIsNotMadeSmallerThanItIs() throws Exception {
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000)) {
            for (int i = 0; i < 500; i++) {
                frontier.push("http://127.0.0.1:1/" + i);
            }
        }

        Run crawl = Run.of(Main.commandLine(), "--job", file("job"), "--capacity", "100");

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.err().lines()).hasSize(1);
        // The size of a filter is an estimate.
        assertThat(crawl.err()).containsPattern("option '--job': capacity is 100, but .* about (4[89]|5[01])\\d URLs");
    }

    @ParameterizedTest
    @CsvSource({"no-such-file.txt", "ftp://x/", "."})
    void aSeedThatIsNoneIsNamedInOneLine(String seed) throws Exception {
        Cli crawl = sieve(seed, "-o", "out.jsonl", "-q");

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.stderr().lines()).hasSize(1);
        assertThat(crawl.stderr()).contains(seed);
        assertThat(folder.resolve("out.jsonl")).doesNotExist();
    }

    @Test
    @Tag("slow")
    void anOutputThatExistsIsNotWrittenOver() throws Exception {
        Files.writeString(folder.resolve("mine.txt"), "mine");

        Run crawl = Run.of(Main.commandLine(), "http://127.0.0.1:1/", "-o", file("mine.txt"));

        assertThat(crawl.exitCode()).isEqualTo(2);
        assertThat(crawl.err()).contains("-o", file("mine.txt"), "--force");
        assertThat(folder.resolve("mine.txt")).hasContent("mine");
    }

    @Test
    void anOutputThatFailsIsExitCode4() throws Exception {
        Run crawl = Run.of(
                Main.commandLine(), "http://127.0.0.1:1/", "--retries", "0", "-o", file("no-such-folder/out.jsonl"));

        assertThat(crawl.exitCode()).isEqualTo(4);
        assertThat(crawl.err()).contains("no-such-folder");
    }

    @Test
    void aCrawlThatGetsNothingIsExitCode3() throws Exception {
        Cli crawl = sieve("http://127.0.0.1:1/", "--retries", "0");

        assertThat(crawl.exitCode()).isEqualTo(3);
        assertThat(crawl.stderr()).contains("robots.txt unavailable: no connection");
    }

    @Test
    void aSignalEndsTheCrawlInOrderWithItsSummary() throws Exception {
        Map<String, Integer> exitCodes = Map.of("INT", 130, "TERM", 143);
        Map<String, Cli> crawls = new HashMap<>();
        try (ServerSocket tarPit = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (String signal : exitCodes.keySet()) {
                Cli crawl = Cli.start(folder, "http://127.0.0.1:" + tarPit.getLocalPort() + "/", "--ignore-robots");
                crawls.put(signal, crawl);
                tarPit.accept();
                Program.signal(crawl.process, signal);
            }
            // Both wait for the request in progress, side by side.
            for (String signal : exitCodes.keySet()) {
                Cli crawl = crawls.get(signal).await();
                assertThat(crawl.exitCode()).as(signal).isEqualTo(exitCodes.get(signal));
                assertThat(crawl.stderr()).contains("Done in", "interrupted", "1 left");
            }
        }
    }

    @Test
    void helpAndVersionAreOnStdout() throws Exception {
        assertThat(sieve("--help").stdout()).contains("Usage: sieve", "--max-pages", "Exit codes");
        assertThat(sieve("--version").stdout()).matches("sieve \\d+\\.\\d+\\.\\d+\\S*\\R");
        assertThat(sieve("demo", "--help").stdout()).contains("--serve");
        assertThat(sieve("plan", "--help").stdout()).contains("--urls");
    }

    /** A run of the program. */
    private static final class Cli {
        private final Process process;
        private final Path out;
        private final Path err;

        private Cli(Process process, Path out, Path err) {
            this.process = process;
            this.out = out;
            this.err = err;
        }

        static Cli start(Path folder, String... args) throws IOException {
            Path out = Files.createTempFile("sieve-out", null);
            Path err = Files.createTempFile("sieve-err", null);
            out.toFile().deleteOnExit();
            err.toFile().deleteOnExit();
            Process process = Program.of(folder, args)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            return new Cli(process, out, err);
        }

        static Cli run(Path folder, String... args) throws IOException, InterruptedException {
            Cli cli = start(folder, args);
            cli.process.getOutputStream().close();
            return cli.await();
        }

        Cli write(String input) throws IOException {
            try (var stdin = process.outputWriter()) {
                stdin.write(input);
            }
            return this;
        }

        Cli await() throws InterruptedException {
            Program.exitCode(process);
            return this;
        }

        int exitCode() {
            return process.exitValue();
        }

        String stdout() throws IOException {
            return Files.readString(out);
        }

        String stderr() throws IOException {
            return Files.readString(err);
        }
    }
}
