package dev.sieve;

/**
 * A frontier's counters at one moment; {@code seen} may already include pushes of a moment later.
 *
 * @param accepted URLs that were new; where URLs can be queued again, each time counts
 * @param seen URLs that were rejected as seen before, about {@code estimatedMissed} of them by mistake
 * @param pending URLs that wait to be handed out
 * @param inFlight URLs that are handed out and neither done nor given back
 * @param done URLs that are done, or were popped
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate current share of new URLs that are mistaken for seen ones
 * @param estimatedMissed estimated number of pages missed so far
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
