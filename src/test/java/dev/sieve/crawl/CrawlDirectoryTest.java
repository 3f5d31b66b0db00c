package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.durable.DurableFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files from which a crawl continues. */
class CrawlDirectoryTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_000_000);

    @TempDir
    private Path folder;

    private Path seedFile() {
        return CrawlDirectory.seedFile(folder);
    }

    private Path seedFile(String text) throws IOException {
        return Files.writeString(seedFile(), text, ISO_8859_1);
    }

    private Path pauseFile(String text) throws IOException {
        return Files.writeString(folder.resolve("pauses.txt"), text, ISO_8859_1);
    }

    private CrawlDirectory open(Instant now) throws IOException {
        boolean exists = DurableFolder.exists(folder);
        return CrawlDirectory.open(folder, exists ? builder -> {} : builder -> builder.expectedUrls(100), now);
    }

    @Test
    void seedsAreThereAgainAndOnce() throws IOException {
        for (int run = 0; run < 2; run++) {
            try (CrawlDirectory directory = open(NOW)) {
                directory.addSeed("http://a.test/");
                directory.addSeed("http://b.test/" + run);
                directory.forceSeeds();
            }
        }

        assertThat(seedFile()).hasContent("http://a.test/\nhttp://b.test/0\nhttp://b.test/1\n");
    }

    @Test
    void aSeedThatACrashHasLeftUnfinishedIsCutOff() throws IOException {
        Path path = seedFile("http://a.test/\nhttp://a.te");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(directory.seeds()).containsExactly("http://a.test/");
            directory.addSeed("http://b.test/");
        }

        assertThat(path).hasContent("http://a.test/\nhttp://b.test/\n");
    }

    @Test
    void aSeedInTheSpellingOfAnEarlierBuildIsRead() throws IOException {
        seedFile("http://a.test/b|c?d|e\n");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(directory.seeds()).containsExactly("http://a.test/b|c?d|e");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "not a URL", "ftp://a.test/", "http://A.test/", "http://a.test/\u00e9", "\0\0\0", "\u00ff"})
    void aLineThatIsNoSeedIsNamed(String line) throws IOException {
        Path path = seedFile("http://a.test/\n" + line + "\n");

        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 2 is not a seed");
        assertThat(path).content(ISO_8859_1).contains(line);
    }

    @Test
    void afterADamagedFileNothingStaysOpen() throws IOException {
        seedFile("http://a.test/\n");
        pauseFile("damaged\n");
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 1 is not a pause");
        assertThat(openFiles()).isEmpty();

        pauseFile("");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(directory.seeds()).containsExactly("http://a.test/");
        }
        assertThat(openFiles()).isEmpty();
    }

    @Test
    void aCrawlThatCannotSpillLeavesItsDirectoryToTheCaller(@TempDir Path other) throws IOException {
        Path job = other.resolve("job");
        try (CrawlDirectory directory = CrawlDirectory.open(job, builder -> builder.expectedUrls(100))) {
            Path moved = Files.move(job, other.resolve("moved"));
            assertThatThrownBy(() -> new Crawler(new CrawlOptions(), directory))
                    .isInstanceOf(UncheckedIOException.class);
            Files.move(moved, job);
            directory.addSeed("http://a.test/");
        }

        assertThat(CrawlDirectory.seedFile(job)).hasContent("http://a.test/\n");
    }

    /** The files in the folder that this process has open, as far as the system shows them. */
    private List<Path> openFiles() throws IOException {
        List<Path> open = new ArrayList<>();
        try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
            for (Path handle : handles.toList()) {
                try {
                    open.add(Files.readSymbolicLink(handle));
                } catch (IOException e) {
                    // Was closed in between, as the handle of this list is.
                }
            }
        } catch (NoSuchFileException e) {
            // A system that does not show them.
        }
        return open.stream().filter(each -> each.startsWith(folder)).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "5 9000000",
                "5 9000000 ",
                "x 2000000 a.test",
                "5 x a.test",
                "-5 9000000 a.test",
                "5 9000000 a b",
                "5 9000000 caf\u00e9.test",
                "\u00ff",
                "9223372036854775807 9000000 a.test",
                "5 9223372036854775807 a.test"
            })
    void aLineThatIsNoPauseIsNamed(String line) throws IOException {
        Path path = pauseFile("60000 1030000 a.test\n" + line + "\n");

        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 2 is not a pause");
    }

    @Test
    void aThreadThatWasInterruptedWritesAndForcesThem() throws IOException {
        try (CrawlDirectory directory = open(NOW)) {
            Thread.currentThread().interrupt();
            assertThat(directory.addSeed("http://a.test/")).isTrue();
            assertThat(directory.addSeed("http://a.test/")).isFalse();
            directory.forceSeeds();
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(seedFile()).hasContent("http://a.test/\n");
    }

    @Test
    void pausesAreRememberedUntilTheyExpire() throws IOException {
        Instant now = Instant.parse("2026-11-21T00:00:00Z");
        try (CrawlDirectory directory = open(now)) {
            assertThat(directory.pauses()).isEmpty();
            directory.addPause("a.test", Duration.ofSeconds(10), now.plusSeconds(100));
            directory.addPause("[::1]", Duration.ofSeconds(10), now.plusSeconds(14));
            directory.addPause("c.test", Duration.ofSeconds(3), now.plusSeconds(3));
            directory.addPause("a.test", Duration.ofSeconds(5), now.plusSeconds(100));
        }
        Files.writeString(folder.resolve("pauses.txt"), "99999 12", StandardOpenOption.APPEND);
        for (int i = 0; i < 2; i++) {
            try (CrawlDirectory directory = open(now.plusSeconds(10))) {
                assertThat(directory.pauses())
                        .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(4)));
            }
        }
        try (CrawlDirectory directory = open(Instant.EPOCH)) {
            assertThat(directory.pauses())
                    .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(10)));
        }
    }
}
