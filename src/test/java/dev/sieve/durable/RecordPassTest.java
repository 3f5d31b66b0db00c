package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pass over all URLs of an open frontier. */
class RecordPassTest {
    @TempDir
    private Path temporary;

    private final FakeDisk disk = new FakeDisk();

    private static DurableSieve.Builder builder(Path directory) {
        return DurableSieve.builder(directory)
                .capacity(100_000)
                .filter(FilterKind.EXACT)
                .seed(4)
                .segmentBytes(2_000);
    }

    private DurableSieve open() throws IOException {
        return builder(Path.of("fake")).segmentBytes(100).withoutKeepers().open(disk, () -> {});
    }

    /** A line per URL: its id, label and URL, with a plus if it is done. */
    private static List<String> lines(DurableSieve frontier) {
        List<String> lines = new ArrayList<>();
        frontier.forEach(
                (url, isDone) -> lines.add(url.id() + " " + url.label() + " " + url.url() + (isDone ? " +" : "")));
        return lines;
    }

    @Test
    void allUrlsComeInTheirOrderWhateverTheirLabel() throws IOException {
        DurableSieve frontier = open();
        assertThat(lines(frontier)).isEmpty();
        frontier.push("http://a/");
        UrlBatch links = new UrlBatch(3, 1, "http://a/", 7);
        links.add("http://b/", "key of b");
        frontier.pushAll(links);
        Lease a = frontier.take(0);
        frontier.done(a);
        UrlBatch again = new UrlBatch(0, 0, "since", 2);
        again.add("http://b/");
        frontier.retry(frontier.take(0), 0);
        frontier.pushAgain(frontier.take(0), again);
        List<Lease> urls = new ArrayList<>();

        frontier.forEach((url, isDone) -> urls.add(url));

        assertThat(urls)
                .containsExactly(
                        a,
                        new Lease(1, "http://b/", 3, 1, "http://a/", 7, 0),
                        new Lease(2, "http://b/", 0, 0, "since", 2, 0));
        assertThat(lines(frontier)).containsExactly("0 0 http://a/ +", "1 7 http://b/ +", "2 2 http://b/");
    }

    @Test
    void aPassEndsWhenTheVisitorHasEnough() throws IOException {
        DurableSieve frontier = open();
        frontier.pushAll(List.of("http://a/", "http://b/", "http://c/"));
        frontier.push("http://d/");
        List<String> urls = new ArrayList<>();

        frontier.forEach((url, isDone) -> urls.add(url.url()), () -> urls.size() == 2);

        assertThat(urls).containsExactly("http://a/", "http://b/");
    }

    @Test
    void resultsThatWereNotWrittenAreWrittenFirst() throws IOException {
        DurableSieve frontier = open();
        frontier.push("http://a/");
        frontier.done(frontier.take(0));
        assertThat(builder(Path.of("fake"))
                        .withoutKeepers()
                        .open(disk.afterKill(), () -> {})
                        .pending())
                .isEqualTo(1);

        assertThat(lines(frontier)).containsExactly("0 0 http://a/ +");

        assertThat(builder(Path.of("fake"))
                        .withoutKeepers()
                        .open(disk.afterKill(), () -> {})
                        .pending())
                .isZero();
    }

    @Test
    void whatTheVisitorDoesIsNotPartOfThePass() throws IOException {
        DurableSieve frontier = open();
        frontier.pushAll(FrontierContract.urls(500));
        List<Long> ids = new ArrayList<>();

        frontier.forEach((url, isDone) -> {
            assertThat(isDone).isFalse();
            ids.add(url.id());
            frontier.push("http://more/" + url.id());
            frontier.done(frontier.take(0));
        });

        assertThat(ids).hasSize(500).isSorted();
        assertThat(lines(frontier))
                .hasSize(1000)
                .filteredOn(line -> line.endsWith("+"))
                .hasSize(500);
        int handles = disk.handles();
        lines(frontier);
        assertThat(disk.handles()).isEqualTo(handles);
    }

    @Test
    void segmentsThatAreDeletedMeanwhileAreSkipped() throws IOException {
        DurableSieve frontier = open();
        frontier.pushAll(FrontierContract.urls(500));
        List<Long> ids = new ArrayList<>();

        frontier.forEach((url, isDone) -> {
            if (ids.isEmpty()) {
                finishAndDelete(frontier);
            }
            ids.add(url.id());
        });

        assertThat(FrontierFiles.list(disk).logs().first()).isGreaterThan(5);
        assertThat(ids).isSorted().hasSizeBetween(1, 400).startsWith(0L, 1L);
        frontier.close();
        assertThat(disk.handles()).isZero();
    }

    private static void finishAndDelete(DurableSieve frontier) {
        for (Lease lease = frontier.take(0); lease != null; lease = frontier.take(0)) {
            frontier.done(lease);
        }
        for (int i = 0; i < 3; i++) {
            frontier.push("http://later/" + i);
            frontier.checkpoint();
        }
    }

    @Test
    void aMissingOpenSegmentIsAnErrorThatStopsNothing() throws IOException {
        DurableSieve frontier = open();
        frontier.pushAll(FrontierContract.urls(500));
        byte[] second = disk.bytes(FrontierFiles.segment(2));
        disk.delete(FrontierFiles.segment(2));

        assertThatThrownBy(() -> lines(frontier))
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(FrontierFiles.segment(2));

        second[second.length - 5] ^= 1;
        disk.replace(FrontierFiles.segment(2), second);
        assertThatThrownBy(() -> lines(frontier))
                .hasCauseInstanceOf(DamageException.class)
                .hasMessageContaining(FrontierFiles.segment(2) + ": damaged at offset");
        assertThat(frontier.push("http://new/")).isTrue();
        assertThat(frontier.take(0)).isNotNull();
    }

    @Test
    void aPassEndsWithItsVisitorOrItsFrontier() throws IOException {
        DurableSieve frontier = open();
        frontier.pushAll(FrontierContract.urls(500));
        AtomicInteger count = new AtomicInteger();

        assertThatThrownBy(() -> frontier.forEach((url, isDone) -> {
                    if (count.incrementAndGet() == 3) {
                        throw new IllegalArgumentException("enough");
                    }
                }))
                .hasMessage("enough");
        assertThat(count).hasValue(3);
        count.set(0);
        assertThatThrownBy(() -> frontier.forEach((url, isDone) -> {
                    count.incrementAndGet();
                    frontier.close();
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(count.get()).isLessThanOrEqualTo(64);
        assertThatThrownBy(() -> lines(frontier)).isInstanceOf(IllegalStateException.class);
        assertThat(disk.handles()).isZero();
    }

    @Test
    void exportOfAnOpenFrontierHasTheSameUrls() throws IOException {
        Path directory = temporary.resolve("frontier");
        try (DurableSieve frontier = builder(directory).keepLog(true).open()) {
            frontier.pushAll(FrontierContract.urls(700));
            for (int i = 0; i < 300; i++) {
                frontier.done(frontier.take(0));
            }
            List<String> pending = new ArrayList<>();
            List<String> all = new ArrayList<>();
            frontier.forEach((url, isDone) -> {
                all.add(url.url());
                if (!isDone) {
                    pending.add(url.url());
                }
            });
            List<String> exported = new ArrayList<>();
            assertThat(DurableFolder.export(directory, Export.PENDING, label -> true, exported::add))
                    .isEqualTo(400);
            assertThat(pending).isEqualTo(exported);
            assertThat(all).isEqualTo(FrontierContract.urls(700));
        }
    }

    /** Each step ends one visit and queues the next, so at every moment the same number of URLs is open. */
    @Test
    void aPassSeesOneMomentWhileOthersWork() throws Exception {
        int open = 200;
        int passes = 30;
        try (DurableSieve frontier =
                builder(temporary.resolve("frontier")).keepLog(true).open()) {
            frontier.pushAll(FrontierContract.urls(open));
            AtomicBoolean isOver = new AtomicBoolean();
            ExecutorService threads = Executors.newFixedThreadPool(3);
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                workers.add(threads.submit(() -> work(frontier, isOver)));
            }
            workers.add(threads.submit(() -> {
                while (!isOver.get()) {
                    frontier.checkpoint();
                }
            }));
            try {
                long before = 0;
                for (int pass = 0; pass < passes; pass++) {
                    long accepted = requireOpen(frontier, open);
                    assertThat(accepted).isGreaterThanOrEqualTo(before);
                    before = frontier.stats().accepted();
                }
            } finally {
                isOver.set(true);
                threads.shutdown();
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
    }

    private static void work(DurableSieve frontier, AtomicBoolean isOver) {
        UrlBatch batch = new UrlBatch();
        // Each pass reads all that was written during the ones before.
        for (int i = 0; i < 5_000 && !isOver.get(); i++) {
            Lease lease = frontier.take(0);
            batch.clear(0, 0, null, 1);
            batch.add(lease.url());
            assertThat(frontier.pushAgain(lease, batch)).isTrue();
        }
    }

    /** Returns how many URLs were passed on; each id exactly once, and as many open as there always are. */
    private static long requireOpen(DurableSieve frontier, int open) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger found = new AtomicInteger();
        frontier.forEach((url, isDone) -> {
            assertThat(url.id()).isEqualTo(next.getAndIncrement());
            found.addAndGet(isDone ? 0 : 1);
        });
        assertThat(found).hasValue(open);
        return next.get();
    }

    /** Without the whole log: whatever is deleted at any moment, only URLs that are done are left out. */
    @Test
    void aPassGoesOnWhileSegmentsAreDeleted() throws Exception {
        Path directory = temporary.resolve("frontier");
        try (DurableSieve frontier = builder(directory).open()) {
            frontier.pushAll(FrontierContract.urls(100));
            AtomicBoolean isOver = new AtomicBoolean();
            ExecutorService threads = Executors.newFixedThreadPool(2);
            Future<?> worker = threads.submit(() -> work(frontier, isOver));
            Future<?> saver = threads.submit(() -> {
                while (!isOver.get()) {
                    frontier.checkpoint();
                }
            });
            try {
                for (int pass = 0;
                        !worker.isDone() && (pass < 100 || frontier.stats().accepted() < 5_000);
                        pass++) {
                    List<Long> ids = new ArrayList<>();
                    frontier.forEach((url, isDone) -> ids.add(url.id()));
                    assertThat(ids).isSorted().doesNotHaveDuplicates();
                }
            } finally {
                isOver.set(true);
                threads.shutdown();
            }
            worker.get();
            saver.get();
        }
    }
}
