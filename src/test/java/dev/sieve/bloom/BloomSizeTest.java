package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, 1e-15})
    void splitBlockFormulasAgreeWithEachOther(double rate) {
        long bits = BloomSize.splitBlockBits(1_000_000, rate);
        int hashes = BloomSize.splitBlockHashes(rate);
        assertThat(bits % 512).isZero();
        assertThat(BloomSize.splitBlockRate(1_000_000 * 512.0 / bits, hashes))
                .isLessThanOrEqualTo(rate)
                .isCloseTo(rate, withinPercentage(0.1));
        assertThat((double) BloomSize.splitBlockKeys(bits, rate)).isCloseTo(1_000_000, offset(300.0));
    }

    /** One line that always holds j keys would be wrong at (1 - (63/64)^j)^8; lines that vary are wrong more often. */
    @Test
    void unevenLinesCostMoreThanEvenOnes() {
        double even = Math.pow(1 - Math.pow(63 / 64.0, 40), 8);
        assertThat(BloomSize.splitBlockRate(40, 8)).isBetween(1.1 * even, 1.5 * even);
    }

    @ParameterizedTest
    @CsvSource({"2, 60", "20, 994", "200, 10000"})
    void splitBlockRateOfFewLinesIsBinomial(int lines, int keys) {
        double rate = 0;
        double probability = Math.pow(1 - 1.0 / lines, keys);
        for (int j = 0; j <= keys; j++) {
            rate += probability * Math.pow(1 - Math.pow(1 - 8 / 512.0, j), 8);
            probability *= (double) (keys - j) / (j + 1) / (lines - 1);
        }

        assertThat(BloomSize.splitBlockRate((double) keys / lines, lines, 8)).isCloseTo(rate, withinPercentage(1e-6));
        assertThat(BloomSize.splitBlockRate((double) keys / lines, 8)).isGreaterThan(rate);
    }

    @Test
    void splitBlockRateGoesFromNothingToOne() {
        assertThat(BloomSize.splitBlockRate(0, 8)).isZero();
        double rate = 0;
        for (double keysPerLine = 0.5; keysPerLine < 5000; keysPerLine *= 1.5) {
            assertThat(BloomSize.splitBlockRate(keysPerLine, 16)).isGreaterThanOrEqualTo(rate);
            rate = BloomSize.splitBlockRate(keysPerLine, 16);
        }
        assertThat(rate).isEqualTo(1);
        assertThat(BloomSize.splitBlockRate(1e300, 8)).isEqualTo(1);
    }

    @Test
    void eightBitsAKeyServeHighRatesAndSixteenLowOnes() {
        assertThat(BloomSize.splitBlockHashes(1e-3)).isEqualTo(8);
        assertThat(BloomSize.splitBlockHashes(1e-4)).isEqualTo(16);
    }

    @Test
    void estimateStaysFiniteWhenEveryBitIsSet() {
        assertThat(BloomSize.estimate(1024, 1024, 7)).isFinite().isGreaterThan(BloomSize.estimate(1023, 1024, 7));
        assertThat(BloomSize.estimate(1, 1, 1)).isFinite().isPositive();
    }

    @Test
    void hugeNumbersSaturate() {
        assertThat(BloomSize.bits(Long.MAX_VALUE, 1e-15)).isEqualTo(Long.MAX_VALUE);
        assertThat(BloomSize.splitBlockBits(Long.MAX_VALUE, 1e-15)).isGreaterThan(Long.MAX_VALUE - 512);
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
