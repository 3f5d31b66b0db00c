package dev.sieve.polite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Many threads around one schedule and its lock, which is how a crawler uses it, on a clock that the test moves. */
class HostScheduleThreadsTest {
    private static final int THREADS = 64;
    private static final int HOSTS = 50;
    private static final int TAKES = 100_000;
    private static final int RESTARTS = 100;
    private static final long DELAY = 1_000_000;

    private final Object lock = new Object();
    private final List<List<Long>> starts = new ArrayList<>();
    private HostSchedule<Integer> schedule;
    private long now;
    private int taken;

    @Test
    void delaysHoldOverThreadsAndRestarts() throws InterruptedException, ExecutionException {
        for (int host = 0; host < HOSTS; host++) {
            starts.add(new ArrayList<>());
        }
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (int restart = 0; restart < RESTARTS; restart++) {
            begin();
            List<Future<?>> workers = new ArrayList<>();
            int until = TAKES / RESTARTS * (restart + 1);
            for (int thread = 0; thread < THREADS; thread++) {
                long seed = restart * 1000L + thread;
                workers.add(threads.submit(() -> work(new Random(seed), until)));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
        threads.shutdown();
        assertThat(taken).isGreaterThanOrEqualTo(TAKES);
        for (List<Long> ofHost : starts) {
            for (int i = 1; i < ofHost.size(); i++) {
                assertThat(ofHost.get(i) - ofHost.get(i - 1)).isGreaterThanOrEqualTo(DELAY);
            }
        }
    }

    /** After a restart earlier requests are unknown, so that no host is requested for a delay. */
    private void begin() {
        schedule = new ScheduleOptions<Integer>()
                .delay(Duration.ofNanos(DELAY))
                .perHost(3)
                .build(now + DELAY);
        for (int host = 0; host < HOSTS; host++) {
            for (int i = 0; i < 2 * TAKES / RESTARTS / HOSTS + THREADS; i++) {
                schedule.add("host" + host, host);
            }
        }
    }

    private void work(Random random, int until) {
        while (true) {
            Integer host;
            synchronized (lock) {
                if (taken >= until) {
                    return;
                }
                now += random.nextInt(10_000);
                host = schedule.poll(now);
                if (host == null) {
                    now += schedule.waitNanos(now) == Long.MAX_VALUE ? 0 : schedule.waitNanos(now);
                    continue;
                }
                taken++;
                starts.get(host).add(now);
            }
            synchronized (lock) {
                schedule.finished("host" + host, now);
            }
        }
    }
}
