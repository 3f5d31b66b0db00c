package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterKindTest {
    @ParameterizedTest
    @EnumSource(names = {"SPLIT_BLOCKS", "CLASSIC", "GROWING"})
    void memoryIsPredictedToTheLine(FilterKind kind) {
        for (double rate : new double[] {0.5, 1e-2, 1e-4, 1e-6, 0.9e-6, 1e-15}) {
            for (long urls : new long[] {1, 1000, 123_456}) {
                long bytes = kind.create(urls, rate, 0).memoryBytes();

                assertThat(kind.memoryBytes(urls, rate)).isBetween(bytes - 64, bytes);
            }
        }
    }

    @Test
    void anExactFilterStartsWithNextToNothing() {
        assertThat(FilterKind.EXACT.memoryBytes(Long.MAX_VALUE, 1e-4)).isZero();
    }

    /** Each would be an OutOfMemoryError in the heap of the tests. */
    @ParameterizedTest
    @ValueSource(longs = {5_000_000_000L, 10_000_000_000L, Long.MAX_VALUE})
    void aFilterThatDoesNotFitIsRefusedWithItsSize(long urls) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sieve(urls))
                .withMessageMatching(
                        "a filter for [\\d,]+ URLs at a false-positive rate of 1.0E-4 needs [\\d,]+ MB, but"
                                + " (the heap|a filter) is limited .*to [\\d,]+ MB");
    }

    @Test
    void aFilterThatFitsIntoAnArrayButNotIntoTheHeapNamesTheHeap() {
        long urls = Runtime.getRuntime().maxMemory() / 2;

        assertThatIllegalArgumentException().isThrownBy(() -> new Sieve(urls)).withMessageContaining("-Xmx");
    }
}
