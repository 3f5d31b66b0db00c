package dev.sieve.durable;

import dev.sieve.UrlBatch;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Reads segments that may be damaged, applies what is whole to a state, and plans how the log is to be changed so that
 * it can be read. Nothing is written before {@link #write}.
 */
final class LogRepair {
    /** Longest run of missing segments that is replaced; a file after a longer gap is foreign. */
    static final int MAX_MISSING = 1000;

    private final DiskView disk;
    private final long frontierId;
    private final LogState state;
    private final Consumer<UrlBatch> urls;
    private final LogPosition tail;
    private final LogPosition limit;
    private final NavigableMap<Integer, SegmentRepair> repairs = new TreeMap<>();
    private final NavigableMap<Integer, Long> strays = new TreeMap<>(); // numbers of files, and their sizes
    private final List<String> findings = new ArrayList<>();
    private LogPosition watched = LogPosition.NONE;
    private long idAtWatched = -1;

    /**
     * Prepares to read up to {@code limit}; from {@code tail} on, a crash may have left damage, so that only URLs are
     * applied. {@code urls} receives all of them batch by batch; the batch is reused.
     */
    LogRepair(
            DiskView disk,
            long frontierId,
            LogState state,
            Consumer<UrlBatch> urls,
            LogPosition tail,
            LogPosition limit) {
        this.disk = disk;
        this.frontierId = frontierId;
        this.state = state;
        this.urls = urls;
        this.tail = tail;
        this.limit = limit;
    }

    /** Reads all segments; missing ones may have been removed. */
    void readAll(NavigableSet<Integer> numbers, int first, IntPredicate isRemoved) throws IOException {
        NavigableSet<Integer> present = new TreeSet<>(numbers.headSet(limit.segment(), limit.offset() > 0));
        while (!present.isEmpty() && isStray(present.last())) {
            putAside(present.pollLast(), "not a segment");
        }
        int next = first;
        for (int number : present) {
            if (number - next > MAX_MISSING && !repairs.isEmpty() && !isRemoved.test(number - 1)) {
                putAside(number, "not a segment of this log, which ends at " + end());
                continue;
            }
            for (int missing = Math.max(next, number - MAX_MISSING); missing < number; missing++) {
                if (!isRemoved.test(missing)) {
                    readMissing(missing);
                }
            }
            read(number, 0);
            next = number + 1;
        }
    }

    private boolean isStray(int number) throws IOException {
        try {
            Segment.read(disk, number, frontierId);
            return false;
        } catch (Segment.ForeignException e) {
            return true;
        } catch (DamageException e) {
            LogPosition start = new LogPosition(number, Segment.HEADER_BYTES);
            try (FrameReader reader = Segment.open(disk, start, SegmentRepair.BUFFER_BYTES)) {
                return !reader.next() && (reader.damage() == null || !reader.skipDamage());
            }
        }
    }

    private void putAside(int number, String why) throws IOException {
        String name = FrontierFiles.segment(number);
        strays.put(number, disk.size(name));
        findings.add(name + ": " + why + "; kept as .broken");
    }

    /** Plans a segment for a missing file. */
    void readMissing(int number) {
        SegmentRepair repair = startAnew(number);
        repair.addLostAtEnd(0);
        state.addLost();
        repairs.put(number, repair);
        findings.add(FrontierFiles.segment(number) + ": the file is missing");
    }

    /** Reads a segment; from its header on, unless an offset is given. */
    void read(int number, long offset) throws IOException {
        LogPosition first = new LogPosition(number, Math.max(offset, Segment.HEADER_BYTES));
        if (first.compareTo(limit) > 0) {
            return;
        }
        SegmentRepair repair;
        try {
            Segment segment = Segment.read(disk, number, frontierId);
            repair = offset > 0 ? new SegmentRepair(disk, segment, false) : start(segment);
        } catch (Segment.ForeignException e) {
            findings.add(e.getMessage());
            repair = null;
        } catch (DamageException e) {
            findings.add(e.getMessage());
            repair = startAnew(number);
        }
        if (repair == null) {
            strays.put(number, 0L);
            readMissing(number);
            return;
        }
        repairs.put(number, repair);
        repair.read(first.offset(), offsetOf(tail, number), offsetOf(limit, number), state, urls, this::noteBoundary);
        if (repair.problem() != null) {
            findings.add(repair.problem());
        }
    }

    /** Continues with the first id of a segment, or gives the segment the header that it should have. */
    private SegmentRepair start(Segment segment) {
        long firstId = segment.firstId();
        boolean isFirst = repairs.isEmpty();
        boolean canFollow = !isFirst
                ? firstId == state.nextId() || state.canSkipTo(firstId)
                : firstId == state.nextId() || (firstId > 0 && segment.number() < tail.segment());
        if (!canFollow) {
            findings.add(segment.name() + ": " + state.wrongStart(firstId));
            return startAnew(segment.number());
        }
        SegmentRepair before = repairs.get(segment.number() - 1);
        if (before != null && !state.canStartAt(firstId)) {
            findings.add(before.segment().name() + ": its end is missing");
            before.addLostAtEnd(0);
        }
        state.start(firstId);
        return new SegmentRepair(disk, segment, false);
    }

    /** Plans a segment with a new header, which continues with the next id. */
    private SegmentRepair startAnew(int number) {
        state.start(state.nextId());
        return new SegmentRepair(disk, new Segment(number, state.nextId()), true);
    }

    /** Continues up to a position that was on the disk: bytes before it are lost. */
    void padTo(LogPosition position) {
        if (end().compareTo(position) >= 0) {
            return;
        }
        for (int number = end().segment() + 1; number <= position.segment(); number++) {
            if (position.segment() - number < MAX_MISSING) {
                readMissing(number);
            }
        }
        repairs.lastEntry().getValue().addLostAtEnd(Math.max(0, position.offset() - end().offset()));
        state.addLost();
    }

    private void noteBoundary(LogPosition position) {
        if (position.equals(watched)) {
            idAtWatched = state.nextId();
        }
    }

    private static long offsetOf(LogPosition position, int segment) {
        int order = Integer.compare(position.segment(), segment);
        return order == 0 ? position.offset() : order < 0 ? 0 : Long.MAX_VALUE;
    }

    /** Finds out the next id at a position. */
    void watch(LogPosition position) {
        watched = position;
    }

    /** Returns the next id at the watched position; negative when it is not between two frames. */
    long idAtWatched() {
        return idAtWatched;
    }

    /** Continues with an id, in a new segment: all URLs from the end of the log up to it are lost. */
    void continueAt(long firstId) {
        repairs.lastEntry().getValue().addLostAtEnd(0);
        state.start(firstId);
        int number = repairs.lastKey() + 1;
        repairs.put(number, startAnew(number));
    }

    /** Returns the state to which all that was read was applied. */
    LogState state() {
        return state;
    }

    NavigableMap<Integer, Segment> segments() {
        NavigableMap<Integer, Segment> segments = new TreeMap<>();
        repairs.forEach((number, repair) -> segments.put(number, repair.segment()));
        return segments;
    }

    LogPosition end() {
        return repairs.isEmpty()
                ? LogPosition.NONE
                : repairs.lastEntry().getValue().end();
    }

    /** Returns the bytes that were discarded, now or by an earlier repair. */
    long lostBytes() {
        return repairs.values().stream().mapToLong(SegmentRepair::lostBytes).sum()
                + strays.values().stream().mapToLong(size -> size).sum();
    }

    /** Returns the problems, one sentence each. */
    List<String> findings() {
        return findings;
    }

    /**
     * Changes the files, each in one step, the first segment last: while the first damage is there, an open finds all
     * that follows it unchanged, or already repaired.
     */
    void write(Disk target) throws IOException {
        new BrokenFiles(target).putAside(strays.navigableKeySet());
        for (SegmentRepair repair : repairs.descendingMap().values()) {
            repair.write(target, frontierId);
        }
        target.forceNames();
    }
}
