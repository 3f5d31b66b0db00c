package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.durable.DurableSieve;
import dev.sieve.fetch.HostileServer;
import dev.sieve.job.CrawlDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DryRunTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final HostileServer server = new HostileServer();

    private void serveRobots(String text) {
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        server.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\nContent-Type: text/plain\n", body));
    }

    private Run dryRun(String... arguments) {
        return Run.of(
                Main.commandLine(),
                Stream.concat(Stream.of("--dry-run", "-q"), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    @Test
    void onlyRobotsTxtIsRequestedAndNothingIsCreated() throws Exception {
        serveRobots("User-agent: *\nCrawl-delay: 5\nDisallow: /no/*.pdf$\nAllow: /no/yes\n");
        Path list = Files.writeString(folder.resolve("seeds.txt"), server.url("/no/x.pdf") + "\nhttp://10.0.0.1/\n");
        Path job = folder.resolve("job");
        Path out = folder.resolve("pages.jsonl");

        Run run = dryRun(
                server.url("/a"),
                list.toString(),
                server.url("/a"),
                "--job=" + job,
                "-o=" + out,
                "--skipped=" + folder.resolve("skipped.tsv"),
                "--delay=250ms",
                "--capacity=1000");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        String site = server.url("").replaceFirst("/$", "");
        assertThat(run.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .containsSubsequence(
                        "Dry run: requests only robots.txt, writes nothing.",
                        "seeds 3",
                        "crawl scope host, delay 0.25 s per host, 32 requests at a time")
                .contains(
                        "files " + out + ", " + folder.resolve("skipped.tsv"),
                        "robots " + site + ": Crawl-delay 5.0 s, Disallow: /no/*.pdf$, Allow: /no/yes",
                        "robots http://10.0.0.1: unavailable: address not public")
                .containsSubsequence(
                        "first " + site + "/robots.txt",
                        site + "/a",
                        site + "/no/x.pdf (not requested: robots.txt: forbids it)",
                        "http://10.0.0.1/ (not requested: address not public: 10.0.0.1 is private)");
        assertThat(server.heads()).singleElement().asString().startsWith("GET /robots.txt ");
        assertThat(job).doesNotExist();
        assertThat(out).doesNotExist();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(list);
        }
    }

    @Test
    void withoutRobotsTxtNothingIsRequested() {
        Run run = dryRun(server.url("/"), "--ignore-robots", "--filter=exact");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("robots.txt ignored", "exact, about 20 bytes per URL")
                .doesNotContain("/robots");
        assertThat(server.heads()).isEmpty();
    }

    @Test
    void ofAJobTheUrlsThatAreLeftComeFirst() throws Exception {
        serveRobots("");
        Path job = folder.resolve("job");
        try (DurableSieve frontier = DurableSieve.open(job, 1000)) {
            frontier.push(server.url("/left"));
        }
        CrawlDirectory.open(job, builder -> {}).close();

        Run run = dryRun("--job", job.toString(), server.url("/new"));

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains(": 1 URL left").contains(": everything is allowed");
        assertThat(run.out().indexOf("/left")).isPositive().isLessThan(run.out().indexOf("/new"));
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    void aSeedIsRequired() {
        Run run = dryRun("nonsense");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
    }
}
