package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.ExactSet;
import dev.sieve.output.FileEnds;
import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many workers at one dispatcher, on a clock that goes on a little each time it is read. */
@Timeout(1200)
class DispatcherTest {
    private static final int WORKERS = 64;
    private static final int HOSTS = 50;
    private static final int URLS = 200;
    private static final int RESTARTS = 4;
    private static final long DELAY = 1_000_000;
    /** A host in five wants a longer delay. */
    private static final long LONG_DELAY = 3 * DELAY;

    private final AtomicLong clock = new AtomicLong();
    private volatile Recorder recorder;
    private final Map<String, Queue<Long>> starts = new ConcurrentHashMap<>();

    @Test
    void delaysHoldOverWorkersAndRestarts() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        try {
            for (int restart = 0; restart < RESTARTS; restart++) {
                Dispatcher dispatcher = dispatcher(restart);
                List<Future<?>> workers = new ArrayList<>();
                for (int worker = 0; worker < WORKERS; worker++) {
                    long seed = restart * 1000L + worker;
                    workers.add(threads.submit(() -> work(dispatcher, new Random(seed))));
                }
                for (Future<?> worker : workers) {
                    worker.get();
                }
                assertThat(dispatcher.ending()).isEqualTo(Ending.DRAINED);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(starts).hasSize(HOSTS);
        starts.forEach((host, times) -> {
            long[] ofHost = times.stream().mapToLong(Long::longValue).sorted().toArray();
            assertThat(ofHost).hasSizeGreaterThan(RESTARTS * URLS / 2);
            for (int i = 1; i < ofHost.length; i++) {
                assertThat(ofHost[i] - ofHost[i - 1]).as(host).isGreaterThanOrEqualTo(delay(host));
            }
        });
    }

    @Test
    void theOldestOpenRequestIsNamed() throws Exception {
        Dispatcher dispatcher = dispatcher(0);
        assertThat(dispatcher.oldestRequest()).isNull();

        Task first = dispatcher.next();
        dispatcher.next();
        OpenRequest oldest = dispatcher.oldestRequest();

        assertThat(oldest.url()).isEqualTo(first.lease().url());
        assertThat(oldest.age()).isPositive();
    }

    private static long delay(String host) {
        return host.endsWith("0.test") || host.endsWith("5.test") ? LONG_DELAY : DELAY;
    }

    /** After a restart every host is left alone for its delay. */
    private Dispatcher dispatcher(int restart) {
        HostSchedule<Target> schedule = new ScheduleOptions<Target>()
                .delay(Duration.ofNanos(DELAY))
                .perHost(3)
                .probeFirst(true)
                .backOff(new BackOff(Duration.ofNanos(DELAY), Duration.ofNanos(LONG_DELAY)))
                .build(clock.get() + DELAY);
        Sieve sieve = Sieve.builder()
                .capacity(HOSTS * URLS)
                .membership(ExactSet.create(0))
                .build();
        for (int host = 0; host < HOSTS; host++) {
            schedule.backOff("h" + host + ".test", clock.get() + delay("h" + host + ".test"));
            for (int i = 0; i < URLS; i++) {
                sieve.push("http://h" + host + ".test/" + restart + "/" + i);
            }
        }
        recorder = new Recorder(sieve, List.of());
        return new Dispatcher(
                CrawlJob.inMemory(sieve), schedule, () -> clock.addAndGet(50_000), recorder, new CrawlOptions(), false);
    }

    private Void work(Dispatcher dispatcher, Random random) throws InterruptedException {
        for (Task task = dispatcher.next(); task != null; task = dispatcher.next()) {
            String host = task.host();
            Duration delay = Duration.ofNanos(delay(host));
            boolean isMade = random.nextInt(10) > 0;
            if (isMade) {
                starts.computeIfAbsent(host, key -> new ConcurrentLinkedQueue<>())
                        .add(task.startNanos());
            }
            switch (random.nextInt(20)) {
                case 0 -> dispatcher.end(task, new Outcome(Outcome.Kind.ROBOTS_READ, delay, task.target()));
                case 1 -> dispatcher.end(task, new Outcome(Outcome.Kind.POSTPONED, delay, task.target()));
                case 2 -> fail(dispatcher, task, delay);
                default -> end(dispatcher, task, isMade, delay);
            }
            dispatcher.finished(task, true);
        }
        return null;
    }

    private void fail(Dispatcher dispatcher, Task task, Duration delay) {
        dispatcher.delay(task.host(), delay);
        dispatcher.end(task, new Outcome(Outcome.Kind.OVERLOADED, Duration.ofNanos(DELAY), null));
        recorder.retry(task.lease(), clock.get() + DELAY);
    }

    private void end(Dispatcher dispatcher, Task task, boolean isMade, Duration delay) {
        if (isMade) {
            dispatcher.delay(task.host(), delay);
            dispatcher.end(task, new Outcome(Outcome.Kind.RESPONDED));
        } else {
            dispatcher.end(task, new Outcome(Outcome.Kind.NOT_REQUESTED));
        }
        recorder.done(task.lease(), () -> {});
    }

    @Test
    void aResponseToAFurtherRequestWaitsForARoomOfAWorker() throws Exception {
        AtomicLong time = new AtomicLong();
        Sieve sieve = new Sieve(100);
        sieve.pushAll(List.of("http://a.test/", "http://b.test/", "http://c.test/"));
        HostSchedule<Target> schedule =
                new ScheduleOptions<Target>().tellTrust(true).build(0);
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(sieve),
                schedule,
                time::get,
                new Recorder(sieve, List.of()),
                new CrawlOptions().concurrency(1),
                false);

        Task first = dispatcher.next();
        assertThat(dispatcher.addsWorker()).isFalse();
        time.set(Duration.ofSeconds(1).toNanos());
        assertThat(dispatcher.addsWorker()).isTrue();
        Task second = dispatcher.next();
        assertThat(dispatcher.addsWorker()).isFalse();
        FutureTask<Void> response = new FutureTask<>(() -> {
            dispatcher.responded(first.target());
            return null;
        });
        Thread worker = new Thread(response);
        worker.start();
        Await.until(() -> worker.getState() == Thread.State.WAITING);
        dispatcher.end(second, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.finished(second, true);
        response.get();

        dispatcher.end(first, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.finished(first, true);
        // One of two workers is enough now.
        assertThat(dispatcher.next()).isNull();
        assertThat(dispatcher.next().host()).isEqualTo("c.test");
    }

    @Test
    void workerThatCannotBeStartedIsNotMissed() throws Exception {
        AtomicLong time = new AtomicLong();
        Sieve sieve = new Sieve(100);
        sieve.pushAll(List.of("http://a.test/", "http://b.test/"));
        HostSchedule<Target> schedule =
                new ScheduleOptions<Target>().tellTrust(true).build(0);
        CrawlOptions options = new CrawlOptions().concurrency(1);
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(sieve), schedule, time::get, new Recorder(sieve, List.of()), options, false);
        Task first = dispatcher.next();
        time.set(Duration.ofSeconds(1).toNanos());
        assertThat(dispatcher.addsWorker()).isTrue();

        dispatcher.addsNoMore();

        assertThat(dispatcher.addsWorker()).isFalse();
        dispatcher.end(first, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.finished(first, true);
        assertThat(dispatcher.next().host()).isEqualTo("b.test");
    }

    @Test
    void aTaskSaysHowLongItsHostHadToWait() throws Exception {
        AtomicLong time = new AtomicLong();
        HostSchedule<Target> schedule =
                new ScheduleOptions<Target>().delay(Duration.ofSeconds(1)).build(0);
        Sieve sieve = new Sieve(100);
        sieve.pushAll(List.of("http://h.test/a", "http://h.test/b", "http://o.test/"));
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(sieve),
                schedule,
                time::get,
                new Recorder(sieve, List.of()),
                new CrawlOptions().concurrency(3),
                false);

        Task first = dispatcher.next();
        assertThat(dispatcher.next().host()).isEqualTo("o.test");
        time.set(Duration.ofMillis(250).toNanos());
        dispatcher.end(first, new Outcome(Outcome.Kind.RESPONDED));
        time.set(Duration.ofSeconds(5).toNanos());
        Task second = dispatcher.next();

        assertThat(first.waited()).isZero();
        assertThat(second.lease().url()).isEqualTo("http://h.test/b");
        assertThat(second.waited()).isEqualTo(Duration.ofMillis(750));
    }

    @Test
    void adaptiveDelayKeepsTheCrawlDelay() throws Exception {
        Adaptive crawl = new Adaptive();

        // From a second down to the shortest, or to the response time.
        assertThat(crawl.requestAndWait(300, 0)).isEqualTo(1000);
        assertThat(crawl.requestAndWait(300, 0)).isEqualTo(950);
        for (int i = 0; i < 30; i++) {
            crawl.requestAndWait(50, 0);
        }
        assertThat(crawl.requestAndWait(50, 0)).isEqualTo(200);
        assertThat(crawl.requestAndWait(190, 0)).isEqualTo(200);
        assertThat(crawl.requestAndWait(50, 7000)).isEqualTo(7000);
    }

    @Test
    void fastRobotsTxtDoesNotMakeItsHostSlow() throws Exception {
        Adaptive crawl = new Adaptive();
        Random random = new Random(1);

        crawl.requestAndWait(1, 0, (target, took) -> new Outcome(Outcome.Kind.ROBOTS_READ, Duration.ZERO, target));
        for (int i = 0; i < 48; i++) {
            int took = 50 + random.nextInt(450);
            assertThat(crawl.requestAndWait(took, 0)).isLessThanOrEqualTo(1000);
            // Neither is compared with pages.
            crawl.requestAndWait(1, 0, (target, time) -> new Outcome(Outcome.Kind.RESPONDED));
        }
        assertThat(crawl.requestAndWait(50, 0)).isLessThan(500);
    }

    @Test
    void errorsOfTheServerMakeAnAdaptiveDelayLonger() throws Exception {
        Adaptive crawl = new Adaptive();
        long longest = 0;
        for (int i = 0; i < 7; i++) {
            longest = crawl.requestAndWait(1, 0, (target, took) -> new Outcome(Outcome.Kind.FAILED));
        }
        assertThat(longest).isEqualTo(60_000);
    }

    /** A crawl of one host whose delay adapts, with all its URLs in the schedule. */
    private static final class Adaptive {
        private final AtomicLong time = new AtomicLong();
        private final HostSchedule<Target> schedule;
        private final Dispatcher dispatcher;

        Adaptive() {
            CrawlOptions options = new CrawlOptions().adaptiveDelay().concurrency(1);
            Sieve sieve = new Sieve(100);
            CrawlJob job = CrawlJob.inMemory(sieve);
            schedule = Politeness.schedule(options, job, false, 0);
            for (int i = 0; i < 100; i++) {
                sieve.push("http://h.test/" + i);
                schedule.add("h.test", Target.of(sieve.take(0)));
            }
            dispatcher = new Dispatcher(job, schedule, time::get, new Recorder(sieve, List.of()), options, false);
        }

        /** Returns how many milliseconds pass from the request of a page to the next one. */
        long requestAndWait(long took, long crawlDelay) throws InterruptedException {
            return requestAndWait(took, crawlDelay, (target, time) -> new Outcome(Outcome.Kind.RESPONDED, time, null));
        }

        long requestAndWait(long took, long crawlDelay, BiFunction<Target, Duration, Outcome> outcome)
                throws InterruptedException {
            Task task = dispatcher.next();
            dispatcher.delay(task.host(), Duration.ofMillis(crawlDelay));
            dispatcher.maySend(task.target(), task.host(), false, false);
            time.addAndGet(Duration.ofMillis(took).toNanos());
            dispatcher.end(task, outcome.apply(task.target(), Duration.ofMillis(took)));
            dispatcher.finished(task, true);
            time.addAndGet(schedule.waitNanos(time.get()));
            return Duration.ofNanos(time.get() - task.startNanos()).toMillis();
        }
    }

    private Dispatcher withLimitOfTime(AtomicLong time) {
        HostSchedule<Target> schedule = new ScheduleOptions<Target>().build(0);
        Sieve sieve = new Sieve(100);
        sieve.push("http://h.test/");
        CrawlOptions options =
                new CrawlOptions().delay(Duration.ZERO).concurrency(1).maxTime(Duration.ofMinutes(1));
        return new Dispatcher(
                CrawlJob.inMemory(sieve), schedule, time::get, new Recorder(sieve, List.of()), options, false);
    }

    @Test
    void theLimitOfTimeIsNoticedWhileAllWorkersAreBusy() throws Exception {
        AtomicLong time = new AtomicLong();
        Dispatcher dispatcher = withLimitOfTime(time);
        dispatcher.start();
        assertThat(dispatcher.next()).isNotNull();

        time.addAndGet(Duration.ofMinutes(1).toNanos());

        assertThat(dispatcher.awaitEnding(Duration.ofDays(1))).isTrue();
        assertThat(dispatcher.ending()).isEqualTo(Ending.MAX_TIME);
    }

    @Test
    void theLimitOfTimeDoesNotIncludeWhatIsBeforeTheStart() throws Exception {
        AtomicLong time = new AtomicLong();
        Dispatcher dispatcher = withLimitOfTime(time);
        time.addAndGet(Duration.ofHours(1).toNanos());

        dispatcher.start();

        assertThat(dispatcher.next()).isNotNull();
    }

    /** A frontier whose leases of a host have ended. */
    private static class TakenAway implements Frontier {
        private final Sieve sieve =
                Sieve.builder().capacity(100).membership(ExactSet.create(0)).build();
        private String host;

        @Override
        public boolean push(String url) {
            return sieve.push(url);
        }

        @Override
        public int pushAll(UrlBatch batch) {
            return sieve.pushAll(batch);
        }

        @Override
        public Lease take(long nowNanos) {
            return sieve.take(nowNanos);
        }

        @Override
        public long waitNanos(long nowNanos) {
            return sieve.waitNanos(nowNanos);
        }

        @Override
        public boolean begin(Lease lease) {
            boolean isTaken = lease.url().startsWith("http://" + host);
            return !isTaken;
        }

        @Override
        public boolean done(Lease lease) {
            return sieve.done(lease);
        }

        @Override
        public boolean retry(Lease lease, long readyNanos) {
            return sieve.retry(lease, readyNanos);
        }

        @Override
        public long pending() {
            return sieve.pending();
        }

        @Override
        public long inFlight() {
            return sieve.inFlight();
        }

        @Override
        public SieveStats stats() {
            return sieve.stats();
        }

        @Override
        public void close() {
            sieve.close();
        }
    }

    private static String urlOf(Task task) {
        return task.lease().url();
    }

    @Test
    void failureOfOneWorkerIsNotFollowedByThatOfAnother() throws Exception {
        TakenAway frontier = new TakenAway() {
            @Override
            public boolean begin(Lease lease) {
                throw new IllegalArgumentException("broken");
            }
        };
        frontier.push("http://a.test/");
        HostSchedule<Target> schedule = new ScheduleOptions<Target>().build(0);
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(frontier),
                schedule,
                () -> 0,
                new Recorder(frontier, List.of()),
                new CrawlOptions(),
                false);
        assertThatThrownBy(dispatcher::next).hasMessage("broken");

        FutureTask<Task> other = new FutureTask<>(dispatcher::next);
        Thread worker = new Thread(other);
        worker.start();
        Await.until(() -> other.isDone() || worker.getState() == Thread.State.TIMED_WAITING);
        dispatcher.end(Ending.FAILED);

        assertThat(other.get()).isNull();
    }

    @Test
    void endedLeasesCostNeitherDelayNorBudget() throws Exception {
        AtomicLong time = new AtomicLong();
        HostSchedule<Target> schedule = new ScheduleOptions<Target>()
                .delay(Duration.ofSeconds(1))
                .budget(2)
                .build(0);
        TakenAway frontier = new TakenAway();
        frontier.pushAll(List.of("http://a.test/1", "http://a.test/2", "http://b.test/"));
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(frontier),
                schedule,
                time::get,
                new Recorder(frontier, List.of()),
                new CrawlOptions(),
                false);
        Task first = dispatcher.next();
        assertThat(urlOf(first)).isEqualTo("http://a.test/1");
        Task other = dispatcher.next();
        assertThat(urlOf(other)).isEqualTo("http://b.test/");
        dispatcher.end(first, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.end(other, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.finished(other, true);
        time.set(Duration.ofSeconds(2).toNanos());

        frontier.host = "a.test";
        frontier.push("http://b.test/2");
        Task next = dispatcher.next();

        assertThat(urlOf(next)).isEqualTo("http://b.test/2");
        assertThat(dispatcher.load().schedule().queued()).isZero();
        frontier.host = "b.test";
        frontier.push("http://a.test/3");
        assertThat(urlOf(dispatcher.next())).isEqualTo("http://a.test/3");
    }

    @Test
    void leasesThatHaveEndedDoNotKeepACrawlFromEnding() throws Exception {
        AtomicLong time = new AtomicLong();
        HostSchedule<Target> schedule =
                new ScheduleOptions<Target>().delay(Duration.ofDays(1)).build(0);
        TakenAway frontier = new TakenAway();
        frontier.pushAll(List.of("http://a.test/1", "http://a.test/2", "http://b.test/"));
        Recorder recorder = new Recorder(frontier, List.of());
        Dispatcher dispatcher =
                new Dispatcher(CrawlJob.inMemory(frontier), schedule, time::get, recorder, new CrawlOptions(), false);
        for (Task task : List.of(dispatcher.next(), dispatcher.next())) {
            dispatcher.end(task, new Outcome(Outcome.Kind.RESPONDED));
            recorder.done(task.lease(), () -> {});
            dispatcher.finished(task, true);
        }
        assertThat(dispatcher.load().schedule().queued()).isOne();
        // As another process does it.
        frontier.host = "a.test";
        frontier.done(new Lease(1, "http://a.test/2", 0, 0, null, 0, 0));

        assertThat(dispatcher.next()).isNull();
        assertThat(dispatcher.ending()).isEqualTo(Ending.DRAINED);
    }

    @Test
    void hostsOfAClaimedSlicePauseFirst() throws Exception {
        AtomicLong time = new AtomicLong();
        HostSchedule<Target> schedule =
                new ScheduleOptions<Target>().delay(Duration.ZERO).build(0);
        Sieve sieve = new Sieve(100);
        Map<String, Duration> claimed = new ConcurrentHashMap<>();
        JobStore store = new JobStore() {
            @Override
            public void read(Consumer<String> seeds, Consumer<String> origins) {}

            @Override
            public void add(List<String> seeds, List<String> origins) {}

            @Override
            public void force() {}

            @Override
            public Map<String, Duration> takePauses() {
                Map<String, Duration> taken = Map.copyOf(claimed);
                claimed.clear();
                return taken;
            }

            @Override
            public void addPause(String host, Duration pause, Duration use, Instant now) {}

            @Override
            public FileEnds outputs(List<Path> outputs, boolean forces) {
                return FileEnds.NONE;
            }
        };
        CrawlJob job = new CrawlJob(sieve, CrawlJob.TEMPORARY, null, Sharing.NONE, (seeds, origins) -> store);
        Dispatcher dispatcher =
                new Dispatcher(job, schedule, time::get, new Recorder(sieve, List.of()), new CrawlOptions(), false);
        sieve.pushAll(List.of("http://a.test/", "http://b.test/"));
        claimed.put("a.test", Duration.ofSeconds(5));

        assertThat(urlOf(dispatcher.next())).isEqualTo("http://b.test/");
        time.set(Duration.ofSeconds(5).toNanos());
        assertThat(urlOf(dispatcher.next())).isEqualTo("http://a.test/");
    }

    @Test
    void aTaskThatEndsTwiceOrNotAtAllIsAnError() throws Exception {
        Dispatcher dispatcher = dispatcher(0);
        Task task = dispatcher.next();

        assertThatThrownBy(() -> dispatcher.finished(task, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("not ended: ")
                .hasMessageContaining(task.lease().url());
        dispatcher.end(task, new Outcome(Outcome.Kind.RESPONDED));
        assertThatThrownBy(() -> dispatcher.end(task, new Outcome(Outcome.Kind.NOT_REQUESTED)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("ended twice: ")
                .hasMessageContaining(task.lease().url());
        dispatcher.finished(task, true);
    }

    private static HostSchedule<Target> withoutDelay() {
        return new ScheduleOptions<Target>().delay(Duration.ZERO).build(0);
    }

    @Test
    void aUrlWithoutAWorkerFailsTheCrawl() throws Exception {
        Sieve sieve = new Sieve(100);
        sieve.pushAll(List.of("http://a.test/", "http://b.test/"));
        Recorder recorder = new Recorder(sieve, List.of());
        Dispatcher dispatcher =
                new Dispatcher(CrawlJob.inMemory(sieve), withoutDelay(), () -> 0, recorder, new CrawlOptions(), false);
        Task lost = dispatcher.next();
        Task retried = dispatcher.next();
        dispatcher.end(lost, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.end(retried, new Outcome(Outcome.Kind.RESPONDED));
        recorder.retry(retried.lease(), 0);
        dispatcher.finished(retried, false);
        dispatcher.finished(lost, false);

        Task next = dispatcher.next();
        assertThat(urlOf(next)).isEqualTo(urlOf(retried));
        dispatcher.end(next, new Outcome(Outcome.Kind.RESPONDED));
        recorder.done(next.lease(), () -> {});
        dispatcher.finished(next, true);

        assertThatThrownBy(dispatcher::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no worker processes 1 of the URLs");
    }

    @Test
    void aHostThatCannotBecomeReadyFailsTheCrawl() throws Exception {
        Sieve sieve = new Sieve(100);
        sieve.pushAll(List.of("http://a.test/1", "http://a.test/2"));
        HostSchedule<Target> schedule = withoutDelay();
        Recorder recorder = new Recorder(sieve, List.of());
        Dispatcher dispatcher =
                new Dispatcher(CrawlJob.inMemory(sieve), schedule, () -> 0, recorder, new CrawlOptions(), false);
        Task task = dispatcher.next();
        recorder.done(task.lease(), () -> {});

        // Its request never ends in the schedule.
        dispatcher.abandoned(task);

        assertThatThrownBy(dispatcher::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aUrlWithoutAWorkerFailsASharedCrawl() throws Exception {
        TakenAway frontier = new TakenAway() {
            @Override
            public long waitNanos(long nowNanos) {
                return Duration.ofSeconds(1).toNanos();
            }

            @Override
            public long pending() {
                return 5;
            }
        };
        frontier.push("http://b.test/");
        Sharing sharing = new Sharing() {
            @Override
            public int processes() {
                return 2;
            }

            @Override
            public boolean isIdle(long waitNanos, long waiting) {
                return waitNanos == Long.MAX_VALUE || waiting == 0;
            }
        };
        CrawlJob job = new CrawlJob(frontier, CrawlJob.TEMPORARY, null, sharing, (seeds, origins) -> JobStore.NONE);
        Dispatcher dispatcher = new Dispatcher(
                job, withoutDelay(), () -> 0, new Recorder(frontier, List.of()), new CrawlOptions(), false);
        Task lost = dispatcher.next();
        dispatcher.end(lost, new Outcome(Outcome.Kind.RESPONDED));
        dispatcher.finished(lost, false);

        assertThatThrownBy(dispatcher::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void leasesOfOthersAreWaitedFor() throws Exception {
        Sieve sieve = new Sieve(100);
        sieve.push("http://a.test/");
        Lease ofAnother = sieve.take(0);
        CountDownLatch waits = new CountDownLatch(1);
        Dispatcher dispatcher = new Dispatcher(
                CrawlJob.inMemory(sieve),
                withoutDelay(),
                () -> {
                    waits.countDown();
                    return 0;
                },
                new Recorder(sieve, List.of()),
                new CrawlOptions(),
                false);
        ExecutorService worker = Executors.newSingleThreadExecutor();
        try {
            Future<Task> next = worker.submit(dispatcher::next);
            waits.await();
            // Has the lock when the worker waits.
            dispatcher.frontierChanged();
            assertThat(dispatcher.ending()).isNull();
            sieve.done(ofAnother);
            dispatcher.frontierChanged();

            assertThat(next.get()).isNull();
            assertThat(dispatcher.ending()).isEqualTo(Ending.DRAINED);
        } finally {
            worker.shutdownNow();
        }
    }
}
