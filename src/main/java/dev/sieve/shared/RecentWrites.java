package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What was written in the last seconds in which the engine was there, and is repeated when it has lost the end of its log:
 * seeds, which come from no page, and shared lines. Links come again with their page. Safe for use by many threads.
 */
final class RecentWrites {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_BYTES = 8 << 20;

    private record Write(Runnable repetition, long nanos, long bytes) {}

    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    private long bytes;
    private @Nullable Run run;

    /** Adds a write. */
    synchronized void add(Runnable repetition, long size, long now) {
        writes.add(new Write(repetition, now, size));
        bytes += size;
        while (bytes > MAX_BYTES) {
            bytes -= writes.remove().bytes;
        }
    }

    /**
     * Notes that the engine is there, and can lose only the latest of what was written until then.
     *
     * @return what repeats the writes that an earlier run may have lost; nothing in the same run
     */
    synchronized List<Runnable> beat(Run present, long now) {
        boolean isNew = run != null && run != present;
        run = present;
        if (isNew) {
            return writes.stream().map(Write::repetition).toList();
        }
        while (!writes.isEmpty() && now - writes.peek().nanos > KEPT_NANOS) {
            bytes -= writes.remove().bytes;
        }
        return List.of();
    }

    /** Returns whether the last beat was in a run. */
    synchronized boolean isOf(Run other) {
        return run == other;
    }
}
