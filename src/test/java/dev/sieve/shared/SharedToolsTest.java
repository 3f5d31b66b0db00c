package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.durable.RepairReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The tools on what a frontier has stored, and on what an engine may have lost of it. */
@Tag("engine")
class SharedToolsTest {
    private static final int URLS = 3000;
    private static TestEngine engine;

    private EngineAddress address;
    private String prefix;

    @BeforeAll
    static void start() {
        engine = TestEngine.start();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @BeforeEach
    void name(TestInfo test) {
        String name = test.getTestMethod().orElseThrow().getName();
        address = engine.address(name);
        prefix = "{" + name + "}0";
    }

    private SharedSieve open() throws IOException {
        // With this seed, no two of the URLs have the same fingerprint.
        return SharedSieve.builder(address).capacity(6000).slices(1).seed(1).open();
    }

    private static List<String> urls() {
        return IntStream.range(0, URLS).mapToObj(i -> "http://h.test/" + i).toList();
    }

    /** Accepts all URLs in batches of ten, then takes a hundred of them, of which every other one is done. */
    private List<String> fill() throws IOException {
        List<String> pending = new ArrayList<>(urls());
        try (SharedSieve sieve = open()) {
            for (int i = 0; i < URLS; i += 10) {
                UrlBatch batch = new UrlBatch(1, 0, "http://h.test/referrer");
                urls().subList(i, i + 10).forEach(batch::add);
                assertThat(sieve.pushAll(batch)).isEqualTo(10);
            }
            sieve.notes().add("seeds", List.of("http://h.test/"));
            sieve.notes().count("h.test", 1, 500);
            for (int i = 0; i < 100; i++) {
                Lease lease = sieve.take(System.nanoTime());
                if (i % 2 == 0) {
                    sieve.done(lease);
                    pending.remove(lease.url());
                }
            }
        }
        return pending;
    }

    private static List<String> exported(EngineAddress address) throws IOException {
        List<String> urls = new ArrayList<>();
        assertThat(SharedTools.export(address, label -> true, urls::add)).isEqualTo(urls.size());
        return urls;
    }

    @Test
    void whatIsPendingIsExportedInItsOrder() throws IOException {
        List<String> pending = fill();

        assertThat(exported(address)).isEqualTo(pending);
        List<String> seeds = new ArrayList<>();
        SharedTools.lines(address, "seeds", seeds::add);
        assertThat(seeds).containsExactly("http://h.test/");
        assertThat(SharedTools.mightContain(address, "http://h.test/17")).isTrue();
        assertThat(SharedTools.mightContain(address, "http://h.test/none")).isFalse();
    }

    @Test
    void theUrlsWithTheseLabelsAreExported() throws IOException {
        try (SharedSieve sieve = open()) {
            sieve.push("http://page/");
            UrlBatch sitemaps = new UrlBatch(0, 0, null, 1);
            sitemaps.add("http://page/sitemap.xml");
            sieve.pushAll(sitemaps);
        }
        List<String> pages = new ArrayList<>();
        assertThat(SharedTools.export(address, label -> label == 0, pages::add)).isEqualTo(1);
        assertThat(pages).containsExactly("http://page/");
        assertThat(exported(address)).containsExactlyInAnyOrder("http://page/", "http://page/sitemap.xml");
    }

    @Test
    void aFullEngineIsReadAndSaysWhatItLacks() throws IOException {
        List<String> pending = fill();
        engine.config("maxmemory", "1");
        try {
            assertThat(exported(address)).isEqualTo(pending);
            assertThat(SharedTools.inspect(address).problems()).isEmpty();
            assertThat(SharedTools.mightContain(address, "http://h.test/17")).isTrue();

            engine.command("HDEL", prefix + "m", "done");
            assertThatThrownBy(() -> SharedTools.repair(address))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("it has no memory left: raise its maxmemory");
        } finally {
            engine.config("maxmemory", "0");
        }
    }

    @Test
    void repairIsRefusedWhileASliceMayBeOwned() throws IOException {
        SharedSieve sieve = open();
        sieve.push("http://h.test/");
        try {
            String key = prefix.substring(0, prefix.length() - 1) + "w";
            engine.command("DEL", key);
            engine.command("SET", key, "mine");

            assertThatThrownBy(() -> SharedTools.repair(address))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("1 live worker; stop them first");
            assertThat(engine.text("GET", key)).isEqualTo("mine");
        } finally {
            sieve.abandon();
        }
    }

    @Test
    void noUrlIsMissedWhileTheOwnerTakes() throws IOException {
        fill();
        List<String> exported = new ArrayList<>();
        List<String> done = new ArrayList<>();
        try (SharedSieve sieve = open()) {
            SharedTools.export(address, label -> true, url -> {
                exported.add(url);
                // Faster than the export, so that it overtakes it.
                for (int i = 0; i < 3; i++) {
                    Lease lease = sieve.take(System.nanoTime());
                    if (lease != null && exported.size() % 2 == 0) {
                        sieve.done(lease);
                        done.add(lease.url());
                    }
                }
            });
        }
        List<String> all = new ArrayList<>(exported);
        all.addAll(done);
        assertThat(exported).doesNotHaveDuplicates();
        assertThat(all).containsAll(exported(address));
    }

    @Test
    void theStateHasTheCountersTheWorkersAndTheMemory() throws IOException {
        fill();

        SharedTools.State stopped = SharedTools.inspect(address);

        assertThat(stopped.problems()).isEmpty();
        assertThat(stopped.warnings()).isEmpty();
        assertThat(stopped.workers()).isEmpty();
        assertThat(stopped.seeds()).isEqualTo(1);
        assertThat(stopped.engine()).matches("(Redis|Valkey) \\d.*");
        assertThat(stopped.stats().accepted()).isEqualTo(URLS);
        assertThat(stopped.stats().done()).isEqualTo(50);
        assertThat(stopped.stats().pending()).isEqualTo(URLS - 50);
        assertThat(stopped.stats().capacity()).isEqualTo(6000);
        assertThat(stopped.stats().memoryBytes()).isBetween(4L * URLS, 12L * URLS);
        assertThat(stopped.queueBytes()).isBetween(2L * URLS, 100L * URLS);
        try (SharedSieve sieve = open()) {
            assertThat(sieve.workers()).isEqualTo(1);
            assertThat(SharedTools.inspect(address).workers())
                    .singleElement()
                    .satisfies(worker -> assertThat(worker.slices()).isEqualTo(1));
        }
    }

    @Test
    void memoryPerUrlDoesNotDependOnTheNumberOfHosts() throws IOException {
        int urls = 20_000;
        try (SharedSieve sieve =
                SharedSieve.builder(address).capacity(urls).seed(1).open()) {
            UrlBatch batch = new UrlBatch();
            IntStream.range(0, urls).forEach(i -> batch.add("http://h.test/" + i));
            assertThat(sieve.pushAll(batch)).isEqualTo(urls);
            assertThat(sieve.stats().falsePositiveRate()).isLessThan(1 / 65e6);
        }
        assertThat(SharedTools.inspect(address).stats().memoryBytes()).isLessThan(7L * urls);
    }

    @Test
    void aHealthyCrawlIsNotChanged() throws IOException {
        List<String> pending = fill();

        RepairReport report = SharedTools.repair(address);

        assertThat(report).isEqualTo(new RepairReport(pending.size(), 0, 0, List.of()));
        assertThat(exported(address)).isEqualTo(pending);
    }

    @Test
    void damagedFramesArePutAsideAndCounted() throws IOException {
        List<String> pending = fill();
        engine.command("LSET", prefix + "q", "7", "no frame");
        String number = new String((byte[]) ((List<?>) engine.command("HKEYS", prefix + "f")).get(0), UTF_8);
        engine.command("HSET", prefix + "f", number, "\u0001");
        assertThatThrownBy(() -> exported(address))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");

        RepairReport report = SharedTools.repair(address);

        assertThat(report.findings()).hasSize(2).anyMatch(each -> each.contains("2 damaged frames"));
        assertThat(report.lostBytes()).isEqualTo("no frame".length() + 1);
        assertThat(report.urls() + report.lost()).isEqualTo(pending.size());
        assertThat(pending).containsAll(exported(address));
        assertThat(exported(address)).hasSize((int) report.urls());
        assertThat(engine.command("LLEN", prefix + "x")).isEqualTo(2L);
        assertThat(SharedTools.inspect(address).problems()).isEmpty();
        assertThat(SharedTools.inspect(address).lost()).isEqualTo(report.lost());
        assertThat(SharedTools.repair(address).findings()).isEmpty();
    }

    @Test
    void aQueueThatTheEngineHasRemovedIsSaidToBeLost() throws IOException {
        fill();
        engine.command("DEL", prefix + "q", prefix + "f");

        assertThat(SharedTools.inspect(address).problems())
                .singleElement()
                .asString()
                .contains((URLS - 50) + " URLs are neither");
        RepairReport report = SharedTools.repair(address);

        assertThat(report.lost()).isEqualTo(URLS - 50);
        assertThat(SharedTools.inspect(address).problems()).isEmpty();
    }

    @Test
    void aQueueOrFramesLostBesideOthersAreCounted() throws IOException {
        fill();
        long taken = (Long) engine.command("HLEN", prefix + "f");
        engine.command("DEL", prefix + "f");

        assertThat(taken).isPositive();
        assertThat(SharedTools.inspect(address).problems())
                .singleElement()
                .asString()
                .matches("slice 0: \\d+ URLs are neither done nor pending");
        assertThat(SharedTools.repair(address).lost()).isPositive();
        assertThat(SharedTools.inspect(address).problems()).isEmpty();
    }

    @Test
    void damagedFramesAreAProblem() throws IOException {
        fill();
        engine.command("LSET", prefix + "q", "7", "no frame");

        assertThat(SharedTools.inspect(address).problems())
                .containsExactly(
                        "slice 0: 1 damaged frames of pending URLs", "slice 0: 10 URLs are neither done nor pending");
    }

    @Test
    void keysOfAWrongTypeAreNamedAndPutAside() throws IOException {
        String name = "{" + address.name() + "}";
        for (String key :
                List.of(name + "0q", name + "0m", name + "0f", name + "0t", name + "w", name + "l:seeds", name + "1")) {
            fill();
            engine.command("DEL", key);
            engine.command("SET", key, "mine");

            assertThat(SharedTools.inspect(address).problems())
                    .anyMatch(each -> each.startsWith("the key " + key + " is a string, not a "));
            assertThat(SharedTools.repair(address).findings()).anyMatch(each -> each.contains(key + ".aside"));

            assertThat(engine.text("GET", key + ".aside")).isEqualTo("mine");
            assertThat(SharedTools.inspect(address).problems()).isEmpty();
            SharedTools.delete(address);
            assertThat((List<?>) engine.command("KEYS", name + "*")).isEmpty();
        }
    }

    @Test
    void urlsWhoseResultsAreMissingArePendingAgain() throws IOException {
        fill();
        long done = SharedTools.inspect(address).stats().done();
        engine.command("DEL", prefix + "d");

        RepairReport report = SharedTools.repair(address);

        assertThat(report.findings()).singleElement().asString().contains("URLs that were done are pending again");
        SharedTools.State state = SharedTools.inspect(address);
        assertThat(state.stats().accepted()).isEqualTo(URLS);
        assertThat(state.stats().done()).isLessThan(done);
        assertThat(state.stats().pending()).isEqualTo(report.urls());
    }

    @Test
    void aWorkerFarInTheFutureIsNotAlive() throws IOException {
        fill();
        String workers = "{" + address.name() + "}w";
        String future = String.valueOf(System.currentTimeMillis() + 3_600_000);
        engine.command("ZADD", workers, future, "dead");

        assertThat(SharedTools.inspect(address).workers()).isEmpty();
        try (SharedSieve sieve = open()) {
            assertThat(sieve.workers()).isEqualTo(1);
        }
        assertThat(engine.command("ZCARD", workers)).isEqualTo(0L);
    }

    @Test
    void setsThatTheEngineHasRemovedAreFound() throws IOException {
        fill();
        String bucket = "{" + address.name() + "}0";
        long removed = (Long) engine.command("SCARD", bucket);
        engine.command("DEL", bucket);

        assertThat(SharedTools.inspect(address).problems())
                .containsExactly(removed + " of " + URLS + " URLs are not in the set of seen ones");
        assertThat(SharedTools.repair(address).findings())
                .singleElement()
                .asString()
                .contains(removed + " URLs");
        assertThat(SharedTools.inspect(address).problems()).isEmpty();
    }

    @Test
    void countersThatTheEngineHasRemovedAreMadeAgain() throws IOException {
        List<String> pending = fill();
        engine.command("DEL", prefix + "m");

        assertThat(SharedTools.inspect(address).problems()).containsExactly("slice 0: the counters are missing");
        RepairReport report = SharedTools.repair(address);

        assertThat(report.lost()).isZero();
        SharedTools.State state = SharedTools.inspect(address);
        assertThat(state.problems()).isEmpty();
        assertThat(state.stats().accepted()).isEqualTo(URLS);
        assertThat(state.stats().pending()).isEqualTo(pending.size());
        // No frame gets the number of another one, which would be replaced by it.
        try (SharedSieve sieve = open()) {
            List<String> again = new ArrayList<>();
            while (!sieve.isOver(0)) {
                Lease lease = sieve.take(System.nanoTime());
                if (lease != null) {
                    again.add(lease.url());
                    sieve.done(lease);
                }
            }
            assertThat(again).containsExactlyInAnyOrderElementsOf(pending);
        }
    }

    @Test
    void aRunningCrawlIsNeitherRepairedNorDeleted() throws IOException {
        try (SharedSieve sieve = open()) {
            assertThat(sieve.workers()).isEqualTo(1);
            assertThatThrownBy(() -> SharedTools.repair(address)).hasMessageContaining("1 live worker");
            assertThatThrownBy(() -> SharedTools.delete(address)).hasMessageContaining("1 live worker");
        }
    }

    @Test
    void nothingOfADeletedCrawlIsLeft() throws IOException {
        long before = (Long) engine.command("DBSIZE");
        fill();

        long keys = (Long) engine.command("DBSIZE") - before;

        assertThat(SharedTools.delete(address)).isEqualTo(keys);
        assertThat(engine.command("DBSIZE")).isEqualTo(before);
        assertThat(SharedTools.exists(address, Duration.ZERO)).isFalse();
        assertThatThrownBy(() -> SharedTools.inspect(address)).hasMessageContaining("no crawl of this name");
    }

    @Test
    void whatIsLeftOfACrawlWithoutSettingsIsDeleted() throws IOException {
        fill();
        engine.command("DEL", "{" + address.name() + "}");

        assertThat(SharedTools.delete(address)).isPositive();

        assertThat((List<?>) engine.command("KEYS", "{" + address.name() + "}*"))
                .isEmpty();
        assertThatThrownBy(() -> SharedTools.delete(address)).hasMessageContaining("no crawl of this name");
    }

    @Test
    void dataOfOthersAreNotTouched() throws IOException {
        engine.command("SET", "{" + address.name() + "}", "mine");

        assertThatThrownBy(() -> SharedTools.delete(address))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another program");
        assertThatThrownBy(() -> SharedTools.repair(address)).isInstanceOf(IOException.class);
        assertThat(engine.text("GET", "{" + address.name() + "}")).isEqualTo("mine");
    }
}
