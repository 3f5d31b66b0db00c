package dev.sieve;

/**
 * The size of a filter has passed a threshold, or the number of missed pages has passed 1, 10, 100 and so on. There is
 * one event per threshold, or several thresholds at once, and filter.
 *
 * @param threshold the share of the capacity that was passed: 0.8, 1, 2, 4, 8 and so on; for missed pages, the present
 *     share
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate current share of new URLs that are mistaken for seen ones
 * @param estimatedMissed estimated number of pages missed so far; see {@link SieveStats#isLowerBound}
 * @param memoryBytes memory of the filter in bytes
 * @param onFull what happens above the capacity
 */
public record CapacityEvent(
        double threshold,
        long estimatedSize,
        long capacity,
        double falsePositiveRate,
        double estimatedMissed,
        long memoryBytes,
        OnFull onFull) {

    /** Whether the false-positive rate is above the one requested, since the filter is full and does not grow. */
    public boolean isError() {
        return threshold > 1 && onFull == OnFull.WARN;
    }
}
