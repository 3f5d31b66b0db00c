package dev.sieve.serve;

import java.util.concurrent.TimeUnit;

/** A moment on a clock that never runs backwards, for leases and delays, and the time since 1970, for what is stored. */
record Moment(long nanos, long seconds) {
    /** Longer durations are reduced to this, so that sums and differences do not overflow: ten years. */
    private static final long LONGEST_SECONDS = 10L * 366 * 24 * 3600;

    static Moment now() {
        return new Moment(System.nanoTime(), TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }

    /** Returns a later moment of the first clock. */
    long after(long moreSeconds) {
        return nanos + TimeUnit.SECONDS.toNanos(Math.max(0, Math.min(LONGEST_SECONDS, moreSeconds)));
    }

    /** Returns the moment of the first clock at a date, which is unsigned. */
    long at(long date) {
        return isBefore(date) ? after(date < 0 ? LONGEST_SECONDS : date - seconds) : nanos;
    }

    /** Whether this moment is before a date, which is unsigned. */
    boolean isBefore(long date) {
        return Long.compareUnsigned(date, seconds) > 0;
    }
}
