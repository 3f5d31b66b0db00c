package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;

/**
 * The distribution of durations, in buckets of which each is 9 % wider than the one before, so that a percentile is exact
 * within 5 %. Takes about 600 bytes.
 */
final class Histogram {
    private static final int PER_OCTAVE = 8;
    /** Up to 2^17 ms, two minutes; the last one is for all that is longer. */
    private static final int BUCKETS = 17 * PER_OCTAVE + 2;

    private final int[] counts = new int[BUCKETS];
    private long number;

    void add(long millis) {
        counts[bucket(millis)]++;
        number++;
    }

    /** Returns the buckets that are not empty: the index and the count of each, one after the other. */
    List<Integer> kept() {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < BUCKETS; i++) {
            if (counts[i] > 0) {
                kept.add(i);
                kept.add(counts[i]);
            }
        }
        return kept;
    }

    /** Adds stored buckets. */
    void add(List<Integer> kept) {
        for (int i = 0; i + 1 < kept.size(); i += 2) {
            counts[Math.max(0, Math.min(BUCKETS - 1, kept.get(i)))] += kept.get(i + 1);
            number += kept.get(i + 1);
        }
    }

    private static int bucket(long millis) {
        if (millis < 1) {
            return 0;
        }
        return (int) Math.min(BUCKETS - 1, 1 + Math.round(Math.log((double) millis) / Math.log(2) * PER_OCTAVE));
    }

    /** Returns the duration in milliseconds that a share of all does not exceed; 0 without any. */
    long percentile(double share) {
        long rank = (long) Math.ceil(share * number);
        int bucket = 0;
        for (long below = counts[0]; below < rank; below += counts[bucket]) {
            bucket++;
        }
        return bucket == 0 ? 0 : Math.round(Math.pow(2, (bucket - 1.0) / PER_OCTAVE));
    }
}
