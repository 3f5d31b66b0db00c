package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableSieve;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.scope.SkipReason;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A URL is done only after the sink has stored everything that was recorded of it. */
@Timeout(60)
class RecorderTest {
    private static final SkipReason REASON = new SkipReason("robots.txt");

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    /** A sink that checks, whenever it is called, that no more URLs are done than it has stored. */
    private static class StrictSink implements PageSink {
        final Frontier frontier;
        long received;
        long stored;
        int flushes;

        StrictSink(Frontier frontier) {
            this.frontier = frontier;
        }

        private void check() {
            assertThat(frontier.stats().done()).isLessThanOrEqualTo(stored);
        }

        @Override
        public void accept(Visit visit) {
            check();
            received++;
        }

        @Override
        public void skipped(Skip skip) {
            check();
            // A reference that was found on a page has no lease of its own.
            received += skip.reason().rule().equals("robots.txt") ? 1 : 0;
        }

        @Override
        public void flush() throws IOException {
            check();
            stored = received;
            flushes++;
        }
    }

    private DurableSieve open(Durability durability) throws IOException {
        return DurableSieve.builder(folder.resolve("frontier"))
                .capacity(10_000)
                .durability(durability)
                .open();
    }

    private static Queue<Lease> take(Frontier frontier, int urls) {
        Queue<Lease> leases = new ArrayDeque<>();
        for (int i = 0; i < urls; i++) {
            frontier.push("http://a.test/" + i);
            leases.add(frontier.take(0));
        }
        return leases;
    }

    private static void record(Recorder recorder, Queue<Lease> leases, int urls) {
        for (int i = 0; i < urls; i++) {
            recorder.refused(leases.peek(), REASON);
            recorder.done(leases.remove(), () -> {});
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void noUrlIsDoneBeforeItsRecordIsStored(Durability durability) throws IOException {
        site.page("/", IntStream.range(0, 100).mapToObj(i -> "/p" + i).toArray(String[]::new))
                .robots("User-agent: *\nDisallow: /p9\n");
        for (int i = 0; i < 50; i++) {
            site.page("/p" + i, "/p" + i, "/p" + 2 * i, "mailto:x@y", "/q" + i);
        }
        try (DurableSieve frontier = open(durability);
                Crawler crawler = new Crawler(Site.fast(), frontier, AllStages::of)) {
            crawler.seed(site.url("/"));
            StrictSink sink = new StrictSink(frontier);

            CrawlReport report = crawler.run(sink);

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(frontier.stats().done()).isEqualTo(150);
            assertThat(sink.stored).isEqualTo(150);
            assertThat(report.count(REFUSED)).isEqualTo(11);
            Reports.assertAddsUp(report);
        }
    }

    @Test
    void aCrawlThatEndsEarlyStoresWhatItHasRecorded() throws IOException {
        site.page("/", IntStream.range(0, 100).mapToObj(i -> "/p" + i).toArray(String[]::new));
        try (DurableSieve frontier = open(Durability.INTERVAL);
                Crawler crawler = new Crawler(Site.fast().maxPages(10), frontier, AllStages::of)) {
            crawler.seed(site.url("/"));
            StrictSink sink = new StrictSink(frontier);

            CrawlReport report = crawler.run(sink);

            assertThat(report.ending()).isEqualTo(Ending.MAX_PAGES);
            assertThat(frontier.stats().done()).isEqualTo(10);
            assertThat(sink.stored).isEqualTo(10);
            Reports.assertAddsUp(report);
        }
    }

    @Test
    void recordsForcedToDiskAreStoredInGroups() throws IOException {
        try (DurableSieve frontier = open(Durability.INTERVAL)) {
            Queue<Lease> leases = take(frontier, Recorder.GROUP + 100);
            Recorder recorder = new Recorder(frontier, List.of());
            StrictSink sink = new StrictSink(frontier);
            recorder.sink(sink);

            record(recorder, leases, Recorder.GROUP - 1);
            assertThat(sink.flushes).isZero();
            assertThat(frontier.stats().done()).isZero();
            record(recorder, leases, 1);
            assertThat(sink.flushes).isEqualTo(1);
            assertThat(frontier.stats().done()).isEqualTo(Recorder.GROUP);
            record(recorder, leases, 10);
            recorder.flush();
            assertThat(sink.flushes).isEqualTo(2);
            recorder.flush();
            assertThat(sink.flushes).isEqualTo(2);
            record(recorder, leases, 89);
            assertThat(sink.flushes).isEqualTo(2);
            record(recorder, leases, 1);
            assertThat(sink.flushes).as("nothing else is in flight").isEqualTo(3);
            assertThat(frontier.inFlight()).isZero();
        }
    }

    @Test
    void whatStaysInFlightDoesNotKeepTheOthersFromBeingDone() throws IOException {
        try (DurableSieve frontier = open(Durability.ALWAYS)) {
            Queue<Lease> leases = take(frontier, 3);
            Recorder recorder = new Recorder(frontier, List.of());
            recorder.sink(new StrictSink(frontier));

            record(recorder, leases, 2);
            assertThat(frontier.stats().done()).isZero();
            recorder.leaveUndone(leases.remove());
            assertThat(frontier.stats().done()).isEqualTo(2);
            assertThat(frontier.inFlight()).isEqualTo(1);
        }
    }

    @Test
    void otherRecordsAreStoredOneByOne() throws IOException {
        try (DurableSieve durable = open(Durability.PROCESS)) {
            for (Frontier frontier : new Frontier[] {durable, new Sieve(1000)}) {
                Queue<Lease> leases = take(frontier, 10);
                Recorder recorder = new Recorder(frontier, List.of());
                StrictSink sink = new StrictSink(frontier);
                recorder.sink(sink);

                record(recorder, leases, 9);

                assertThat(sink.flushes).isEqualTo(9);
                assertThat(frontier.stats().done()).isEqualTo(9);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void whatTheSinkCannotStoreIsNotDone(Durability durability) throws IOException {
        site.page("/", "/a", "/b");
        try (DurableSieve frontier = open(durability);
                Crawler crawler = new Crawler(Site.fast(), frontier, AllStages::of)) {
            crawler.seed(site.url("/"));

            assertThatThrownBy(() -> crawler.run(new StrictSink(frontier) {
                        @Override
                        public void flush() throws IOException {
                            throw new IOException("disk full");
                        }
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full");

            assertThat(frontier.stats().done()).isZero();
            assertThat(frontier.inFlight()).isPositive();
            assertThat(crawler.report().ending()).isEqualTo(Ending.FAILED);
            Reports.assertAddsUp(crawler.report());
        }
    }

    @Test
    void afterAFailureOfTheSinkNothingIsDone() throws IOException {
        try (DurableSieve frontier = open(Durability.INTERVAL)) {
            Queue<Lease> leases = take(frontier, 10);
            Recorder recorder = new Recorder(frontier, List.of());
            recorder.sink(new StrictSink(frontier) {
                @Override
                public void skipped(Skip skip) {
                    throw new IllegalStateException("broken");
                }
            });

            assertThatThrownBy(() -> recorder.refused(leases.peek(), REASON)).hasMessage("broken");
            assertThatThrownBy(() -> recorder.done(leases.remove(), () -> {})).hasMessage("broken");
            recorder.flush();

            assertThat(frontier.stats().done()).isZero();
        }
    }

    @Test
    void whatIsSkippedAfterTheLastDoneUrlIsFlushedAsWell() throws IOException {
        try (DurableSieve frontier = open(Durability.INTERVAL)) {
            Queue<Lease> leases = take(frontier, 10);
            AtomicInteger calls = new AtomicInteger();
            Recorder recorder = new Recorder(frontier, List.of());
            recorder.sink(new StrictSink(frontier) {
                @Override
                public void skipped(Skip skip) {}

                @Override
                public void flush() {
                    calls.incrementAndGet();
                }
            });
            recorder.flush();
            assertThat(calls).hasValue(0);

            recorder.refused(leases.peek(), REASON);
            recorder.leaveUndone(leases.remove());
            recorder.flush();
            recorder.flush();

            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void theFirstLossOfAKindIsLoggedAndAllAreCounted() throws IOException {
        Sieve sieve = new Sieve(10);
        Recorder recorder = new Recorder(sieve, List.of());
        List<String> log = Log.of(() -> {
            for (int i = 0; i < 3; i++) {
                recorder.lost(Loss.COOKIES_EVICTED, "cookie " + i);
            }
            recorder.lost(Loss.COOKIES_IGNORED, "other");
        });

        Duration zero = Duration.ZERO;
        ScheduleStats schedule = new ScheduleStats(0, 0, 0, 0, 0, 0, zero, zero, zero, Map.of());
        CrawlReport.Load load = new CrawlReport.Load(zero, zero, schedule);
        CrawlReport report = recorder.report(null, zero, 0, 0, sieve.stats(), load);
        assertThat(report.by(Counter.DROPPED))
                .containsOnly(Map.entry("cookies evicted", 3L), Map.entry("cookies ignored", 1L));
        assertThat(log)
                .containsExactly("cookie 0; more of these are only counted", "other; more of these are only counted");
    }
}
