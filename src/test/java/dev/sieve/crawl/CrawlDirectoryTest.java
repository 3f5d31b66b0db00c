package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.job.FolderPlace;
import dev.sieve.stage.AllStages;
import dev.sieve.stage.JobParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text, ISO_8859_1);
    }

    private Path lines(String name, String... lines) throws IOException {
        return JobLines.replace(folder, name, lines);
    }

    private List<String> seeds() throws IOException {
        List<String> seeds = new ArrayList<>();
        new FolderPlace(folder).seeds(seeds::add);
        return seeds;
    }

    private CrawlJob open(Instant now) throws IOException {
        boolean exists = DurableFolder.exists(folder);
        return CrawlDirectory.open(folder, exists ? builder -> {} : builder -> builder.capacity(100), now);
    }

    private void makeJob() throws IOException {
        open(NOW).close();
    }

    private static List<String> seeds(CrawlJob directory) throws IOException {
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
            try (CrawlJob directory = open(NOW)) {
                directory.addSeeds(List.of("http://a.test/"));
                directory.addSeeds(List.of("http://b.test/" + run));
                directory.forceSeeds();
            }
        }

        assertThat(seeds()).containsExactly("http://a.test/", "http://b.test/0", "http://b.test/1");
        try (CrawlJob directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/", "http://b.test/0", "http://b.test/1");
        }
    }

    @Test
    void aSeedThatACrashHasLeftUnfinishedIsCutOff() throws IOException {
        makeJob();
        Path path = lines("crawl-seeds", "http://a.test/");
        Files.writeString(path, "12345678 2 http://a.te", StandardOpenOption.APPEND);
        try (CrawlJob directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/");
            directory.addSeeds(List.of("http://b.test/"));
        }

        assertThat(seeds()).containsExactly("http://a.test/", "http://b.test/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "not a URL", "ftp://a.test/", "http://A.test/", "http://a.test/\u00e9", "\0\0\0", "\u00ff"})
    void aLineThatIsNoSeedIsNamedAndOnlyItIsLostByARepair(String line) throws IOException {
        makeJob();
        Path path = lines("crawl-seeds", "http://a.test/", line, "http://b.test/");
        String damaged = Files.readString(path, ISO_8859_1);
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 3 is not a seed", "repair");
        assertThat(path).content(ISO_8859_1).isEqualTo(damaged);
        assertThat(new FolderPlace(folder).inspect().problems()).containsExactly(path + ": line 3 is not a seed");

        assertThat(new FolderPlace(folder).repair().findings())
                .containsExactly(
                        path + ": line 3 is not a seed",
                        path + ": lines kept: 2 of 3; name the seeds again, since they define the scope");

        assertThat(new FolderPlace(folder).inspect().problems()).isEmpty();
        assertThat(folder.resolve("crawl-seeds.broken")).content(ISO_8859_1).isEqualTo(damaged);
        try (CrawlJob directory = open(NOW)) {
            assertThat(seeds(directory)).containsExactly("http://a.test/", "http://b.test/");
        }
        assertThat(new FolderPlace(folder).repair().findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://a.test/\n", "# sieve crawl-pauses 2\n", "# sieve crawl-seeds 0\n", "# sieve\n"})
    void aFileWithoutItsFirstLineIsDamaged(String text) throws IOException {
        makeJob();
        file("crawl-seeds", text);
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("crawl-seeds")
                .hasMessageContaining("repair");

        assertThat(new FolderPlace(folder).repair().findings()).isNotEmpty();

        open(NOW).close();
        assertThat(seeds()).isEmpty();
    }

    @Test
    void everyFileIsDocumented() throws IOException {
        String page = Files.readString(Path.of("docs/jobs.md"));

        assertThat(CrawlDirectory.FILES).allSatisfy(kind -> assertThat(page).contains("\n| `" + kind.name() + "` | "));
    }

    @Test
    void aJobOfAnEarlierBuildIsRefusedAndLeftAlone() throws IOException {
        makeJob();
        LineFile.Kind earlier = new LineFile.Kind("crawl-seeds", 1, "a seed", "", line -> true);
        LineFile.replace(new LocalDisk(folder), earlier, DurableFolder.id(folder), List.of("http://a.test/"));
        Path path = folder.resolve("crawl-seeds");
        String content = Files.readString(path);
        String message = path + ": version 1, which this Sieve does not read; start anew in another directory";

        assertThatThrownBy(() -> open(NOW)).hasMessage(message);
        assertThatThrownBy(() -> new FolderPlace(folder).inspect()).hasMessage(message);
        assertThatThrownBy(() -> new FolderPlace(folder).repair()).hasMessage(message);

        assertThat(path).hasContent(content);
    }

    private static final Map<String, String> ONE_LINE = Map.of(
            "crawl-seeds", "http://a.test/",
            "crawl-origins", "open http://a.test",
            "crawl-pauses", "60000 1030000 a.test",
            "crawl-report", "{\"url\": \"http://a.test/\"}",
            "crawl-texts", "0000000000000007 http://a.test/",
            "crawl-fragments", "page 0 http://a.test/ .",
            "crawl-pages", "page 0 0 0 - n0 - - - 0 0 0 0 - - - http://a.test/",
            "crawl-cookies", "a.test\tFALSE\t/\tFALSE\t0\tn\tv");

    private void makeFullJob() throws IOException {
        try (CrawlJob directory = open(NOW)) {
            JobParts.beginRounds(directory);
            JobParts.add(directory, "http://a.test/", 7);
            directory.addSeeds(List.of("http://a.test/"));
            directory.addOpen("http://a.test/");
            directory.forceSeeds();
            directory.store.addPause("a.test", Duration.ofMinutes(1), Duration.ZERO, NOW);
            Journal.of(directory).add("{\"url\": \"http://a.test/\"}".getBytes(ISO_8859_1));
        }
    }

    private void openAll() throws IOException {
        try (CrawlJob directory = open(NOW)) {
            Journal.of(directory);
            JobParts.open(directory);
        }
    }

    /** Requires that a problem is shown, that an open is refused and that a repair makes the job usable. */
    private void assertFound(String problem) throws IOException {
        assertThat(new FolderPlace(folder).inspect().problems()).as(problem).contains(problem);
        assertThatThrownBy(this::openAll).hasMessage(problem + "; 'repair' keeps what is intact");
        assertThat(new FolderPlace(folder).repair().findings()).contains(problem);
        assertThat(new FolderPlace(folder).inspect().problems()).isEmpty();
        openAll();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crawl-seeds",
                "crawl-origins",
                "crawl-pauses",
                "crawl-report",
                "crawl-texts",
                "crawl-fragments",
                "crawl-pages",
                "crawl-cookies"
            })
    void whateverBefallsAFileIsFound(String name) throws IOException {
        makeFullJob();
        assertThat(new FolderPlace(folder).inspect().problems()).isEmpty();
        Path path = folder.resolve(name);

        Files.delete(path);
        assertFound(path + ": the file is missing");

        for (int cut : new int[] {1, 5}) {
            makeFullJob();
            byte[] whole = Files.readAllBytes(path);
            Files.write(path, Arrays.copyOf(whole, whole.length - cut));
            assertFound(path + ": missing at the end: 1 of 1 lines");
        }

        makeFullJob();
        lines(name, ONE_LINE.get(name));
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length - 2] ^= 1;
        Files.write(path, bytes);
        assertFound(path + ": line 2 is damaged");

        makeFullJob();
        LineFile.replace(new LocalDisk(folder), JobLines.kind(name), 1, List.of(ONE_LINE.get(name)));
        assertFound(path + ": belongs to another job");
    }

    /** Makes a job of a process that is killed: its files are those of this moment. */
    private void makeKilledJob() throws IOException {
        Path job = folder.resolve("job");
        Path killed = folder.resolve("killed");
        try (CrawlJob directory = CrawlDirectory.open(job, builder -> builder.capacity(100), NOW)) {
            JobParts.beginRounds(directory);
            for (String host : List.of("a", "b", "c")) {
                String url = "http://" + host + ".test/";
                JobParts.add(directory, url, host.charAt(0));
                directory.addSeeds(List.of(url));
                directory.addOpen(url);
                directory.store.addPause(host + ".test", Duration.ofMinutes(1), Duration.ZERO, NOW);
                Journal.of(directory).add(("{\"url\": \"" + url + "\"}").getBytes(ISO_8859_1));
            }
            Journal.of(directory).flush(false);
            JobParts.flush(directory, false);
            directory.count();
            Files.createDirectories(killed);
            try (Stream<Path> files = Files.list(job)) {
                for (Path file : files.toList()) {
                    Files.copy(file, killed.resolve(file.getFileName()));
                }
            }
        }
        folder = killed;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crawl-seeds",
                "crawl-origins",
                "crawl-pauses",
                "crawl-report",
                "crawl-texts",
                "crawl-fragments",
                "crawl-pages",
                "crawl-cookies"
            })
    void whatIsMissingInAJobThatWasKilledIsFound(String name) throws IOException {
        makeKilledJob();
        assertThat(new FolderPlace(folder).inspect().problems()).isEmpty();
        Path path = folder.resolve(name);
        byte[] whole = Files.readAllBytes(path);
        String[] lines = new String(whole, ISO_8859_1).split("(?<=\n)", -1);
        int count = lines.length - 2;
        String rest = "";
        for (int left = 0; left < count; left++) {
            rest += lines[left];
            Files.writeString(path, rest, ISO_8859_1);
            assertThat(new FolderPlace(folder).inspect().problems())
                    .contains(path + ": missing at the end: " + (count - left) + " of " + count + " lines");
        }
        Files.delete(path);
        assertFound(path + ": the file is missing");
    }

    /** The end of a process leaves no zeros, so these are damage, and what follows them is kept. */
    @Test
    void zerosInAKilledJobAreFoundAndLaterLinesKept() throws IOException {
        makeKilledJob();
        Path path = folder.resolve("crawl-pages");
        byte[] bytes = Files.readAllBytes(path);
        int start = new String(bytes, ISO_8859_1).indexOf("http://b.test/") - 10;
        Arrays.fill(bytes, start, start + 16, (byte) 0);
        Files.write(path, bytes);

        assertFound(path + ": line 3 is damaged");

        try (CrawlJob directory = open(NOW)) {
            assertThat(JobParts.hasPage(directory, "http://b.test/")).isFalse();
            assertThat(JobParts.hasPage(directory, "http://c.test/")).isTrue();
        }
    }

    @Test
    void aRepairThatIsInterruptedKeepsTheDamagedBytes() throws IOException {
        makeFullJob();
        Path path = folder.resolve("crawl-seeds");
        byte[] damaged = Files.readAllBytes(path);
        damaged[damaged.length - 2] ^= 1;
        Files.write(path, damaged);
        byte[] counts = Files.readAllBytes(folder.resolve("crawl-counts"));
        new FolderPlace(folder).repair();
        // As if the first repair had been killed before its end.
        Files.write(folder.resolve("crawl-counts"), counts);

        assertThat(new FolderPlace(folder).repair().findings()).contains(path + ": missing at the end: 1 of 1 lines");

        assertThat(folder.resolve("crawl-seeds.broken")).hasBinaryContent(damaged);
        assertThat(folder.resolve("crawl-seeds-2.broken")).exists();
    }

    @Test
    void aRoundWithoutPagesHasNoEarlierReport() throws IOException {
        makeFullJob();
        try (CrawlJob directory = open(NOW)) {
            JobParts.complete(directory);
            // A process that is killed here has begun the round, and not emptied the report.
            JobParts.beginNext(directory);
        }

        try (CrawlJob directory = open(NOW)) {
            assertThat(JobParts.isOnlyDue(directory)).isTrue();
            Journal.of(directory).read(json -> assertThat(json).isNull());
            assertThat(JobParts.queue(directory, NOW)).as("never visited").isOne();
        }
        try (CrawlJob directory = open(NOW)) {
            assertThat(JobParts.isOnlyDue(directory)).isTrue();
        }
    }

    @Test
    void aJobThatAnotherProcessMayHaveIsNotReplaced() throws IOException {
        makeFullJob();
        byte[] before = Files.readAllBytes(folder.resolve("crawl-pages"));
        CrawlJob directory = open(NOW);
        Files.delete(folder.resolve("lock"));

        assertThatThrownBy(() -> JobParts.complete(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("removed while the frontier is open");
        assertThatThrownBy(directory::close).hasMessageContaining("removed while the frontier is open");

        assertThat(folder.resolve("crawl-pages")).hasBinaryContent(before);
        assertThat(openFiles()).isEmpty();
    }

    @Test
    void everyFileIsReadableByItsOwnerOnly() throws IOException {
        makeFullJob();
        try (CrawlJob directory = open(NOW);
                Stream<Path> files = Files.list(folder)) {
            assertThat(Journal.of(directory)).isNotNull();
            assertThat(files)
                    .hasSizeGreaterThan(8)
                    .allMatch(file ->
                            PosixFilePermissions.toString(permissions(file)).equals("rw-------"));
        }
    }

    private static Set<PosixFilePermission> permissions(Path file) {
        try {
            return Files.getPosixFilePermissions(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anInterruptedThreadOpensAJobAndStaysInterrupted() throws IOException {
        Thread.currentThread().interrupt();
        try (CrawlJob directory = open(NOW)) {
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(directory.frontier().push("http://a.test/")).isTrue();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void countsThatAreMissingOrDamagedAreFound() throws IOException {
        makeFullJob();
        Path path = folder.resolve("crawl-counts");
        Files.delete(path);
        assertFound(path + ": the file is missing");

        Files.writeString(path, "\n", StandardOpenOption.APPEND);
        assertFound(path + ": line " + Files.readAllLines(path).size() + " is damaged");
        assertThat(seeds()).containsExactly("http://a.test/");
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

        try (CrawlJob job = open(NOW)) {
            assertThat(job.frontier().push("http://a.test/")).isTrue();
        }
    }

    @Test
    void afterADamagedFileNothingStaysOpen() throws IOException {
        makeJob();
        lines("crawl-pauses", "damaged");
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2 is not a pause");
        assertThat(openFiles()).isEmpty();

        new FolderPlace(folder).repair();
        open(NOW).close();
        assertThat(openFiles()).isEmpty();
    }

    @Test
    void aRepairWaitsForNoOtherOwner() throws IOException {
        try (CrawlJob directory = open(NOW)) {
            assertThat(directory.frontier()).isNotNull();
            assertThatThrownBy(() -> new FolderPlace(folder).repair()).hasMessageContaining("in use");
        }
    }

    @Test
    void aCrawlThatCannotSpillOpensNothing() throws IOException {
        Path job = folder.resolve("job");
        Path moved = folder.resolve("moved");
        try (CrawlJob directory = CrawlDirectory.open(job, builder -> builder.capacity(100))) {
            List<Path> before = openFiles();
            Files.move(job, moved);
            assertThatThrownBy(() -> new Crawler(new CrawlOptions(), directory, AllStages::of))
                    .isInstanceOf(UncheckedIOException.class);
            Files.move(moved, job);
            assertThat(openFiles()).isEqualTo(before);
            directory.addSeeds(List.of("http://a.test/"));
        }

        List<String> seeds = new ArrayList<>();
        new FolderPlace(job).seeds(seeds::add);
        assertThat(seeds).containsExactly("http://a.test/");
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
        Path path = lines("crawl-pauses", "60000 1030000 a.test", line);

        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("line 3 is not a pause");
        assertThat(new FolderPlace(folder).inspect().problems()).containsExactly(path + ": line 3 is not a pause");

        new FolderPlace(folder).repair();

        try (CrawlJob directory = open(NOW)) {
            assertThat(directory.store.takePauses()).isEqualTo(Map.of("a.test", Duration.ofSeconds(30)));
        }
    }

    @Test
    void aThreadThatWasInterruptedWritesAndForcesThem() throws IOException {
        try (CrawlJob directory = open(NOW)) {
            Thread.currentThread().interrupt();
            assertThat(directory.addSeeds(List.of("http://a.test/"))).isOne();
            assertThat(directory.addSeeds(List.of("http://a.test/"))).isZero();
            directory.forceSeeds();
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(seeds()).containsExactly("http://a.test/");
    }

    @Test
    void pausesAreRememberedUntilTheyExpire() throws IOException {
        Instant now = Instant.parse("2026-11-21T00:00:00Z");
        try (CrawlJob directory = open(now)) {
            assertThat(directory.store.takePauses()).isEmpty();
            directory.store.addPause("a.test", Duration.ofSeconds(10), Duration.ofSeconds(90), now);
            directory.store.addPause("[::1]", Duration.ofSeconds(10), Duration.ofSeconds(4), now);
            directory.store.addPause("c.test", Duration.ofSeconds(3), Duration.ZERO, now);
            directory.store.addPause("a.test", Duration.ofSeconds(5), Duration.ofSeconds(95), now);
        }
        Files.writeString(folder.resolve("crawl-pauses"), "99999 12", StandardOpenOption.APPEND);
        for (int i = 0; i < 2; i++) {
            try (CrawlJob directory = open(now.plusSeconds(10))) {
                assertThat(directory.store.takePauses())
                        .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(4)));
            }
        }
        try (CrawlJob directory = open(Instant.EPOCH)) {
            assertThat(directory.store.takePauses())
                    .isEqualTo(Map.of("a.test", Duration.ofSeconds(10), "[::1]", Duration.ofSeconds(10)));
        }
    }
}
