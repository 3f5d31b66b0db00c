package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import dev.sieve.FilterKind;
import dev.sieve.Tier;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often each kind is wrong, measured, beside what was asked for and what it says of itself. */
class FalsePositiveRateTest {
    private static final long SEED = 1970;
    private static final int KEYS = Tier.of(200_000, 500_000, 1_000_000);

    /** The lower a rate, the longer it takes to measure it. */
    private static double[] rates() {
        return Arrays.copyOf(new double[] {1e-2, 1e-3, 1e-4}, Tier.of(2, 3, 3));
    }

    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "EXACT")
    void rateAtFullLoadIsWhatWasAskedFor(Kind kind) {
        for (double rate : rates()) {
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

    @ParameterizedTest
    @CsvSource({"1e-2, 1.06", "1e-3, 1.10", "1e-4, 1.201"})
    void splitBlocksMeetTheirRateWithFewFurtherBits(double rate, double bitsOverClassic) {
        SplitBlockFilter filter = SplitBlockFilter.create(KEYS, rate, SEED);
        assertThat((double) filter.cells / BloomSize.bits(KEYS, rate)).isLessThan(bitsOverClassic);
        Keys.add(filter, 0, KEYS);
        assertThat(measured(filter, rate)).isLessThan(1.05 * rate);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.2, 0.1, 0.03, 2e-4})
    void filterToTakeMeetsAnyRate(double rate) {
        int keys = 100_000;
        Membership membership = FilterKind.SPLIT_BLOCKS.create(keys, rate, SEED);
        Keys.add(membership, 0, keys);
        assertThat(measured(membership, rate)).isCloseTo(rate, withinPercentage(7));
        assertThat(membership.falsePositiveRate()).isCloseTo(rate, withinPercentage(5));
    }

    /** Lower than can be measured: what the filter tells of itself, which is measured elsewhere. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-5, 1e-6, 9e-7, 1e-7, 1e-8})
    void filterToTakeMeetsLowRates(double rate) {
        Membership membership = FilterKind.SPLIT_BLOCKS.create(KEYS, rate, SEED);
        Keys.add(membership, 0, KEYS);
        assertThat(membership.falsePositiveRate()).isCloseTo(rate, withinPercentage(5));
        assertThat(membership.memoryBytes() * 8.0).isLessThan(1.4 * BloomSize.bits(KEYS, rate));
        assertThat(Keys.count(membership, -1_000_000, 0)).isLessThan(30);
    }

    /** Where patterns of equal steps would be shared far more often than once in a million keys. */
    @Test
    void classicFilterForFewKeysMeetsALowRate() {
        BloomFilter filter = BloomFilter.create(1000, 1e-6, SEED);
        Keys.add(filter, 0, 1000);
        assertThat(measured(filter, 5e-5)).isLessThan(2e-6);
    }

    @Test
    void splitBlocksTellTheirRateWhenNearlyEmpty() {
        SplitBlockFilter filter = SplitBlockFilter.create(KEYS, 0.5, SEED);
        Keys.add(filter, 0, KEYS / 5);
        assertThat(measured(filter, filter.falsePositiveRate()))
                .isCloseTo(filter.falsePositiveRate(), withinPercentage(10));
    }

    @Test
    @Tag("slow")
    void growingFilterKeepsItsRateAtTwentyTimesCapacity() {
        for (double rate : rates()) {
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

    /**
     * The share of keys that were never added, given by random hashes, that are said to be in. There are enough of them
     * for some 1,000 false positives: a standard error of 3 %.
     */
    private static double measured(Membership membership, double expected) {
        SplittableRandom random = new SplittableRandom(SEED);
        long absent = (long) Math.max(200_000, 1_000 / expected);
        long wrong = 0;
        for (long i = 0; i < absent; i++) {
            wrong += membership.mightContain(random.nextLong(), random.nextLong()) ? 1 : 0;
        }
        return (double) wrong / absent;
    }
}
