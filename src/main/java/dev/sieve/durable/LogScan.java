package dev.sieve.durable;

import dev.sieve.UrlBatch;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log from a checkpoint, or from its start, to its end and applies it to the state. Tells damage, a hole and
 * a torn tail apart, as the package documentation says.
 */
final class LogScan {
    private static final Logger LOG = LoggerFactory.getLogger(LogScan.class);
    private static final int BUFFER_BYTES = 1 << 18;

    private final DiskView disk;
    private final long frontierId;
    private final NavigableSet<Integer> numbers;
    private final Checkpoint checkpoint;
    private final LogState state;
    private final Consumer<UrlBatch> urls;
    private final UrlFrameReader frames = new UrlFrameReader();
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private final LogPosition written;
    private LogPosition forced;
    private LogPosition end;
    private LogPosition tornAt = LogPosition.NONE;
    private @Nullable DamageException torn; // null while the log ends with a whole frame
    private @Nullable LogRepair rest; // null while no URLs follow the torn place

    /** Prepares to read from a checkpoint on, into its state. URLs are received batch by batch; the batch is reused. */
    LogScan(
            DiskView disk,
            Settings settings,
            FrontierFiles files,
            Checkpoint checkpoint,
            LogEnd written,
            Consumer<UrlBatch> urls) {
        this.disk = disk;
        this.frontierId = settings.frontierId();
        this.numbers = files.logs();
        this.checkpoint = checkpoint;
        this.urls = urls;
        this.written = written.of(frontierId).position();
        state = checkpoint.state();
        forced = checkpoint.forced();
        end = checkpoint.position();
    }

    /** Reads up to the end, or up to a torn tail. Changes nothing; see {@link #repair}. */
    void run() throws IOException {
        if (numbers.isEmpty() && !checkpoint.exists()) {
            return;
        }
        int first = checkpoint.position().segment();
        int last = numbers.isEmpty() ? first : Math.max(first, numbers.last());
        for (int number = first; torn == null && number <= last; number++) {
            readSegment(number);
        }
        if (torn != null && searchRest(torn)) {
            readRest();
        }
        LogPosition known = forced.compareTo(written) > 0 ? forced : written;
        if (end.compareTo(known) < 0) {
            throw new DamageException(
                    FrontierFiles.segment(end.segment()),
                    end.offset(),
                    "the log ends here, but it was written up to " + known.words()
                            + (torn == null ? "" : " (" + torn.getMessage() + ")"));
        }
    }

    private void readSegment(int number) throws IOException {
        boolean isFirst = number == checkpoint.position().segment();
        Segment segment;
        try {
            if (!numbers.contains(number)) {
                throw DamageException.missing(FrontierFiles.segment(number));
            }
            segment = Segment.read(disk, number, frontierId);
            if (isFirst ? segment.firstId() != checkpoint.firstId() : !state.canStartAt(segment.firstId())) {
                throw new DamageException(segment.name(), 0, state.wrongStart(segment.firstId()));
            }
        } catch (DamageException e) {
            tear(e, number, 0);
            return;
        }
        try (FrameReader reader = Segment.open(disk, isFirst ? checkpoint.position() : segment.start(), BUFFER_BYTES)) {
            if (!isFirst) {
                state.start(segment.firstId());
            }
            segments.put(number, segment);
            readFrames(reader, number);
        }
    }

    private void tear(DamageException damage, int segment, long offset) {
        torn = damage;
        tornAt = new LogPosition(segment, offset);
    }

    private void readFrames(FrameReader reader, int segment) throws IOException {
        end = new LogPosition(segment, reader.nextPosition());
        while (reader.next()) {
            state.apply(reader, frames);
            if (reader.kind() == FrameKind.FORCED) {
                noteForced(LogPosition.readForced(reader, segment));
            } else if (FrameKind.isUrls(reader.kind())) {
                urls.accept(frames.batch());
            }
            end = new LogPosition(segment, reader.nextPosition());
        }
        if (reader.damage() != null) {
            tear(reader.damage(), segment, Math.min(reader.position(), reader.size()));
        }
    }

    /** Notes that all of the log before a position was on the disk. */
    void noteForced(LogPosition position) {
        if (position.compareTo(forced) > 0) {
            forced = position;
        }
    }

    /**
     * Searches the rest of the log for a frame which says that the place where it ends was on the disk, and returns
     * whether there are URLs that can follow those before the damage.
     */
    private boolean searchRest(DamageException damage) throws IOException {
        boolean hasUrls = false;
        int before = tornAt.segment();
        for (int number : numbers.tailSet(tornAt.segment())) {
            boolean isNear = number - before <= LogRepair.MAX_MISSING;
            before = isNear ? number : before;
            long offset = number == tornAt.segment() ? tornAt.offset() : 0;
            LogPosition start = new LogPosition(number, Math.max(offset, Segment.HEADER_BYTES));
            try (FrameReader reader = Segment.open(disk, start, BUFFER_BYTES)) {
                do {
                    while (reader.next()) {
                        hasUrls |= search(reader, number) && isNear;
                    }
                } while (reader.damage() != null && reader.skipDamage());
            }
        }
        if (tornAt.compareTo(forced) < 0) {
            throw damage;
        }
        return hasUrls;
    }

    private boolean search(FrameReader reader, int segment) throws IOException {
        try {
            if (reader.kind() == FrameKind.FORCED) {
                noteForced(LogPosition.readForced(reader, segment));
            }
            return frames.read(reader) && (frames.firstId() == state.nextId() || state.canSkipTo(frames.firstId()));
        } catch (DamageException e) {
            return false;
        }
    }

    /** Reads the log after the damage. */
    private void readRest() throws IOException {
        LogRepair behind = new LogRepair(disk, frontierId, state, urls, tornAt, LogPosition.LAST);
        rest = behind;
        int number = tornAt.segment();
        if (numbers.contains(number)) {
            behind.read(number, tornAt.offset());
        } else {
            behind.readMissing(number);
        }
        behind.readAll(numbers.tailSet(number, false), number + 1, missing -> false);
        segments.putAll(behind.segments());
        end = behind.end();
    }

    /** Returns the damage after the last position known to be on the disk; null when there is none. */
    @Nullable
    DamageException torn() {
        return torn;
    }

    /** Returns where that damage begins. */
    LogPosition tornAt() {
        return tornAt;
    }

    /** Whether whole URLs follow that damage. */
    boolean hasRest() {
        return rest != null;
    }

    /** Repairs the log where whole URLs follow that damage, and cuts off a torn tail; keeps a copy. */
    void repair(Disk target) throws IOException {
        if (torn == null) {
            return;
        }
        String what = torn.getMessage();
        if (rest != null) {
            rest.write(target);
            LOG.warn(
                    "{}: damaged from offset {} on: discarded {} bytes ({} URLs lost in total); later URLs are kept, later"
                            + " results are discarded, so some pages are fetched again; copies kept as .broken ({})",
                    FrontierFiles.segment(tornAt.segment()),
                    tornAt.offset(),
                    rest.lostBytes(),
                    state.lost(),
                    what);
        } else {
            cutTornTail(target, what);
        }
    }

    private void cutTornTail(Disk target, @Nullable String what) throws IOException {
        BrokenFiles broken = new BrokenFiles(target);
        long bytes = broken.putAside(numbers.tailSet(tornAt.segment(), false));
        if (numbers.contains(tornAt.segment())) {
            String name = FrontierFiles.segment(tornAt.segment());
            bytes += tornAt.offset() == 0 ? broken.putAside(name) : broken.cut(name, tornAt.offset());
        }
        target.forceNames();
        if (bytes > 0) {
            LOG.warn(
                    "{}: cut off at offset {}: {} bytes that a crash left unfinished, kept as .broken ({})",
                    FrontierFiles.segment(tornAt.segment()),
                    tornAt.offset(),
                    bytes,
                    what);
        }
    }

    LogPosition end() {
        return end;
    }

    /**
     * Returns the segments that were read, and those before them that the checkpoint lists and that still exist. One
     * that is missing while some of its URLs are not done is damage.
     */
    NavigableMap<Integer, Segment> segments() throws DamageException {
        segments.putAll(checkpoint.olderSegments(numbers, state.done()));
        return segments;
    }

    LogPosition forced() {
        return forced;
    }
}
