package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.SplitBlockFilter;
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
    void splitBlocksBecomeClassicAtVeryLowRates() {
        assertThat(FilterKind.SPLIT_BLOCKS.create(1000, 0.5, 1)).isInstanceOf(SplitBlockFilter.class);
        assertThat(FilterKind.SPLIT_BLOCKS.create(1000, 1e-6, 1)).isInstanceOf(SplitBlockFilter.class);
        assertThat(FilterKind.SPLIT_BLOCKS.create(1000, 1e-7, 1)).isInstanceOf(BloomFilter.class);
        assertThatIllegalArgumentException().isThrownBy(() -> FilterKind.SPLIT_BLOCKS.create(1000, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> FilterKind.SPLIT_BLOCKS.create(1000, Double.NaN, 1));
    }

    @ParameterizedTest
    @EnumSource
    void statisticsNameTheFilter(FilterKind kind) {
        for (double rate : new double[] {0.5, 1e-4, 1e-7}) {
            Sieve sieve = Sieve.builder()
                    .capacity(10)
                    .filter(kind)
                    .falsePositiveRate(rate)
                    .build();
            assertThat(sieve.stats().filter()).isEqualTo(kind.at(rate));
            assertThat(sieve.stats().isExact()).isEqualTo(kind == FilterKind.EXACT);
        }
        assertThat(FilterKind.SPLIT_BLOCKS.at(1e-7)).isEqualTo(FilterKind.CLASSIC);
    }

    @Test
    void defaultFilterFollowsFromTheChoiceForAFullOne() {
        assertThat(FilterKind.forOnFull(null)).isEqualTo(FilterKind.SPLIT_BLOCKS);
        for (OnFull choice : OnFull.values()) {
            assertThat(FilterKind.forOnFull(choice).supports(choice)).isTrue();
            assertThat(Sieve.builder()
                            .capacity(10)
                            .onFull(choice)
                            .build()
                            .stats()
                            .filter())
                    .isEqualTo(FilterKind.forOnFull(choice));
        }
    }

    @Test
    void exactFilterStartsWithNextToNothing() {
        assertThat(FilterKind.EXACT.memoryBytes(Long.MAX_VALUE, 1e-4)).isZero();
    }

    /** Each would be an OutOfMemoryError in the heap of the tests. */
    @ParameterizedTest
    @ValueSource(longs = {5_000_000_000L, 10_000_000_000L, Long.MAX_VALUE})
    void filterThatDoesNotFitIsRefusedWithItsSize(long urls) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sieve(urls))
                .withMessageMatching(
                        "a filter with a capacity of [\\d,]+ URLs at a false-positive rate of 1.0E-4 needs [\\d,]+ MB, but"
                                + " (the heap|a filter) is limited .*to [\\d,]+ MB");
    }

    @Test
    void filterTooLargeForTheHeapNamesTheHeap() {
        long urls = Runtime.getRuntime().maxMemory() / 2;

        assertThatIllegalArgumentException().isThrownBy(() -> new Sieve(urls)).withMessageContaining("-Xmx");
    }
}
