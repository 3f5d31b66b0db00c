package dev.sieve.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolitenessJudgeTest {
    private static final String HOST = "a.test";

    private final List<String> found = new ArrayList<>();

    private PolitenessJudge judge(int delayMillis) {
        return new PolitenessJudge(Duration.ofMillis(delayMillis), Duration.ZERO, found::add);
    }

    /** Requests at these milliseconds, each of which is answered after a millisecond. */
    private void requests(PolitenessJudge judge, Duration crawlDelay, int... millis) {
        for (int at : millis) {
            judge.arrived(HOST, at * 1_000_000L);
            judge.answered(HOST, (at + 1) * 1_000_000L, crawlDelay, Duration.ZERO);
        }
    }

    @Test
    void requestsADelayApartAreAccepted() {
        requests(judge(2000), Duration.ZERO, 0, 2000, 4000, 6000);
        assertThat(found).isEmpty();
    }

    @Test
    void requestSeenLateIsAcceptedOnce() {
        requests(judge(2000), Duration.ZERO, 0, 2900, 4000, 6000, 8000);
        assertThat(found).isEmpty();

        requests(judge(2000), Duration.ZERO, 0, 1300, 2600, 3900);
        assertThat(found).hasSize(2).first().asString().startsWith("request 3 to a.test");
    }

    @Test
    void shortGapIsFound() {
        requests(judge(2000), Duration.ZERO, 0, 2000, 2900, 6000);
        assertThat(found).singleElement().asString().startsWith("request 3 to a.test came 100.0 ms too early");
    }

    @Test
    void gapsTooShortForAToleranceAreFound() {
        requests(judge(5), Duration.ZERO, 0, 5, 6, 7);
        assertThat(found).singleElement().asString().startsWith("request 4 to a.test came 4.0 ms too early");
    }

    @Test
    void crawlDelayAppliesFromRobotsTxtOn() {
        requests(judge(0), Duration.ofSeconds(4), 0, 1900);
        assertThat(found).hasSize(1);
    }

    @Test
    void otherHostsAreNotDelayed() {
        PolitenessJudge judge = judge(2000);
        judge.arrived(HOST, 0);
        judge.arrived("b.test", 0);
        assertThat(found).isEmpty();
    }

    @Test
    void retryAfterIsExact() {
        PolitenessJudge judge = judge(0);
        judge.arrived(HOST, 0);
        judge.answered(HOST, 10, Duration.ZERO, Duration.ofSeconds(1));
        judge.arrived(HOST, 1_000_000_009L);
        assertThat(found).hasSize(1);
    }

    @Test
    void requestThatWaitsLongerThanItsRuleIsFound() {
        PolitenessJudge judge = judge(2000);
        for (int millis : new int[] {0, 0, 0, 6000}) {
            judge.queued(HOST, millis * 1_000_000L, Duration.ofMillis(100));
        }
        requests(judge, Duration.ZERO, 0, 2100, 4201, 6201, 99_000);
        assertThat(found).singleElement().asString().startsWith("request 3 to a.test came 101.0 ms too late");
    }

    /** A crawl without a limit of requests, in simulated time: each is made at the moment at which its rules allow it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void scheduleIsNeitherTooFastNorTooSlow(long seed) {
        Random random = new Random(seed);
        HostSchedule<Integer> schedule = new ScheduleOptions<Integer>()
                .delay(Duration.ofMillis(100))
                .backOff(new BackOff(Duration.ofMillis(1), Duration.ofMillis(1)))
                .build(0);
        PolitenessJudge judge = new PolitenessJudge(Duration.ofMillis(100), Duration.ZERO, found::add);
        PriorityQueue<End> ends = new PriorityQueue<>(Comparator.comparingLong(End::nanos));
        int left = 5000;
        long now = 0;
        while (left > 0 || schedule.size() > 0 || !ends.isEmpty()) {
            for (int i = random.nextInt(20); i > 0 && left > 0; i--, left--) {
                int host = random.nextInt(1 + random.nextInt(50));
                schedule.add("h" + host, host);
                judge.queued("h" + host, now, Duration.ofMillis(1));
            }
            for (Integer host = schedule.poll(now); host != null; host = schedule.poll(now)) {
                judge.arrived("h" + host, now);
                ends.add(new End(now + random.nextInt(300_000_000), host));
            }
            long wait = Math.min(schedule.waitNanos(now), left > 0 ? 50_000_000 : Long.MAX_VALUE - now);
            now = Math.min(now + wait, ends.isEmpty() ? Long.MAX_VALUE : ends.peek().nanos);
            for (; !ends.isEmpty() && ends.peek().nanos <= now; ends.remove()) {
                end(schedule, judge, ends.peek(), random);
            }
        }
        assertThat(found).isEmpty();
    }

    private record End(long nanos, int host) {}

    private static void end(HostSchedule<Integer> schedule, PolitenessJudge judge, End end, Random random) {
        String host = "h" + end.host;
        boolean isBusy = random.nextInt(20) == 0;
        Duration crawlDelay = Duration.ofMillis(end.host % 3 * 150L);
        Duration pause = isBusy ? Duration.ofSeconds(1 + random.nextInt(5)) : Duration.ZERO;
        schedule.delay(host, crawlDelay);
        judge.answered(host, end.nanos, crawlDelay, pause);
        if (isBusy) {
            schedule.failed(host, pause, end.nanos);
        } else {
            schedule.finished(host, end.nanos);
        }
    }

    @Test
    void answersAreReadByTheirText() {
        PolitenessJudge judge = judge(0);
        judge.arrived(HOST, System.nanoTime());
        judge.answered(HOST, "HTTP/1.1 503 Busy\nRetry-After: 7\n", "");
        judge.arrived(HOST, System.nanoTime());
        assertThat(found).hasSize(1);
        judge.answered(HOST, "HTTP/1.1 200 OK\n", "User-agent: *\nCrawl-delay: 1.5\n");
        judge.arrived(HOST, System.nanoTime());
        assertThat(found).hasSize(2).last().asString().endsWith("1500.0 ms");
    }

    @Test
    void verdictFailsTheTestOnce() {
        Verdict.shortGap("request 2 of a test of the verdict");
        Verdict verdict = new Verdict();
        assertThatThrownBy(() -> verdict.afterEach(null)).hasMessage("impolite: request 2 of a test of the verdict");
        verdict.afterEach(null);
    }
}
