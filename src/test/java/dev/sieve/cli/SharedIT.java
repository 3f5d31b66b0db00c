package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Await;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.shared.TestEngine;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes of the packaged program share a crawl, as users start them. */
@Tag("process")
@Tag("engine")
@Tag("slow")
@Timeout(900)
class SharedIT {
    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    private Process sieve(String log, String... arguments) throws IOException {
        Process process = Program.of(folder, arguments)
                .redirectOutput(folder.resolve(log + ".out").toFile())
                .redirectError(folder.resolve(log).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private Process worker(String name, DemoWeb web, TestEngine engine, String delay, String... more)
            throws IOException {
        String options = web.start() + " --frontier " + engine.address("demo")
                + " --scope any --resolve .test=127.0.0.1 --delay " + delay;
        return sieve(
                name,
                Stream.concat(Stream.of(options.split(" ", -1)), Stream.of(more))
                        .toArray(String[]::new));
    }

    private String log(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    private static void await(Process process, BooleanSupplier condition) {
        Await.until(() -> condition.getAsBoolean() || !process.isAlive());
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void twoWorkersFetchEachPageOnceAndBothEnd() throws Exception {
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web()
                        .hosts(20)
                        .pages(200)
                        .even(true)
                        .recorded(100_000)
                        .open()) {
            Process first = worker("a", web, engine, "0", "-o", "a.txt");
            Process second = worker("b", web, engine, "0", "-o", "b.txt", "--report", "b.html");

            assertThat(Program.exitCode(first)).as(log("a")).isZero();
            assertThat(Program.exitCode(second)).as(log("b")).isZero();
            List<String> pages = new ArrayList<>(Files.readAllLines(folder.resolve("a.txt")));
            pages.addAll(Files.readAllLines(folder.resolve("b.txt")));
            assertThat(pages).hasSize(web.pages()).doesNotHaveDuplicates();
            List<String> requested = web.requests().stream()
                    .filter(request -> !request.target().equals("/robots.txt"))
                    .map(DemoRequest::url)
                    .map(UrlNormalizer::key)
                    .toList();
            assertThat(requested).doesNotHaveDuplicates();
            assertThat(requested)
                    .containsExactlyInAnyOrderElementsOf(web.expected()
                            .map(expected -> UrlNormalizer.key(expected.url()))
                            .collect(Collectors.toSet()));
            assertThat(log("a"))
                    .contains("Frontier " + engine.address("demo"))
                    .contains("by this worker", "by all workers", "complete: no URL is left in");
            String address = engine.address("demo").toString();
            assertThat(log("b"))
                    .contains("The report shows the requests of this worker", "sieve report --frontier " + address);
            assertThat(Program.exitCode(sieve("report", "report", "--frontier", address, "-o", "all.html")))
                    .isZero();
            assertThat(ReportFile.responses(folder.resolve("all.html"), "2xx")).isEqualTo(web.pages());
            assertThat(Program.exitCode(sieve("state", "state", address))).isZero();
            assertThat(log("state.out")).contains(" + 0 pending", "health    good");
            assertThat(Program.exitCode(sieve("export", "export", address))).isZero();
            assertThat(log("export.out")).isEmpty();
            assertThat(Program.exitCode(sieve("repair", "repair", address))).isZero();
            assertThat(log("repair.out")).isEqualTo("in the queue: 0 URLs kept, 0 lost; 0 B put aside\n");

            assertThat(Program.exitCode(worker("c", web, engine, "0", "-o", "c.txt")))
                    .as(log("c"))
                    .isZero();
            assertThat(log("c")).contains("nothing left to crawl");
            assertThat(folder.resolve("c.txt")).isEmptyFile();
        }
    }

    @Test
    void twoProcessesDoNotWriteOneFile() throws Exception {
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web().hosts(10).pages(1000).open()) {
            Process first = worker("a", web, engine, "1s", "-o", "a.txt");
            await(first, () -> web.requestCount() > 10);

            Process second = worker("b", web, engine, "1s", "-o", "a.txt");

            assertThat(Program.exitCode(second)).isEqualTo(4);
            assertThat(log("b")).contains("a.txt: another process is writing this file");
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void anEmptyEngineInItsPlaceEndsTheCrawl() throws Exception {
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web().hosts(10).pages(1000).open()) {
            Process worker = worker("a", web, engine, "200ms");
            await(worker, () -> web.requestCount() > 20);
            engine.kill();
            engine.empty();
            engine.restart();

            assertThat(Program.exitCode(worker)).as(log("a")).isEqualTo(4);
            assertThat(log("a")).contains("not on the engine any more").doesNotContain("Exception", "internal error");
        }
    }

    @Test
    void aWorkerWaitsForItsEngineAndThenEnds() throws Exception {
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web().hosts(10).pages(1000).open()) {
            Process worker = worker("a", web, engine, "100ms", "--patience", "20s");
            await(worker, () -> web.requestCount() > 20);
            engine.kill();
            await(worker, () -> read("a").contains("does not respond"));
            engine.restart();
            await(worker, () -> read("a").contains("is back after"));
            long before = web.requestCount();
            await(worker, () -> web.requestCount() > before + 20);
            worker.destroy();

            assertThat(Program.exitCode(worker)).as(log("a")).isEqualTo(143);
            assertThat(log("a")).contains("interrupted", "repeat the command to continue");

            Process again = worker("b", web, engine, "100ms", "--patience", "1s");
            await(again, () -> web.requestCount() > before + 60);
            engine.kill();
            assertThat(Program.exitCode(again)).as(log("b")).isEqualTo(4);
            assertThat(log("b")).contains("does not respond").doesNotContain("Exception", "internal error");
        }
    }

    private String read(String name) {
        try {
            return log(name);
        } catch (IOException e) {
            return "";
        }
    }
}
