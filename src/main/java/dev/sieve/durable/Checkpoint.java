package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.FilterKind;
import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A saved copy of the filter and of what the log says up to a position, so that only the rest of the log has to be
 * read. The filter itself stays on the disk.
 *
 * @param number its place among all checkpoints, from 1 on; 0 for {@link #none}
 * @param settings of the frontier and its filter; of no frontier for {@link #none}
 * @param position of the log; everything before it is in the state
 * @param segments the files of the log at that time
 * @param state what the log says up to the position
 * @param stats the counters at that time
 * @param filterAt offset of the filter in the file
 * @param forced the position before which all of the log was on the disk when the checkpoint was written
 */
record Checkpoint(
        int number,
        Settings settings,
        LogPosition position,
        NavigableMap<Integer, Segment> segments,
        LogState state,
        SieveStats stats,
        long filterAt,
        LogPosition forced) {
    private static final int VERSION = 1;
    /** Left behind by a process that was killed while it wrote a checkpoint. */
    static final String TEMPORARY = "checkpoint.tmp";

    private static final byte[] MAGIC = "sievechk".getBytes(US_ASCII);
    private static final int TRAILER_BYTES = FrameWriter.HEADER_BYTES + 1 + 2 * Long.BYTES;
    private static final int BUFFER_BYTES = 1 << 16;
    /** Stays free for the log while a checkpoint is written. */
    private static final int MIN_ROOM = 1 << 16;

    private static final Settings NO_SETTINGS = new Settings(0, FilterKind.EXACT, 0, 0, 0);

    /** Stands for a missing checkpoint: all of the log has to be read. */
    static Checkpoint none(FrontierFiles files) {
        LogPosition start =
                new LogPosition(files.logs().isEmpty() ? 1 : files.logs().first(), Segment.HEADER_BYTES);
        SieveStats stats = new SieveStats(null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        return new Checkpoint(0, NO_SETTINGS, start, new TreeMap<>(), new LogState(), stats, 0, LogPosition.NONE);
    }

    boolean exists() {
        return number > 0;
    }

    /** Returns the first id of the segment in which the reading begins. */
    long firstId() {
        return exists()
                ? Objects.requireNonNull(segments.get(position.segment())).firstId()
                : 0;
    }

    String name() {
        return FrontierFiles.checkpoint(number);
    }

    /**
     * Returns the segments before its position that were not removed since then. A segment that is not present any more
     * while some of its URLs are not done is damage.
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

    /** Returns the frames of a new checkpoint that precede the filter. */
    static FrameWriter frames(
            int number,
            Settings settings,
            LogPosition position,
            NavigableMap<Integer, Segment> segments,
            LogState state,
            SieveStats stats) {
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
        segments.values().forEach(segment -> out.putNumbers(segment.number(), segment.firstId()));
        out.end();
        state.done().write(out);
        out.begin(FrameKind.ATTEMPTS);
        for (Map.Entry<Long, Integer> attempt : state.attempts().entrySet()) {
            if (out.payload() > FrameWriter.MAX_PAYLOAD / 2) {
                out.end();
                out.begin(FrameKind.ATTEMPTS);
            }
            out.putNumbers(attempt.getKey(), attempt.getValue());
        }
        out.end();
        out.putFrame(FrameKind.FILTER);
        return out;
    }

    /**
     * Writes a checkpoint: its frames, then the filter, which may change as long as its new URLs are in the log, then
     * the log up to what the filter contains; last its name. When that fails, nothing is left behind.
     */
    static void write(Disk disk, int number, FrameWriter frames, Membership filter, Supplier<LogPosition> forceLog)
            throws IOException {
        long needed = frames.size() + filter.memoryBytes() + MIN_ROOM;
        long usable = disk.usableBytes();
        if (usable < needed) {
            throw new IOException(FrontierFiles.checkpoint(number) + ": no room: it needs " + needed
                    + " bytes, the disk has " + usable);
        }
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

    Membership readFilter(DiskView disk) throws IOException {
        try (DiskView.Source source = disk.read(name())) {
            Membership filter = readFilter(source);
            if (filter.seed() != settings.seed()) {
                throw new DamageException(name(), filterAt, "its filter has another seed than in its settings");
            }
            return filter;
        }
    }

    private Membership readFilter(DiskView.Source source) throws IOException {
        try {
            return Memberships.read(new BufferedInputStream(stream(source, filterAt), BUFFER_BYTES));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (IOException | IllegalArgumentException e) {
            throw new DamageException(name(), filterAt, "filter: " + e.getMessage());
        }
    }

    /** Throws {@link UncheckedIOException} when the disk fails, so that it is not taken for damage of the content. */
    private static InputStream stream(DiskView.Source source, long from) {
        return new FilterInputStream(source.stream(from)) {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int at, int length) {
                try {
                    return super.read(bytes, at, length);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public long skip(long count) {
                try {
                    return super.skip(count);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /** Decides whether a checkpoint is used, or an older one. */
    interface Condition {
        boolean accepts(Checkpoint checkpoint) throws IOException;
    }

    /**
     * Returns the newest checkpoint that is whole and meets a condition; {@link #none} when there is none. {@code
     * damaged} receives those whose content is damaged; one with a later version is refused.
     */
    static Checkpoint newest(
            DiskView disk, FrontierFiles files, Condition condition, Map<Integer, DamageException> damaged)
            throws IOException {
        for (int number : List.copyOf(files.checkpoints().descendingSet())) {
            try {
                Checkpoint checkpoint = read(disk, number);
                if (condition.accepts(checkpoint)) {
                    return checkpoint;
                }
            } catch (DamageException e) {
                damaged.put(number, e);
            }
        }
        return none(files);
    }

    static Checkpoint read(DiskView disk, int number) throws IOException {
        String name = FrontierFiles.checkpoint(number);
        try (DiskView.Source source = disk.read(name)) {
            checkMagic(name, source);
            Checkpoint checkpoint = read(name, source);
            if (checkpoint.number != number) {
                throw new DamageException(name, MAGIC.length, "its number is " + checkpoint.number);
            }
            return checkpoint;
        }
    }

    private static void checkMagic(String name, DiskView.Source source) throws IOException {
        byte[] magic = new byte[MAGIC.length];
        source.read(0, magic, 0, magic.length);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new DamageException(name, 0, "not a checkpoint");
        }
        if (source.size() < MAGIC.length + TRAILER_BYTES) {
            throw new DamageException(name, source.size(), "the file ends too early");
        }
    }

    private static Checkpoint read(String name, DiskView.Source source) throws IOException {
        FrameReader in = new FrameReader(name, source, MAGIC.length, BUFFER_BYTES);
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
            throw in.broken("the segment of its position is missing in the list");
        }
        LogState state = new LogState(nextId, lost, DoneSet.read(in), readAttempts(in));
        if (state.done().end() > nextId || lost > state.done().size() || inFlight > state.open()) {
            throw in.broken("it contains more URLs than its log");
        }
        SieveStats stats = new SieveStats(
                settings.filter(),
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
        FrameReader trailer = new FrameReader(name, source, source.size() - TRAILER_BYTES, BUFFER_BYTES);
        trailer.require(FrameKind.TRAILER);
        long[] forced = trailer.longs("position", 2);
        if (forced[0] < 0 || forced[0] > Integer.MAX_VALUE || forced[1] < 0) {
            throw trailer.broken("not a position: " + forced[0] + ", " + forced[1]);
        }
        LogPosition forcedTo = new LogPosition((int) forced[0], forced[1]);
        return new Checkpoint(number, settings, position, segments, state, stats, in.nextPosition(), forcedTo);
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
