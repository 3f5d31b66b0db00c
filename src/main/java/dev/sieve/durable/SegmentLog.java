package dev.sieve.durable;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The files of the log: appends to the last one, starts the next one when it is full, and knows how much of them is on
 * the disk itself.
 *
 * <p>Owned by the lock of its frontier; only {@link Unforced#force} runs outside of it.
 */
final class SegmentLog implements Closeable {

    /** What has to be forced so that all of the log before a position is on the disk. */
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
    /** The segment in which each id lies that is the first of one; of those that begin with it, the last. */
    private final TreeMap<Long, Segment> byFirstId = new TreeMap<>();

    private final List<Disk.Sink> unforced = new ArrayList<>();
    private boolean namesChanged;
    private Disk.Sink last;
    private LogPosition end;
    private LogPosition forced;

    /**
     * Goes on with a log.
     *
     * @param segments what is there of it; empty for a new log
     * @param end where it ends; null for a new log
     * @param forced before this position all of it is known to be on the disk
     */
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
            this.forced = new LogPosition(1, 0);
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

    /** Starts the next segment when the last one is full or of an earlier version. */
    void turn(long nextId) throws IOException {
        if (end.offset() >= segmentBytes || segments.lastEntry().getValue().version() < Segment.VERSION) {
            start(new Segment(end.segment() + 1, nextId));
        }
    }

    /** Hands frames to the operating system. */
    void append(FrameWriter frames) throws IOException {
        last.append(frames.bytes(), 0, frames.size());
        end = new LogPosition(end.segment(), end.offset() + frames.size());
    }

    LogPosition end() {
        return end;
    }

    /** Before this position all of the log is known to be on the disk. */
    LogPosition forced() {
        return forced;
    }

    /** What is not known to be on the disk; null when nothing is. */
    Unforced unforced() {
        return forced.equals(end) && !namesChanged
                ? null
                : new Unforced(disk, List.copyOf(unforced), namesChanged, end);
    }

    /** Notes that it was forced, and closes the files that are written to no more. */
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

    /** The segments that are there. */
    NavigableMap<Integer, Segment> segments() {
        return segments;
    }

    /** The segment that holds the URL with an id, if one does. */
    Segment holding(long id) {
        return byFirstId.floorEntry(id).getValue();
    }

    /** Opens the log to read it from a position on, up to the end of that segment. */
    FrameReader read(LogPosition from, int bufferBytes) throws IOException {
        return Segment.open(disk, from, bufferBytes);
    }

    /** Notes that the file of a segment is gone, which is not the last one. */
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
