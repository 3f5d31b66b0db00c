package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BloomSizeTest {

    @Test
    void textbookValues() {
        assertThat(BloomSize.bits(1_000_000, 0.01)).isEqualTo(9_585_059);
        assertThat(BloomSize.hashes(0.01)).isEqualTo(7);
        assertThat(BloomSize.hashes(1e-4)).isEqualTo(13);
        assertThat(BloomSize.rate(1_000_000, 20_000_000, 10)).isCloseTo(0.0000889, withinPercentage(0.1));
    }

    /** The claim that a billion URLs at 0.01 % fit into 18 MB, and the two numbers that it meets. */
    @Test
    void billionKeysAtOneInTenThousandTakeGigabytes() {
        assertThat(BloomSize.bits(1_000_000_000, 1e-4) / 8e9).isCloseTo(2.396, offset(0.001));
        assertThat(BloomSize.floorBits(1_000_000_000, 1e-4) / 8e9).isCloseTo(1.661, offset(0.001));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-8})
    void formulasAgreeWithEachOther(double rate) {
        long bits = BloomSize.bits(1_000_000, rate);
        int hashes = BloomSize.hashes(rate);
        assertThat(BloomSize.rate(1_000_000, bits, hashes)).isCloseTo(rate, withinPercentage(3));
        assertThat((double) BloomSize.keys(bits, rate)).isCloseTo(1_000_000, offset(2.0));
        long setBits = Math.round(BloomSize.expectedSetBits(1_000_000, bits, hashes));
        assertThat(BloomSize.estimate(setBits, bits, hashes)).isCloseTo(1_000_000, offset(2.0));
    }

    @Test
    void estimateStaysFiniteWhenEveryBitIsSet() {
        assertThat(BloomSize.estimate(1024, 1024, 7)).isFinite().isGreaterThan(BloomSize.estimate(1023, 1024, 7));
        assertThat(BloomSize.estimate(1, 1, 1)).isFinite().isPositive();
    }

    @Test
    void hugeNumbersSaturate() {
        assertThat(BloomSize.bits(Long.MAX_VALUE, 1e-15)).isEqualTo(Long.MAX_VALUE);
        assertThat(BloomSize.rate(Long.MAX_VALUE, 1, 255)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 0.51, 1, 2, 1e-16, Double.NaN, Double.POSITIVE_INFINITY})
    void rateOutsideOfItsRangeIsRefused(double rate) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomSize.bits(1, rate))
                .withMessageContaining(String.valueOf(rate));
        assertThatIllegalArgumentException().isThrownBy(() -> BloomSize.hashes(rate));
        assertThatIllegalArgumentException().isThrownBy(() -> BloomSize.keys(1, rate));
    }

    @Test
    void otherBadValuesAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomSize.bits(0, 0.01))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomSize.keys(-5, 0.01))
                .withMessageContaining("-5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BloomSize.rate(1, 1, 256))
                .withMessageContaining("256");
    }
}
