package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The {@link RepeatableWrites} that the engine may still lose, with the end of its log: kept until they are safe. Safe for use by
 * many threads.
 */
final class RecentWrites {
    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    private final Semaphore room;

    /**
     * Creates an empty list.
     *
     * @param room receives the permits of what is safe
     */
    RecentWrites(Semaphore room) {
        this.room = room;
    }

    /** A write. Guarded by the monitor, but what is final. */
    static final class Write {
        final Runnable repetition;
        private final int permits;
        /** When it was made last. */
        private long nanos;
        /** The run of the engine that may have it. */
        private Run run;

        private Write(Runnable repetition, int permits, long nanos, Run run) {
            this.repetition = repetition;
            this.permits = permits;
            this.nanos = nanos;
            this.run = run;
        }
    }

    /**
     * Adds a write that was made.
     *
     * @param ofWrite the run of the engine before the write
     */
    synchronized void add(Runnable repetition, int permits, Run ofWrite, long now) {
        writes.add(new Write(repetition, permits, now, ofWrite));
    }

    /** Returns the writes that have to be repeated, since a run before the present one may have lost them. */
    synchronized List<Write> lost(Run present) {
        return writes.stream().filter(write -> write.run != present).toList();
    }

    /** Notes that a write was repeated; parameters as those of {@link #add}. */
    synchronized void repeated(Write write, Run ofWrite, long now) {
        write.run = ofWrite;
        write.nanos = now;
    }

    /** Forgets what was written before a time, in the present run: the engine cannot lose it any more. */
    synchronized void forget(Run present, long until) {
        writes.removeIf(write -> {
            boolean isSafe = write.run == present && until - write.nanos > 0;
            room.release(isSafe ? write.permits : 0);
            return isSafe;
        });
    }

    synchronized boolean isEmpty() {
        return writes.isEmpty();
    }
}
