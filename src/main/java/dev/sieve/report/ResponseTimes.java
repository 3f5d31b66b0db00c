package dev.sieve.report;

/** How many responses took how long, in the buckets of a histogram for Prometheus. Its owner guards it. */
final class ResponseTimes {
    /** Upper bounds of the buckets in milliseconds; one more bucket has none. */
    private static final long[] BOUNDS = {10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000};

    private final long[] counts;
    private double sumSeconds;

    ResponseTimes() {
        this(new long[BOUNDS.length + 1], 0);
    }

    private ResponseTimes(long[] counts, double sumSeconds) {
        this.counts = counts;
        this.sumSeconds = sumSeconds;
    }

    void add(long millis) {
        int bucket = 0;
        while (bucket < BOUNDS.length && millis > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket]++;
        sumSeconds += millis / 1e3;
    }

    ResponseTimes copy() {
        return new ResponseTimes(counts.clone(), sumSeconds);
    }

    /** Returns the upper bounds of all buckets in seconds. */
    static double[] bounds() {
        double[] seconds = new double[BOUNDS.length + 1];
        for (int i = 0; i < BOUNDS.length; i++) {
            seconds[i] = BOUNDS[i] / 1e3;
        }
        seconds[BOUNDS.length] = Double.POSITIVE_INFINITY;
        return seconds;
    }

    /** Returns the number of responses in each bucket alone. */
    long[] counts() {
        return counts.clone();
    }

    double sumSeconds() {
        return sumSeconds;
    }
}
