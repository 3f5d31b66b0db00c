package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.Tier;
import dev.sieve.crawl.Site;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal ends a crawl in order, a second one at once, and so does a lack of memory. */
@Tag("process")
@Tag("slow")
@Timeout(300)
class StopIT {
    private static final List<String> STOPS = List.of("TERM", "INT", "TERM");
    private static final int PAGES = 400;

    /** How many pages have links to missing parts, and how many each. */
    private static final int PARTED = 40;

    private static final int PARTS = Tier.of(1_000, 2_000);

    @TempDir
    private Path folder;

    private List<String> jvm = List.of("-Xmx512m");

    private Process start(String... arguments) throws IOException {
        return Program.of(folder, jvm, arguments).start();
    }

    private Process startJob(DemoWeb web) throws IOException {
        String options =
                " --job job --filter exact --scope any --resolve .test=127.0.0.1 --delay 5ms -o urls.txt --report report.html";
        return start((web.start() + options).split(" ", -1));
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private void awaitErr(Process crawl, String text) throws IOException, InterruptedException {
        while (!err().contains(text)) {
            assertThat(crawl.waitFor(5, TimeUnit.MILLISECONDS)).as(err()).isFalse();
        }
    }

    private String newestCheckpoint() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("job"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("checkpoint-"))
                    .max(String::compareTo)
                    .orElse("");
        }
    }

    private void theReportCoversAllRuns(int runs) throws IOException {
        Path report = folder.resolve("report.html");
        assertThat(ReportFile.responses(report, "2xx"))
                .isEqualTo(Files.readAllLines(folder.resolve("urls.txt")).size());
        assertThat(ReportFile.runs(report)).isEqualTo(runs);
    }

    @Test
    void noPageIsFetchedOrWrittenTwiceAfterAJobWasStopped() throws Exception {
        try (DemoWeb web = PolitenessJudge.web(Duration.ofMillis(5), Duration.ZERO)
                .hosts(20)
                .pages(PAGES)
                .recorded(1_000_000)
                .open()) {
            long each = web.expected().count() / (STOPS.size() + 1);
            for (int stop = 0; stop < STOPS.size(); stop++) {
                String checkpoint = stop == 0 ? "" : newestCheckpoint();
                Process crawl = startJob(web);
                while (web.requestCount() < (stop + 1) * each) {
                    assertThat(crawl.waitFor(1, TimeUnit.MILLISECONDS))
                            .as(err())
                            .isFalse();
                }
                Program.signal(crawl, STOPS.get(stop));
                assertThat(crawl.waitFor(100, TimeUnit.SECONDS)).isTrue();
                assertThat(crawl.exitValue()).isEqualTo(STOPS.get(stop).equals("INT") ? 130 : 143);
                assertThat(err()).contains("Stopping: ", "Done in", "interrupted", "repeat the command to continue");
                // A job that is closed writes a checkpoint.
                assertThat(newestCheckpoint()).isGreaterThan(checkpoint);
                theReportCoversAllRuns(stop + 1);
            }
            Process last = startJob(web);
            assertThat(last.waitFor(100, TimeUnit.SECONDS)).isTrue();

            assertThat(last.exitValue()).as(err()).isZero();
            assertThat(err()).contains("complete: no URL is left in job");
            assertThat(web.requests().stream()
                            .filter(request -> !request.target().equals("/robots.txt"))
                            .map(request -> UrlNormalizer.key(request.url())))
                    .doesNotHaveDuplicates();
            assertThat(Files.readAllLines(folder.resolve("urls.txt")))
                    .doesNotHaveDuplicates()
                    .hasSize(web.pages());
        }
    }

    @Test
    void aSecondSignalEndsTheProcessAtOnceAndTheJobIsWhole() throws Exception {
        try (ServerSocket tarPit = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            tarPit.setSoTimeout(60_000);
            String site = "http://127.0.0.1:" + tarPit.getLocalPort() + "/";
            for (String second : List.of("INT", "TERM")) {
                Process crawl = start(site, "--ignore-robots", "--job", "job", "--timeout", "10m");
                try (Socket held = tarPit.accept()) {
                    Program.signal(crawl, "TERM");
                    awaitErr(crawl, "Press Ctrl-C again to quit at once");
                    Program.signal(crawl, second);
                    assertThat(crawl.waitFor(100, TimeUnit.SECONDS)).isTrue();
                    assertThat(held.isConnected()).isTrue();
                }
                assertThat(crawl.exitValue()).isEqualTo(second.equals("INT") ? 130 : 143);
                assertThat(err()).contains("(1) have 10 s to finish").doesNotContain("Done in");
            }
        }
        assertThat(DurableFolder.inspect(folder.resolve("job")).stats().pending())
                .isEqualTo(1);
    }

    @Test
    void aProcessThatRunsOutOfMemoryEndsAndItsJobIsWhole() throws Exception {
        String links = IntStream.range(0, 9000)
                .mapToObj(i -> "<a href='" + "y".repeat(100) + "%1$d/" + i + "'>x</a>")
                .collect(Collectors.joining());
        AtomicInteger pages = new AtomicInteger();
        try (Site server = new Site("127.0.0.1")
                .otherwise(request ->
                        Site.ok("text/html", links.replace("%1$d", String.valueOf(pages.incrementAndGet()))))) {
            String site = server.url("/");
            // The serial collector would try for long to find some memory.
            jvm = List.of("-Xmx32m", "-XX:-UseSerialGC", "-XX:+UseG1GC");

            String options = " --ignore-robots --delay 0 --per-host 8 --allow-trap all --filter=exact --job job";

            Process crawl = start((site + options).split(" ", -1));

            assertThat(crawl.waitFor(200, TimeUnit.SECONDS)).isTrue();
            assertThat(crawl.exitValue()).as(err()).isEqualTo(1);
            assertThat(err()).contains("out of memory");
            DurableState job = DurableFolder.inspect(folder.resolve("job"));
            assertThat(job.problems()).isEmpty();
            assertThat(job.stats().pending()).isPositive();
        }
    }

    private boolean has(Path file, int lines) throws IOException {
        if (Files.notExists(file)) {
            return false;
        }
        try (Stream<String> all = Files.lines(file)) {
            return all.count() >= lines;
        }
    }

    /**
     * Runs the crawl of {@link #aSignalInAnyPhaseLeavesWholeFiles}, up to the phase. While seeds are read, the process has no
     * file that a stop would have to complete, and a signal ends it at once.
     */
    private Process startUntil(String phase, CountDownLatch isHeld, List<String> command) throws Exception {
        Process crawl = start(command.toArray(String[]::new));
        Path pages = folder.resolve("pages.jsonl");
        boolean isReached = false;
        while (!isReached && !crawl.waitFor(1, TimeUnit.MILLISECONDS)) {
            isReached = switch (phase) {
                case "seeding" -> Files.exists(folder.resolve("job/settings"));
                case "crawling" -> isHeld.getCount() == 0;
                case "fragments" -> has(pages, PARTED);
                case "rest of the fragments of a round" -> has(pages, PARTED + PARTED * PARTS / 2);
                case "report" -> Files.exists(folder.resolve("report.html"));
                default -> false;
            };
        }
        return crawl;
    }

    @ParameterizedTest
    @ValueSource(strings = {"seeding", "crawling", "fragments", "rest of the fragments of a round", "report"})
    void aSignalInAnyPhaseLeavesWholeFiles(String phase) throws Exception {
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch isReleased = new CountDownLatch(1);
        try (Site server = new Site("127.0.0.1")) {
            server.answer("/robots.txt", Site.status(404)).otherwise(request -> {
                String path = request.getRequestURI().getPath();
                int next = path.matches("/\\d+") ? Integer.parseInt(path.substring(1)) + 1 : 0;
                if (phase.equals("crawling") && next == PARTED / 2) {
                    isHeld.countDown();
                    isReleased.await();
                }
                return Site.ok(
                        "text/html",
                        Site.links(IntStream.range(0, PARTS)
                                .mapToObj(i -> "/" + next % PARTED + "#" + i)
                                .toArray(String[]::new)));
            });
            String site = server.url("/0");
            Files.write(folder.resolve("seeds.txt"), Collections.nCopies(phase.equals("seeding") ? 300_000 : 1, site));
            String options =
                    "seeds.txt --allow-private 127.0.0.0/8 --delay 0 --job job --check-fragments -o pages.jsonl"
                            + " --report report.html" + (phase.endsWith("round") ? " --again" : "");
            List<String> command = List.of(options.split(" "));

            Process crawl = startUntil(phase, isHeld, command);
            crawl.destroy();
            if (phase.equals("crawling")) {
                awaitErr(crawl, "Stopping: ");
                isReleased.countDown();
            }

            assertThat(crawl.waitFor(30, TimeUnit.SECONDS)).as(err()).isTrue();
            boolean isRound = phase.equals("rest of the fragments of a round");
            boolean mayBeOver = isRound || phase.equals("report");
            assertThat(crawl.exitValue()).as(err()).isIn(143, mayBeOver ? 0 : 143);
            assertThat(err()).doesNotContain("Exception", "damaged");
            linesOf(folder.resolve("pages.jsonl"));
            Process rest = start(command.toArray(String[]::new));
            assertThat(rest.waitFor(100, TimeUnit.SECONDS)).isTrue();
            assertThat(rest.exitValue()).as(err()).isZero();
            List<String> urls = linesOf(folder.resolve("pages.jsonl"));
            assertThat(urls.stream().filter(url -> !url.contains("#")).distinct())
                    .hasSize(PARTED);
            assertThat(urls.stream().filter(url -> url.contains("#")).distinct())
                    .hasSize(PARTED * PARTS);
            if (!isRound) {
                assertThat(urls.stream().filter(url -> !url.contains("#"))).doesNotHaveDuplicates();
            }
        } finally {
            isReleased.countDown();
        }
    }

    /**
     * The summary is written when all of a round is visited, and before the round has ended. A pipe in the place of its
     * temporary file holds that up; then it cannot be forced, so writing fails.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSignalAtTheEndOfARoundCostsNoVisit(boolean isTwice) throws Exception {
        Path pipe = folder.resolve("summary.json.tmp");
        AtomicInteger requests = new AtomicInteger();
        try (Site server = new Site("127.0.0.1").otherwise(request -> {
            if (requests.incrementAndGet() == 1) {
                new ProcessBuilder("mkfifo", pipe.toString()).start().onExit().join();
            }
            return Site.ok("text/html", Site.links("/1", "/2"));
        })) {
            String options = server.url("/0")
                    + " --ignore-robots --delay 0 --job job --again -o pages.jsonl --summary summary.json";
            Process crawl = start(options.split(" "));
            awaitErr(crawl, "Done in");
            Program.signal(crawl, "TERM");
            awaitErr(crawl, "Stopping: ");
            if (isTwice) {
                Program.signal(crawl, "TERM");
            } else {
                Files.newInputStream(pipe).close();
            }
            assertThat(crawl.waitFor(100, TimeUnit.SECONDS)).as(err()).isTrue();
            assertThat(crawl.exitValue()).isEqualTo(143);
            Files.deleteIfExists(pipe);
            assertThat(linesOf(folder.resolve("pages.jsonl"))).hasSize(3);

            Process rest = start(options.split(" "));
            assertThat(rest.waitFor(100, TimeUnit.SECONDS)).isTrue();
            assertThat(rest.exitValue()).as(err()).isZero();
            assertThat(requests).hasValue(3);
            assertThat(folder.resolve("summary.json")).content().contains("\"ending\":\"drained\"");

            Process next = start(options.split(" "));
            assertThat(next.waitFor(100, TimeUnit.SECONDS)).isTrue();
            assertThat(next.exitValue()).as(err()).isZero();
            assertThat(requests).hasValue(6);
            assertThat(linesOf(folder.resolve("pages.jsonl"))).hasSize(6);
        }
    }

    /** Parses each line of an output, which ends with a line feed, if there is one; returns the URLs. */
    private static List<String> linesOf(Path file) throws IOException {
        List<String> urls = new ArrayList<>();
        if (Files.exists(file)) {
            String text = Files.readString(file);
            assertThat(text.isEmpty() || text.endsWith("\n")).isTrue();
            for (String line : text.lines().toList()) {
                urls.add((String) JSON.std.mapFrom(line).get("url"));
            }
        }
        return urls;
    }

    @Test
    void theSummarySaysThatNothingIsSavedWithoutAJob() throws Exception {
        try (ServerSocket tarPit = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            tarPit.setSoTimeout(60_000);
            Process crawl = start("http://127.0.0.1:" + tarPit.getLocalPort() + "/", "--ignore-robots");
            try (Socket held = tarPit.accept()) {
                Program.signal(crawl, "TERM");
                awaitErr(crawl, "Stopping: ");
                assertThat(held.isConnected()).isTrue();
            }
            assertThat(crawl.waitFor(100, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(err()).contains("1 left", "1 URL not saved");
    }
}
