package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadinessTest {
    private static final long MS = Duration.ofMillis(1).toNanos();

    private final ShownPage.Readiness page = new ShownPage.Readiness(0);

    private long waitMillis(long nowMillis) {
        return page.waitNanos(nowMillis * MS) / MS;
    }

    @Test
    void aPageIsReadyAfterItsLoadEventAndTheQuietTime() {
        assertThat(waitMillis(100)).isEqualTo(4900);

        page.loaded(200 * MS);

        assertThat(waitMillis(300)).isEqualTo(400);
        assertThat(waitMillis(700)).isZero();
    }

    @Test
    void eachAnswerBeginsTheQuietTimeAgain() {
        page.loaded(200 * MS);
        page.began();
        assertThat(waitMillis(900)).isEqualTo(4100);

        page.answered(900 * MS);

        assertThat(waitMillis(1000)).isEqualTo(400);
    }

    @Test
    void aPageThatPollsIsReadyAtTheLongestTime() {
        page.loaded(0);
        for (int now = 0; now < 5000; now += 100) {
            page.began();
            page.answered((now + 50) * MS);
            assertThat(waitMillis(now)).isPositive();
        }

        assertThat(waitMillis(5000)).isZero();
    }

    @Test
    void aPageWithoutALoadEventIsReadyAtTheLongestTime() {
        assertThat(waitMillis(4999)).isEqualTo(1);
        assertThat(waitMillis(6000)).isNegative();
    }

    @Test
    void aScriptThatRanForLongIsLikeARequest() {
        page.loaded(0);

        page.ran(400 * MS);

        assertThat(waitMillis(500)).isEqualTo(400);
    }
}
