package dev.sieve;

/**
 * A threshold of its capacity that a sieve has passed; each is passed once.
 *
 * @param threshold the share of the capacity that was passed: 0.8, 1, 2, 4, 8 and so on
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate the share of new URLs that is taken for seen ones at this moment
 * @param estimatedMissed new URLs that were taken for seen ones so far, on average
 * @param memoryBytes memory of the filter in bytes
 * @param onFull what the sieve does past its capacity
 */
public record CapacityEvent(
        double threshold,
        long estimatedSize,
        long capacity,
        double falsePositiveRate,
        double estimatedMissed,
        long memoryBytes,
        OnFull onFull) {

    /** Whether the false-positive rate is no longer kept: the sieve is past its capacity and does not grow. */
    public boolean isError() {
        return threshold > 1 && onFull == OnFull.WARN;
    }
}
