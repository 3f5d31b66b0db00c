package dev.sieve.durable;

import java.util.Arrays;

/**
 * Answers to leases that are not written yet.
 *
 * <p>An answer that a crash takes away costs one more fetch and nothing else, so they wait for company: for the next
 * URLs, or until there are {@link #WINDOW} of them. Not safe for use by many threads.
 */
final class AnswerBuffer {
    /** So many answers at most wait to be written. */
    static final int WINDOW = 512;

    private final long[] done = new long[WINDOW];
    private final long[] retried = new long[WINDOW];
    private final int[] attempts = new int[WINDOW];
    private int doneCount;
    private int retryCount;

    void done(long id) {
        done[doneCount++] = id;
    }

    /** Notes that a URL was given back and is now at such an attempt. */
    void retry(long id, int attempt) {
        retried[retryCount] = id;
        attempts[retryCount++] = attempt;
    }

    boolean isFull() {
        return doneCount + retryCount >= WINDOW;
    }

    boolean isEmpty() {
        return doneCount + retryCount == 0;
    }

    /** Puts all answers into frames and forgets them. */
    void drain(FrameWriter out) {
        if (doneCount > 0) {
            writeDone(out);
        }
        if (retryCount > 0) {
            out.begin(FrameKind.RETRY);
            for (int i = 0; i < retryCount; i++) {
                out.putNumber(retried[i]);
                out.putNumber(attempts[i]);
            }
            out.end();
        }
        doneCount = 0;
        retryCount = 0;
    }

    private void writeDone(FrameWriter out) {
        Arrays.sort(done, 0, doneCount);
        out.begin(FrameKind.DONE);
        long before = 0;
        for (int i = 0; i < doneCount; i++) {
            out.putNumber(done[i] - before);
            before = done[i];
        }
        out.end();
    }
}
