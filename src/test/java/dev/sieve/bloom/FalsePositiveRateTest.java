package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often each kind is wrong, measured, beside what was asked for and what it says of itself. */
class FalsePositiveRateTest {
    private static final long SEED = 1970;
    private static final int KEYS = 1_000_000;

    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "EXACT")
    void rateAtFullLoadIsWhatWasAskedFor(Kind kind) {
        for (double rate : new double[] {1e-2, 1e-3, 1e-4}) {
            Membership membership = kind.create(KEYS, rate, SEED);
            Keys.add(membership, 0, KEYS);
            assertThat(measured(membership, rate)).as("asked for %s", rate).isLessThan(1.1 * rate);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "EXACT")
    void presentRateIsToldAtAnyLoad(Kind kind) {
        int capacity = 100_000;
        Membership membership = kind.create(capacity, 1e-2, SEED);
        int loaded = 0;
        for (double load : new double[] {0.5, 1, 2, 4}) {
            Keys.add(membership, loaded, (int) (load * capacity));
            loaded = (int) (load * capacity);
            double told = membership.falsePositiveRate();
            assertThat(measured(membership, told))
                    .as("at %s times the capacity", load)
                    .isCloseTo(told, withinPercentage(8));
        }
    }

    @Test
    void growingFilterStaysBelowItsRateAtTwentyTimesItsCapacity() {
        for (double rate : new double[] {1e-2, 1e-3, 1e-4}) {
            GrowingBloomFilter filter = GrowingBloomFilter.create(50_000, rate, SEED);
            for (int times = 1; times <= 20; times++) {
                Keys.add(filter, (times - 1) * 50_000L, times * 50_000L);
                assertThat(filter.falsePositiveRate()).isLessThan(rate);
            }
            assertThat(filter.layers()).isEqualTo(5);
            assertThat(measured(filter, rate)).as("asked for %s", rate).isLessThan(rate);
            assertThat((double) filter.estimatedSize()).isCloseTo(1_000_000, withinPercentage(1));
        }
    }

    @Test
    void exactSetIsNeverWrong() {
        ExactSet set = ExactSet.create(SEED);
        assertThat(Keys.add(set, 0, KEYS)).isEqualTo(KEYS);
        assertThat(Keys.count(set, -KEYS, 0)).isZero();
    }

    /** Enough keys that were never added for some 1,600 false positives: a standard error of 2.5 %. */
    private static double measured(Membership membership, double expected) {
        long absent = (long) Math.max(200_000, 1_600 / expected);
        return (double) Keys.count(membership, -absent, 0) / absent;
    }
}
