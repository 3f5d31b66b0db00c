package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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
            assertThat(batched.addAbsent(hashes, batched.absent(hashes, count)))
                    .as("round %d", round)
                    .isEqualTo(expected);
        }
        assertThat(batched.estimatedSize()).isEqualTo(single.estimatedSize());
        assertThat(batched.falsePositiveRate()).isEqualTo(single.falsePositiveRate());
    }

    @ParameterizedTest
    @EnumSource
    void askingChangesNothing(Kind kind) {
        Membership membership = kind.create(1000, 1e-3, SEED);
        long[] hashes = new Random(SEED).longs(2L * Membership.BATCH).toArray();
        assertThat(membership.absent(hashes, Membership.BATCH)).isEqualTo(-1);
        assertThat(membership.estimatedSize()).isZero();
        assertThat(membership.addAbsent(hashes, -1)).isEqualTo(-1);
        // One that counts its keys wants to be told of every one.
        assertThat(membership.absent(hashes, Membership.BATCH)).isEqualTo(kind == Kind.COUNTING ? -1 : 0);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COUNTING")
    void aReaderSeesAllAddedKeysAndNoOthers(Kind kind) throws Exception {
        int all = 200_000;
        // Small, so that what grows does so while it is asked.
        Membership membership = kind.create(kind == Kind.GROWING ? 2000 : all, 1e-6, SEED);
        AtomicInteger added = new AtomicInteger();
        Callable<long[]> reader = () -> {
            Keys keys = new Keys(SEED);
            Random random = new Random(SEED);
            long[] hashes = new long[2 * Membership.BATCH];
            long[] askedDeniedConfused = new long[3];
            for (int upTo = 0; upTo < all; ) {
                upTo = added.get();
                long there = 0;
                for (int i = 0; i < Membership.BATCH; i++) {
                    boolean isThere = i % 2 == 0 && upTo > 0;
                    // The keys below 0 are never added.
                    keys.of(isThere ? random.nextInt(upTo) : -1 - random.nextInt(all));
                    hashes[2 * i] = keys.h1();
                    hashes[2 * i + 1] = keys.h2();
                    there |= isThere ? 1L << i : 0;
                }
                long absent = membership.absent(hashes, Membership.BATCH);
                askedDeniedConfused[0] += Membership.BATCH;
                askedDeniedConfused[1] += Long.bitCount(there & absent);
                askedDeniedConfused[2] += Long.bitCount(~there & ~absent);
            }
            return askedDeniedConfused;
        };
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<long[]>> readers = List.of(pool.submit(reader), pool.submit(reader));
            for (int i = 0; i < all; i++) {
                Keys.add(membership, i, i + 1);
                added.set(i + 1);
            }
            for (Future<long[]> each : readers) {
                long[] askedDeniedConfused = each.get();
                assertThat(askedDeniedConfused[1]).as("denied").isZero();
                assertThat(askedDeniedConfused[2])
                        .as("confused, at a rate of 1e-6")
                        .isLessThanOrEqualTo(10 + askedDeniedConfused[0] / 100_000);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void sizeEstimateIsWithinOnePercent(Kind kind) {
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
