package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.FrontierSettings;
import dev.sieve.Tier;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.RepairReport;
import dev.sieve.io.Disk;
import dev.sieve.io.FakeDisk;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LocalDisk;
import dev.sieve.job.FolderPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each bit of the files beside the frontier of a served crawl, each cut and each doubled line: damage is named, never believed,
 * and a repair says so when a URL, a setting or a deletion is lost.
 */
class ServedDamageTest {
    private static final Moment NOW = new Moment(0, 1_800_000_000L);
    private static final ServedOptions OPTIONS =
            new ServedOptions(FrontierSettings.DEFAULTS.withCapacity(200), Durability.PROCESS, false);

    @TempDir
    private Path folder;

    private final CapturedLog log = new CapturedLog();
    private Path crawl;
    private long id;
    private Set<String> expected;

    @BeforeEach
    void make() throws IOException {
        make("crawl-a");
    }

    private void make(String name) throws IOException {
        crawl = folder.resolve(name);
        try (ServedCrawl served = open()) {
            put(served, "http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/1");
            served.change("b.test", queue -> queue.delay = 7, NOW);
            served.deleteQueue("a.test", NOW);
            put(served, "http://a.test/2", "http://a.test/3");
            served.change("b.test", queue -> queue.limit = 9, NOW);
            served.deleteQueue("c.test", NOW);
            served.change("a.test", queue -> queue.blockedUntil = 5, NOW);
            served.put(List.of(new PutItem(Door.known("http://b.test/1", 0))), NOW);
        }
        id = DurableFolder.id(crawl);
        expected = content();
        assertThat(expected)
                .contains(
                        "url http://a.test/3", "url http://b.test/1", "queue b.test 1 7 0 9", "queue a.test 2 -1 5 0");
        assertThat(damages(new LocalDisk(crawl))).isEmpty();
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private ServedCrawl open() throws IOException {
        return new ServedCrawl("a", crawl, OPTIONS, new MemoryBudget(64L << 20), () -> 1, NOW);
    }

    private static void put(ServedCrawl served, String... urls) {
        List<PutItem> items = new ArrayList<>();
        for (String url : urls) {
            items.add(new PutItem(Door.discovered(url)));
        }
        served.put(items, NOW);
    }

    /** Returns the URLs that count, by the log and the files, and the settings of their queues. */
    private Set<String> content() throws IOException {
        Set<String> content = new TreeSet<>();
        try (ServedCrawl served = open()) {
            served.listing().forEach(null, url -> true, (url, info, isCompleted) -> content.add("url " + url));
            for (String name : served.queueNames(0, 100, true, NOW)) {
                served.change(
                        name,
                        queue -> content.add("queue " + name + " " + queue.urls + " " + queue.delay + " "
                                + queue.blockedUntil + " " + queue.limit),
                        NOW);
            }
        }
        return content;
    }

    /** Returns what is wrong in the files beside the frontier. */
    private List<String> damages(Disk disk) throws IOException {
        List<String> problems = new ArrayList<>();
        problems.addAll(new JobFiles(disk, id, ServedFiles.OF_CRAWL, problems::add).problems());
        return problems;
    }

    private static List<byte[]> damaged(byte[] whole) {
        List<byte[]> all = new ArrayList<>();
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            all.add(flipped);
        }
        int line = 0;
        for (int at = 0; at < whole.length; at++) {
            all.add(Arrays.copyOf(whole, at));
            if (whole[at] == '\n') {
                byte[] doubled = Arrays.copyOf(whole, whole.length + at + 1 - line);
                System.arraycopy(whole, line, doubled, at + 1, whole.length - line);
                all.add(doubled);
                byte[] removed = Arrays.copyOf(whole, whole.length - (at + 1 - line));
                System.arraycopy(whole, at + 1, removed, line, whole.length - at - 1);
                all.add(removed);
                line = at + 1;
            }
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"crawl-queues", "crawl-deletions", "crawl-replaced", "crawl-counts"})
    void noDamageOfAFileIsSilent(String name) throws IOException {
        FakeDisk disk = new FakeDisk();
        for (String each : new LocalDisk(crawl).names()) {
            disk.replace(each, Files.readAllBytes(crawl.resolve(each)));
        }
        for (byte[] damaged : damaged(disk.bytes(name))) {
            disk.replace(name, damaged);
            assertThat(isNamed(disk)).as(new String(damaged, ISO_8859_1)).isTrue();
        }
        disk.delete(name);
        assertThat(isNamed(disk)).isTrue();
    }

    private boolean isNamed(Disk disk) {
        try {
            return !damages(disk).isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"crawl-queues", "crawl-deletions", "crawl-replaced", "crawl-counts"})
    void aDamagedCrawlIsRefusedAndARepairKeepsItsUrls(String name) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        for (String each : new LocalDisk(crawl).names()) {
            files.put(each, Files.readAllBytes(crawl.resolve(each)));
        }
        List<byte[]> damaged = damaged(Objects.requireNonNull(files.get(name)));
        for (int i = 0; i < damaged.size(); i += Tier.of(97, 31, 1)) {
            for (String each : new LocalDisk(crawl).names()) {
                Files.delete(crawl.resolve(each));
            }
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                Files.write(crawl.resolve(file.getKey()), file.getValue());
            }
            Files.write(crawl.resolve(name), damaged.get(i));
            assertThatThrownBy(this::content)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(name.equals("crawl-counts") ? "crawl-" : name);
            try {
                RepairReport report =
                        FolderPlace.with(crawl, ServedFiles.OF_CRAWL).repair();
                assertThat(report.findings()).isNotEmpty();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("version");
                continue;
            }
            assertThat(damages(new LocalDisk(crawl))).isEmpty();
            List<String> urls =
                    expected.stream().filter(each -> each.startsWith("url ")).toList();
            assertThat(content()).containsAll(urls);
        }
    }

    @Test
    void aFileOfAnotherCrawlIsRefused() throws IOException {
        Path own = crawl;
        make("crawl-b");
        Files.copy(crawl.resolve("crawl-queues"), own.resolve("crawl-queues"), StandardCopyOption.REPLACE_EXISTING);
        crawl = own;
        assertThatThrownBy(this::content).hasMessageContaining("crawl-queues: belongs to another job");
    }

    @Test
    void damagedSettingsOfTheServerAreNamed() throws IOException {
        Path server = folder.resolve("server");
        try (Crawls crawls = open(server)) {
            crawls.setDelay(5, NOW);
            crawls.setActive(false);
        }
        Path file = server.resolve("server-settings");
        byte[] whole = Files.readAllBytes(file);
        List<byte[]> all = damaged(whole);
        // Each of them in the long run: what a line shows is the same in all files.
        for (int i = 0; i < all.size(); i += Tier.of(17, 7, 1)) {
            byte[] damaged = all.get(i);
            Files.write(file, damaged);
            assertThatThrownBy(() -> open(server).close())
                    .as(new String(damaged, ISO_8859_1))
                    .hasMessageContaining("server-settings");
        }
        Files.write(file, whole);
        try (Crawls crawls = open(server)) {
            assertThat(crawls.isActive()).isFalse();
        }
    }

    private static Crawls open(Path server) throws IOException {
        return new Crawls(server, OPTIONS, new MemoryBudget(64L << 20), NOW);
    }
}
