package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A configuration file, a proxy, a dry run and completion, with the packaged program. */
@Tag("process")
@Timeout(300)
class SmallThingsIT {
    private static final int PAGES = 30;

    @TempDir
    private Path folder;

    @AutoClose
    private DemoWeb web;

    @BeforeEach
    void serve() throws IOException {
        web = PolitenessJudge.web().hosts(3).pages(PAGES).open();
    }

    /** Runs the program with a proxy in its environment. */
    private int sieve(String... arguments) throws IOException, InterruptedException {
        ProcessBuilder program = Program.of(folder, arguments);
        program.environment().put("http_proxy", "http://me:secret@127.0.0.1:" + web.port());
        Process process = program.start();
        process.getOutputStream().close();
        return Program.exitCode(process);
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    @Test
    @Tag("slow")
    void aConfigurationFileHoldsAWholeCrawl() throws Exception {
        Files.writeString(
                folder.resolve("crawl.conf"),
                "# The hosts of this web are found by a proxy only.\nproxy = env\nscope = any\ndelay = 0\nfilter = exact\n"
                        + "seed = " + web.start() + "\n");

        assertThat(sieve("--config", "crawl.conf")).as(err()).isZero();

        assertThat(out().lines()).hasSize(PAGES).doesNotHaveDuplicates();
        assertThat(err().lines().limit(2))
                .allSatisfy(line -> assertThat(line).matches("Crawling 1 new seed: scope any, .*|Filter: exact, .*"));
        assertThat(err())
                .startsWith(
                        "Crawling 1 new seed: scope any, delay 0 s per host, 32 requests at a time, proxy http: http://127.0.0.1:"
                                + web.port() + ", https: none.")
                .doesNotContain("secret");
        assertThat(sieve("--config", "crawl.conf", "--max-pages", "1", "-q")).isZero();
        assertThat(out().lines()).hasSize(1);
        assertThat(err()).isEmpty();
    }

    @Test
    @Tag("slow")
    void withoutTheOptionTheProxyOfTheEnvironmentIsNotUsed() throws Exception {
        assertThat(sieve(web.start(), "--delay", "0", "--retries", "0", "--max-failures", "1"))
                .isEqualTo(FailOn.ExitCode.NO_PAGE);

        assertThat(err()).contains("unknown host");
    }

    @Test
    void aWorkflowOfGitHubShowsBrokenLinks() throws Exception {
        ProcessBuilder program = Program.of(folder, "http://127.0.0.1:1/", "--delay", "0", "--retries", "0", "-q");
        program.environment().put("GITHUB_ACTIONS", "true");

        assertThat(Program.exitCode(program.start())).isEqualTo(FailOn.ExitCode.NO_PAGE);

        assertThat(err()).contains("::error file=http%3A//127.0.0.1%3A1/,title=Broken link::");
    }

    @Test
    void aDryRunShowsTheFirstRequests() throws Exception {
        assertThat(sieve(web.start(), "--dry-run", "--job", "job", "-o", "pages.jsonl", "--proxy", "env"))
                .as(err())
                .isZero();

        assertThat(out())
                .startsWith("Dry run: requests only robots.txt, writes nothing.")
                .contains(web.start() + "robots.txt", "  job      job: new", "Disallow: ");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(Path::getFileName).map(Path::toString)).containsExactlyInAnyOrder("out", "err");
        }
    }

    @Test
    @Tag("slow")
    void completionsAreOnStandardOutput() throws Exception {
        assertThat(sieve("completion")).as(err()).isZero();
        assertThat(out()).contains("max-pages", "split-blocks").doesNotContain("\u001B");
        assertThat(sieve("help", "crawl")).isZero();
        assertThat(out()).startsWith("Usage: sieve [crawl] [OPTIONS] SEED...");
    }
}
