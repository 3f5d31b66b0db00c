package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

    /** Adds a write. */
    synchronized void add(Runnable repetition, long size, long now) {
        writes.add(new Write(repetition, now, size));
        bytes += size;
        while (bytes > MAX_BYTES) {
            bytes -= writes.remove().bytes;
        }
    }

    /** Notes that the engine is there, and can lose only the latest of what was written until then. */
    synchronized void stored(long now) {
        while (!writes.isEmpty() && now - writes.peek().nanos > KEPT_NANOS) {
            bytes -= writes.remove().bytes;
        }
    }

    /** Returns what repeats the writes that the engine may have lost. */
    synchronized List<Runnable> all() {
        return writes.stream().map(Write::repetition).toList();
    }
}
