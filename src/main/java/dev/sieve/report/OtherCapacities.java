package dev.sieve.report;

import dev.sieve.Sieve;
import dev.sieve.bloom.BloomSize;
import java.util.List;
import java.util.stream.DoubleStream;

/** What filters of the default type would have cost a crawl: memory, and pages missed. */
final class OtherCapacities {
    private static final double RATE = Sieve.DEFAULT_FALSE_POSITIVE_RATE;
    private static final int LINE_BITS = 512;
    private static final int STEPS = 64;

    private OtherCapacities() {}

    /**
     * A filter of another capacity.
     *
     * @param rate the false-positive rate at the end of the crawl
     * @param missed the estimated number of pages missed
     */
    record Cost(long capacity, long memoryBytes, double rate, double missed) {}

    /**
     * Returns the costs of smaller and larger filters.
     *
     * @param urls distinct URLs that were found, those that were missed included
     */
    static List<Cost> of(long capacity, double urls) {
        return DoubleStream.of(0.1, 0.25, 0.5, 1, 2, 4, 10)
                .mapToLong(factor -> Math.round(factor * capacity))
                .filter(each -> each >= 1)
                .mapToObj(each -> cost(each, urls))
                .toList();
    }

    /**
     * A new URL is missed with the false-positive rate f of the moment, and is added otherwise: the filter grows by 1 - f
     * URLs for each.
     */
    private static Cost cost(long capacity, double urls) {
        long bits = BloomSize.splitBlockBits(capacity, RATE);
        int hashes = BloomSize.splitBlockHashes(RATE);
        double lines = (double) bits / LINE_BITS;
        double step = urls / STEPS;
        double size = 0;
        double missed = 0;
        for (int i = 0; i < STEPS; i++) {
            double rate = BloomSize.splitBlockRate((size + step / 2) / lines, hashes);
            size += step * (1 - rate);
            missed += step * rate;
        }
        return new Cost(capacity, bits / Byte.SIZE, BloomSize.splitBlockRate(size / lines, hashes), missed);
    }
}
