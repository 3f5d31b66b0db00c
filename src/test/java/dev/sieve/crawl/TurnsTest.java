package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.bloom.ExactSet;
import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many workers at one place of turns, on a clock that goes on a little each time somebody looks at it. */
@Timeout(60)
class TurnsTest {
    private static final int WORKERS = 64;
    private static final int HOSTS = 50;
    private static final int URLS = 200;
    private static final int RESTARTS = 4;
    private static final long DELAY = 1_000_000;
    /** A host in five wants a longer delay. */
    private static final long LONG_DELAY = 3 * DELAY;

    private final AtomicLong clock = new AtomicLong();
    private volatile Sieve frontier;
    private final Map<String, Queue<Long>> starts = new ConcurrentHashMap<>();

    @Test
    void noHostIsAskedTwiceWithinItsDelayOverWorkersAndRestarts() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        try {
            for (int restart = 0; restart < RESTARTS; restart++) {
                Turns turns = turns(restart);
                List<Future<?>> workers = new ArrayList<>();
                for (int worker = 0; worker < WORKERS; worker++) {
                    long seed = restart * 1000L + worker;
                    workers.add(threads.submit(() -> work(turns, new Random(seed))));
                }
                for (Future<?> worker : workers) {
                    worker.get();
                }
                assertThat(turns.ending()).isEqualTo(Ending.DRAINED);
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

    private static long delay(String host) {
        return host.endsWith("0.test") || host.endsWith("5.test") ? LONG_DELAY : DELAY;
    }

    /** After a restart every host is left alone for its delay. */
    private Turns turns(int restart) {
        HostSchedule<Lease> schedule = HostSchedule.<Lease>builder()
                .delay(Duration.ofNanos(DELAY))
                .perHost(3)
                .probeFirst(true)
                .backOff(new BackOff(Duration.ofNanos(DELAY), Duration.ofNanos(LONG_DELAY)))
                .build(clock.get() + DELAY);
        Sieve sieve = Sieve.builder(HOSTS * URLS).membership(ExactSet.create()).build();
        for (int host = 0; host < HOSTS; host++) {
            schedule.backOff("h" + host + ".test", clock.get() + delay("h" + host + ".test"));
            for (int i = 0; i < URLS; i++) {
                sieve.push("http://h" + host + ".test/" + restart + "/" + i);
            }
        }
        frontier = sieve;
        return new Turns(sieve, schedule, () -> clock.addAndGet(50_000), new CrawlOptions());
    }

    private Void work(Turns turns, Random random) throws InterruptedException {
        for (Turns.Turn turn = turns.next(); turn != null; turn = turns.next()) {
            String host = turn.host();
            Duration delay = Duration.ofNanos(delay(host));
            boolean isMade = random.nextInt(10) > 0;
            if (isMade) {
                starts.computeIfAbsent(host, key -> new ConcurrentLinkedQueue<>())
                        .add(turn.polledNanos());
            }
            switch (random.nextInt(20)) {
                case 0 -> turns.open(turn, delay);
                case 1 -> turns.putBack(turn, delay);
                case 2 -> fail(turns, turn, delay);
                default -> end(turns, turn, isMade, delay);
            }
            turns.finished(true);
        }
        return null;
    }

    private void fail(Turns turns, Turns.Turn turn, Duration delay) {
        turns.allowed(turn, delay);
        turns.failed(turn, Duration.ofNanos(DELAY));
        frontier.retry(turn.lease(), clock.get() + DELAY);
    }

    private void end(Turns turns, Turns.Turn turn, boolean isMade, Duration delay) {
        if (isMade) {
            turns.allowed(turn, delay);
            turns.asked(turn);
        } else {
            turns.skipped(turn);
        }
        frontier.done(turn.lease());
    }
}
