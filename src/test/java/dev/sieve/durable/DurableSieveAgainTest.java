package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs that are done when they are pushed, and those that are queued again. */
class DurableSieveAgainTest {
    private final CapturedLog log = new CapturedLog();
    private final FakeDisk disk = new FakeDisk();

    @AfterEach
    void closeLog() {
        log.close();
    }

    private static DurableSieve.Builder builder() {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(10_000)
                .filter(FilterKind.EXACT)
                .seed(4)
                .segmentBytes(100_000)
                .withoutKeepers();
    }

    private static DurableSieve open(FakeDisk disk) throws IOException {
        return builder().open(disk, () -> {});
    }

    private static UrlBatch batch(String... urls) {
        UrlBatch batch = new UrlBatch(0, 0, null, 2);
        List.of(urls).forEach(batch::add);
        return batch;
    }

    private static UrlBatch batch(List<String> urls) {
        return batch(urls.toArray(String[]::new));
    }

    private static List<String> drain(DurableSieve frontier) {
        List<String> urls = new ArrayList<>();
        FrontierContract.takeAll(frontier, 0).forEach(lease -> urls.add(lease.url()));
        return urls;
    }

    private static void requireCounts(DurableSieve frontier, long accepted, long seen, long pending, long done) {
        SieveStats stats = frontier.stats();
        assertThat(List.of(stats.accepted(), stats.seen(), stats.pending(), stats.inFlight(), stats.done()))
                .containsExactly(accepted, seen, pending, 0L, done);
    }

    @Test
    void urlsThatAreDoneAtOnceAreNeverHandedOut() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/0");
        UrlBatch batch = batch(FrontierContract.urls(200));
        batch.add("http://a/0");

        assertThat(frontier.pushDone(batch)).isEqualTo(200);

        assertThat(batch.isNew(199)).isTrue();
        assertThat(batch.isNew(200)).isFalse();
        assertThat(frontier.pushDone(batch)).isZero();
        assertThat(frontier.push(FrontierContract.urls(1).get(0))).isFalse();
        frontier.push("http://a/1");
        requireCounts(frontier, 202, 203, 2, 200);
        DurableSieve next = open(disk.afterKill());
        requireCounts(next, 202, 0, 2, 200);
        assertThat(next.pushAll(batch)).isZero();
        assertThat(drain(next)).containsExactly("http://a/0", "http://a/1");
        assertThat(drain(frontier)).containsExactly("http://a/0", "http://a/1");
    }

    @Test
    void segmentsDoneAtOnceAreSkippedAndDeleted() throws IOException {
        DurableSieve frontier = builder().segmentBytes(500).open(disk, () -> {});
        for (int i = 0; i < 50; i++) {
            frontier.pushDone(batch("http://done/" + i + "/" + "x".repeat(50)));
            if (i % 20 == 10) {
                frontier.push("http://open/" + i);
            }
        }
        long before = disk.bytesRead("log");
        assertThat(drain(frontier)).containsExactly("http://open/10", "http://open/30");
        assertThat(disk.bytesRead("log") - before).isLessThan(2_000);
        frontier.checkpoint();
        frontier.checkpoint();
        assertThat(FrontierFiles.list(disk).logs()).hasSizeLessThan(5);

        DurableSieve next = open(disk.afterKill());
        assertThat(drain(next)).containsExactly("http://open/10", "http://open/30");
        assertThat(next.pushDone(batch("http://done/0/" + "x".repeat(50)))).isZero();
    }

    @Test
    void aUrlThatIsQueuedAgainIsHandedOutOnceMore() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        frontier.push("http://b/");
        Lease first = frontier.take(0);
        UrlBatch again = batch("http://a/", "http://new/");

        assertThat(frontier.pushAgain(first, again)).isTrue();

        assertThat(again.isNew(0)).isFalse();
        assertThat(again.isNew(1)).isTrue();
        assertThat(frontier.done(first)).isFalse();
        assertThat(frontier.push("http://a/")).isFalse();
        assertThat(frontier.push("http://new/")).isFalse();
        requireCounts(frontier, 4, 2, 3, 1);
        for (DurableSieve each : List.of(open(disk.afterKill()), frontier)) {
            assertThat(each.pending()).isEqualTo(3);
            assertThat(FrontierContract.takeAll(each, 0))
                    .containsExactly(
                            new Lease(1, "http://b/", 0, 0, null, 0, 0),
                            new Lease(2, "http://a/", 0, 0, null, 2, 0),
                            new Lease(3, "http://new/", 0, 0, null, 2, 0));
            assertThat(each.push("http://new/")).isFalse();
        }
    }

    @Test
    void aLeaseThatHasEndedQueuesNothingAgain() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        Lease lease = frontier.take(0);
        frontier.retry(lease, 0);
        assertThat(frontier.pushAgain(lease, batch("http://a/"))).isFalse();
        assertThat(frontier.pushAgain(lease, batch("http://new/"))).isFalse();
        Lease second = frontier.take(0);
        frontier.done(second);
        assertThat(frontier.pushAgain(second, batch("http://a/"))).isFalse();

        requireCounts(frontier, 1, 0, 0, 1);
        assertThat(frontier.mightContain("http://new/")).isFalse();
        assertThat(frontier.pushAgain(null, batch("http://a/"))).isTrue();
        assertThat(drain(frontier)).containsExactly("http://a/");
    }

    @Test
    void anotherVisitBeginsAtTheFirstAttempt() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        frontier.retry(frontier.take(0), 0);
        Lease second = frontier.take(0);
        assertThat(second.attempt()).isEqualTo(1);

        frontier.pushAgain(second, batch("http://a/"));

        assertThat(open(disk.afterKill()).take(0).attempt()).isZero();
        assertThat(frontier.take(0).attempt()).isZero();
    }

    @Test
    void whatCannotBeQueuedAgainLeavesTheLease() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        Lease lease = frontier.take(0);

        assertThatThrownBy(() -> frontier.pushAgain(lease, batch())).hasMessageContaining("from 1 to 64: 0");
        assertThatThrownBy(() -> frontier.pushAgain(lease, batch(FrontierContract.urls(65))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 1 to 64: 65");
        assertThatThrownBy(() -> frontier.pushAgain(lease, batch("x".repeat(UrlBatch.MAX_TEXT + 1))))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(frontier.pushAgain(lease, batch(FrontierContract.urls(64)))).isTrue();
        assertThat(frontier.pending()).isEqualTo(64);
    }

    @Test
    void aFullFrontierQueuesAgainButTakesNothingNew() throws IOException {
        DurableSieve frontier = DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .seed(4)
                .onFull(OnFull.FAIL)
                .withoutKeepers()
                .open(disk, () -> {});
        assertThatThrownBy(() -> frontier.pushAll(FrontierContract.urls(5000))).isInstanceOf(SieveFullException.class);
        Lease lease = frontier.take(0);
        long pending = frontier.pending();

        assertThatThrownBy(() -> frontier.pushAgain(lease, batch(lease.url(), "http://new/")))
                .isInstanceOf(SieveFullException.class);
        assertThatThrownBy(() -> frontier.pushDone(batch("http://new/"))).isInstanceOf(SieveFullException.class);
        assertThat(frontier.mightContain("http://new/")).isFalse();
        assertThat(frontier.pending()).isEqualTo(pending);
        assertThat(frontier.pushAgain(lease, batch(lease.url()))).isTrue();
        assertThat(frontier.pending()).isEqualTo(pending + 1);
    }

    @Test
    void whatMayHaveBeenPushedIsKnownExactlyWhereItWasNot() throws IOException {
        DurableSieve frontier = DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .seed(4)
                .withoutKeepers()
                .open(disk, () -> {});
        List<String> urls = FrontierContract.urls(2000);
        frontier.pushAll(urls.subList(0, 300));
        frontier.pushDone(batch(urls.subList(300, 600)));
        for (String url : urls.subList(600, 900)) {
            frontier.pushAgain(null, batch(url));
        }
        UrlBatch keyed = new UrlBatch();
        keyed.add("http://a/\ud800", "key \ud800");
        frontier.pushAll(keyed);

        assertThat(urls.subList(0, 900)).allMatch(frontier::mightContain);
        assertThat(urls.subList(900, 2000)).filteredOn(frontier::mightContain).hasSizeLessThan(3);
        assertThat(frontier.mightContain("key \ud800")).isTrue();
        assertThat(frontier.mightContain("key ?")).isFalse();
        frontier.close();
        assertThatThrownBy(() -> frontier.mightContain("x")).isInstanceOf(IllegalStateException.class);
    }

    /** Whatever the end of the log loses, no URL is lost, and none is called seen that is not there. */
    @Test
    void aCutLogLosesNoUrlQueuedAgainOrDoneAtOnce() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        frontier.push("http://b/");
        frontier.checkpoint();
        String name = FrontierFiles.segment(1);
        int start = disk.bytes(name).length;
        Lease a = frontier.take(0);
        frontier.done(frontier.take(0));
        List<String> known = FrontierContract.urls(3);
        frontier.pushDone(batch(known));
        int afterDone = disk.bytes(name).length;
        frontier.pushAgain(a, batch("http://a/", "http://c/"));
        byte[] whole = disk.bytes(name);
        Set<String> outcomes = new TreeSet<>();
        for (int length = start; length <= whole.length; length++) {
            FakeDisk cut = disk.afterKill();
            cut.replace(name, Arrays.copyOf(whole, length));

            DurableSieve next = open(cut);

            List<String> urls = drain(next);
            Set<String> there = new HashSet<>();
            next.forEach((url, isDone) -> there.add(url.url()));
            for (String url : List.of("http://a/", "http://b/", "http://c/", known.get(0), known.get(2))) {
                assertThat(next.mightContain(url)).isEqualTo(there.contains(url));
                assertThat(next.push(url)).isEqualTo(!there.contains(url));
            }
            assertThat(urls.contains("http://a/")).as("not lost").isTrue();
            if (length >= afterDone) {
                assertThat(urls).doesNotContainAnyElementsOf(known);
                assertThat(there).containsAll(known);
            }
            outcomes.add(urls.toString());
        }
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "[http://a/, http://b/]", // nothing of both calls
                        "[http://a/]", // that b is done
                        List.of("http://a/", known.get(0), known.get(1), known.get(2))
                                .toString(), // and the URLs
                        "[http://a/, http://a/, http://c/]", // the first lease and its next visit
                        "[http://a/, http://c/]");
    }

    /** The DONE behind the damaged URLs has ids that are not in the log any more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repairOfUrlsDoneAtOnceKeepsAllOthers(boolean withCheckpoint) throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push("http://a/");
        int before = disk.bytes(FrontierFiles.segment(1)).length;
        frontier.pushDone(batch("http://done/1", "http://done/2"));
        frontier.pushAgain(frontier.take(0), batch("http://a/"));
        if (withCheckpoint) {
            frontier.checkpoint();
        } else {
            frontier.sync();
        }
        frontier.push("http://b/");
        byte[] bytes = disk.bytes(FrontierFiles.segment(1));
        bytes[before + FrameWriter.HEADER_BYTES + 3] ^= 1;
        disk.replace(FrontierFiles.segment(1), bytes);

        RepairReport report = Repair.run(disk);

        int lost = withCheckpoint ? 0 : 2; // that they are done is known from the checkpoint
        assertThat(report.lost()).isEqualTo(lost);
        try (DurableSieve next = open(disk)) {
            requireCounts(next, 5 - lost, 0, 2, 3 - lost);
            assertThat(next.pushDone(batch("http://done/1"))).isEqualTo(1);
            assertThat(drain(next)).containsExactly("http://a/", "http://b/");
        }
    }

    @Test
    void whatIsForcedSurvivesAPowerCut() throws IOException {
        DurableSieve frontier = builder().durability(Durability.ALWAYS).open(disk, () -> {});
        frontier.push("http://a/");
        frontier.pushDone(batch("http://done/"));
        frontier.pushAgain(frontier.take(0), batch("http://c/"));

        DurableSieve next = open(disk.afterPowerCut(FakeDisk.Unsynced.DROPPED, FakeDisk.Names.DROPPED, new Random(1)));

        requireCounts(next, 3, 0, 1, 2);
        assertThat(drain(next)).containsExactly("http://c/");
    }

    @Test
    void urlsQueuedAgainNeitherCountAsMissedNorFill() throws IOException {
        DurableSieve.Builder builder = DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .falsePositiveRate(0.1)
                .seed(4)
                .withoutKeepers();
        DurableSieve frontier = builder.open(disk, () -> {});
        frontier.pushAll(FrontierContract.urls(1000));
        SieveStats before = frontier.stats();
        for (int i = 0; i < 5000; i++) {
            Lease lease = frontier.take(0);
            frontier.pushAgain(lease, batch(lease.url()));
        }

        assertThat(frontier.stats().estimatedMissed()).isEqualTo(before.estimatedMissed());
        assertThat(frontier.stats().estimatedSize()).isEqualTo(before.estimatedSize());
        assertThat(frontier.stats().seen()).isEqualTo(before.seen());
        DurableSieve next = builder.open(disk.afterKill(), () -> {});
        assertThat(next.stats().estimatedMissed())
                .isBetween(before.estimatedMissed() * 0.9, before.estimatedMissed() * 1.1);
        assertThat(next.stats().accepted()).isEqualTo(before.accepted() + 5000);
        next.close();
    }

    @Test
    void aSmallerCapacityCountsEachUrlOnce() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.pushAll(FrontierContract.urls(100));
        for (int i = 0; i < 900; i++) {
            Lease lease = frontier.take(0);
            frontier.pushAgain(lease, batch(lease.url()));
        }
        frontier.close();

        assertThatThrownBy(() -> builder().capacity(99).open(disk, () -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("already contains about 100 URLs");
        try (DurableSieve next = builder().capacity(200).open(disk, () -> {})) {
            requireCounts(next, 1000, 0, 100, 900);
        }
    }

    /** Each URL is accepted once, by whichever push comes first, and handed out unless it was accepted as done. */
    @Test
    void threadsThatPushTheSameUrlsAgreeWhoWasFirst() throws Exception {
        int threads = 4;
        DurableSieve frontier = builder().segmentBytes(5_000).open(disk, () -> {});
        List<String> urls = FrontierContract.urls(6_000);
        List<Callable<List<String>>> pushes = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            boolean isDone = thread % 2 == 0;
            Random random = new Random(thread);
            pushes.add(() -> {
                List<String> own = new ArrayList<>();
                for (int i = 0; i < urls.size(); ) {
                    int end = Math.min(urls.size(), i + 1 + random.nextInt(100));
                    UrlBatch batch = batch(urls.subList(i, end));
                    int count = isDone ? frontier.pushDone(batch) : frontier.pushAll(batch);
                    for (int j = 0; j < batch.size(); j++) {
                        if (batch.isNew(j)) {
                            own.add(batch.url(j));
                            count--;
                        }
                    }
                    assertThat(count).isZero();
                    i = end;
                }
                return own;
            });
        }
        List<String> done = new ArrayList<>();
        List<String> open = new ArrayList<>();
        List<List<String>> results = inParallel(pushes);
        for (int thread = 0; thread < threads; thread++) {
            (thread % 2 == 0 ? done : open).addAll(results.get(thread));
        }

        assertThat(done.size() + open.size()).isEqualTo(urls.size());
        requireCounts(frontier, urls.size(), (threads - 1L) * urls.size(), open.size(), done.size());
        DurableSieve next = open(disk.afterKill());
        assertThat(drain(frontier)).containsExactlyInAnyOrderElementsOf(open);
        assertThat(drain(next)).containsExactlyInAnyOrderElementsOf(open);
    }

    @Test
    void threadsThatQueueTheSameLeaseAgainDoSoOnce() throws Exception {
        DurableSieve frontier = open(disk);
        frontier.pushAll(FrontierContract.urls(300));
        List<Lease> leases = Collections.unmodifiableList(FrontierContract.takeAll(frontier, 0));
        Callable<List<Lease>> work = () -> {
            List<Lease> own = new ArrayList<>();
            for (Lease lease : leases) {
                if (frontier.pushAgain(lease, batch(lease.url()))) {
                    own.add(lease);
                }
            }
            return own;
        };
        List<Lease> ended = new ArrayList<>();
        inParallel(List.of(work, work, work)).forEach(ended::addAll);

        assertThat(ended).containsExactlyInAnyOrderElementsOf(leases);
        requireCounts(frontier, 600, 0, 300, 300);
        assertThat(drain(frontier)).containsExactlyInAnyOrderElementsOf(FrontierContract.urls(300));
    }

    private static <T> List<T> inParallel(List<Callable<T>> tasks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }
}
