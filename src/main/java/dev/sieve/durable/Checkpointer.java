package dev.sieve.durable;

import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import dev.sieve.io.Disk;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Writes checkpoints, and deletes what they replace: older checkpoints except one, in case the newest gets damaged, and
 * segments whose URLs are all done and that neither of the two needs.
 *
 * <p>One checkpoint is written at a time; the lock of the frontier is only held while its state is copied.
 */
final class Checkpointer {
    private final Disk disk;
    private final Settings settings;
    private final boolean keepLog;
    /** The bytes of the log between two checkpoints: at least the size of the filter. */
    private final long bytes;

    private final SegmentLog log;
    private final LogWriter writer;
    private final LogState state;
    private final Membership filter;
    private final ReentrantLock lock;

    /** Held while a checkpoint is written; taken before all other locks. Guards the three fields below. */
    private final ReentrantLock checkpointing = new ReentrantLock();

    private int next;
    private int newest; // checkpoint on the disk; 0 without one
    private LogPosition newestPosition;

    /** {@link LogWriter#written} at the start of the last checkpoint. Guarded by the lock of the frontier. */
    private long begunAt;

    Checkpointer(
            Disk disk,
            Settings settings,
            boolean keepLog,
            long bytes,
            Recovery.Found found,
            SegmentLog log,
            LogWriter writer,
            ReentrantLock lock) {
        this.disk = disk;
        this.settings = settings;
        this.keepLog = keepLog;
        this.bytes = Math.max(bytes, found.filter().memoryBytes());
        this.log = log;
        this.writer = writer;
        this.state = found.checkpoint().state();
        this.filter = found.filter();
        this.lock = lock;
        next = found.lastCheckpoint() + 1;
        newest = found.checkpoint().number();
        newestPosition = found.checkpoint().position();
    }

    /** Makes a checkpoint due, whatever was written to the log. */
    void makeDue() {
        lock.lock();
        try {
            begunAt = Long.MIN_VALUE / 2;
        } finally {
            lock.unlock();
        }
    }

    /** Whether enough was written to the log since the last checkpoint, or the next one deletes as much. */
    boolean isDue() {
        return locked(() -> writer.written() - begunAt >= bytes || finished().size() >= log.segments(bytes));
    }

    /** Whether the newest checkpoint contains all of the log. */
    boolean isCurrent() {
        return locked(() -> newest != 0 && newestPosition.equals(log.end()));
    }

    /** Asks under both locks. Without memory, even waiting for a lock may fail; the other one is then given back. */
    private boolean locked(BooleanSupplier question) {
        checkpointing.lock();
        try {
            lock.lock();
            try {
                return question.getAsBoolean();
            } finally {
                lock.unlock();
            }
        } finally {
            checkpointing.unlock();
        }
    }

    /** Writes a checkpoint, with counters that are read under the lock. When that fails, the log is not affected. */
    void write(Supplier<SieveStats> stats) throws IOException {
        checkpointing.lock();
        try {
            FrameWriter content;
            LogPosition position;
            List<Segment> finished;
            lock.lock();
            try {
                writer.requireUsable();
                writer.flush();
                begunAt = writer.written();
                position = log.end();
                content = Checkpoint.frames(next, settings, position, log.segments(), state, stats.get());
                finished = finished();
            } finally {
                lock.unlock();
            }
            Checkpoint.write(disk, next, content, filter, () -> writer.force(null));
            delete(finished);
            newest = next++;
            newestPosition = position;
        } finally {
            checkpointing.unlock();
        }
    }

    private List<Segment> finished() {
        if (keepLog || newest == 0) {
            return List.of();
        }
        NavigableMap<Integer, Segment> segments = log.segments();
        return segments.headMap(newestPosition.segment(), false).values().stream()
                .filter(segment -> segment.isDone(segments, state.done()))
                .toList();
    }

    private void delete(List<Segment> finished) throws IOException {
        for (int number : FrontierFiles.list(disk).checkpoints()) {
            if (number != newest && number != next) {
                disk.delete(FrontierFiles.checkpoint(number));
            }
        }
        for (Segment segment : finished) {
            disk.delete(segment.name());
        }
        disk.forceNames();
        lock.lock();
        try {
            finished.forEach(log::remove);
        } finally {
            lock.unlock();
        }
    }
}
