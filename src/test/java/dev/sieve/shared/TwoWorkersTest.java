package dev.sieve.shared;

import static dev.sieve.FrontierContract.takeAll;
import static dev.sieve.FrontierContract.urls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapacityEvent;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What several workers of one crawl keep. Time passes only where a test says so. */
@Tag("engine")
class TwoWorkersTest {
    private static final int SLICES = 16;
    /** With this seed, each slice has a host of {@link dev.sieve.FrontierContract#urls}. */
    private static final long SEED = 5;

    private static final Duration OWNERSHIP = Duration.ofHours(1);

    private static TestEngine engine;
    private static int crawls;

    private final String crawl = "two" + crawls++;
    private final List<SharedSieve> opened = new ArrayList<>();
    private long clock;

    @BeforeAll
    static void start() {
        engine = TestEngine.start();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @AfterEach
    void close() {
        opened.forEach(SharedSieve::close);
    }

    private SharedSieve.Builder builder() {
        return SharedSieve.builder(engine.address(crawl))
                .capacity(200_000)
                .slices(SLICES)
                .seed(SEED)
                .ownership(OWNERSHIP)
                .clock(() -> clock)
                .withoutKeeper();
    }

    private SharedSieve open() throws Exception {
        return opened(builder().open());
    }

    private SharedSieve opened(SharedSieve frontier) {
        opened.add(frontier);
        return frontier;
    }

    /** Opens two workers that own half of the slices each. */
    private SharedSieve[] openTwo() throws Exception {
        SharedSieve one = open();
        SharedSieve two = open();
        one.beat();
        two.beat();
        assertThat(one.self().holdings().owned()).isEqualTo(SLICES / 2);
        assertThat(two.self().holdings().owned()).isEqualTo(SLICES / 2);
        return new SharedSieve[] {one, two};
    }

    /** Ends what a worker owns by the clock of the engine, as if it had not responded for so long. */
    private void expire(SharedSieve worker) {
        engine.command("ZREM", "{" + crawl + "}w", worker.self().name());
        for (int i = 0; i < SLICES; i++) {
            String owner = "{" + crawl + "}" + i + "o";
            if (worker.self().name().equals(engine.text("HGET", owner, "worker"))) {
                engine.command("HSET", owner, "until", "0");
            }
        }
    }

    @Test
    void racingPushesHandOutEachUrlByOneWorker() throws Exception {
        SharedSieve[] workers = openTwo();
        List<String> urls = urls(4000);
        Map<String, Integer> told = new ConcurrentHashMap<>();
        Map<String, Integer> taken = new ConcurrentHashMap<>();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SharedSieve frontier = workers[i % 2];
            work.add(pool.submit(() -> {
                UrlBatch batch = new UrlBatch();
                for (int from = 0; from < urls.size(); from += 50) {
                    batch.clear(1, 0, "http://page/");
                    urls.subList(from, from + 50).forEach(batch::add);
                    frontier.pushAll(batch);
                    IntStream.range(0, 50).filter(batch::isNew).forEach(j -> told.merge(batch.url(j), 1, Integer::sum));
                    for (Lease lease = frontier.take(0); lease != null; lease = frontier.take(0)) {
                        taken.merge(lease.url(), 1, Integer::sum);
                        frontier.done(lease);
                    }
                }
            }));
        }
        for (Future<?> each : work) {
            each.get();
        }
        pool.shutdown();
        for (SharedSieve each : workers) {
            each.beat();
            takeAll(each, 0).forEach(lease -> taken.merge(lease.url(), 1, Integer::sum));
        }

        assertThat(told).hasSameSizeAs(urls);
        assertThat(told.values()).containsOnly(1);
        assertThat(taken).hasSameSizeAs(urls);
        assertThat(taken.values()).containsOnly(1);
    }

    @Test
    void aHostIsHandedOutByOneWorker() throws Exception {
        SharedSieve[] workers = openTwo();
        workers[0].pushAll(urls(2000));
        Map<String, SharedSieve> owners = new HashMap<>();
        for (SharedSieve each : workers) {
            each.beat();
            for (Lease lease : takeAll(each, 0)) {
                String host = lease.url().substring(0, lease.url().indexOf("/path"));
                assertThat(owners.merge(host, each, (before, now) -> before)).isSameAs(each);
            }
        }
        assertThat(owners.values()).contains(workers);
    }

    @Test
    void whatADeadWorkerHadTakenIsHandedOutByAnother() throws Exception {
        SharedSieve dead = open();
        dead.pushAll(urls(300));
        List<Lease> taken = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            taken.add(dead.take(0));
        }
        taken.subList(0, 50).forEach(dead::done);
        dead.beat();
        taken.subList(50, 60).forEach(dead::done);
        dead.abandon();
        SharedSieve heir = open();
        assertThat(heir.self().holdings().owned()).isZero();
        assertThat(heir.take(0)).isNull();
        assertThat(heir.isOver(0)).isFalse();
        expire(dead);

        heir.beat();

        List<String> urls = new ArrayList<>(urls(300));
        taken.subList(0, 50).forEach(lease -> urls.remove(lease.url()));
        List<Lease> again = takeAll(heir, 0);
        assertThat(again).extracting(Lease::url).containsExactlyInAnyOrderElementsOf(urls);
        assertThat(again).allMatch(heir::done);
        assertThat(heir.isOver(0)).isTrue();
        assertThat(heir.stats().done()).isEqualTo(300);
    }

    @Test
    void aWorkerThatCameTooLateIsRefused() throws Exception {
        SharedSieve late = open();
        late.pushAll(urls(3));
        Lease lease = late.take(0);
        Lease second = late.take(0);
        assertThat(late.begin(lease)).isTrue();
        expire(late);
        SharedSieve heir = open();
        assertThat(heir.self().holdings().owned()).isEqualTo(SLICES);

        // By its own clock it is in time, so only the engine can refuse.
        assertThat(late.done(lease)).isTrue();
        late.beat();

        assertThat(late.begin(second)).isFalse();
        assertThat(late.done(second)).isFalse();
        assertThat(late.retry(second, 0)).isFalse();
        assertThat(late.inFlight()).isZero();
        assertThat(takeAll(heir, 0)).extracting(Lease::url).containsExactlyInAnyOrderElementsOf(urls(3));
    }

    @Test
    void aWorkerWhoseClockStoodStillGivesUpWithItsNextBeat() throws Exception {
        SharedSieve late = open();
        late.pushAll(urls(300));
        List<Lease> leases = takeAll(late, 0);
        expire(late);
        SharedSieve heir = open();
        assertThat(heir.self().holdings().owned()).isEqualTo(SLICES);

        // Neither is a renewal due by its clock, nor has it something to store.
        late.beat();

        assertThat(leases).noneMatch(late::begin);
        assertThat(takeAll(heir, 0)).hasSize(300);
    }

    @Test
    void aWorkerStoppedTooLongGivesUp() throws Exception {
        SharedSieve late = open();
        late.pushAll(urls(3));
        Lease first = late.take(0);
        Lease second = late.take(0);
        clock += OWNERSHIP.toNanos() / 10 * 9 - 1;
        assertThat(late.begin(first)).isTrue();

        clock++;

        assertThat(late.begin(second)).isFalse();
        assertThat(late.done(first)).isFalse();
        assertThat(late.retry(second, 0)).isFalse();
        assertThat(late.take(0)).isNull();
        late.beat();
        assertThat(takeAll(late, 0)).hasSize(3).allMatch(late::begin).allMatch(late::done);
    }

    @Test
    void theCrawlIsOverWhenBothAreDone() throws Exception {
        SharedSieve[] workers = openTwo();
        assertThat(workers[0].isOver(0)).isTrue();
        workers[0].pushAll(urls(500));
        workers[1].beat();
        List<Lease> one = takeAll(workers[0], 0);
        List<Lease> two = takeAll(workers[1], 0);
        assertThat(one.size() + two.size()).isEqualTo(500);
        assertThat(two).isNotEmpty();

        one.forEach(workers[0]::done);
        assertThat(workers[0].isOver(0)).isFalse();
        assertThat(workers[1].isOver(0)).isFalse();
        two.forEach(workers[1]::done);
        assertThat(workers[1].isOver(0)).isTrue();

        clock += TimeUnit.SECONDS.toNanos(1);
        assertThat(workers[0].isOver(0)).isTrue();
    }

    @Test
    void urlsThatAreLeftDoNotKeepTheOtherWorkers() throws Exception {
        SharedSieve[] workers = openTwo();
        workers[0].pushAll(urls(500));
        workers[1].beat();
        takeAll(workers[0], 0).forEach(workers[0]::done);
        List<Lease> two = takeAll(workers[1], 0);
        two.subList(3, two.size()).forEach(workers[1]::done);
        two.subList(0, 3).forEach(workers[1]::leave);
        assertThat(workers[0].isOver(0)).isFalse();
        assertThat(workers[1].isOver(2)).isFalse();

        assertThat(workers[1].isOver(3)).isTrue();
        workers[1].close();
        workers[0].beat();

        assertThat(workers[0].isOver(0)).isTrue();
        assertThat(workers[0].take(0)).isNull();
        workers[0].close();
        assertThat(takeAll(open(), 0)).hasSize(3);
    }

    @Test
    void urlsThatWereLeftInSlicesThatMovedAwayDoNotHideWork() throws Exception {
        SharedSieve one = open();
        one.pushAll(urls(500));
        List<Lease> leases = takeAll(one, 0);
        leases.subList(0, 300).forEach(one::leave);
        SharedSieve two = open();
        one.beat();
        two.beat();
        List<Lease> kept = leases.subList(300, 500).stream().filter(one::begin).toList();
        kept.subList(1, kept.size()).forEach(one::done);
        takeAll(two, 0).forEach(two::done);
        assertThat(two.isOver(0)).isFalse();

        assertThat(one.isOver(300)).isFalse();
        one.done(kept.get(0));
        assertThat(one.isOver(300)).isTrue();
    }

    @Test
    void aSliceThatIsClaimedWhileTheEndIsLookedForIsNotIdle() throws Exception {
        SharedSieve one = open();
        AtomicReference<Runnable> onClaim = new AtomicReference<>(() -> {});
        SharedSieve two = opened(
                builder().onClaim((pauses, counts) -> onClaim.get().run()).open());
        one.beat();
        two.beat();
        one.pushAll(urls(500));
        takeAll(two, 0).forEach(two::done);
        List<Lease> leases = takeAll(one, 0);
        leases.subList(1, leases.size()).forEach(one::done);
        one.notes().pause(URI.create(leases.get(0).url()).getHost(), Duration.ofHours(1), Duration.ofHours(1));
        one.close();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread looking = new Thread(() -> isOver.set(two.isOver(0)));
        onClaim.set(() -> {
            looking.start();
            Await.until(() -> !looking.isAlive() || looking.getState() == Thread.State.TIMED_WAITING);
        });

        two.beat();
        looking.join();

        assertThat(isOver).isFalse();
        for (int i = 0; i < SLICES; i++) {
            if (!engine.text("HLEN", "{" + crawl + "}" + i + "f").equals("0")) {
                assertThat(engine.text("HGET", "{" + crawl + "}" + i + "o", "idle"))
                        .isNull();
            }
        }
        takeAll(two, 0).forEach(two::done);
        assertThat(two.isOver(0)).isTrue();
    }

    @Test
    void aCrawlThatWasOverGoesOnWithANewUrl() throws Exception {
        SharedSieve[] workers = openTwo();
        workers[0].push("http://a/");
        Lease lease = null;
        for (SharedSieve each : workers) {
            each.beat();
            lease = each.take(0);
            if (lease != null) {
                each.done(lease);
                assertThat(each.isOver(0)).isTrue();
            }
        }
        assertThat(workers[1].push("http://a/2")).isTrue();

        clock += TimeUnit.SECONDS.toNanos(1);
        workers[0].beat();
        workers[1].beat();
        assertThat(workers[0].isOver(0)).isFalse();
        assertThat(workers[1].isOver(0)).isFalse();
    }

    @Test
    void theCountsAgree() throws Exception {
        SharedSieve[] workers = openTwo();
        workers[0].pushAll(urls(500));
        workers[1].pushAll(urls(600));
        workers[0].beat();
        workers[1].beat();
        takeAll(workers[0], 0).forEach(workers[0]::done);
        int held = takeAll(workers[1], 0).size();
        clock += TimeUnit.SECONDS.toNanos(1);
        workers[0].beat();
        workers[1].beat();
        workers[0].beat();

        SieveStats one = workers[0].stats();
        SieveStats two = workers[1].stats();

        assertThat(one.accepted()).isEqualTo(two.accepted()).isEqualTo(600);
        assertThat(one.seen()).isEqualTo(two.seen()).isEqualTo(500);
        assertThat(one.done()).isEqualTo(two.done()).isEqualTo(600 - held);
        assertThat(one.inFlight()).isZero();
        assertThat(two.inFlight()).isEqualTo(held);
        assertThat(one.pending()).isEqualTo(held);
        assertThat(two.pending()).isZero();
    }

    @Test
    void slicesMoveToAWorkerThatJoinsAndBackWhenItEnds() throws Exception {
        SharedSieve one = open();
        assertThat(one.self().holdings().owned()).isEqualTo(SLICES);
        one.pushAll(urls(500));
        SharedSieve two = open();
        assertThat(two.self().holdings().owned()).isZero();
        assertThat(two.workers()).isEqualTo(2);

        one.beat();
        two.beat();
        assertThat(one.self().holdings().owned()).isEqualTo(SLICES / 2);
        assertThat(two.self().holdings().owned()).isEqualTo(SLICES / 2);
        assertThat(takeAll(one, 0).size() + takeAll(two, 0).size()).isEqualTo(500);

        two.close();
        one.beat();
        assertThat(one.self().holdings().owned()).isEqualTo(SLICES);
        assertThat(one.workers()).isEqualTo(1);
        takeAll(one, 0);
        assertThat(one.inFlight()).isEqualTo(500);
    }

    @Test
    void workersShareTheSlicesByThemselves() throws Exception {
        SharedSieve.Builder builder =
                SharedSieve.builder(engine.address(crawl)).capacity(1000).slices(SLICES);
        SharedSieve one = opened(builder.open());
        SharedSieve two = opened(builder.open());
        Await.until(() -> one.self().holdings().owned() == SLICES / 2
                && two.self().holdings().owned() == SLICES / 2);

        one.close();
        assertThat(one.stats().accepted()).isZero();
        Await.until(() -> two.self().holdings().owned() == SLICES);
        two.push("http://a/");
        Lease lease = two.take(System.nanoTime());
        two.done(lease);
        assertThat(two.isOver(0)).isTrue();
    }

    @Test
    void aSliceWithRequestsIsHandedOverWhenTheseHaveEnded() throws Exception {
        SharedSieve one = open();
        one.pushAll(urls(500));
        List<Lease> leases = takeAll(one, 0);
        assertThat(leases).allMatch(one::begin);
        SharedSieve two = open();

        one.beat();
        two.beat();
        assertThat(two.self().holdings().owned()).isZero();
        // Those begun end as usual; no other is begun.
        leases.subList(0, 250).forEach(one::done);
        leases.subList(250, 500)
                .forEach(lease -> assertThat(one.retry(lease, 0)).isTrue());
        one.beat();
        two.beat();

        assertThat(two.self().holdings().owned()).isEqualTo(SLICES / 2);
        assertThat(takeAll(one, 0).size() + takeAll(two, 0).size()).isEqualTo(250);
    }

    @Test
    void aRequestThatLastsTooLongDoesNotKeepItsSlice() throws Exception {
        SharedSieve one = open();
        one.pushAll(urls(500));
        assertThat(takeAll(one, 0)).allMatch(one::begin);
        SharedSieve two = open();
        one.beat();
        assertThat(one.self().holdings().owned()).isEqualTo(SLICES);

        clock += TimeUnit.SECONDS.toNanos(5);
        one.beat();
        two.beat();

        assertThat(one.self().holdings().owned()).isEqualTo(SLICES / 2);
        assertThat(takeAll(two, 0).size() + one.inFlight()).isEqualTo(500);
    }

    @Test
    void theSettingsAreCompared() throws Exception {
        opened(builder().onFull(OnFull.FAIL).open());

        assertThatThrownBy(() -> builder().slices(8).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the crawl has other settings: slices is 16, not 8");
        assertThatThrownBy(() -> builder().capacity(7).open()).hasMessageContaining("capacity is 200000, not 7");
        assertThatThrownBy(() -> builder().onFull(OnFull.WARN).open())
                .hasMessageContaining("action when full is fail, not warn");
        assertThatThrownBy(() -> builder().seed(6).open()).hasMessageContaining("another seed");
        assertThatThrownBy(() -> builder().groups("domain", host -> host).open())
                .hasMessageContaining("delays are per host, not per domain");
        opened(SharedSieve.builder(engine.address(crawl)).withoutKeeper().open());
    }

    @Test
    void capacityEventsArePublishedOnceOverAllWorkers() throws Exception {
        List<CapacityEvent> events = new ArrayList<>();
        SharedSieve one = opened(builder().capacity(100).onCapacity(events::add).open());
        SharedSieve two = opened(builder().capacity(100).onCapacity(events::add).open());
        one.beat();
        two.beat();

        one.pushAll(urls(79));
        two.beat();
        assertThat(events).isEmpty();
        two.push("http://a/");
        one.beat();
        assertThat(events).extracting(CapacityEvent::threshold).containsExactly(0.8);
        one.pushAll(urls(250));
        two.beat();
        one.beat();
        opened(builder().capacity(100).onCapacity(events::add).open());

        assertThat(events).extracting(CapacityEvent::threshold).containsExactly(0.8, 1.0, 2.0);
        assertThat(events.get(0).estimatedSize()).isEqualTo(80);
        assertThat(events.get(2).falsePositiveRate()).isLessThan(1e-7);
    }

    @Test
    void pausesMoveWithTheSliceOfAHost() throws Exception {
        SharedSieve one = open();
        one.notes().pause("a", Duration.ofSeconds(30), Duration.ofHours(1));
        one.notes().pause("b", Duration.ofHours(2), Duration.ofHours(1));
        one.notes().pause("c", Duration.ofSeconds(30), Duration.ZERO);
        one.close();
        Map<String, Duration> pauses = new HashMap<>();

        opened(builder().onClaim((claimed, counts) -> pauses.putAll(claimed)).open());

        assertThat(pauses).containsOnlyKeys("a", "b").containsEntry("a", Duration.ofSeconds(30));
        assertThat(pauses.get("b")).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    }

    @Test
    void aSliceRestsAfterAnotherWorkerHadIt() throws Exception {
        Duration rest = Duration.ofSeconds(7);
        SharedSieve one = opened(builder().rest(rest).open());
        one.push("http://a/");
        assertThat(one.take(0)).isNotNull();
        one.close();

        SharedSieve two = opened(builder().rest(rest).open());

        assertThat(two.take(0)).isNull();
        assertThat(two.waitNanos(0)).isEqualTo(rest.toNanos());
        assertThat(two.isOver(0)).isFalse();
        clock += rest.toNanos();
        assertThat(two.waitNanos(0)).isZero();
        assertThat(two.take(0)).isNotNull();
    }

    @Test
    void hostsOfOneGroupHaveOneOwner() throws Exception {
        SharedSieve.Builder builder = builder().groups("domain", host -> host.substring(host.indexOf('.') + 1));
        SharedSieve one = opened(builder.open());
        SharedSieve two = opened(builder.open());
        one.beat();
        two.beat();
        for (int i = 0; i < 30; i++) {
            two.push("http://h" + i + ".example.org/");
        }
        one.beat();
        two.beat();

        assertThat(List.of(takeAll(one, 0).size(), takeAll(two, 0).size())).containsExactlyInAnyOrder(0, 30);
    }

    @Test
    void linesAreSharedByAllWorkers() throws Exception {
        SharedSieve[] workers = openTwo();
        workers[0].notes().add("seeds", List.of("http://a/"));
        workers[1].notes().add("seeds", List.of("http://ü/"));

        assertThat(workers[1].notes().lines("seeds", 0)).containsExactly("http://a/", "http://ü/");
        assertThat(workers[0].notes().lines("seeds", 1)).containsExactly("http://ü/");
        assertThat(workers[0].notes().lines("origins", 0)).isEmpty();
    }

    @Test
    void optionsAreStoredByOneWorkerAndComparedByTheOthers() throws Exception {
        SharedSieve one = open();
        assertThat(one.notes().options(Map.of("delay", "5s", "agent", "a"))).isEmpty();
        SharedSieve two = open();

        assertThat(two.notes().options(Map.of("delay", "5s", "agent", "a"))).isEmpty();
        assertThat(two.notes().options(Map.of("delay", "6s", "agent", "a"))).containsOnly(Map.entry("delay", "5s"));
        assertThat(two.notes().options(Map.of("delay", "5s"))).containsOnly(Map.entry("agent", "a"));
        assertThat(two.notes().options(Map.of("delay", "5s", "agent", "a", "more", "b")))
                .containsOnlyKeys("more");
        two.close();
        one.beat();

        assertThat(one.notes().options(Map.of("delay", "6s"))).isEmpty();
        assertThat(one.notes().options(Map.of("delay", "6s"))).isEmpty();
    }

    @Test
    void aCrawlThatWasRemovedOrReplacedEndsItsWorkers() throws Exception {
        SharedSieve one = open();
        engine.command("DEL", "{" + crawl + "}");
        assertThatThrownBy(one::beat).hasMessageContaining("is not on the engine any more");

        open();
        assertThatThrownBy(one::beat).hasMessageContaining("was replaced by another one");
    }

    @Test
    void dataOfAnotherProgramIsRefusedAndNotTouched() {
        String key = "{" + crawl + "}";
        engine.command("SET", key, "mine");
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("another program");
        assertThat(engine.text("GET", key)).isEqualTo("mine");

        engine.command("DEL", key);
        engine.command("HSET", key, "a", "b");
        assertThatThrownBy(this::open).hasMessageContaining("another program");
        engine.command("HSET", key, "sieve", "3");
        assertThatThrownBy(this::open).hasMessageContaining("another version");
        assertThat(engine.command("HLEN", key)).isEqualTo(2L);
        engine.command("HSET", key, "sieve", "4");
        assertThatThrownBy(this::open).hasMessageContaining("damaged: id is missing");
    }
}
