package dev.sieve.durable;

import dev.sieve.io.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the log: appends to the last one, starts the next one when it is full, and records how much of the log
 * was forced. Guarded by the lock of the frontier, except {@link Unforced#force} and {@link #store}, which any thread
 * calls.
 */
final class SegmentLog implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentLog.class);

    /** The files that must be forced so that all of the log before a position is on the disk. */
    record Unforced(List<Disk.Sink> sinks, LogPosition end) {
        void force() throws IOException {
            for (Disk.Sink sink : sinks) {
                sink.force();
            }
        }
    }

    private final Disk disk;
    private final long frontierId;
    private final long segmentBytes;
    private final NavigableMap<Integer, Segment> segments;
    /** The segments by their first ids; of several with the same one, the last, since the others are empty. */
    private final TreeMap<Long, Segment> byFirstId = new TreeMap<>();

    /** The unforced files by the numbers of their segments. */
    private final TreeMap<Integer, Disk.Sink> unforced = new TreeMap<>();

    private Disk.@Nullable Sink last;
    private LogPosition end;
    private LogPosition forced;
    private LogEnd stored = LogEnd.NONE; // guarded by this

    /** Continues a log; starts a new one when {@code end} is null. */
    SegmentLog(
            Disk disk,
            long frontierId,
            long segmentBytes,
            NavigableMap<Integer, Segment> segments,
            @Nullable LogPosition end,
            LogPosition forced)
            throws IOException {
        this.disk = disk;
        this.frontierId = frontierId;
        this.segmentBytes = segmentBytes;
        this.segments = segments;
        this.end = end == null ? LogPosition.NONE : end;
        this.forced = forced;
        segments.values().forEach(segment -> byFirstId.put(segment.firstId(), segment));
        try {
            if (end == null) {
                start(new Segment(1, 0));
                this.forced = LogPosition.NONE;
            } else {
                openLast();
            }
        } catch (IOException | RuntimeException | Error e) {
            try (this) {
                throw e;
            }
        }
    }

    private void openLast() throws IOException {
        for (Segment segment : segments.tailMap(forced.segment()).values()) {
            last = disk.append(segment.name());
            unforced.put(segment.number(), last);
        }
        disk.forceNames(); // the process that created the last one may have been killed
    }

    /** Creates a file. Its name is forced before it is used, so a power cut never leaves a segment without those before. */
    private void start(Segment segment) throws IOException {
        requireOwned();
        last = disk.create(segment.name());
        unforced.put(segment.number(), last);
        disk.forceNames();
        byte[] header = segment.header(frontierId);
        last.append(header, 0, header.length);
        segments.put(segment.number(), segment);
        byFirstId.put(segment.firstId(), segment);
        end = segment.start();
    }

    /** Whether the last segment accepts no more frames. */
    boolean isFull() {
        return end.offset() >= segmentBytes;
    }

    void startNext(long nextId) throws IOException {
        start(new Segment(end.segment() + 1, nextId));
    }

    /** Returns how many segments a number of bytes fills, at least 1. */
    long segments(long bytes) {
        return Math.max(1, bytes / segmentBytes);
    }

    /** Throws when another process may write to the log as well. */
    void requireOwned() throws IOException {
        disk.requireOwned();
    }

    void append(FrameWriter frames) throws IOException {
        Objects.requireNonNull(last).append(frames.bytes(), 0, frames.size());
        end = new LogPosition(end.segment(), end.offset() + frames.size());
    }

    LogPosition end() {
        return end;
    }

    /** Returns the end with the next id, as it is stored. */
    LogEnd end(long nextId) {
        return new LogEnd(frontierId, end, nextId);
    }

    /** Stores how far the log was written, unless that or more is stored. Not essential: a failure is only logged. */
    synchronized void store(LogEnd written) {
        if (written.position().compareTo(stored.position()) <= 0) {
            return;
        }
        stored = written;
        try {
            written.write(disk);
        } catch (IOException e) {
            LOG.warn("cannot store how long the log is: {}", e.getMessage());
        }
    }

    /** Returns the position before which all of the log is known to be on the disk. */
    LogPosition forced() {
        return forced;
    }

    /** Returns what must still be forced; null when all of the log is on the disk. */
    @Nullable
    Unforced unforced() {
        return forced.equals(end) ? null : new Unforced(List.copyOf(unforced.values()), end);
    }

    /**
     * Records that files were forced, and closes those that were complete by then. While they were forced, the last of
     * them may have grown and later ones may have been started: these must be forced again.
     */
    void noteForced(Unforced what) throws IOException {
        if (forced.compareTo(what.end) < 0) {
            forced = what.end;
        }
        SortedMap<Integer, Disk.Sink> complete = unforced.headMap(what.end.segment());
        for (Disk.Sink sink : complete.values()) {
            sink.close();
        }
        complete.clear();
    }

    NavigableMap<Integer, Segment> segments() {
        return segments;
    }

    Segment holding(long id) throws DamageException {
        Map.Entry<Long, Segment> holding = byFirstId.floorEntry(id);
        if (holding == null) {
            throw new DamageException("no segment contains the URL with the id " + id);
        }
        return holding.getValue();
    }

    FrameReader read(LogPosition from, int bufferBytes) throws IOException {
        return Segment.open(disk, from, bufferBytes);
    }

    /**
     * Prepares a reading of all URLs up to the present end, which may go on without the lock while segments are
     * deleted.
     */
    LogPass pass(DoneSet done, Predicate<Segment> mayBeMissing) {
        return new LogPass(disk, new TreeMap<>(segments), done, end, LogPosition.LAST, mayBeMissing);
    }

    /** Records that the file of a segment was deleted; never the last one. */
    void remove(Segment segment) {
        segments.remove(segment.number());
        byFirstId.remove(segment.firstId(), segment);
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (Disk.Sink sink : unforced.values()) {
            try {
                sink.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        unforced.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
