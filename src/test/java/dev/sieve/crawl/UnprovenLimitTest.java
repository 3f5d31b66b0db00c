package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts that hold their requests, in virtual time. */
class UnprovenLimitTest {
    private static final int WORKERS = 32;
    private static final long MILLI = 1_000_000;
    private static final long TIMEOUT = 30_000 * MILLI;

    /** A host, so many URLs of it, and how long it takes to answer; from the time-out on it never does. */
    private record Host(String name, int urls, long nanos) {}

    private record Request(long id, Host host, long startNanos, long endNanos, boolean isProven) {}

    /** A crawl without a network; its workers ask in turns, as those of a crawl do. */
    private static final class Simulation {
        private final HostSchedule<Host> schedule;
        private final UnprovenLimit limit;
        private final boolean reserves;
        private final PriorityQueue<Request> underWay =
                new PriorityQueue<>(Comparator.comparingLong(Request::endNanos));
        private final List<Host> answered = new ArrayList<>();
        private long ids;
        private long now;

        Simulation(int perHost, Duration delay, boolean reserves) {
            this.reserves = reserves;
            schedule = HostSchedule.<Host>builder()
                    .delay(delay)
                    .perHost(perHost)
                    .tellProven(reserves)
                    .backOff(new BackOff(Duration.ofSeconds(1), Duration.ofMinutes(10)))
                    .build(0);
            limit = new UnprovenLimit(WORKERS, perHost, delay.toNanos(), 2000 * MILLI);
        }

        Simulation add(Host host) {
            for (int i = 0; i < host.urls; i++) {
                schedule.add(host.name, host);
            }
            return this;
        }

        Simulation addAll(List<Host> hosts) {
            hosts.forEach(this::add);
            return this;
        }

        /** Runs until nothing is left to do, or some time is over. */
        Simulation run(Duration time) throws IOException {
            while (now < time.toNanos() && (schedule.size() > 0 || !underWay.isEmpty())) {
                start();
                now += Math.max(1, nextNanos());
                while (!underWay.isEmpty() && underWay.peek().endNanos <= now) {
                    end(underWay.remove());
                }
            }
            schedule.close();
            return this;
        }

        private boolean allows() {
            return !reserves || limit.allows(underWay.size(), schedule.provenAtWork(), now);
        }

        private void start() {
            while (underWay.size() < WORKERS) {
                Host host = schedule.poll(now, allows());
                if (host == null) {
                    return;
                }
                boolean isProven = schedule.isProven(host.name);
                Request request = new Request(ids++, host, now, now + Math.min(TIMEOUT, host.nanos), isProven);
                underWay.add(request);
                if (!isProven) {
                    limit.started(request.id, now);
                }
            }
        }

        private long nextNanos() {
            long next = underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().endNanos - now;
            if (underWay.size() < WORKERS) {
                next = Math.min(next, schedule.waitNanos(now, allows()));
                next = schedule.holdsUnproven() ? Math.min(next, limit.waitNanos(now)) : next;
            }
            return next;
        }

        private void end(Request request) {
            Host host = request.host;
            boolean isAnswered = host.nanos < TIMEOUT;
            if (!request.isProven) {
                limit.ended(request.id, isAnswered, now);
            }
            if (!isAnswered) {
                schedule.failed(host.name, Duration.ZERO, now);
                return;
            }
            answered.add(host);
            if (request.isProven) {
                limit.provenTook(now - request.startNanos);
            }
            schedule.prove(host.name, now - request.startNanos < TIMEOUT / 2);
            schedule.finished(host.name, now);
        }

        long pagesOf(Host host) {
            return answered.stream().filter(host::equals).count();
        }
    }

    private static List<Host> hosts(String prefix, int count, int urls, long nanos) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Host(prefix + i + ".test", urls, nanos))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"1, PT0S", "8, PT0S", "16, PT0S", "1, PT1S", "4, PT0.1S"})
    void aHundredHostsThatNeverAnswerLeaveAGoodOneNineTenthsOfItsRate(int perHost, Duration delay) throws IOException {
        Host good = new Host("good.test", 250_000, 50 * MILLI);
        Duration time = Duration.ofMinutes(10);

        long alone = new Simulation(perHost, delay, true).add(good).run(time).pagesOf(good);
        long amongPits = new Simulation(perHost, delay, true)
                .add(good)
                .addAll(hosts("pit", 100, 100, Long.MAX_VALUE))
                .run(time)
                .pagesOf(good);

        assertThat(alone).isGreaterThan(500);
        assertThat(amongPits).isGreaterThanOrEqualTo(alone * 9 / 10);
    }

    @ParameterizedTest
    @CsvSource({"1, PT0S, 100", "1, PT1S, 100", "3, PT1S, 100", "3, PT1S, 1000", "1, PT0S, 3000", "20, PT1S, 300"})
    void hostsThatAreNewAndWellHaveAllWorkers(int urls, Duration delay, long millis) throws IOException {
        List<Host> hosts = hosts("h", 5000, urls, millis * MILLI);

        long without = new Simulation(1, delay, false).addAll(hosts).run(Duration.ofDays(9)).now;
        long with = new Simulation(1, delay, true).addAll(hosts).run(Duration.ofDays(9)).now;

        assertThat(with).isLessThanOrEqualTo(without + without / 20);
    }

    @Test
    void aSingleWorkerAsksHostsThatNobodyKnows() {
        UnprovenLimit limit = new UnprovenLimit(1, 1, 0, 1);

        assertThat(limit.allows(0, 5, 0)).isTrue();
    }

    @Test
    void theLastWorkerIsLeftToHostsThatAnswer() {
        UnprovenLimit limit = new UnprovenLimit(4, 1, 0, 10);
        long now = 0;
        int asked = 0;
        for (int step = 0; step < 100; step++, now++) {
            if (limit.allows(asked, 0, now)) {
                limit.started(asked++, now);
            }
        }

        assertThat(asked).isEqualTo(3);
    }
}
