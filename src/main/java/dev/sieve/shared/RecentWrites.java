package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was written lately and the engine may still lose, and is repeated when it has lost the end of its log: seeds, which
 * come from no page, and shared lines. Links come again with their page. Safe for use by many threads.
 */
final class RecentWrites {
    private static final long MAX_BYTES = 8 << 20;

    private static final class Write {
        final Runnable repetition;
        final long nanos;
        final long bytes;
        /** The run of the engine that may have it. */
        Run run;

        Write(Runnable repetition, long nanos, long bytes, Run run) {
            this.repetition = repetition;
            this.nanos = nanos;
            this.bytes = bytes;
            this.run = run;
        }
    }

    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    private long bytes;
    private @Nullable Run run;

    /**
     * Adds a write.
     *
     * @param ofWrite the run of the engine before the write
     */
    synchronized void add(Runnable repetition, long size, Run ofWrite, long now) {
        writes.add(new Write(repetition, now, size, ofWrite));
        bytes += size;
        while (bytes > MAX_BYTES) {
            bytes -= writes.remove().bytes;
        }
    }

    /**
     * Notes the run of the engine.
     *
     * @return what repeats the writes that an earlier run may have lost; nothing in the same run
     */
    synchronized List<Runnable> beat(Run present) {
        run = present;
        List<Write> lost = writes.stream().filter(write -> write.run != present).toList();
        lost.forEach(write -> write.run = present);
        return lost.stream().map(write -> write.repetition).toList();
    }

    /** Forgets what was written before a time, in the present run: the engine cannot lose it any more. */
    synchronized void forget(Run present, long until) {
        while (!writes.isEmpty() && writes.peek().run == present && until - writes.peek().nanos > 0) {
            bytes -= writes.remove().bytes;
        }
    }

    synchronized boolean isEmpty() {
        return writes.isEmpty();
    }

    /** Returns whether the last beat was in a run. */
    synchronized boolean isOf(Run other) {
        return run == other;
    }
}
