package dev.sieve.durable;

import dev.sieve.UrlBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the bytes of one segment that make no sense, and puts frames in their place that say so, of the same length: all
 * positions in the log stay what they were.
 */
final class SegmentRepair {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int SMALLEST_FRAME = FrameWriter.HEADER_BYTES + 1;

    /** A part of the file, from the first byte to before the last. */
    private record Range(long from, long to) {}

    private final Disk disk;
    private final Segment segment;
    private final List<Range> damaged = new ArrayList<>();
    private final boolean isHeadNew;
    private long size;

    /**
     * Prepares the repair of a segment.
     *
     * @param isHeadNew whether the file has another head and needs this one
     */
    SegmentRepair(Disk disk, Segment segment, boolean isHeadNew) {
        this.disk = disk;
        this.segment = segment;
        this.isHeadNew = isHeadNew;
    }

    Segment segment() {
        return segment;
    }

    long size() {
        return size;
    }

    /**
     * Reads the segment and takes in what it says.
     *
     * @param urls is handed all URLs, batch by batch
     * @return the first thing that is wrong; null when all is sound
     */
    String read(LogState state, Consumer<UrlBatch> urls) throws IOException {
        UrlFrameReader frames = new UrlFrameReader();
        String first = null;
        try (FrameReader reader = Segment.open(disk, segment.start(), BUFFER_BYTES)) {
            size = reader.size();
            for (FrameReader.Found found = reader.next(); found != FrameReader.Found.END; found = reader.next()) {
                DamageException wrong = found == FrameReader.Found.DAMAGE
                        ? reader.broken(reader.damage())
                        : apply(reader, state, frames, urls);
                if (wrong == null) {
                    continue;
                }
                first = first == null ? wrong.getMessage() : first;
                state.addLost();
                if (!giveUp(reader, found)) {
                    break;
                }
            }
        }
        return first;
    }

    /** Applies the present frame; returns what is wrong with it, or null. */
    private static DamageException apply(
            FrameReader frame, LogState state, UrlFrameReader frames, Consumer<UrlBatch> urls) throws IOException {
        try {
            if (FrameKind.isUrls(state.apply(frame, frames))) {
                urls.accept(frames.batch());
            }
            return null;
        } catch (DamageException e) {
            return e;
        }
    }

    /** Notes the bytes from the damage to the next frame as lost; false when there is none. */
    private boolean giveUp(FrameReader reader, FrameReader.Found found) throws IOException {
        long from = reader.position();
        if (found == FrameReader.Found.DAMAGE && !reader.skipDamage()) {
            damaged.add(new Range(from, size));
            return false;
        }
        while (reader.nextPosition() - from < SMALLEST_FRAME) {
            if (reader.next() != FrameReader.Found.FRAME) {
                damaged.add(new Range(from, size));
                return false;
            }
        }
        damaged.add(new Range(from, reader.nextPosition()));
        return true;
    }

    /** Notes that the end of the file is missing, up to a position at least. */
    void padTo(long position) {
        long end = Math.max(Segment.HEADER_BYTES, size);
        damaged.add(new Range(end, Math.max(end, position)));
    }

    /** Writes the file anew, if anything in it is damaged, and keeps the old one; answers the bytes given up. */
    long write(long frontierId) throws IOException {
        if (damaged.isEmpty() && !isHeadNew) {
            return 0;
        }
        String name = segment.name();
        keepCopy(name);
        String temporary = name + ".tmp";
        disk.delete(temporary);
        long lost = 0;
        try (Disk.Source source = disk.read(name);
                Disk.Sink sink = disk.create(temporary)) {
            sink.append(segment.header(frontierId), 0, Segment.HEADER_BYTES);
            long from = Segment.HEADER_BYTES;
            for (Range range : damaged) {
                source.copy(from, range.from, sink);
                writeLost(sink, range.to - range.from);
                lost += Math.max(0, Math.min(size, range.to) - range.from);
                from = range.to;
            }
            source.copy(from, size, sink);
            sink.force();
        }
        disk.rename(temporary, name);
        disk.forceNames();
        return lost;
    }

    private void keepCopy(String name) throws IOException {
        String temporary = name + ".broken.tmp";
        disk.delete(temporary);
        try (Disk.Source source = disk.read(name);
                Disk.Sink sink = disk.create(temporary)) {
            source.copy(0, size, sink);
            sink.force();
        }
        disk.rename(temporary, name + ".broken");
    }

    /** Writes frames of so many bytes together, or of the smallest frame there is. */
    private static void writeLost(Disk.Sink sink, long length) throws IOException {
        FrameWriter out = new FrameWriter();
        byte[] zeros = new byte[FrameWriter.MAX_PAYLOAD];
        long rest = Math.max(length, SMALLEST_FRAME);
        while (rest > 0) {
            long most = FrameWriter.HEADER_BYTES + FrameWriter.MAX_PAYLOAD;
            long part = rest <= most ? rest : Math.min(most, rest - SMALLEST_FRAME);
            out.clear();
            out.begin(FrameKind.LOST);
            out.put(zeros, 0, (int) part - SMALLEST_FRAME);
            out.end();
            sink.append(out.bytes(), 0, out.size());
            rest -= part;
        }
    }
}
