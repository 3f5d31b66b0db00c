package dev.sieve.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentCountsTest {

    @Test
    void countsAreExactWhileTheKeysFit() {
        RecentCounts counts = new RecentCounts(1 << 12);
        Map<Long, Integer> expected = new HashMap<>();
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            long key = random.nextInt(500) * 0x9E3779B97F4A7C15L;
            int count = expected.merge(key, 1, Integer::sum);
            assertThat(counts.increment(key)).isEqualTo(count);
        }
        expected.forEach((key, count) -> assertThat(counts.count(key)).isEqualTo(count));
    }

    @Test
    void keyThatWasMetLongestAgoMakesRoom() {
        RecentCounts counts = new RecentCounts(8);
        for (long key = 1; key <= 8; key++) {
            counts.increment(key);
        }
        assertThat(counts.count(1)).isEqualTo(1);
        counts.increment(9);
        assertThat(counts.count(2)).isZero();
        assertThat(counts.count(1)).isEqualTo(1);
        assertThat(counts.count(9)).isEqualTo(1);
    }

    @Test
    void aCountIsRaisedAndNeverLowered() {
        RecentCounts counts = new RecentCounts(8);
        counts.raise(1, 0);
        counts.raise(2, 5);
        assertThat(counts.count(1)).isZero();
        assertThat(counts.increment(2)).isEqualTo(6);
        counts.raise(2, 4);
        assertThat(counts.count(2)).isEqualTo(6);
        counts.raise(2, Integer.MAX_VALUE);
        assertThat(counts.increment(2)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void zeroIsAKeyLikeAnyOther() {
        RecentCounts counts = new RecentCounts(8);
        assertThat(counts.count(0)).isZero();
        assertThat(counts.increment(0)).isEqualTo(1);
        assertThat(counts.count(0)).isEqualTo(1);
    }
}
