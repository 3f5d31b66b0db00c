package dev.sieve;

/**
 * A frontier's counters at one moment; while others push, {@code seen} may be that of a moment later.
 *
 * @param accepted URLs that were new
 * @param seen URLs that were rejected as seen before, wrongly in about {@code estimatedMissed} cases
 * @param pending URLs that wait to be handed out
 * @param inFlight URLs that are handed out and not answered
 * @param done URLs that are done, or were popped
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate the share of new URLs that would be taken for seen ones at this moment
 * @param estimatedMissed new URLs that were taken for seen ones so far, on average
 * @param memoryBytes memory of the filter in bytes, without the queue
 */
public record SieveStats(
        long accepted,
        long seen,
        long pending,
        long inFlight,
        long done,
        long estimatedSize,
        long capacity,
        double falsePositiveRate,
        double estimatedMissed,
        long memoryBytes) {}
