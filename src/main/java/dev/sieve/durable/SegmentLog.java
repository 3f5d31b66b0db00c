package dev.sieve.durable;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The files of the log: appends to the last one, starts the next one when it is full, and records how much of the log was
 * forced. Guarded by the lock of the frontier, except {@link Unforced#force}.
 */
final class SegmentLog implements Closeable {

    /** The files that must be forced so that all of the log before a position is on the disk. */
    record Unforced(Disk disk, List<Disk.Sink> sinks, boolean names, LogPosition end) {
        void force() throws IOException {
            for (Disk.Sink sink : sinks) {
                sink.force();
            }
            if (names) {
                disk.forceNames();
            }
        }
    }

    private final Disk disk;
    private final long frontierId;
    private final long segmentBytes;
    private final NavigableMap<Integer, Segment> segments;
    /** The segments by their first ids; of several with the same one, the last, since the others are empty. */
    private final TreeMap<Long, Segment> byFirstId = new TreeMap<>();

    private final List<Disk.Sink> unforced = new ArrayList<>();
    private boolean namesChanged;
    private Disk.Sink last;
    private LogPosition end;
    private LogPosition forced;

    /** Continues a log; starts a new one when {@code end} is null. */
    SegmentLog(
            Disk disk,
            long frontierId,
            long segmentBytes,
            NavigableMap<Integer, Segment> segments,
            LogPosition end,
            LogPosition forced)
            throws IOException {
        this.disk = disk;
        this.frontierId = frontierId;
        this.segmentBytes = segmentBytes;
        this.segments = segments;
        this.end = end;
        this.forced = forced;
        segments.values().forEach(segment -> byFirstId.put(segment.firstId(), segment));
        namesChanged = true;
        if (end == null) {
            start(new Segment(1, 0));
            this.forced = LogPosition.NONE;
            return;
        }
        for (Segment segment : segments.tailMap(forced.segment()).values()) {
            last = disk.append(segment.name());
            unforced.add(last);
        }
    }

    private void start(Segment segment) throws IOException {
        last = disk.create(segment.name());
        unforced.add(last);
        namesChanged = true;
        byte[] header = segment.header(frontierId);
        last.append(header, 0, header.length);
        segments.put(segment.number(), segment);
        byFirstId.put(segment.firstId(), segment);
        end = segment.start();
    }

    /** Starts the next segment when the last one is full or has an earlier version. */
    void startNextIfFull(long nextId) throws IOException {
        if (end.offset() >= segmentBytes || segments.lastEntry().getValue().version() < Segment.VERSION) {
            start(new Segment(end.segment() + 1, nextId));
        }
    }

    void append(FrameWriter frames) throws IOException {
        last.append(frames.bytes(), 0, frames.size());
        end = new LogPosition(end.segment(), end.offset() + frames.size());
    }

    LogPosition end() {
        return end;
    }

    /** Returns the position before which all of the log is known to be on the disk. */
    LogPosition forced() {
        return forced;
    }

    /** Returns what must still be forced; null when all of the log is on the disk. */
    Unforced unforced() {
        return forced.equals(end) && !namesChanged
                ? null
                : new Unforced(disk, List.copyOf(unforced), namesChanged, end);
    }

    /** Records that files were forced, and closes those that are not written any more. */
    void noteForced(Unforced what) throws IOException {
        if (forced.compareTo(what.end) < 0) {
            forced = what.end;
        }
        if (what.end.segment() == end.segment()) {
            namesChanged = false;
        }
        for (Disk.Sink sink : what.sinks) {
            if (sink != last && unforced.remove(sink)) {
                sink.close();
            }
        }
    }

    NavigableMap<Integer, Segment> segments() {
        return segments;
    }

    /** Returns the segment of the URL with an id. */
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

    /** Records that the file of a segment was deleted; never the last one. */
    void remove(Segment segment) {
        segments.remove(segment.number());
        byFirstId.remove(segment.firstId(), segment);
        namesChanged = true;
    }

    @Override
    public void close() throws IOException {
        for (Disk.Sink sink : unforced) {
            sink.close();
        }
        unforced.clear();
    }
}
