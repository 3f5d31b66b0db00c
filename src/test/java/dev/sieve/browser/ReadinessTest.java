package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadinessTest {
    private static final long MS = Duration.ofMillis(1).toNanos();

    private final Readiness page = new Readiness(RenderWait.DEFAULT, 0);

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
    void theTimesCanBeOthers() {
        Readiness other = new Readiness(new RenderWait(Duration.ofSeconds(2), Duration.ofSeconds(20)), 0);

        assertThat(other.waitNanos(0)).isEqualTo(20_000 * MS);
        other.loaded(MS);
        assertThat(other.waitNanos(MS)).isEqualTo(2000 * MS);
    }

    @Test
    void timesThatCannotBeAreRefused() {
        for (Duration most :
                List.of(Duration.ofMillis(499), Duration.ofMinutes(5).plusNanos(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RenderWait(Duration.ofMillis(500), most))
                    .withMessage("wait must be QUIET, and MAX from QUIET to 5 minutes");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RenderWait(Duration.ofMillis(-1), Duration.ofSeconds(1)));
    }
}
