package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountingBloomFilterTest {
    private static final long SEED = 15;

    @Test
    void removedKeyIsGone() {
        CountingBloomFilter filter = CountingBloomFilter.create(1000, 1e-6, 0);
        filter.add("a");
        filter.add("b");
        assertThat(filter.remove("a")).isTrue();
        assertThat(filter.mightContain("a")).isFalse();
        assertThat(filter.mightContain("b")).isTrue();
        assertThat(filter.estimatedSize()).isEqualTo(1);
        assertThat(filter.add("a")).isTrue();
    }

    @Test
    void removalOfWhatIsNotThereIsRefusedAndChangesNothing() {
        CountingBloomFilter filter = CountingBloomFilter.create(10_000, 1e-3, SEED);
        Keys.add(filter, 0, 10_000);
        long size = filter.estimatedSize();
        Keys keys = new Keys(SEED);
        int refused = 0;
        for (int i = 1; i <= 1000; i++) {
            keys.of(-i);
            if (!filter.mightContain(keys.h1(), keys.h2())) {
                assertThat(filter.remove(keys.h1(), keys.h2())).isFalse();
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(990);
        assertThat(filter.estimatedSize()).isEqualTo(size);
        assertThat(Keys.count(filter, 0, 10_000)).isEqualTo(10_000);
    }

    @Test
    void keyIsInAsOftenAsItWasAdded() {
        CountingBloomFilter filter = CountingBloomFilter.create(1000, 1e-6, 0);
        assertThat(filter.add("a")).isTrue();
        assertThat(filter.add("a")).isFalse();
        assertThat(filter.remove("a")).isTrue();
        assertThat(filter.mightContain("a")).isTrue();
        assertThat(filter.remove("a")).isTrue();
        assertThat(filter.mightContain("a")).isFalse();
        assertThat(filter.remove("a")).isFalse();
        assertThat(filter.estimatedSize()).isZero();
    }

    @Test
    void saturatedCountersNeverWrapAndNeverFall() {
        CountingBloomFilter filter = CountingBloomFilter.create(1000, 1e-6, 0);
        for (int i = 0; i < 1000; i++) {
            filter.add("a");
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(filter.remove("a")).isTrue();
        }
        assertThat(filter.mightContain("a")).isTrue();
        assertThat(filter.estimatedSize()).isEqualTo(1);
    }

    /** Far beyond its capacity, so that counters saturate and keys share all of theirs. */
    @Test
    void noKeyThatIsStillInEverBecomesANo() {
        CountingBloomFilter filter = CountingBloomFilter.create(50, 0.1, SEED);
        int[] in = new int[500];
        Random random = new Random(SEED);
        Keys keys = new Keys(SEED);
        for (int step = 0; step < 50_000; step++) {
            int key = random.nextInt(in.length);
            keys.of(key);
            if (random.nextInt(5) < 2) {
                filter.add(keys.h1(), keys.h2());
                in[key]++;
            } else if (in[key] > 0) {
                assertThat(filter.remove(keys.h1(), keys.h2()))
                        .as("step %d", step)
                        .isTrue();
                in[key]--;
            }
            int other = random.nextInt(in.length);
            keys.of(other);
            if (in[other] > 0) {
                assertThat(filter.mightContain(keys.h1(), keys.h2()))
                        .as("step %d", step)
                        .isTrue();
            }
        }
        assertThat(Arrays.stream(in).sum()).isPositive();
    }

    @Test
    void everythingRemovedLeavesItEmpty() {
        CountingBloomFilter filter = CountingBloomFilter.create(10_000, 0.01, SEED);
        Keys.add(filter, 0, 10_000);
        Keys keys = new Keys(SEED);
        for (int i = 0; i < 10_000; i++) {
            keys.of(i);
            assertThat(filter.remove(keys.h1(), keys.h2())).isTrue();
        }
        assertThat(filter.estimatedSize()).isZero();
        assertThat(filter.falsePositiveRate()).isZero();
    }
}
