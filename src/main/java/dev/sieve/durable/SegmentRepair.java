package dev.sieve.durable;

import dev.sieve.UrlBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the damaged bytes of one segment and replaces them by frames of {@link FrameKind#LOST} of the same length, so all
 * positions in the log remain valid.
 */
final class SegmentRepair {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int SMALLEST_FRAME = FrameWriter.HEADER_BYTES + 1;

    /** A part of the file; {@code to} is the position after it. */
    private record Range(long from, long to) {}

    private final Disk disk;
    private final Segment segment;
    private final List<Range> damaged = new ArrayList<>();
    private final boolean isHeaderNew; // the file has another header and gets that of the segment
    private long size;

    SegmentRepair(Disk disk, Segment segment, boolean isHeaderNew) {
        this.disk = disk;
        this.segment = segment;
        this.isHeaderNew = isHeaderNew;
    }

    Segment segment() {
        return segment;
    }

    long size() {
        return size;
    }

    /**
     * Reads the segment and applies it to the state.
     *
     * @param urls receives all URLs, batch by batch
     * @return the first problem; null when there is none
     */
    String read(LogState state, Consumer<UrlBatch> urls) throws IOException {
        UrlFrameReader frames = new UrlFrameReader();
        String first = null;
        try (FrameReader reader = Segment.open(disk, segment.start(), BUFFER_BYTES)) {
            size = reader.size();
            while (reader.next() || reader.damage() != null) {
                try {
                    if (reader.damage() != null) {
                        throw reader.damage();
                    }
                    state.apply(reader, frames);
                    if (FrameKind.isUrls(reader.kind())) {
                        urls.accept(frames.batch());
                    }
                } catch (DamageException e) {
                    first = first == null ? e.getMessage() : first;
                    state.addLost();
                    if (!giveUp(reader)) {
                        break;
                    }
                }
            }
        }
        return first;
    }

    /** Notes the bytes from the damage to the next frame as lost; returns false when no frame follows. */
    private boolean giveUp(FrameReader reader) throws IOException {
        long from = reader.position();
        boolean hasNext = reader.damage() == null || reader.skipDamage();
        while (hasNext && reader.nextPosition() - from < SMALLEST_FRAME) {
            hasNext = reader.next();
        }
        damaged.add(new Range(from, hasNext ? reader.nextPosition() : size));
        return hasNext;
    }

    /** Notes that the end of the file is missing, at least up to a position. */
    void padTo(long position) {
        long end = Math.max(Segment.HEADER_BYTES, size);
        damaged.add(new Range(end, Math.max(end, position)));
    }

    /** Replaces a damaged file and keeps the old one as {@code .broken}; returns the number of bytes given up. */
    long write(long frontierId) throws IOException {
        if (damaged.isEmpty() && !isHeaderNew) {
            return 0;
        }
        String name = segment.name();
        disk.copy(name, 0, name + ".broken");
        disk.replace(name, name + ".tmp", sink -> {
            try (Disk.Source source = disk.read(name)) {
                sink.append(segment.header(frontierId), 0, Segment.HEADER_BYTES);
                long from = Segment.HEADER_BYTES;
                for (Range range : damaged) {
                    source.copy(from, range.from, sink);
                    writeLost(sink, range.to - range.from);
                    from = range.to;
                }
                source.copy(from, size, sink);
            }
        });
        return damaged.stream()
                .mapToLong(range -> Math.max(0, Math.min(size, range.to) - range.from))
                .sum();
    }

    /** Writes frames of a total length, or the smallest frame. */
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
