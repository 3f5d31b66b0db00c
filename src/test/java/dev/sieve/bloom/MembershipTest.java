package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every kind of membership promises. */
class MembershipTest {
    private static final long SEED = 4711;

    @ParameterizedTest
    @EnumSource
    void emptySetContainsNothing(Kind kind) {
        Membership membership = kind.create(1000, 1e-3, SEED);
        assertThat(Keys.count(membership, 0, 1000)).isZero();
        assertThat(membership.estimatedSize()).isZero();
        assertThat(membership.falsePositiveRate()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void addTellsWhetherAKeyWasNew(Kind kind) {
        Membership membership = kind.create(1000, 1e-6, SEED);
        assertThat(membership.add("https://a.test/")).isTrue();
        assertThat(membership.add("https://a.test/")).isFalse();
        assertThat(membership.add("https://a.test/b")).isTrue();
        assertThat(membership.mightContain("https://a.test/")).isTrue();
        assertThat(membership.mightContain("https://a.test/c")).isFalse();
        assertThat(membership.estimatedSize()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void keyAndItsHashAreTheSame(Kind kind) {
        Membership membership = kind.create(1000, 1e-6, SEED);
        long[] hash = Murmur3.hash("https://a.test/", membership.seed());
        membership.add("https://a.test/");
        assertThat(membership.mightContain(hash[0], hash[1])).isTrue();
        assertThat(membership.seed()).isEqualTo(SEED);
    }

    @ParameterizedTest
    @EnumSource
    void oddKeysAreKeys(Kind kind) {
        Membership membership = kind.create(1000, 1e-6, SEED);
        for (String key : new String[] {"", "a", "\ud83d", "\u0000", "é".repeat(100_000)}) {
            assertThat(membership.add(key)).isTrue();
            assertThat(membership.mightContain(key)).isTrue();
        }
        for (long h : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(membership.add(h, h)).isTrue();
            assertThat(membership.add(h, h)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void noKeyThatWasAddedIsEverDenied(Kind kind) {
        Membership membership = kind.create(50_000, 0.01, SEED);
        Keys.add(membership, 0, 200_000);
        assertThat(Keys.count(membership, 0, 200_000)).isEqualTo(200_000);
        assertThat(Keys.add(membership, 0, 200_000)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void batchTellsWhatSingleAddsTell(Kind kind) {
        Membership single = kind.create(20_000, 0.01, SEED);
        Membership batched = kind.create(20_000, 0.01, SEED);
        Keys keys = new Keys(SEED);
        Random random = new Random(SEED);
        long[] hashes = new long[2 * Membership.BATCH];
        for (int round = 0; round < 2000; round++) {
            int count = random.nextInt(Membership.BATCH + 1);
            long expected = 0;
            for (int i = 0; i < count; i++) {
                keys.of(random.nextInt(40_000));
                hashes[2 * i] = keys.h1();
                hashes[2 * i + 1] = keys.h2();
                expected |= single.add(keys.h1(), keys.h2()) ? 1L << i : 0;
            }
            batched.touch(hashes, count);
            assertThat(batched.addAll(hashes, count)).as("round %d", round).isEqualTo(expected);
        }
        assertThat(batched.estimatedSize()).isEqualTo(single.estimatedSize());
        assertThat(batched.falsePositiveRate()).isEqualTo(single.falsePositiveRate());
    }

    @ParameterizedTest
    @EnumSource
    void touchChangesNothing(Kind kind) {
        Membership membership = kind.create(1000, 1e-3, SEED);
        long[] hashes = new Random(SEED).longs(2L * Membership.BATCH).toArray();
        membership.touch(hashes, Membership.BATCH);
        assertThat(membership.estimatedSize()).isZero();
        assertThat(membership.addAll(hashes, Membership.BATCH)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void sizeIsEstimatedWithinOnePercentFromATenthToTwiceTheCapacity(Kind kind) {
        for (double rate : new double[] {1e-2, 1e-4}) {
            int capacity = 200_000;
            Membership membership = kind.create(capacity, rate, SEED);
            for (int tenths = 1; tenths <= 20; tenths++) {
                Keys.add(membership, (tenths - 1) * capacity / 10, tenths * capacity / 10);
                assertThat((double) membership.estimatedSize())
                        .as("at %d tenths of the capacity, rate %s", tenths, rate)
                        .isCloseTo(tenths * capacity / 10.0, withinPercentage(1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void keysOfAnotherSeedAreOthers(Kind kind) {
        Membership membership = kind.create(10_000, 1e-3, SEED);
        Keys.add(membership, 0, 10_000);
        Membership other = kind.create(10_000, 1e-3, Memberships.randomSeed());
        Keys.add(other, 0, 10_000);
        Keys keys = new Keys(SEED);
        int shared = 0;
        for (int i = 0; i < 10_000; i++) {
            keys.of(i);
            shared += other.mightContain(keys.h1(), keys.h2()) ? 1 : 0;
        }
        assertThat(shared).isLessThan(100);
    }
}
