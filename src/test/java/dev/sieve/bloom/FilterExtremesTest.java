package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** The smallest, the fullest and the largest. */
class FilterExtremesTest {
    private static final long SEED = 88;

    @Test
    void filterOfOneBitIsFullAfterOneKey() {
        BloomFilter filter = BloomFilter.of(1, 1, 0);
        assertThat(filter.add("a")).isTrue();
        assertThat(filter.add("b")).isFalse();
        assertThat(filter.estimatedSize()).isEqualTo(1);
        assertThat(filter.falsePositiveRate()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 127, 128, 1000})
    void filterWhoseEveryBitIsSetStaysFinite(int bits) {
        BloomFilter filter = BloomFilter.of(bits, 3, 0);
        Random random = new Random(SEED);
        for (int i = 0; i < 100_000; i++) {
            filter.add(random.nextLong(), random.nextLong());
        }
        assertThat(filter.falsePositiveRate()).isEqualTo(1);
        assertThat(filter.estimatedSize()).isBetween(0L, 100_000L);
        assertThat(filter.add("a new key")).isFalse();
    }

    @Test
    void bitsAndHashesAreWhatWasAskedFor() {
        BloomFilter filter = BloomFilter.of(20_000, 10, 0);
        assertThat(filter.cells).isEqualTo(20_000);
        assertThat(filter.hashes()).isEqualTo(10);
        assertThat(filter.capacity()).isEqualTo(1386);
        assertThat(filter.seed()).isZero();
        assertThat(BloomFilter.create(1_000_000, 0.01, 0).hashes()).isEqualTo(7);
        assertThat(BloomFilter.create(1_000_000, 0.01, 0).capacity()).isEqualTo(1_000_000);
    }

    @Test
    void bitsBeyondThirtyTwoBitsOfIndexAreUsed() {
        BloomFilter filter = BloomFilter.of(2_500_000_000L, 4, 0);
        for (int i = 0; i < 1000; i++) {
            filter.add(-1L - i * (1L << 40), 1L << 62);
        }
        assertThat(filter.estimatedSize()).isBetween(990L, 1010L);
        assertThat(filter.memoryBytes()).isEqualTo(312_500_000);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "EXACT")
    void filterForOneKeyHoldsIt(Kind kind) {
        Membership membership = kind.create(1, 0.5, SEED);
        assertThat(membership.add("a")).isTrue();
        assertThat(membership.mightContain("a")).isTrue();
        Keys.add(membership, 0, 1000);
        assertThat(membership.estimatedSize()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "EXACT")
    void sizesThatCannotBeAreRefusedByName(Kind kind) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.create(0, 0.01, SEED))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.create(Long.MIN_VALUE, 0.01, SEED))
                .withMessageContaining(String.valueOf(Long.MIN_VALUE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.create(1000, Double.NaN, SEED))
                .withMessageContaining("NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.create(1_000_000_000_000L, 0.01, SEED))
                .withMessageContaining("at most 2147483639 words");
        assertThatIllegalArgumentException().isThrownBy(() -> kind.create(Long.MAX_VALUE, 1e-15, SEED));
    }

    @Test
    void randomSeedsDiffer() {
        assertThat(Memberships.randomSeed()).isNotEqualTo(Memberships.randomSeed());
    }

    @Test
    void overfullSplitBlocksStayFinite() {
        SplitBlockFilter filter = SplitBlockFilter.create(1, 0.5, SEED);
        Random random = new Random(SEED);
        for (int i = 0; i < 100_000; i++) {
            filter.add(random.nextLong(), random.nextLong());
        }
        assertThat(filter.falsePositiveRate()).isEqualTo(1);
        assertThat(filter.estimatedSize()).isBetween(1L, 100_000L);
        assertThat(filter.cells).isEqualTo(512);
        assertThat(filter.add("a new key")).isFalse();
    }

    @Test
    void badBitsAndHashesAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomFilter.of(0, 1, 0))
                .withMessageContaining("bits must be at least 1: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomFilter.of(1, 0, 0))
                .withMessageContaining("hashes must be from 1 to 255: 0");
        assertThatIllegalArgumentException().isThrownBy(() -> BloomFilter.of(Long.MAX_VALUE, 1, 0));
    }

    @Test
    void exactSetTakesAtMostTwentyThreeBytesAKey() {
        ExactSet set = ExactSet.create(SEED);
        Keys.add(set, 0, 200_000);
        for (int size = 200_000; size < 600_000; size += 20_000) {
            assertThat(set.memoryBytes() / (double) set.estimatedSize()).isLessThan(23.5);
            Keys.add(set, size, size + 20_000);
        }
    }
}
