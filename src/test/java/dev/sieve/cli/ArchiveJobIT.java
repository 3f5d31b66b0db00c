package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.Tier;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.output.Archive;
import dev.sieve.output.WarcSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A crawl with a job and an archive is killed again and again; no page that it has recorded is missing from the archive. */
@Tag("process")
@Tag("slow")
@Timeout(1200)
class ArchiveJobIT {
    private static final int KILLS = Tier.of(2, 20);
    private static final int PAGES = Tier.of(300, 3000);
    private static final long SEED = 20261122;

    @TempDir
    private Path folder;

    @Test
    void theArchiveOfAKilledCrawlIsValidAndHasEveryPage() throws Exception {
        Random random = new Random(SEED);
        try (DemoWeb web = PolitenessJudge.web(Duration.ofMillis(2), Duration.ZERO)
                .hosts(20)
                .pages(PAGES)
                .open()) {
            long each = web.expected().count() / (KILLS + 1);
            for (int kill = 0; kill < KILLS; kill++) {
                Process crawl = start(web);
                long until = web.requestCount() + each / 2 + random.nextInt((int) each);
                while (web.requestCount() < until && !crawl.waitFor(1, TimeUnit.MILLISECONDS)) {
                    assertThat(crawl.isAlive()).isTrue();
                }
                crawl.destroyForcibly().waitFor();
                theArchiveHasEveryRecordedPage(false);
            }
            Process last = start(web);
            assertThat(Program.exitCode(last))
                    .as(Files.readString(folder.resolve("err")))
                    .isZero();
            assertThat(theArchiveHasEveryRecordedPage(true)).hasSizeGreaterThanOrEqualTo(web.pages());
            assertThat(WarcSink.existing(folder.resolve("a.warc.gz"))).hasSize(KILLS + 1);
        }
    }

    private Set<String> theArchiveHasEveryRecordedPage(boolean isOver) throws IOException {
        Set<String> recorded = new HashSet<>();
        String lines = Files.readString(folder.resolve("a.jsonl"));
        // Without a last one that is not complete.
        for (String line :
                lines.substring(0, lines.lastIndexOf('\n') + 1).lines().toList()) {
            JsonNode visit = new ObjectMapper().readTree(line);
            if (!visit.get("status").isNull()) {
                recorded.add(visit.get("url").asText());
            }
        }
        List<Path> files = WarcSink.existing(folder.resolve("a.warc.gz"));
        Set<String> archived = new HashSet<>();
        for (Path file : files) {
            boolean mayBeTorn = !isOver && file.equals(files.get(files.size() - 1));
            for (Archive.Entry record : mayBeTorn ? Archive.readWholeRecords(file) : Archive.read(file)) {
                if (record.type().equals("response") || record.type().equals("revisit")) {
                    archived.add(record.url());
                }
            }
        }
        assertThat(archived).containsAll(recorded);
        return recorded;
    }

    private Process start(DemoWeb web) throws IOException {
        String options =
                "--job job --filter exact --scope any --resolve .test=127.0.0.1 --delay 2ms -o a.jsonl -o a.warc.gz";
        return Program.of(folder, (web.start() + " " + options).split(" ", -1)).start();
    }
}
