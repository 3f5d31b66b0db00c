package dev.sieve.cli;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.durable.DurableSieve;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.stage.AllStages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobCommandsTest {
    @TempDir
    private Path folder;

    private Run run(String... arguments) {
        return Run.of(Main.commandLine(), arguments);
    }

    @Test
    void beforeTheFirstCheckpointTheFillIsNotCalledZero() throws Exception {
        try (DurableSieve sieve = DurableSieve.builder(folder).capacity(1000).open()) {
            sieve.push("http://h.test/");
            sieve.sync();

            assertThat(run("state", folder.toString()).out())
                    .contains("1 accepted = 0 done + 1 pending", "for 1,000 URLs", "after the first checkpoint")
                    .doesNotContain("0 of 1,000", "in flight");
            JsonNode state = new ObjectMapper()
                    .readTree(run("state", "--json", folder.toString()).out());
            assertThat(state.get("filter_size").isNull()).isTrue();
            assertThat(state.get("owner").longValue())
                    .isEqualTo(ProcessHandle.current().pid());
        }
    }

    @Test
    void afterACleanEndNothingIsInFlight() throws Exception {
        try (DurableSieve sieve = DurableSieve.builder(folder).capacity(1000).open()) {
            sieve.push("http://h.test/");
            sieve.push("http://h.test/a");
            sieve.take(0);
        }

        assertThat(run("state", folder.toString()).out())
                .contains(
                        "2 accepted = 0 done + 2 pending", "2 of 1,000 URLs (0.2 %); miss rate when full 0.01 %, now ")
                .doesNotContain("in flight");
    }

    @Test
    void theStateIsAlsoJson() throws Exception {
        try (DurableSieve sieve = DurableSieve.builder(folder).capacity(1000).open()) {
            sieve.push("http://h.test/");
            sieve.done(sieve.take(0));
        }
        Run run = run("state", folder.toString(), "--json");

        JsonNode state = new ObjectMapper().readTree(run.out());
        assertThat(run.out().lines()).hasSize(1);
        assertThat(state.get("accepted").longValue()).isEqualTo(1);
        assertThat(state.get("done").longValue()).isEqualTo(1);
        assertThat(state.get("pending").longValue()).isZero();
        assertThat(state.get("capacity").longValue()).isEqualTo(1000);
        assertThat(state.get("miss_rate").doubleValue()).isEqualTo(1e-4);
        assertThat(state.get("filter_size").longValue()).isEqualTo(1);
        assertThat(state.get("owner").isNull()).isTrue();
        assertThat(state.get("problems").isEmpty()).isTrue();
    }

    @Test
    void theStateOfAJobSaysSeedsSizeAndBeginning() throws Exception {
        Instant before = Instant.now().truncatedTo(SECONDS);
        try (CrawlJob job = CrawlDirectory.open(folder, settings -> settings.capacity(1000));
                Crawler crawler = new Crawler(new CrawlOptions(), job, AllStages::of)) {
            crawler.seed("http://h.test/");
            crawler.seed("http://g.test/");
        }

        assertThat(run("state", folder.toString()).out()).contains("\nseeds     2\n", "\nfolder    ");
        JsonNode state = new ObjectMapper()
                .readTree(run("state", "--json", folder.toString()).out());
        long bytes = 0;
        try (Stream<Path> files = Files.list(folder)) {
            bytes = files.mapToLong(file -> file.toFile().length()).sum();
        }
        assertThat(state.get("seeds").longValue()).isEqualTo(2);
        assertThat(state.get("folder_bytes").longValue()).isEqualTo(bytes);
        assertThat(Instant.parse(state.get("since").textValue())).isBetween(before, Instant.now());
    }

    @Test
    void textIsEscapedInJson() throws Exception {
        String text = "a \"quoted\" \\ path\n\u0001 \u00e9";

        assertThat(new ObjectMapper().readTree(Units.json(text)).textValue()).isEqualTo(text);
    }

    @Test
    void repairOfAFolderThatIsNotAJobLeavesNothing() throws Exception {
        Run run = run("repair", folder.toString());

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains(folder.toString(), "does not contain");
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }
}
