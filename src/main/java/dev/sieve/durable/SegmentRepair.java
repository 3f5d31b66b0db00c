package dev.sieve.durable;

import dev.sieve.UrlBatch;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the damaged bytes of one segment and replaces them by frames of {@link FrameKind#LOST} that are at least as
 * long, so that a position known to be on the disk is never after the end.
 */
final class SegmentRepair {
    static final int BUFFER_BYTES = 1 << 18;
    private static final int SMALLEST_FRAME = FrameWriter.HEADER_BYTES + 1;

    /** A part of the file, or a place after its end; {@code to} is the position after it. Empty where only ids are missing. */
    private record Range(long from, long to) {
        long lostFrames() {
            return Math.max(SMALLEST_FRAME, to - from);
        }
    }

    private final DiskView disk;
    private final Segment segment;
    private final boolean isHeaderNew; // the file is missing, or gets another header
    private final List<Range> damaged = new ArrayList<>();
    private long size;
    private long lostBytes;
    private @Nullable String problem;

    SegmentRepair(DiskView disk, Segment segment, boolean isHeaderNew) {
        this.disk = disk;
        this.segment = segment;
        this.isHeaderNew = isHeaderNew;
    }

    Segment segment() {
        return segment;
    }

    LogPosition end() {
        long more = damaged.stream()
                .mapToLong(range -> range.lostFrames() - (Math.min(size, range.to) - Math.min(size, range.from)))
                .sum();
        return new LogPosition(segment.number(), Math.max(Segment.HEADER_BYTES, size) + more);
    }

    /** Returns the bytes that were discarded, now or by an earlier repair. */
    long lostBytes() {
        return lostBytes
                + damaged.stream().mapToLong(range -> range.to - range.from).sum();
    }

    /** Returns the first problem; null when there is none. */
    @Nullable
    String problem() {
        return problem;
    }

    /**
     * Reads the segment and applies it to the state.
     *
     * @param from where to begin
     * @param tail from where on only URLs are applied, and results are given up
     * @param limit where to end
     * @param urls receives the whole URLs; the batch is reused
     * @param boundaries receives each position between two frames
     */
    void read(
            long from, long tail, long limit, LogState state, Consumer<UrlBatch> urls, Consumer<LogPosition> boundaries)
            throws IOException {
        UrlFrameReader frames = new UrlFrameReader();
        LogPosition start = new LogPosition(segment.number(), from);
        try (FrameReader reader = Segment.open(disk, start, BUFFER_BYTES)) {
            size = Math.min(limit, reader.size());
            boolean hasNext = from < size;
            boundaries.accept(start);
            while (hasNext && reader.nextPosition() < size && (reader.next() || reader.damage() != null)) {
                try {
                    DamageException damage = reader.damage();
                    if (damage != null) {
                        throw damage;
                    }
                    apply(reader, frames, reader.position() >= tail, state, urls);
                } catch (DamageException e) {
                    found(e.getMessage());
                    state.addLost();
                    hasNext = giveUp(reader);
                }
                boundaries.accept(new LogPosition(segment.number(), reader.nextPosition()));
            }
        }
    }

    private void apply(
            FrameReader reader, UrlFrameReader frames, boolean inTail, LogState state, Consumer<UrlBatch> urls)
            throws IOException {
        int kind = reader.kind();
        if (frames.read(reader)) {
            if (!state.canStartAt(frames.firstId()) && state.canSkipTo(frames.firstId())) {
                found(reader.broken("a frame is missing before: " + state.wrongStart(frames.firstId()))
                        .getMessage());
                damaged.add(new Range(reader.position(), reader.position()));
                state.addLost();
            }
            state.addUrls(reader, frames);
            urls.accept(frames.batch());
        } else if (inTail && (kind == FrameKind.DONE || kind == FrameKind.RETRY)) {
            giveUp(reader);
        } else {
            state.addOther(reader);
            if (kind == FrameKind.FORCED) {
                LogPosition.readForced(reader, segment.number());
            } else if (kind == FrameKind.LOST) {
                long bytes = reader.nextPosition() - reader.position();
                lostBytes += bytes > SMALLEST_FRAME ? bytes : 0; // the smallest one only marks missing ids
            }
        }
    }

    private void found(@Nullable String what) {
        problem = problem == null ? what : problem;
    }

    /** Notes the bytes from the damage to the next frame as lost; returns false when no frame follows. */
    private boolean giveUp(FrameReader reader) throws IOException {
        long from = reader.position();
        boolean hasNext = reader.damage() == null || reader.skipDamage();
        long to = hasNext ? reader.nextPosition() : size;
        damaged.add(new Range(from, to));
        return hasNext;
    }

    /** Notes that bytes are missing after the end, so that ids may be missing as well. */
    void addLostAtEnd(long bytes) {
        long end = Math.max(Segment.HEADER_BYTES, size);
        damaged.add(new Range(end, end + bytes));
    }

    /** Replaces the file if something is damaged, and keeps the old one as {@code .broken}. */
    void write(Disk target, long frontierId) throws IOException {
        if (damaged.isEmpty() && !isHeaderNew) {
            return;
        }
        String name = segment.name();
        boolean exists = disk.names().contains(name);
        if (exists) {
            new BrokenFiles(target).copy(name);
        }
        target.replace(name, name + ".tmp", sink -> {
            try (DiskView.Source source = exists ? disk.read(name) : null) {
                sink.append(segment.header(frontierId), 0, Segment.HEADER_BYTES);
                long from = Segment.HEADER_BYTES;
                for (Range range : damaged) {
                    copy(source, from, range.from, sink);
                    writeLost(sink, range.lostFrames());
                    from = range.to;
                }
                copy(source, from, size, sink);
            }
        });
    }

    private static void copy(DiskView.@Nullable Source source, long from, long to, Disk.Sink sink) throws IOException {
        if (source != null && from < to) {
            Disk.copy(source, from, to, sink);
        }
    }

    /** Writes frames of a total length, which is at least that of the smallest frame. */
    private static void writeLost(Disk.Sink sink, long length) throws IOException {
        FrameWriter out = new FrameWriter();
        byte[] zeros = new byte[(int) Math.min(length, FrameWriter.MAX_PAYLOAD)];
        long rest = length;
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
