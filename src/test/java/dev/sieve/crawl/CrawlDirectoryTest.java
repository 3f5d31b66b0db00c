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

    private static final String SEED_HEADER = "# sieve crawl-seeds 1\n";
    private static final String PAUSE_HEADER = "# sieve crawl-pauses 1\n";

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text, ISO_8859_1);
    }

    private Path seedFile() {
        return folder.resolve("crawl-seeds");
    }

    private CrawlDirectory open(Instant now) throws IOException {
        boolean exists = DurableFolder.exists(folder);
        return CrawlDirectory.open(folder, exists ? builder -> {} : builder -> builder.capacity(100), now);
    }

    private void makeJob() throws IOException {
        open(NOW).close();
    }

    private static List<String> seeds(CrawlDirectory directory) throws IOException {
        List<String> seeds = new ArrayList<>();
        directory.read(new CrawlJob.Reader() {
            @Override
            public void seed(String url) {
                seeds.add(url);
            }

            @Override
            public void open(String origin) {}

            @Override
            public void withHeaders(String origin) {}
        });
        return seeds;
    }

    @Test
    void seedsAreThereAgainAndOnce() throws IOException {
        for (int run = 0; run < 2; run++) {
            try (CrawlDirectory directory = open(NOW)) {
                directory.addSeeds(List.of("http://a.test/"));
                directory.addSeeds(List.of("http://b.test/" + run));
                directory.forceSeeds();
            }
        }

        assertThat(seedFile()).hasContent(SEED_HEADER + "http://a.test/\nhttp://b.test/0\nhttp://b.test/1\n");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/", "http://b.test/0", "http://b.test/1");
        }
    }

    @Test
    void aSeedThatACrashHasLeftUnfinishedIsCutOff() throws IOException {
        makeJob();
        Path path = file("crawl-seeds", SEED_HEADER + "http://a.test/\nhttp://a.te");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/");
            directory.addSeeds(List.of("http://b.test/"));
        }

        assertThat(path).hasContent(SEED_HEADER + "http://a.test/\nhttp://b.test/\n");
    }

    @Test
    void aSeedInTheSpellingOfAnEarlierBuildIsRead() throws IOException {
        makeJob();
        file("crawl-seeds", SEED_HEADER + "http://a.test/b|c?d|e\n");
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/b|c?d|e");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "not a URL", "ftp://a.test/", "http://A.test/", "http://a.test/\u00e9", "\0\0\0", "\u00ff"})
    void aLineThatIsNoSeedIsNamedAndOnlyItIsLostByARepair(String line) throws IOException {
        makeJob();
        String damaged = SEED_HEADER + "http://a.test/\n" + line + "\nhttp://b.test/\n";
        Path path = file("crawl-seeds", damaged);
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 3 is not a seed", "repair");
        assertThat(path).content(ISO_8859_1).isEqualTo(damaged);
        assertThat(CrawlDirectory.inspect(folder).problems()).containsExactly(path + ": line 3 is not a seed");

        assertThat(CrawlDirectory.repair(folder).findings())
                .singleElement()
                .asString()
                .contains("line 3 is not a seed");

        assertThat(CrawlDirectory.inspect(folder).problems()).isEmpty();
        assertThat(folder.resolve("crawl-seeds.broken")).content(ISO_8859_1).isEqualTo(damaged);
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/", "http://b.test/");
        }
        assertThat(CrawlDirectory.repair(folder).findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://a.test/", "# sieve crawl-pauses 1\n", "# sieve crawl-seeds 0\n", "# sieve\n"})
    void aFileWithoutItsFirstLineIsDamaged(String text) throws IOException {
        makeJob();
        file("crawl-seeds", text);
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("crawl-seeds")
                .hasMessageContaining("repair");

        assertThat(CrawlDirectory.repair(folder).findings()).isNotEmpty();

        open(NOW).close();
        assertThat(seedFile()).hasContent(SEED_HEADER);
    }

    @Test
    void aFileOfALaterVersionIsLeftAlone() throws IOException {
        makeJob();
        Path path = file("crawl-seeds", "# sieve crawl-seeds 2\nhttp://a.test/ 1\n");

        assertThatThrownBy(() -> open(NOW)).isInstanceOf(IOException.class).hasMessageContaining("later");
        assertThatThrownBy(() -> CrawlDirectory.repair(folder)).hasMessageContaining("later");
        assertThat(path).hasContent("# sieve crawl-seeds 2\nhttp://a.test/ 1\n");
    }

    @Test
    void seedsThatAreGoneAreMissedUntilARepair() throws IOException {
        makeJob();
        Files.delete(seedFile());
        assertThatThrownBy(() -> open(NOW)).hasMessageContaining("crawl-seeds: the file is missing");
        assertThat(CrawlDirectory.inspect(folder).problems()).containsExactly(seedFile() + ": the file is missing");

        assertThat(CrawlDirectory.repair(folder).findings()).hasSize(1);

        open(NOW).close();
    }

    @Test
    void theFilesOfAnEarlierVersionAreCopiedAndStayAsTheyAre() throws IOException {
        makeJob();
        Files.delete(seedFile());
        Files.delete(folder.resolve("crawl-pauses"));
        Path earlierSeeds = file("seeds.txt", "http://a.test/\nhttp://b.test/\nhttp://c");
        Path earlierPauses = file("pauses.txt", "60000 1030000 a.test\n60000 103");
        for (int run = 0; run < 2; run++) {
            try (CrawlDirectory directory = open(NOW)) {
                assertThat(directory.takePauses()).isEqualTo(Map.of("a.test", Duration.ofSeconds(30)));
                assertThat(seeds(directory))
                        .startsWith("http://a.test/", "http://b.test/")
                        .hasSize(2 + run);
                directory.addSeeds(List.of("http://d.test/"));
            }
        }

        assertThat(earlierSeeds).hasContent("http://a.test/\nhttp://b.test/\nhttp://c");
        assertThat(earlierPauses).hasContent("60000 1030000 a.test\n60000 103");
    }

    @Test
    void damagedFilesOfAnEarlierVersionAreRepairedToo() throws IOException {
        makeJob();
        Files.delete(seedFile());
        file("seeds.txt", "http://a.test/\nmine\n");
        assertThatThrownBy(() -> open(NOW)).hasMessageContaining("seeds.txt: line 2 is not a seed");

        assertThat(CrawlDirectory.repair(folder).findings()).hasSize(1);

        assertThat(seedFile()).hasContent(SEED_HEADER + "http://a.test/\n");
        assertThat(folder.resolve("seeds.txt")).hasContent("http://a.test/\nmine\n");
        open(NOW).close();
    }

    @Test
    void aFolderWithFilesOfOthersIsRefusedAndStaysAsItIs() throws IOException {
        Path mine = file("seeds.txt", "mine\nhttp://a.te");
        for (String name : List.of("README.md", "pom.xml", "x", "y")) {
            file(name, "");
        }

        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        folder + " is neither empty nor a job; it contains README.md, pom.xml, seeds.txt and 2 more");
        assertThatThrownBy(() -> CrawlDirectory.check(mine)).hasMessage(mine + " is not a directory");

        assertThat(mine).hasContent("mine\nhttp://a.te");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).hasSize(5);
        }
    }

    @Test
    void aFolderInWhichACrashHasInterruptedTheStartIsOpened() throws IOException {
        file("lock", "");
        file("settings.tmp", "sieve");

        open(NOW).close();
    }

    @Test
    void afterADamagedFileNothingStaysOpen() throws IOException {
        makeJob();
        file("crawl-pauses", PAUSE_HEADER + "damaged\n");
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2 is not a pause");
        assertThat(openFiles()).isEmpty();

        CrawlDirectory.repair(folder);
        open(NOW).close();
        assertThat(openFiles()).isEmpty();
    }

    @Test
    void aRepairWaitsForNoOtherOwner() throws IOException {
        try (CrawlDirectory directory = open(NOW)) {
            assertThat(directory.frontier()).isNotNull();
            assertThatThrownBy(() -> CrawlDirectory.repair(folder)).hasMessageContaining("in use");
        }
    }

    @Test
    void aCrawlThatCannotSpillOpensNothingAndLeavesItsDirectoryToTheCaller() throws IOException {
        Path job = folder.resolve("job");
        Path moved = folder.resolve("moved");
        try (CrawlDirectory directory = CrawlDirectory.open(job, builder -> builder.capacity(100))) {
            List<Path> before = openFiles();
            Files.move(job, moved);
            assertThatThrownBy(() -> new Crawler(new CrawlOptions(), directory))
                    .isInstanceOf(UncheckedIOException.class);
            Files.move(moved, job);
            assertThat(openFiles()).isEqualTo(before);
            directory.addSeeds(List.of("http://a.test/"));
        }

        assertThat(CrawlDirectory.seedFile(job)).hasContent(SEED_HEADER + "http://a.test/\n");
        assertThat(openFiles()).isEmpty();
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
    void aLineThatIsNoPauseIsNamedAndOnlyItIsLostByARepair(String line) throws IOException {
        makeJob();
        Path path = file("crawl-pauses", PAUSE_HEADER + "60000 1030000 a.test\n" + line + "\n");

        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 3 is not a pause");
        assertThat(CrawlDirectory.inspect(folder).problems()).containsExactly(path + ": line 3 is not a pause");

        CrawlDirectory.repair(folder);

        try (CrawlDirectory directory = open(NOW)) {
            assertThat(directory.takePauses()).isEqualTo(Map.of("a.test", Duration.ofSeconds(30)));
        }
    }

    @Test
    void aThreadThatWasInterruptedWritesAndForcesThem() throws IOException {
        try (CrawlDirectory directory = open(NOW)) {
            Thread.currentThread().interrupt();
            assertThat(directory.addSeeds(List.of("http://a.test/"))).isOne();
            assertThat(directory.addSeeds(List.of("http://a.test/"))).isZero();
            directory.forceSeeds();
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(seedFile()).hasContent(SEED_HEADER + "http://a.test/\n");
    }

    @Test
    void pausesAreRememberedUntilTheyExpire() throws IOException {
        Instant now = Instant.parse("2026-11-21T00:00:00Z");
        try (CrawlDirectory directory = open(now)) {
            assertThat(directory.takePauses()).isEmpty();
            directory.addPause("a.test", Duration.ofSeconds(10), Duration.ofSeconds(90), now);
            directory.addPause("[::1]", Duration.ofSeconds(10), Duration.ofSeconds(4), now);
            directory.addPause("c.test", Duration.ofSeconds(3), Duration.ZERO, now);
            directory.addPause("a.test", Duration.ofSeconds(5), Duration.ofSeconds(95), now);
        }
        Files.writeString(folder.resolve("crawl-pauses"), "99999 12", StandardOpenOption.APPEND);
        for (int i = 0; i < 2; i++) {
            try (CrawlDirectory directory = open(now.plusSeconds(10))) {
                assertThat(directory.takePauses())
                        .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(4)));
            }
        }
        try (CrawlDirectory directory = open(Instant.EPOCH)) {
            assertThat(directory.takePauses())
                    .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(10)));
        }
    }
}
