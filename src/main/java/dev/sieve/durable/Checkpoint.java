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
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The contents of the log up to a position and the filter, saved so that only the rest of the log has to be read.
 *
 * @param number its place among all checkpoints, from 1 on
 * @param settings of the frontier and its filter
 * @param position of the log; everything before it is in the state
 * @param segments the files of the log at that time
 * @param state the contents of the log up to the position
 * @param stats the counters at that time
 */
record Checkpoint(
        int number,
        Settings settings,
        LogPosition position,
        NavigableMap<Integer, Segment> segments,
        LogState state,
        SieveStats stats) {
    /** The counters where there is no checkpoint. */
    static final SieveStats NO_STATS = new SieveStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final int VERSION = 1;
    private static final String TEMPORARY = "checkpoint.tmp";
    private static final byte[] MAGIC = "sievechk".getBytes(US_ASCII);
    /** The last frame: its header, its kind and two numbers of 8 bytes. */
    private static final int TRAILER_BYTES = FrameWriter.HEADER_BYTES + 17;

    private static final int BUFFER_BYTES = 1 << 16;

    String name() {
        return FrontierFiles.checkpoint(number);
    }

    /**
     * Returns the segments before its position that were not removed since then.
     *
     * @param present the numbers of the segments that exist
     * @param done all ids that are done by now
     * @throws DamageException when a segment is missing although not all of its URLs are done
     */
    NavigableMap<Integer, Segment> olderSegments(Set<Integer> present, DoneSet done) throws DamageException {
        NavigableMap<Integer, Segment> older = new TreeMap<>();
        for (Segment segment : segments.headMap(position.segment(), false).values()) {
            if (present.contains(segment.number())) {
                older.put(segment.number(), segment);
            } else if (!segment.isDone(segments, done)) {
                throw DamageException.missing(segment.name());
            }
        }
        return older;
    }

    /** Returns the frames that precede the filter. */
    FrameWriter frames() {
        FrameWriter out = new FrameWriter();
        out.begin(FrameKind.STATE);
        out.putNumbers(VERSION, number);
        settings.write(out);
        out.putNumbers(position.segment(), position.offset(), state.nextId(), state.lost());
        out.putNumbers(stats.seen(), stats.inFlight(), stats.estimatedSize(), stats.memoryBytes());
        out.putLongs(
                Double.doubleToRawLongBits(stats.falsePositiveRate()),
                Double.doubleToRawLongBits(stats.estimatedMissed()));
        out.end();
        out.begin(FrameKind.SEGMENTS);
        for (Segment segment : segments.values()) {
            out.putNumbers(segment.number(), segment.firstId());
        }
        out.end();
        state.done().write(out);
        writeAttempts(out);
        out.putFrame(FrameKind.FILTER);
        return out;
    }

    private void writeAttempts(FrameWriter out) {
        out.begin(FrameKind.ATTEMPTS);
        for (Map.Entry<Long, Integer> attempt : state.attempts().entrySet()) {
            if (out.payload() > FrameWriter.MAX_PAYLOAD / 2) {
                out.end();
                out.begin(FrameKind.ATTEMPTS);
            }
            out.putNumbers(attempt.getKey(), attempt.getValue());
        }
        out.end();
    }

    /**
     * Writes a checkpoint: its frames, then the filter, then the log up to what the filter contains; last its name.
     *
     * @param frames of {@link #frames()}
     * @param filter may change at the same time, as long as its new URLs are in the log
     * @param forceLog forces the log and returns up to where it is on the disk
     */
    static void write(Disk disk, int number, FrameWriter frames, Membership filter, Supplier<LogPosition> forceLog)
            throws IOException {
        disk.replace(FrontierFiles.checkpoint(number), TEMPORARY, sink -> {
            sink.append(MAGIC, 0, MAGIC.length);
            sink.append(frames.bytes(), 0, frames.size());
            filter.writeTo(stream(sink));
            LogPosition forced = forceLog.get();
            FrameWriter trailer = new FrameWriter();
            trailer.begin(FrameKind.TRAILER);
            trailer.putLongs(forced.segment(), forced.offset());
            trailer.end();
            sink.append(trailer.bytes(), 0, trailer.size());
        });
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
     * A checkpoint on the disk, read without its filter.
     *
     * @param forced the position before which all of the log was on the disk when the checkpoint was written
     * @param filterAt offset of the filter in the file
     */
    record Saved(Checkpoint checkpoint, LogPosition forced, long filterAt) {

        Membership filter(Disk disk) throws IOException {
            String name = checkpoint.name();
            try (Disk.Source source = disk.read(name)) {
                Membership filter = Memberships.read(new BufferedInputStream(stream(source, filterAt), BUFFER_BYTES));
                if (filter.seed() != checkpoint.settings().seed()) {
                    throw new IOException("another seed than in the settings");
                }
                return filter;
            } catch (IOException e) {
                throw new IOException(name + ": filter at offset " + filterAt + ": " + e.getMessage(), e);
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

    /** Selects what is needed of a checkpoint; returns null to use an older one. */
    interface Loader<T> {
        T load(Saved saved) throws IOException;
    }

    /** Handles a checkpoint that is damaged or cannot be read; an older one is used unless this throws. */
    interface Rejected {
        void accept(int number, IOException cause) throws IOException;
    }

    /** Loads the newest checkpoint that is whole and that the loader accepts; returns null when there is none. */
    static <T> T newest(Disk disk, FrontierFiles files, Loader<T> loader, Rejected rejected) throws IOException {
        for (int number : List.copyOf(files.checkpoints().descendingSet())) {
            try {
                T loaded = loader.load(read(disk, number));
                if (loaded != null) {
                    return loaded;
                }
            } catch (VersionException e) {
                throw e;
            } catch (IOException e) {
                rejected.accept(number, e);
            }
        }
        return null;
    }

    /** Reads a checkpoint without its filter. */
    static Saved read(Disk disk, int number) throws IOException {
        String name = FrontierFiles.checkpoint(number);
        try (Disk.Source source = disk.read(name)) {
            checkMagic(name, source);
            FrameReader in = new FrameReader(name, source, MAGIC.length, BUFFER_BYTES);
            Checkpoint checkpoint = readState(name, in);
            if (checkpoint.number != number) {
                throw in.broken("its number is " + checkpoint.number);
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
            throw new DamageException(name, 0, "not a checkpoint");
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
        int number = in.integer("number");
        Settings settings = Settings.read(in);
        LogPosition position = LogPosition.read(in);
        long nextId = in.number("next id", Long.MAX_VALUE);
        long lost = in.number("lost", nextId);
        long seen = in.number("seen", Long.MAX_VALUE);
        long inFlight = in.number("in flight", nextId);
        long size = in.number("estimated size", Long.MAX_VALUE);
        long memory = in.number("memory", Long.MAX_VALUE);
        long[] rates = in.longs("rates", 2);
        NavigableMap<Integer, Segment> segments = readSegments(in);
        if (!segments.containsKey(position.segment())) {
            throw in.broken("the segment of its position is missing in its list of segments");
        }
        LogState state = new LogState(nextId, lost, DoneSet.read(in), readAttempts(in));
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
            int number = in.integer("segment");
            segments.put(number, new Segment(number, in.number("first id", Long.MAX_VALUE)));
        }
        return segments;
    }

    private static Map<Long, Integer> readAttempts(FrameReader in) throws IOException {
        Map<Long, Integer> attempts = new HashMap<>();
        in.requireFrame();
        while (in.kind() == FrameKind.ATTEMPTS) {
            while (in.hasMore()) {
                attempts.put(in.number("id", Long.MAX_VALUE), in.integer("attempt"));
            }
            in.requireFrame();
        }
        if (in.kind() != FrameKind.FILTER) {
            throw in.broken("a frame of kind " + in.kind() + " instead of " + FrameKind.FILTER);
        }
        return attempts;
    }
}
