package dev.sieve.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
