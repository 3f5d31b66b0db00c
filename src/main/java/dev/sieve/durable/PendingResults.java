package dev.sieve.durable;

import java.util.Arrays;

/**
 * Results of leases, done or retried, that were not written to the log yet.
 *
 * <p>They are written together with the next URLs, or when there are {@link #LIMIT} of them: a result that is lost in a
 * crash only costs one more fetch. Not safe for use by many threads.
 */
final class PendingResults {
    /** The maximum number of unwritten results. */
    static final int LIMIT = 512;

    private final long[] done = new long[LIMIT];
    private final long[] retried = new long[LIMIT];
    private final int[] attempts = new int[LIMIT];
    private int doneCount;
    private int retryCount;

    void done(long id) {
        done[doneCount++] = id;
    }

    void retry(long id, int attempt) {
        retried[retryCount] = id;
        attempts[retryCount++] = attempt;
    }

    boolean isFull() {
        return doneCount + retryCount >= LIMIT;
    }

    boolean isEmpty() {
        return doneCount + retryCount == 0;
    }

    /** Writes all results as frames and removes them. */
    void drain(FrameWriter out) {
        if (doneCount > 0) {
            Arrays.sort(done, 0, doneCount);
            out.begin(FrameKind.DONE);
            long before = 0;
            for (int i = 0; i < doneCount; i++) {
                out.putNumber(done[i] - before);
                before = done[i];
            }
            out.end();
        }
        if (retryCount > 0) {
            out.begin(FrameKind.RETRY);
            for (int i = 0; i < retryCount; i++) {
                out.putNumbers(retried[i], attempts[i]);
            }
            out.end();
        }
        doneCount = 0;
        retryCount = 0;
    }
}
