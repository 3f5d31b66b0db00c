package dev.sieve;

/**
 * Tells that a sieve has passed a threshold of its capacity; each threshold is passed once.
 *
 * @param threshold the share of the capacity that was passed: 0.8, 1, 2, 4, 8 and so on
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate the share of new URLs that is taken for seen ones from here on, if nothing more is pushed
 * @param estimatedMissed new URLs that were turned away unseen so far, on average
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

    /** Whether the promise of the sieve is broken by now: it is beyond its capacity and goes on all the same. */
    public boolean isError() {
        return threshold > 1 && onFull == OnFull.WARN;
    }
}
