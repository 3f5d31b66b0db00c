package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files beside a frontier that a crawl goes on from. */
class JobFilesTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_000_000);

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("file"), text, ISO_8859_1);
    }

    @Test
    void seedsAreThereAgainAndOnce() throws IOException {
        Path path = folder.resolve("seeds");
        for (int run = 0; run < 2; run++) {
            try (SeedLog seeds = new SeedLog(path)) {
                seeds.add("http://a.test/");
                seeds.add("http://b.test/" + run);
                seeds.force();
            }
        }

        assertThat(path).hasContent("http://a.test/\nhttp://b.test/0\nhttp://b.test/1\n");
    }

    @Test
    void aSeedThatACrashHasLeftUnfinishedIsCutOff() throws IOException {
        Path path = file("http://a.test/\nhttp://a.te");
        try (SeedLog seeds = new SeedLog(path)) {
            assertThat(seeds.seeds()).containsExactly("http://a.test/");
            seeds.add("http://b.test/");
        }

        assertThat(path).hasContent("http://a.test/\nhttp://b.test/\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "not a URL", "ftp://a.test/", "http://A.test/", "http://a.test/\u00e9", "\0\0\0", "\u00ff"})
    void aLineThatIsNoSeedIsNamed(String line) throws IOException {
        Path path = file("http://a.test/\n" + line + "\n");

        assertThatThrownBy(() -> new SeedLog(path))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 2 is no seed");
        assertThat(path).content(ISO_8859_1).contains(line);
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
        Path path = file("60000 1030000 a.test\n" + line + "\n");

        assertThatThrownBy(() -> new PauseLog(path, NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 2 is no pause");
    }

    @Test
    void aThreadThatWasInterruptedWritesAndForcesThem() throws IOException {
        try (SeedLog seeds = new SeedLog(folder.resolve("seeds"))) {
            Thread.currentThread().interrupt();
            assertThat(seeds.add("http://a.test/")).isTrue();
            assertThat(seeds.add("http://a.test/")).isFalse();
            seeds.force();
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(folder.resolve("seeds")).hasContent("http://a.test/\n");
    }

    @Test
    void pausesAreRememberedUntilNobodyWantsThemAnyMore() throws IOException {
        Path file = folder.resolve("pauses");
        Instant now = Instant.parse("2026-11-21T00:00:00Z");
        try (PauseLog log = new PauseLog(file, now)) {
            assertThat(log.pauses()).isEmpty();
            log.add("a.test", Duration.ofSeconds(10), now.plusSeconds(100));
            log.add("[::1]", Duration.ofSeconds(10), now.plusSeconds(14));
            log.add("c.test", Duration.ofSeconds(3), now.plusSeconds(3));
            log.add("a.test", Duration.ofSeconds(5), now.plusSeconds(100));
        }
        Files.writeString(file, "99999 12", StandardOpenOption.APPEND);
        for (int i = 0; i < 2; i++) {
            try (PauseLog log = new PauseLog(file, now.plusSeconds(10))) {
                assertThat(log.pauses())
                        .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(4)));
            }
        }
        try (PauseLog log = new PauseLog(file, Instant.EPOCH)) {
            assertThat(log.pauses())
                    .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(10)));
        }
    }
}
