package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.polite.Trust;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts that hold their requests, in virtual time. */
class UnprovenLimitTest {
    private static final int WORKERS = 32;
    private static final int FURTHER = 256;
    private static final long MILLI = 1_000_000;
    private static final long TIMEOUT = 30_000 * MILLI;

    /** A host, so many URLs of it, and how long robots.txt and each page take; from the time-out on they never come. */
    private record Host(String name, int urls, long robotsNanos, long pageNanos) {}

    private record Request(long id, Host host, boolean isRobots, long startNanos, long endNanos, Trust trust) {
        boolean isAnswered() {
            return endNanos - startNanos < TIMEOUT;
        }
    }

    /** A crawl without a network; its workers ask in turns, as those of a crawl do. */
    private static final class Simulation {
        private final HostSchedule<Host> schedule;
        private final UnprovenLimit limit;
        private final boolean reserves;
        private final int further;
        private final PriorityQueue<Request> underWay =
                new PriorityQueue<>(Comparator.comparingLong(Request::endNanos));
        private final Set<Host> known = new HashSet<>();
        private final List<Host> answered = new ArrayList<>();
        private long ids;
        private long now;

        Simulation(int perHost, Duration delay, boolean reserves) {
            this(perHost, delay, reserves, 0, 2000);
        }

        /** A crawl as it is by default, with further workers for requests that wait. */
        Simulation(int perHost, Duration delay) {
            this(perHost, delay, true, FURTHER, 500);
        }

        private Simulation(int perHost, Duration delay, boolean reserves, int further, long lateMillis) {
            this.reserves = reserves;
            this.further = further;
            schedule = new ScheduleOptions<Host>()
                    .delay(delay)
                    .perHost(perHost)
                    .tellTrust(reserves)
                    .backOff(new BackOff(Duration.ofSeconds(1), Duration.ofMinutes(10)))
                    .build(0);
            limit = new UnprovenLimit(WORKERS, further, perHost, delay.toNanos(), lateMillis * MILLI);
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

        private Trust least() {
            int responded = schedule.atWork(Trust.RESPONDED);
            return reserves
                    ? limit.least(underWay.size(), schedule.atWork(Trust.PROVEN), responded, now)
                    : Trust.UNKNOWN;
        }

        private void start() {
            while (mayStart()) {
                Host host = schedule.poll(now, least());
                if (host == null) {
                    return;
                }
                Trust trust = schedule.trust(host.name);
                boolean isRobots = !known.contains(host);
                long end = now + Math.min(TIMEOUT, isRobots ? host.robotsNanos : host.pageNanos);
                Request request = new Request(ids++, host, isRobots, now, end, trust);
                underWay.add(request);
                limit.started(request.id, trust, now);
            }
        }

        private boolean mayStart() {
            return underWay.size() < WORKERS + limit.furtherWorkers();
        }

        private long nextNanos() {
            long next = underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().endNanos - now;
            next = further == 0 ? next : Math.min(next, limit.waitNanos(now));
            if (mayStart()) {
                next = Math.min(next, schedule.waitNanos(now, least()));
                next = schedule.holdsUnproven() ? Math.min(next, limit.waitNanos(now)) : next;
            }
            return next;
        }

        private void end(Request request) {
            Host host = request.host;
            limit.ended(request.id, request.isAnswered(), now);
            if (!request.isAnswered()) {
                int failures = schedule.failed(host.name, Duration.ZERO, now);
                schedule.trust(host.name, failures > 3 ? Trust.UNKNOWN : schedule.trust(host.name));
                return;
            }
            if (request.trust == Trust.PROVEN) {
                limit.provenTook(now - request.startNanos);
            }
            if (request.isRobots) {
                known.add(host);
                schedule.trust(host.name, Trust.RESPONDED);
                schedule.putBack(host.name, host);
            } else {
                answered.add(host);
                schedule.trust(host.name, now - request.startNanos < TIMEOUT / 2 ? Trust.PROVEN : Trust.RESPONDED);
            }
            schedule.finished(host.name, now);
        }

        long pagesOf(Host host) {
            return answered.stream().filter(host::equals).count();
        }
    }

    private static List<Host> hosts(String prefix, int count, int urls, long nanos) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Host(prefix + i + ".test", urls, nanos, nanos))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"1, PT0S", "8, PT0S", "16, PT0S", "1, PT1S", "4, PT0.1S"})
    void silentHostsLeaveAGoodOneNineTenthsOfItsRate(int perHost, Duration delay) throws IOException {
        Host good = new Host("good.test", 250_000, 50 * MILLI, 50 * MILLI);
        Duration time = Duration.ofMinutes(10);

        long alone = new Simulation(perHost, delay, true).add(good).run(time).pagesOf(good);
        long amongPits = new Simulation(perHost, delay, true)
                .add(good)
                .addAll(hosts("pit", 100, 100, Long.MAX_VALUE))
                .run(time)
                .pagesOf(good);
        long amongMore = new Simulation(perHost, delay)
                .add(good)
                .addAll(hosts("pit", 1000, 100, Long.MAX_VALUE))
                .run(time)
                .pagesOf(good);

        assertThat(alone).isGreaterThan(500);
        assertThat(amongPits).isGreaterThanOrEqualTo(alone * 9 / 10);
        assertThat(amongMore).isGreaterThanOrEqualTo(alone * 9 / 10);
    }

    @ParameterizedTest
    @CsvSource({
        "31, PT0S, false",
        "60, PT1S, false",
        "100, PT0.1S, false",
        "1000, PT0S, false",
        "1000, PT1S, false",
        "31, PT0S, true",
        "100, PT0S, true",
        "100, PT0.05S, true",
        "1000, PT1S, true"
    })
    void aHostThatHasAnsweredWaitsForNoneThatHasNot(int silent, Duration delay, boolean haveRobots) throws IOException {
        Host good = new Host("good.test", 250_000, 50 * MILLI, 50 * MILLI);
        Duration time = Duration.ofSeconds(25);

        long alone = new Simulation(1, delay, true).add(good).run(time).pagesOf(good);
        Simulation amongPits = new Simulation(1, delay, true).add(good);
        Simulation byDefault = new Simulation(1, delay).add(good);
        for (int i = 0; i < silent; i++) {
            Host pit = new Host("pit" + i + ".test", 3, haveRobots ? 10 * MILLI : Long.MAX_VALUE, Long.MAX_VALUE);
            amongPits.add(pit);
            byDefault.add(pit);
        }

        assertThat(amongPits.run(time).pagesOf(good)).isGreaterThanOrEqualTo(alone * 9 / 10);
        assertThat(byDefault.run(time).pagesOf(good)).isGreaterThanOrEqualTo(alone * 9 / 10);
    }

    @Test
    void hostsThatNobodyKnowsHaveTheirTurn() throws IOException {
        Host known = new Host("known.test", 250_000, 50 * MILLI, 50 * MILLI);
        Host unknown = new Host("unknown.test", 1, 50 * MILLI, 50 * MILLI);

        Simulation crawl = new Simulation(1, Duration.ZERO, true)
                .add(known)
                .addAll(hosts("pit", 100, 3, Long.MAX_VALUE))
                .add(unknown)
                .run(Duration.ofMinutes(3));

        assertThat(crawl.pagesOf(unknown)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1, PT0S, 100", "1, PT1S, 100", "3, PT1S, 100", "3, PT1S, 1000", "1, PT0S, 3000", "20, PT1S, 300"})
    void hostsThatAreNewAndWellHaveAllWorkers(int urls, Duration delay, long millis) throws IOException {
        List<Host> hosts = hosts("h", 5000, urls, millis * MILLI);

        long without = new Simulation(1, delay, false).addAll(hosts).run(Duration.ofDays(9)).now;
        long with = new Simulation(1, delay, true).addAll(hosts).run(Duration.ofDays(9)).now;

        assertThat(with).isLessThanOrEqualTo(without + without / 20);
    }

    @ParameterizedTest
    @CsvSource({"31, PT0S", "100, PT0S", "300, PT0S", "100, PT1S"})
    void unknownHostWaitsOnlyForThoseBeforeIt(int hanging, Duration delay) throws IOException {
        Host good = new Host("good.test", 1, 50 * MILLI, 50 * MILLI);
        Simulation crawl = new Simulation(1, delay, true);
        for (int i = 0; i < hanging; i++) {
            crawl.add(new Host("pit" + i + ".test", 100, 10 * MILLI, Long.MAX_VALUE));
        }

        crawl.add(good).run(Duration.ofNanos(hanging * TIMEOUT / (WORKERS - 1)));

        assertThat(crawl.pagesOf(good)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"40, 4", "140, 6", "500, 120"})
    void unknownHostHasItsTurnSoonAfterSilentOnes(int silent, int seconds) throws IOException {
        Host good = new Host("good.test", 1, 50 * MILLI, 50 * MILLI);

        Simulation crawl = new Simulation(1, Duration.ofSeconds(1))
                .addAll(hosts("pit", silent, 1, Long.MAX_VALUE))
                .add(good)
                .run(Duration.ofSeconds(seconds));

        assertThat(crawl.pagesOf(good)).isEqualTo(1);
    }

    @Test
    void requestsThatReceiveAreNoFurtherOnes() {
        UnprovenLimit limit = new UnprovenLimit(2, 8, 1, 0, 10);
        for (long id = 0; id < 3; id++) {
            limit.started(id, Trust.UNKNOWN, 0);
        }
        assertThat(limit.waitNanos(10)).isEqualTo(Long.MAX_VALUE);
        assertThat(limit.furtherWorkers()).isEqualTo(3);
        assertThat(limit.isWaiting(1)).isTrue();

        limit.receives(1);
        limit.ended(2, false, 11);

        assertThat(limit.furtherWorkers()).isEqualTo(1);
        assertThat(limit.isWaiting(1)).isFalse();
    }

    @Test
    void aSingleWorkerAsksHostsThatNobodyKnows() {
        UnprovenLimit limit = new UnprovenLimit(1, 0, 1, 0, 1);

        assertThat(limit.least(0, 5, 0, 0)).isEqualTo(Trust.UNKNOWN);
    }

    @Test
    void theLastWorkerIsLeftToHostsThatAnswer() {
        UnprovenLimit limit = new UnprovenLimit(4, 0, 1, 0, 10);
        long now = 0;
        int asked = 0;
        for (int step = 0; step < 100; step++, now++) {
            if (limit.least(asked, 0, 0, now) == Trust.UNKNOWN) {
                limit.started(asked++, Trust.UNKNOWN, now);
            }
        }

        assertThat(asked).isEqualTo(3);
        assertThat(limit.least(asked, 0, 1, now)).isEqualTo(Trust.RESPONDED);
    }
}
