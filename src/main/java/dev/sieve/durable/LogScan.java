package dev.sieve.durable;

import dev.sieve.UrlBatch;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads the log from a position to its end and takes in what it says.
 *
 * <p>Where bytes are no frame, it has to be decided what they are. A torn tail is what a crash leaves behind the last
 * position that is known to be on the disk: the log ends there. Before such a position it is damage. Whether there is
 * one is said by the frames that follow, so these are looked for.
 */
final class LogScan {
    private static final int BUFFER_BYTES = 1 << 18;

    private final Disk disk;
    private final long frontierId;
    private final NavigableSet<Integer> numbers;
    private final LogState state;
    private final Consumer<UrlBatch> urls;
    private final UrlFrameReader frames = new UrlFrameReader();
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private LogPosition forced;
    private LogPosition end;
    private LogPosition tornAt;
    private DamageException torn;

    /**
     * Prepares to read.
     *
     * @param numbers the segments whose files are there
     * @param state takes in what is read
     * @param urls is handed all URLs, batch by batch; a batch is used again for the next one
     * @param forced before this position all of the log is known to be on the disk
     */
    LogScan(
            Disk disk,
            long frontierId,
            NavigableSet<Integer> numbers,
            LogState state,
            Consumer<UrlBatch> urls,
            LogPosition forced) {
        this.disk = disk;
        this.frontierId = frontierId;
        this.numbers = numbers;
        this.state = state;
        this.urls = urls;
        this.forced = forced;
    }

    /**
     * Reads up to the end, or up to a torn tail.
     *
     * @throws DamageException when a part of the log that was on the disk is damaged or missing
     */
    void run(LogPosition from) throws IOException {
        end = from;
        int last = numbers.isEmpty() ? 0 : numbers.last();
        for (int number = from.segment(); torn == null && number <= Math.max(last, from.segment()); number++) {
            readSegment(number, from);
        }
        if (torn != null) {
            refuseIfForced();
        } else if (end.compareTo(forced) < 0) {
            throw new DamageException(
                    FrontierFiles.segment(end.segment()),
                    end.offset(),
                    "the log ends here, but it had been on the disk up to " + FrontierFiles.segment(forced.segment())
                            + ", offset " + forced.offset());
        }
    }

    private void readSegment(int number, LogPosition from) throws IOException {
        boolean isFirst = number == from.segment();
        try {
            Segment segment = header(number);
            try (FrameReader reader = Segment.open(disk, isFirst ? from : segment.start(), BUFFER_BYTES)) {
                if (!isFirst) {
                    goOn(reader, segment);
                }
                segments.put(number, segment);
                readAll(reader, number);
            }
        } catch (TornException e) {
            torn = e.damage;
            tornAt = new LogPosition(number, e.offset);
        }
    }

    /** Leaves a segment at a place where bytes are no frame. */
    private static final class TornException extends IOException {
        private final DamageException damage;
        private final long offset;

        TornException(DamageException damage, long offset) {
            super(damage);
            this.damage = damage;
            this.offset = offset;
        }
    }

    private Segment header(int number) throws IOException {
        if (!numbers.contains(number)) {
            throw new TornException(new DamageException(FrontierFiles.segment(number), 0, "the file is missing"), 0);
        }
        try {
            return Segment.read(disk, number, frontierId);
        } catch (DamageException e) {
            throw new TornException(e, 0);
        }
    }

    private void goOn(FrameReader reader, Segment segment) throws IOException {
        try {
            state.startAt(reader, segment.firstId());
        } catch (DamageException e) {
            throw new TornException(e, 0);
        }
    }

    private void readAll(FrameReader reader, int segment) throws IOException {
        end = new LogPosition(segment, reader.nextPosition());
        for (FrameReader.Found found = reader.next(); found != FrameReader.Found.END; found = reader.next()) {
            if (found == FrameReader.Found.DAMAGE) {
                throw new TornException(reader.broken(reader.damage()), Math.min(reader.position(), reader.size()));
            }
            take(reader);
            end = new LogPosition(segment, reader.nextPosition());
        }
    }

    private void take(FrameReader frame) throws IOException {
        int kind = state.apply(frame, frames);
        if (kind == FrameKind.FORCED) {
            takeForced(frame);
        } else if (FrameKind.isUrls(kind)) {
            urls.accept(frames.batch());
        }
    }

    private void takeForced(FrameReader frame) throws IOException {
        LogPosition position = new LogPosition(
                (int) frame.number("segment", Integer.MAX_VALUE), frame.number("offset", Long.MAX_VALUE));
        if (position.compareTo(forced) > 0) {
            forced = position;
        }
    }

    /** Looks through the rest of the log for a word that the place where it ends had been on the disk. */
    private void refuseIfForced() throws IOException {
        for (int number : numbers.tailSet(tornAt.segment())) {
            long offset = number == tornAt.segment() ? tornAt.offset() : 0;
            LogPosition from = new LogPosition(number, Math.max(offset, Segment.HEADER_BYTES));
            try (FrameReader reader = Segment.open(disk, from, BUFFER_BYTES)) {
                lookForForced(reader);
            }
        }
        if (tornAt.compareTo(forced) < 0) {
            throw torn;
        }
    }

    private void lookForForced(FrameReader reader) throws IOException {
        for (FrameReader.Found found = reader.next(); found != FrameReader.Found.END; found = reader.next()) {
            if (found == FrameReader.Found.DAMAGE) {
                if (!reader.skipDamage()) {
                    return;
                }
            } else if (reader.kind() == FrameKind.FORCED) {
                takeForced(reader);
            }
        }
    }

    /** Where the bytes begin that are no frames; null when there are none. */
    LogPosition tornAt() {
        return tornAt;
    }

    /** Where the last frame ends that was read. */
    LogPosition end() {
        return end;
    }

    /** What is wrong where the log ends; null when that is the end of the last file. */
    DamageException torn() {
        return torn;
    }

    /** The segments that were read. */
    NavigableMap<Integer, Segment> segments() {
        return segments;
    }

    /** Before this position all of the log is known to be on the disk. */
    LogPosition forced() {
        return forced;
    }
}
