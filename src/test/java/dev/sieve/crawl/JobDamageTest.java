package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.durable.DamageException;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.RepairReport;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.job.FolderPlace;
import dev.sieve.stage.JobParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random damage of every file of a job that was closed, or whose process was killed: it is shown, never believed, and a
 * repair says what is lost.
 */
class JobDamageTest {
    private static final int DAMAGES = Tier.of(100, 10_000);
    private static final Instant NOW = Instant.ofEpochMilli(1_000_000);

    @TempDir
    private Path folder;

    private final CapturedLog log = new CapturedLog();
    private final Map<String, Integer> counts = new TreeMap<>();

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Makes a job of three runs; returns its files before the last one was closed, as a kill leaves them. */
    private static Map<String, byte[]> make(Path job, String host) throws IOException {
        Map<String, byte[]> killed = new TreeMap<>();
        for (int run = 0; run < 3; run++) {
            try (CrawlJob directory = open(job)) {
                if (run == 0) {
                    JobParts.beginRounds(directory);
                }
                for (int i = 0; i < 4; i++) {
                    String seed = "http://" + host + run + i + ".test/";
                    JobParts.add(directory, seed, 10L * run + i);
                    directory.addSeeds(List.of(seed));
                    directory.addOpen(seed);
                    directory.store.addPause(host + run + i + ".test", Duration.ofMinutes(1), Duration.ZERO, NOW);
                    Journal.of(directory).add(("{\"url\": \"" + seed + "\"}").getBytes(ISO_8859_1));
                }
                directory.forceSeeds();
                for (int i = 0; i < 20; i++) {
                    directory.frontier().push("http://" + host + ".test/" + run + "/" + i);
                }
                for (int i = 0; i < 12; i++) {
                    directory.frontier().done(directory.frontier().take(0));
                }
                JobParts.flush(directory, true);
                JobResults results = new JobResults(directory, (key, target) -> {});
                results.note(Counter.FAILED, "");
                results.moved("http://" + host + ".test/", "http://" + run + ".test/");
                results.add(run);
                results.flush(false);
                Journal.of(directory).flush(false);
                ((DurableSieve) directory.frontier()).sync();
                directory.count();
                killed = files(job);
            }
        }
        return killed;
    }

    private static CrawlJob open(Path job) throws IOException {
        return CrawlDirectory.open(job, builder -> builder.capacity(200).segmentBytes(300), NOW);
    }

    /** What a job holds: seeds, origins, pauses, records, cookies, pages and URLs that are not done, each with its sort. */
    private static Set<String> content(Path job) throws IOException {
        Set<String> content = new TreeSet<>();
        try (CrawlJob directory = open(job)) {
            directory.read(new CrawlJob.Reader() {
                @Override
                public void seed(String url) {
                    content.add("seed " + url);
                }

                @Override
                public void open(String origin) {
                    content.add("open " + origin);
                }

                @Override
                public void withHeaders(String origin) {
                    content.add("headers " + origin);
                }
            });
            directory.store.takePauses().forEach((host, pause) -> content.add("pause " + host + " " + pause));
            assertThat(new JobResults(directory, (key, target) -> {}).earlier()).isNotNull();
            Journal.of(directory).read(json -> content.add("record " + json));
            JobParts.read(directory, content::add);
            for (String file : List.of("crawl-texts", "crawl-cookies", "crawl-results")) {
                LineFile.read(
                        new LocalDisk(job),
                        JobLines.kind(file),
                        DurableFolder.id(job),
                        0,
                        (position, line) -> content.add(file + " " + line),
                        LineFile.REFUSE);
            }
            for (Lease url = directory.frontier().take(0);
                    url != null;
                    url = directory.frontier().take(0)) {
                content.add("url " + url.url());
            }
        }
        return content;
    }

    private static Map<String, byte[]> files(Path job) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.list(job)) {
            for (Path path : paths.toList()) {
                files.put(path.getFileName().toString(), Files.readAllBytes(path));
            }
        }
        return files;
    }

    private static void write(Path job, Map<String, byte[]> files) throws IOException {
        Files.createDirectories(job);
        for (String name : files(job).keySet()) {
            Files.delete(job.resolve(name));
        }
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Files.write(job.resolve(file.getKey()), file.getValue());
        }
    }

    private static String damage(Map<String, byte[]> files, Map<String, byte[]> foreign, Random random) {
        List<String> names = List.copyOf(files.keySet());
        String name = names.get(random.nextInt(names.size()));
        byte[] bytes = files.get(name).clone();
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        int to = Math.min(bytes.length, at + 1 + random.nextInt(100));
        int choice = random.nextInt(10);
        switch (choice) {
            case 0, 1 -> {
                if (bytes.length > 0) {
                    bytes[at] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 2 -> bytes = Arrays.copyOf(bytes, at);
            case 3 -> bytes = joined(Arrays.copyOf(bytes, to), Arrays.copyOfRange(bytes, at, bytes.length));
            case 4 -> bytes = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(600));
            case 5 -> Arrays.fill(bytes, at, to, (byte) 0);
            case 6 -> {
                List<String> others = List.copyOf(foreign.keySet());
                name = others.get(random.nextInt(others.size()));
                bytes = foreign.get(name);
            }
            case 7 -> bytes = joined(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, to, bytes.length));
            case 8 -> bytes = null;
            default -> {
                // Whole lines at the end, if it is a text.
                String text = new String(bytes, ISO_8859_1);
                bytes = Arrays.copyOf(bytes, text.lastIndexOf('\n', at - 1) + 1);
            }
        }
        if (bytes == null) {
            files.remove(name);
        } else {
            files.put(name, bytes);
        }
        return name + ", " + choice + " at " + at + " to " + to;
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] joined = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, joined, one.length, other.length);
        return joined;
    }

    @Test
    void noDamageOfAJobIsSilent() throws IOException {
        Path own = folder.resolve("own");
        Path other = folder.resolve("other");
        Path job = folder.resolve("job");
        Map<String, byte[]> killed = make(own, "h");
        make(other, "foreign");
        Map<String, byte[]> closed = files(own);
        Map<String, byte[]> foreign = files(other);
        write(job, killed);
        assertThat(isShown(job)).isFalse();
        Set<String> expectedKilled = content(job);
        Set<String> expectedClosed = content(own);
        assertThat(expectedClosed).hasSizeGreaterThan(90);
        for (int i = 0; i < DAMAGES; i++) {
            boolean isKilled = i % 2 == 0;
            Map<String, byte[]> files = new TreeMap<>(isKilled ? killed : closed);
            String name = "damage " + i + ": " + damage(files, foreign, new Random(i));
            log.clear();
            try {
                check(job, files, isKilled ? expectedKilled : expectedClosed, isKilled);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(name, e);
            }
        }
        System.out.println("damaged jobs: " + DAMAGES + " " + counts + ", violations 0");
    }

    private void check(Path job, Map<String, byte[]> files, Set<String> expected, boolean isKilled) throws IOException {
        write(job, files);
        boolean isShown = isShown(job);
        boolean isRefused = false;
        try {
            Set<String> opened = content(job);
            // What looks like the work of a crash is repaired by an open, which says so.
            if (!isKilled || !isShown || log.lines().isEmpty()) {
                assertThat(opened)
                        .as("opened without a repair; shown: " + isShown)
                        .isEqualTo(expected);
            }
        } catch (IOException | IllegalArgumentException e) {
            isRefused = true;
        } catch (UncheckedIOException e) {
            // Parts of the log that an open does not read are checked when their URLs are taken.
            assertThat(e).hasCauseInstanceOf(DamageException.class);
            isRefused = true;
        }
        assertThat(isRefused && !isShown).as("refused, but not shown").isFalse();
        count(isRefused ? "refused" : isShown ? "shown and opened" : "harmless");
        write(job, files);
        RepairReport report = new FolderPlace(job).repair();
        // What looks like the work of a crash is shown too, and every open cuts it off.
        assertThat(isRefused && report.findings().isEmpty())
                .as("nothing to repair")
                .isFalse();
        Set<String> left = content(job);
        assertThat(isShown(job)).as("shown after " + report).isFalse();
        Set<String> lost = new TreeSet<>(expected);
        lost.removeAll(left);
        for (String each : lost) {
            assertThat(report.findings()).as("lost: " + each).isNotEmpty();
            if (each.startsWith("url ")) {
                assertThat(report.lost() + report.lostBytes())
                        .as("lost: " + each)
                        .isPositive();
            }
        }
        left.removeAll(expected);
        // A URL whose result was lost is fetched again, which a repair may cost.
        left.removeIf(each -> each.startsWith("url http://h.test/"));
        assertThat(left).as("never stored").isEmpty();
        count(lost.isEmpty() ? "repaired whole" : "lost and said");
    }

    private static boolean isShown(Path job) {
        try {
            return !new FolderPlace(job).inspect().problems().isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }
}
