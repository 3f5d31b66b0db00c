package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            strings = {"", "5", "5 9000000", "x 2000000 a.test", "5 x a.test", "\u00ff", "99999999999999999999 1 a.test"
            })
    void aLineThatIsNoPauseIsNamed(String line) throws IOException {
        Path path = file("60000 1030000 a.test\n" + line + "\n");

        assertThatThrownBy(() -> new PauseLog(path, NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 2 is no pause");
    }

    @Test
    void pausesThatAreStillWantedAreThereAgain() throws IOException {
        Path path = file("60000 1030000 a.test\n60000 999000 gone.test\n60000 9000000 b.test\n7 9000000 unfinis");
        try (PauseLog pauses = new PauseLog(path, NOW)) {
            pauses.add("c.test", Duration.ofSeconds(5), NOW.plusSeconds(60));
        }
        try (PauseLog pauses = new PauseLog(path, NOW)) {
            assertThat(pauses.pauses())
                    .isEqualTo(Map.of(
                            "a.test", Duration.ofSeconds(30),
                            "b.test", Duration.ofSeconds(60),
                            "c.test", Duration.ofSeconds(5)));
        }
    }
}
