package dev.sieve.polite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveDelayTest {
    private final AdaptiveDelay delay = new AdaptiveDelay();

    @Test
    void delayBeginsWithASecond() {
        assertThat(delay.delay()).hasSeconds(1);
        responses(1, 1);
        assertThat(delay.delay()).hasMillis(950);
        responses(1, 400);
        assertThat(delay.delay()).isBetween(Duration.ofMillis(900), Duration.ofMillis(950));
    }

    @Test
    void responsesThatAreNotComparedCountAsFast() {
        responses(40, 0);
        assertThat(delay.delay()).isEqualTo(AdaptiveDelay.SHORTEST);
        delay.failed();
        delay.failed();
        responses(200, 0);
        assertThat(delay.delay()).isEqualTo(AdaptiveDelay.SHORTEST);
    }

    @Test
    void steadyHostReachesTheShortestDelay() {
        responses(200, 50);
        assertThat(delay.delay()).isEqualTo(AdaptiveDelay.SHORTEST);
    }

    @Test
    void delayIsNeverShorterThanTheResponseTime() {
        responses(500, 900);
        assertThat(delay.delay()).hasMillis(900);
    }

    @Test
    void delayFollowsSlowAndFastResponses() {
        responses(50, 100);
        Duration before = delay.delay();
        responses(20, 300);
        assertThat(delay.delay()).isGreaterThan(before.multipliedBy(2));
        responses(150, 100);
        assertThat(delay.delay()).isEqualTo(before);
    }

    @Test
    void oneLongDownloadChangesLittle() {
        responses(50, 100);
        responses(1, 20_000);
        assertThat(delay.delay()).isLessThan(Duration.ofMillis(300));
    }

    @Test
    void failuresDoubleTheDelayUpToTheLongest() {
        responses(50, 100);
        delay.failed();
        assertThat(delay.delay()).hasMillis(400);
        for (int i = 0; i < 20; i++) {
            delay.failed();
        }
        assertThat(delay.delay()).isEqualTo(AdaptiveDelay.LONGEST);
    }

    @Test
    void crawlDelayIsALowerLimit() {
        delay.atLeast(Duration.ofMinutes(2));
        responses(50, 100);
        assertThat(delay.delay()).hasMinutes(2);
        delay.atLeast(Duration.ZERO);
        assertThat(delay.delay()).hasMillis(200);
    }

    @Test
    void hostThatBecameSlowForGoodIsAccepted() {
        responses(50, 100);
        responses(1000, 200);
        assertThat(delay.delay()).hasMillis(200);
    }

    /** A server that takes twice as long beyond 4 requests per second: at most that fast, hardly slower. */
    @ParameterizedTest
    @ValueSource(doubles = {10, 40, 120, 200})
    void serverThatSlowsDownIsRequestedAtItsPace(double unloadedMillis) {
        Random noise = new Random(1);
        Deque<Double> lastSecond = new ArrayDeque<>();
        double now = 0;
        double sum = 0;
        int requests = 0;
        while (now < 600_000) {
            double start = now;
            while (!lastSecond.isEmpty() && lastSecond.peekFirst() <= start - 1000) {
                lastSecond.removeFirst();
            }
            lastSecond.addLast(start);
            double took = unloadedMillis * (lastSecond.size() > 4 ? 2 : 1) * (0.9 + 0.2 * noise.nextDouble());
            delay.responded(Duration.ofNanos((long) (took * 1e6)));
            sum += took;
            requests++;
            now = Math.max(start + took, start + delay.delay().toMillis());
        }
        assertThat(requests / 600.0).isGreaterThan(0.8 * 4);
        assertThat(sum / requests).isLessThan(1.5 * unloadedMillis);
    }

    private void responses(int count, long millis) {
        for (int i = 0; i < count; i++) {
            delay.responded(Duration.ofMillis(millis));
        }
    }
}
