package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapacityEvent;
import dev.sieve.CapturedLog;
import dev.sieve.OnFull;
import dev.sieve.demo.DemoWeb;
import dev.sieve.job.MemoryPlace;
import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExactCrawlTest {
    @TempDir
    private Path folder;

    @Test
    void fullFilterNamesTheOptionsOnce() {
        Recording recording = new Recording(null, null, null, new MemoryPlace(), false, false);
        try (CapturedLog log = new CapturedLog()) {
            for (double full : new double[] {0.8, 1}) {
                long size = (long) (full * 1_000_000);
                recording.capacity(new CapacityEvent(full, size, 1_000_000, 1e-4, 0.1, 2_880_000, OnFull.WARN));
            }

            assertThat(log.lines())
                    .containsExactly("to miss fewer pages, crawl from the start with --capacity 2M or --on-full grow");
        }
    }

    @Test
    void exactCrawlSaysThatNoPageIsMissed() throws IOException {
        Path report = folder.resolve("report.html");
        Path job = folder.resolve("job");
        try (DemoWeb web = PolitenessJudge.web().hosts(1).pages(10).open()) {
            for (String pages : new String[] {"3", "7"}) { // the second run reads the journal of the first
                Run run = Run.of(
                        Main.commandLine(),
                        web.start(),
                        "--filter=exact",
                        "-q",
                        "--resolve=.test=127.0.0.1",
                        "--delay=0",
                        "--max-pages=" + pages,
                        "--report=" + report,
                        "--job=" + job);

                assertThat(run.exitCode()).isZero();
                assertThat(Jsoup.parse(report.toFile()).select("#sieve").text())
                        .startsWith("Filter of seen URLs An exact filter of ")
                        .endsWith(": no page is missed.");
            }
        }
        Run later = Run.of(Main.commandLine(), "report", job.toString(), "-o", report.toString(), "--force");
        assertThat(Jsoup.parse(report.toFile()).select("#sieve").text())
                .as(later.err())
                .endsWith(": no page is missed.");
    }
}
