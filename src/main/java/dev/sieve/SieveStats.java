package dev.sieve;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A frontier's counters at one moment; {@code seen} may already include pushes of a moment later.
 *
 * @param filter the kind of filter; null for any other class, such as the fingerprints of a shared frontier
 * @param accepted URLs that were new; where URLs can be queued again, each time counts
 * @param seen URLs that were rejected as seen before, about {@code estimatedMissed} of them by mistake
 * @param pending URLs that wait to be handed out
 * @param inFlight URLs that are handed out and neither done nor given back
 * @param done URLs that are done, or were popped
 * @param estimatedSize distinct URLs in the filter, estimated from its fill
 * @param capacity distinct URLs that the filter was made for
 * @param falsePositiveRate current share of new URLs that are mistaken for seen ones
 * @param estimatedMissed estimated number of pages missed so far; see {@link #isLowerBound}
 * @param memoryBytes memory of the filter in bytes, without the queue
 */
public record SieveStats(
        @Nullable FilterKind filter,
        long accepted,
        long seen,
        long pending,
        long inFlight,
        long done,
        long estimatedSize,
        long capacity,
        double falsePositiveRate,
        double estimatedMissed,
        long memoryBytes) {

    /** Returns whether the filter is exact: it misses no page and is never full, so its capacity has no meaning. */
    public boolean isExact() {
        return filter == FilterKind.EXACT;
    }

    /** Returns whether more pages may have been missed than estimated: the filter is so full that it hardly grows. */
    public boolean isLowerBound() {
        return isLowerBound(falsePositiveRate);
    }

    static boolean isLowerBound(double rate) {
        return rate > 0.9997;
    }

    /** Returns how many pages were missed, for people: {@code about 12 pages} or {@code at least 12,000 pages}. */
    static String missed(double estimate, double rate) {
        String form = estimate < 1 ? "less than one page" : estimate < 10 ? "%s %.2f pages" : "%s %,.0f pages";
        return String.format(Locale.ROOT, form, isLowerBound(rate) ? "at least" : "about", estimate);
    }

    /** Returns the counters and the filter in a line. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%,d accepted, %,d seen, %,d pending, %,d in flight, %,d done; filter of %,d bytes: about %,d of %,d URLs,"
                        + " false-positive rate %.2g, %s missed",
                accepted,
                seen,
                pending,
                inFlight,
                done,
                memoryBytes,
                estimatedSize,
                capacity,
                falsePositiveRate,
                missed(estimatedMissed, falsePositiveRate));
    }

    /** Returns the size divided by the capacity, above 1 when the filter is overfull; 0 for an exact filter. */
    public double fill() {
        return isExact() ? 0 : (double) estimatedSize / Math.max(1, capacity);
    }
}
