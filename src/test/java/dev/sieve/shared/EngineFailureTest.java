package dev.sieve.shared;

import static dev.sieve.FrontierContract.takeAll;
import static dev.sieve.FrontierContract.urls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker does when the engine is away, restarted, or full. */
@Tag("engine")
@Timeout(120)
class EngineFailureTest {
    private TestEngine engine;
    private long clock;

    @BeforeEach
    void start() {
        engine = TestEngine.start();
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private SharedSieve.Builder builder() {
        return SharedSieve.builder(engine.address("crawl"))
                .capacity(100_000)
                .slices(4)
                .clock(() -> clock)
                .withoutKeeper();
    }

    @Test
    void afterARestartAllThatIsNotDoneIsHandedOut() throws Exception {
        try (SharedSieve frontier = builder().open()) {
            frontier.pushAll(urls(300));
            List<Lease> leases = takeAll(frontier, 0);
            leases.subList(0, 100).forEach(frontier::done);
            frontier.beat();
            Lease late = leases.get(200);
            assertThat(frontier.begin(late)).isTrue();

            engine.stop();
            engine.restart();
            frontier.beat();

            assertThat(frontier.begin(late)).isFalse();
            assertThat(frontier.done(late)).isFalse();
            Set<String> done = leases.subList(0, 100).stream().map(Lease::url).collect(Collectors.toSet());
            List<Lease> again = takeAll(frontier, 0);
            assertThat(again).hasSize(200).noneMatch(lease -> done.contains(lease.url()));
            again.forEach(frontier::done);
            assertThat(frontier.isOver(0)).isTrue();
            assertThat(frontier.stats().done()).isEqualTo(300);
        }
    }

    @Test
    void whatIsDoneIsRefusedInARunThatDidNotGrantTheSlice() throws Exception {
        try (SharedSieve frontier = builder().open()) {
            frontier.pushAll(urls(10));
            List<Lease> leases = takeAll(frontier, 0);
            engine.stop();
            engine.restart();

            // The stored owner, run and token are still those of this worker.
            assertThat(leases).allMatch(frontier::done);
            assertThat(frontier.isOver(0)).isFalse();
            frontier.beat();

            assertThat(takeAll(frontier, 0)).hasSize(10).allMatch(frontier::done);
            assertThat(frontier.isOver(0)).isTrue();
        }
    }

    @Test
    void seedsThatTheEngineHasLostArePushedAgain() throws Exception {
        try (SharedSieve frontier = builder().open()) {
            frontier.push("http://early/");
            long length = engine.logLength();
            clock += TimeUnit.SECONDS.toNanos(1);
            frontier.pushAll(urls(200));
            frontier.notes().add("seeds", List.of("http://host0.example/"));
            UrlBatch links = new UrlBatch(1, 0, "http://early/");
            links.add("http://late/");
            frontier.pushAll(links);
            engine.kill();
            engine.cutLog(length);
            engine.restart();
            // It was away for longer than writes are repeated while it is there.
            clock += TimeUnit.SECONDS.toNanos(60);

            assertThat(frontier.isOver(0)).isFalse();
            frontier.beat();
            frontier.beat();

            List<String> found = takeAll(frontier, 0).stream().map(Lease::url).toList();
            assertThat(found).hasSize(201).contains("http://early/").doesNotContain("http://late/");
            assertThat(frontier.notes().lines("seeds", 0)).containsExactly("http://host0.example/");
            // The local cache has forgotten what the engine has lost.
            assertThat(frontier.pushAll(links)).isEqualTo(1);
        }
    }

    @Test
    void seedsThatTheEngineMayLoseAreKeptAndFurtherOnesWait() throws Exception {
        int seeds = 40;
        SharedSieve frontier = builder().open();
        long length = engine.logLength();
        Thread loader = new Thread(() -> {
            // A megabyte each.
            for (int i = 0; i < seeds; i++) {
                frontier.push("http://host/" + "a".repeat(1_000_000) + i);
            }
        });
        loader.start();
        while (loader.getState() != Thread.State.TIMED_WAITING) {
            assertThat(loader.isAlive()).as("the engine may lose all of them").isTrue();
        }
        engine.kill();
        engine.cutLog(length);
        engine.restart();
        frontier.beat();
        while (loader.isAlive()) {
            clock += TimeUnit.SECONDS.toNanos(1);
            frontier.beat();
        }
        assertThat(frontier.stats().accepted()).isEqualTo(seeds);
        frontier.close();
    }

    @Test
    void aThreadThatWaitsToPushSeedsEndsWithItsWorker() throws Exception {
        SharedSieve frontier = builder().open();
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        Thread loader = new Thread(() -> {
            try {
                for (int i = 0; i < 1000; i++) {
                    frontier.notes().add("seeds", List.of("a".repeat(1_000_000)));
                }
            } catch (RuntimeException e) {
                failure.set(e);
            }
        });
        loader.start();
        while (loader.getState() != Thread.State.TIMED_WAITING) {
            assertThat(loader.isAlive()).isTrue();
        }
        frontier.close();
        loader.join();

        assertThat(failure.get()).hasMessage("closed");
    }

    @Test
    void nothingIsLostWhileTheEngineIsAway() throws Exception {
        SharedSieve frontier = builder().open();
        frontier.pushAll(urls(500));
        Lease lease = frontier.take(0);
        engine.stop();

        while (frontier.take(0) != null) {
            assertThat(frontier.inFlight()).isLessThanOrEqualTo(500);
        }
        assertThat(frontier.waitNanos(0)).isPositive();
        assertThat(frontier.done(lease)).isTrue();
        assertThat(frontier.isOver(500)).isFalse();
        assertThat(frontier.pending() + frontier.inFlight()).isEqualTo(499);
        frontier.impatient();
        assertThatThrownBy(() -> frontier.push("http://new/"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("has not responded");
        assertThatThrownBy(frontier::close).isInstanceOf(UncheckedIOException.class);
        frontier.close();

        engine.restart();
        engine.command("ZREM", "{crawl}w", frontier.self().name());
        for (int i = 0; i < 4; i++) {
            engine.command("HSET", "{crawl}" + i + "o", "until", "0");
        }
        try (SharedSieve next = builder().open()) {
            assertThat(takeAll(next, 0)).hasSize(500);
        }
    }

    @Test
    void aDamagedFrameIsNamedAndEndsTheWorker() throws Exception {
        try (SharedSieve frontier = builder().open()) {
            engine.command("RPUSH", "{crawl}2q", "garbage");
            frontier.beat();

            assertThatThrownBy(() -> takeAll(frontier, 0))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("frame 1 of slice 2 on the engine is damaged")
                    .hasMessageEndingWith(": repair the crawl");
        }
    }

    @Test
    void anEngineThatRefusesWritesIsLoggedOnce() throws Exception {
        try (CapturedLog log = new CapturedLog();
                SharedSieve frontier = SharedSieve.builder(engine.address("crawl"))
                        .capacity(1000)
                        .open()) {
            engine.config("min-replicas-to-write", "1");
            Await.until(() -> engine.info("cmdstat_evalsha").matches(".*failed_calls=([5-9]|[0-9]{2,}).*"));
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.contains("NOREPLICAS"));
            engine.config("min-replicas-to-write", "0");
            frontier.push("http://a/");
            Await.until(() -> log.lines().size() == 2);
            assertThat(log.lines().get(1)).contains("is back after");
        }
    }

    @Test
    void anEngineThatStaysAwayEndsTheWorker() throws Exception {
        SharedSieve frontier = SharedSieve.builder(engine.address("crawl"))
                .capacity(1000)
                .patience(Duration.ofMillis(1))
                .open();
        engine.stop();

        UncheckedIOException failure = null;
        while (failure == null) {
            try {
                frontier.take(0);
            } catch (UncheckedIOException e) {
                failure = e;
            }
        }
        assertThat(failure).hasMessageContaining("has not responded");
        frontier.close();
    }

    @Test
    void aFullEngineRefusesNewUrlsAndTheRestGoesOn() throws Exception {
        try (SharedSieve frontier = builder().cacheBytes(0).open()) {
            // While Redis 6.2 writes its log anew, it takes 10 MB for a buffer.
            Await.until(() -> engine.info("aof_rewrite_in_progress").equals("0"));
            long used = Long.parseLong(engine.info("used_memory"));
            engine.config("maxmemory", String.valueOf(used + 5_000_000));
            int told = 0;
            int pages = 0;
            boolean isFull = false;
            for (; !isFull; pages++) {
                UrlBatch batch = page(pages);
                try {
                    frontier.pushAll(batch);
                } catch (SieveFullException e) {
                    assertThat(e).hasMessageContaining("memory");
                    isFull = true;
                }
                told += (int)
                        IntStream.range(0, batch.size()).filter(batch::isNew).count();
            }

            assertThat(told).isGreaterThan(1000);
            assertThat(frontier.stats().accepted()).isEqualTo(told);
            assertThat(fingerprints()).isEqualTo(told);
            assertThat(frontier.pushAll(page(0))).isZero();
            frontier.notes().count("host0", 1, 500);
            for (int i = 0; i < 1000; i++) {
                assertThat(frontier.done(frontier.take(0))).isTrue();
            }
            clock += TimeUnit.SECONDS.toNanos(6);
            frontier.beat();
            clock += TimeUnit.SECONDS.toNanos(10);
            frontier.beat();
            assertThat(frontier.self().holdings().owned()).isEqualTo(4);

            engine.config("maxmemory", "0");
            assertThat(frontier.pushAll(page(pages))).isEqualTo(64);
            takeAll(frontier, 0).forEach(frontier::done);
            assertThat(frontier.stats().done()).isEqualTo(told + 64);
            assertThat(frontier.isOver(0)).isTrue();
        }
    }

    private static UrlBatch page(int number) {
        UrlBatch batch = new UrlBatch(1, 0, "http://page/" + number);
        for (int i = 0; i < 64; i++) {
            batch.add("http://host" + i % 5 + "/" + number + "/" + i + "x".repeat(100));
        }
        return batch;
    }

    private long fingerprints() {
        return ((List<?>) engine.command("KEYS", "{crawl}*[0-9A-Z]"))
                .stream()
                        .mapToLong(key -> (Long) engine.command("SCARD", Replies.text(key)))
                        .sum();
    }

    @Test
    void aFullCrawlRefusesNewUrls() throws Exception {
        try (SharedSieve frontier = builder().capacity(100).onFull(OnFull.FAIL).open()) {
            assertThat(frontier.pushAll(urls(100))).isEqualTo(100);

            assertThatThrownBy(() -> frontier.push("http://new/"))
                    .isInstanceOf(SieveFullException.class)
                    .hasMessageContaining("100");
            assertThat(frontier.pushAll(urls(100))).isZero();
            assertThat(takeAll(frontier, 0)).hasSize(100).allMatch(frontier::done);
            assertThat(frontier.isOver(0)).isTrue();
        }
    }

    @Test
    void growthIsRefused() {
        assertThatThrownBy(() -> builder().onFull(OnFull.GROW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GROW");
    }

    @Test
    void aCrawlThatLostAQueueDoesNotEndAsComplete() throws Exception {
        SharedSieve frontier = builder().open();
        frontier.pushAll(urls(300));
        long left = (Long) engine.command("LLEN", "{crawl}1q");
        engine.command("DEL", "{crawl}1q");
        takeAll(frontier, 0).forEach(frontier::done);

        assertThat(left).isPositive();
        assertThatThrownBy(() -> frontier.isOver(0))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("URLs of the crawl crawl are neither done nor pending");
        frontier.abandon();
    }

    @Test
    void nothingJoinsACrawlOfTheSameName() throws Exception {
        SharedSieve late = builder().open();
        late.pushAll(urls(10));
        engine.command("FLUSHALL");

        assertThatThrownBy(() -> late.push("http://late/")).hasMessageContaining("was replaced by another one");
        assertThatThrownBy(late::beat).hasMessageContaining("was replaced by another one");
        assertThat(engine.command("DBSIZE")).isEqualTo(0L);
        try (SharedSieve next = builder().open()) {
            assertThatThrownBy(() -> late.push("http://late/")).hasMessageContaining("was replaced by another one");
            assertThat(next.workers()).isEqualTo(1);
            assertThat(next.stats().accepted()).isZero();
        }
        late.abandon();
    }

    @Test
    void anEngineThatWasEmptiedEndsTheWorker() throws Exception {
        SharedSieve frontier = builder().open();
        frontier.pushAll(urls(10));
        engine.stop();
        engine.empty();
        engine.restart();

        assertThatThrownBy(frontier::beat)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("is not on the engine any more");
        frontier.abandon();
    }
}
