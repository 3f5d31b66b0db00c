package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.durable.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        ServedOptions options = new ServedOptions(100L, null, Durability.PROCESS, false, null);
        return new Crawls(folder, options, new MemoryBudget(1 << 30), NOW);
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
