package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the log says up to a position, on the disk, so that only the rest of it has to be read.
 *
 * @param number its place among all checkpoints, 1 for the first
 * @param settings of its frontier and its filter
 * @param position of the log; all that stands before it is in the state
 * @param segments the files of the log that were there
 * @param state what the log says up to the position
 * @param stats the counters at that moment
 */
record Checkpoint(
        int number,
        Settings settings,
        LogPosition position,
        NavigableMap<Integer, Segment> segments,
        LogState state,
        SieveStats stats) {
    static final int VERSION = 1;

    private static final String TEMPORARY = "checkpoint.tmp";
    private static final byte[] MAGIC = "sievechk".getBytes(US_ASCII);
    /** The last frame: its head, its kind and two numbers of 8 bytes. */
    private static final int TRAILER_BYTES = FrameWriter.HEADER_BYTES + 17;

    private static final int BUFFER_BYTES = 1 << 16;

    /** Brings the log to the disk and says up to where. */
    interface LogForcer {
        LogPosition force() throws IOException;
    }

    String name() {
        return FrontierFiles.checkpoint(number);
    }

    /**
     * The segments before its position, without those that were removed since all of them is done.
     *
     * @param present the segments whose files are there
     * @param done all that is done by now
     * @throws DamageException when a segment is missing that is needed
     */
    NavigableMap<Integer, Segment> olderSegments(Set<Integer> present, DoneSet done) throws DamageException {
        NavigableMap<Integer, Segment> older = new TreeMap<>();
        for (Segment segment : segments.headMap(position.segment(), false).values()) {
            if (present.contains(segment.number())) {
                older.put(segment.number(), segment);
            } else if (!segment.isDone(segments, done)) {
                throw new DamageException(segment.name(), 0, "the file is missing");
            }
        }
        return older;
    }

    /** Puts all but the filter into frames. */
    FrameWriter frames() {
        FrameWriter out = new FrameWriter();
        out.begin(FrameKind.STATE);
        out.putNumber(VERSION);
        out.putNumber(number);
        settings.write(out);
        out.putNumber(position.segment());
        out.putNumber(position.offset());
        out.putNumber(state.nextId());
        out.putNumber(state.lost());
        out.putNumber(stats.seen());
        out.putNumber(stats.inFlight());
        out.putNumber(stats.estimatedSize());
        out.putNumber(stats.memoryBytes());
        out.putLongs(
                Double.doubleToRawLongBits(stats.falsePositiveRate()),
                Double.doubleToRawLongBits(stats.estimatedMissed()));
        out.end();
        out.begin(FrameKind.SEGMENTS);
        for (Segment segment : segments.values()) {
            out.putNumber(segment.number());
            out.putNumber(segment.firstId());
        }
        out.end();
        state.done().write(out);
        writeAttempts(out);
        out.begin(FrameKind.FILTER);
        out.end();
        return out;
    }

    private void writeAttempts(FrameWriter out) {
        out.begin(FrameKind.ATTEMPTS);
        for (Map.Entry<Long, Integer> attempt : state.attempts().entrySet()) {
            if (out.payload() > FrameWriter.MAX_PAYLOAD / 2) {
                out.end();
                out.begin(FrameKind.ATTEMPTS);
            }
            out.putNumber(attempt.getKey());
            out.putNumber(attempt.getValue());
        }
        out.end();
    }

    /**
     * Writes a checkpoint: its frames, the filter, the log up to what the filter holds, and only then its name.
     *
     * @param frames of {@link #frames()}
     * @param filter may change meanwhile, as long as what is new in it is in the log
     */
    static void write(Disk disk, int number, FrameWriter frames, Membership filter, LogForcer log) throws IOException {
        disk.delete(TEMPORARY);
        try (Disk.Sink sink = disk.create(TEMPORARY)) {
            sink.append(MAGIC, 0, MAGIC.length);
            sink.append(frames.bytes(), 0, frames.size());
            filter.writeTo(stream(sink));
            LogPosition forced = log.force();
            FrameWriter trailer = new FrameWriter();
            trailer.begin(FrameKind.TRAILER);
            trailer.putLongs(forced.segment(), forced.offset());
            trailer.end();
            sink.append(trailer.bytes(), 0, trailer.size());
            sink.force();
        }
        disk.rename(TEMPORARY, FrontierFiles.checkpoint(number));
        disk.forceNames();
    }

    private static OutputStream stream(Disk.Sink sink) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                sink.append(bytes, from, length);
            }
        };
    }

    /**
     * A checkpoint that was read from the disk, without its filter.
     *
     * @param forced before this position all of the log was on the disk when the checkpoint was written
     * @param filterAt where in the file the filter begins
     */
    record Saved(Checkpoint checkpoint, LogPosition forced, long filterAt) {

        /** Reads the filter. */
        Membership filter(Disk disk) throws IOException {
            String name = checkpoint.name();
            try (Disk.Source source = disk.read(name)) {
                return Memberships.read(new BufferedInputStream(stream(source, filterAt), BUFFER_BYTES));
            } catch (IOException e) {
                throw new IOException(name + ": its filter, from offset " + filterAt + " on: " + e.getMessage(), e);
            }
        }
    }

    private static InputStream stream(Disk.Source source, long from) {
        return new InputStream() {
            private long position = from;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int at, int length) throws IOException {
                int count = length == 0 ? 0 : source.read(position, bytes, at, length);
                position += count;
                return count == 0 && length > 0 ? -1 : count;
            }
        };
    }

    /** Reads a checkpoint without its filter. */
    static Saved read(Disk disk, int number) throws IOException {
        String name = FrontierFiles.checkpoint(number);
        try (Disk.Source source = disk.read(name)) {
            checkMagic(name, source);
            FrameReader in = new FrameReader(name, source, MAGIC.length, BUFFER_BYTES);
            Checkpoint checkpoint = readState(name, in);
            if (checkpoint.number != number) {
                throw in.broken("it is the checkpoint " + checkpoint.number);
            }
            long filterAt = in.nextPosition();
            FrameReader trailer = new FrameReader(name, source, source.size() - TRAILER_BYTES, BUFFER_BYTES);
            trailer.require(FrameKind.TRAILER);
            long[] forced = trailer.longs("position", 2);
            return new Saved(checkpoint, new LogPosition((int) forced[0], forced[1]), filterAt);
        }
    }

    private static void checkMagic(String name, Disk.Source source) throws IOException {
        byte[] magic = new byte[MAGIC.length];
        source.read(0, magic, 0, magic.length);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new DamageException(name, 0, "this is no checkpoint");
        }
        if (source.size() < MAGIC.length + TRAILER_BYTES) {
            throw new DamageException(name, source.size(), "the file ends too early");
        }
    }

    private static Checkpoint readState(String name, FrameReader in) throws IOException {
        in.require(FrameKind.STATE);
        long version = in.number("version", Long.MAX_VALUE);
        if (version != VERSION) {
            throw new VersionException(name, Long.toString(version), VERSION);
        }
        int number = (int) in.number("number", Integer.MAX_VALUE);
        Settings settings = Settings.read(in);
        LogPosition position =
                new LogPosition((int) in.number("segment", Integer.MAX_VALUE), in.number("offset", Long.MAX_VALUE));
        long nextId = in.number("next id", Long.MAX_VALUE);
        long lost = in.number("lost", nextId);
        long seen = in.number("seen", Long.MAX_VALUE);
        long inFlight = in.number("in flight", nextId);
        long size = in.number("estimated size", Long.MAX_VALUE);
        long memory = in.number("memory", Long.MAX_VALUE);
        long[] rates = in.longs("rates", 2);
        NavigableMap<Integer, Segment> segments = readSegments(in);
        if (!segments.containsKey(position.segment())) {
            throw in.broken("the segment of its position is not among its segments");
        }
        in.require(FrameKind.DONE_SET);
        DoneSet done = DoneSet.read(in);
        LogState state = new LogState(nextId, lost, done, readAttempts(in));
        SieveStats stats = new SieveStats(
                state.accepted(),
                seen,
                state.open() - inFlight,
                inFlight,
                state.doneCount(),
                size,
                settings.capacity(),
                Double.longBitsToDouble(rates[0]),
                Double.longBitsToDouble(rates[1]),
                memory);
        return new Checkpoint(number, settings, position, segments, state, stats);
    }

    private static NavigableMap<Integer, Segment> readSegments(FrameReader in) throws IOException {
        in.require(FrameKind.SEGMENTS);
        NavigableMap<Integer, Segment> segments = new TreeMap<>();
        while (in.hasMore()) {
            int number = (int) in.number("segment", Integer.MAX_VALUE);
            segments.put(number, new Segment(number, in.number("first id", Long.MAX_VALUE)));
        }
        return segments;
    }

    private static Map<Long, Integer> readAttempts(FrameReader in) throws IOException {
        Map<Long, Integer> attempts = new HashMap<>();
        in.requireFrame();
        int kind = in.kind();
        while (kind == FrameKind.ATTEMPTS) {
            while (in.hasMore()) {
                attempts.put(in.number("id", Long.MAX_VALUE), (int) in.number("attempt", Integer.MAX_VALUE));
            }
            in.requireFrame();
            kind = in.kind();
        }
        if (kind != FrameKind.FILTER) {
            throw in.broken("this is a frame of another kind");
        }
        return attempts;
    }
}
