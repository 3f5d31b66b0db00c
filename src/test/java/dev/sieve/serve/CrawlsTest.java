package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status;
import dev.sieve.CapturedLog;
import dev.sieve.FrontierSettings;
import dev.sieve.Tier;
import dev.sieve.durable.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The folders of crawls that cannot be created or opened. */
class CrawlsTest {
    private static final Moment NOW = new Moment(0, Door.START_SECONDS);

    @TempDir
    Path folder;

    private Crawls open() throws IOException {
        return open(1 << 30);
    }

    private Crawls open(long memory) throws IOException {
        ServedOptions options =
                new ServedOptions(FrontierSettings.DEFAULTS.withCapacity(100), Durability.PROCESS, false);
        return new Crawls(folder, options, new MemoryBudget(memory), NOW);
    }

    @Test
    void warningSaysWhatTheMemoryIsFor() throws Exception {
        try (CapturedLog log = new CapturedLog();
                Crawls crawls = open(16 << 20)) {
            for (int i = 0; i < 13; i++) {
                crawls.get("crawl" + i, NOW);
            }

            assertThat(crawls.all()).hasSizeLessThan(13);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("no memory for another crawl: it takes 1 MiB for its filter and 1 MiB for its queues, ")
                    .contains("MiB of 16 MiB are in use; its URLs are refused: crawl");
        }
    }

    @Test
    void queuesWithoutMemoryAreWarnedAboutOnce() throws Exception {
        try (CapturedLog log = new CapturedLog();
                QueueTable table = new QueueTable(
                        folder,
                        new MemoryBudget(1 << 20),
                        () -> 1,
                        record -> {
                            throw new AssertionError();
                        },
                        queue -> {},
                        NOW)) {
            int queues = 0;
            while (table.get("queue" + queues) != null) {
                queues++;
            }
            assertThat(queues).isPositive();
            assertThat(table.get("another")).isNull();
            assertThat(log.lines()).singleElement().asString().startsWith("no memory for another queue: ");
        }
    }

    @Test
    void deletedQueuesTakeNoMemory() throws Exception {
        int queues = Tier.of(20_000, 40_000, 100_000);
        ServedOptions options = new ServedOptions(
                FrontierSettings.DEFAULTS.withCapacity(2L * queues).withFalsePositiveRate(1e-6),
                Durability.PROCESS,
                false);
        MemoryBudget memory = new MemoryBudget(1 << 26);
        long used;
        try (Crawls crawls = new Crawls(folder, options, memory, NOW)) {
            ServedCrawl crawl = crawls.get("a", NOW);
            crawl.put(List.of(item("kept.com")), NOW);
            used = memory.used();
            for (int i = 0; i < queues; i++) {
                PutItem item = item(i + ".com");
                crawl.put(List.of(item), NOW);
                assertThat(item.status).isEqualTo(Status.OK);
                if (i % 1_000 == 0) {
                    crawl.take(new ServedCrawl.Request(null, 2, 1, 1_000), NOW);
                }
                assertThat(crawl.deleteQueue(i + ".com", NOW)).isEqualTo(1);
            }
            assertThat(memory.used() - used).isLessThan(8L * queues);
        }
        try (Crawls crawls = new Crawls(folder, options, memory, NOW)) {
            ServedCrawl crawl = crawls.get("a", NOW);
            assertThat(memory.used() - used).isLessThan(8L * queues);
            assertThat(crawl.queueNames(0, 10, true, NOW)).containsExactly("kept.com");
            assertThat(crawl.take(new ServedCrawl.Request(null, 10, 10, 1), NOW).items())
                    .hasSize(1);
            PutItem again = item("7.com");
            crawl.put(List.of(again), NOW);
            assertThat(again.status).isEqualTo(Status.OK);
        }
    }

    private static PutItem item(String host) {
        return new PutItem(Door.discovered(
                Door.info("http://" + host + "/").toBuilder().setCrawlID("a").build()));
    }

    @Test
    void crawlIdIsLimitedByTheNameOfItsFolder() {
        assertThat(FolderName.isPossible("a-_9".repeat(50))).isTrue();
        assertThat(FolderName.isPossible("a".repeat(201))).isFalse();
        assertThat(FolderName.isPossible("\u00e4".repeat(33))).isTrue();
        assertThat(FolderName.isPossible("\u00e4".repeat(34))).isFalse();
        assertThat(FolderName.isPossible(".".repeat(67))).isFalse();
    }

    @Test
    void aCrawlThatCouldNotBeCreatedLeavesNothingBehind() throws Exception {
        try (Crawls crawls = open()) {
            // Without a clock the crawl fails after its first files were created, as it does on a full disk.
            assertThatThrownBy(() -> crawls.get("a", null)).isInstanceOf(NullPointerException.class);
            assertThat(folder.resolve("crawl-a")).doesNotExist();
            assertThat(crawls.get("a", NOW)).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"crawl-%zz", "crawl-a b", "crawl-%61", "crawl-%C3"})
    void aFolderThatIsNotNamedAfterACrawlIsNamed(String name) throws Exception {
        try (Crawls crawls = open()) {
            crawls.get("b \u00e4/%", NOW);
        }
        Path other = Files.createDirectory(folder.resolve(name));
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining(other.toString());
        Files.delete(other);
        try (Crawls crawls = open()) {
            assertThat(crawls.find("b \u00e4/%")).isNotNull();
        }
    }
}
