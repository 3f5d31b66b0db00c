package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.OnFull;
import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Repairs a frontier with damaged files so that it can be opened, and keeps all of it that is whole.
 *
 * <p>Files that are changed or given up are kept with the suffix {@code .broken}. While no segment was removed, the filter
 * is made again from the log, so lost URLs are new again when they are found. Otherwise the filter of the last checkpoint
 * stays, since only it contains the URLs that were removed.
 */
final class Repair {
    private final Disk disk;
    private FrontierFiles files;
    private final List<String> findings = new ArrayList<>();
    private final Settings settings;
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private final NavigableMap<Integer, SegmentRepair> repairs = new TreeMap<>();
    private Checkpoint saved;

    private Membership filter;
    private Deduplicator deduplicator;
    private LogState state;
    private boolean isLogDamaged;

    Repair(Disk disk) throws IOException {
        this.disk = disk;
        files = FrontierFiles.list(disk);
        settings = settings();
    }

    /** Returns the settings; those of the newest checkpoint if their file is missing or damaged. */
    private Settings settings() throws IOException {
        List<String> wrong = new ArrayList<>();
        try {
            Settings found = Settings.read(disk);
            if (found != null) {
                return found;
            }
            wrong.add(Settings.NAME + ": the file is missing");
        } catch (DamageException e) {
            wrong.add(e.getMessage());
        }
        Checkpoint found = Checkpoint.newest(
                disk,
                files,
                checkpoint -> true,
                (number, cause) -> wrong.add(Inspection.damage(cause).getMessage()));
        if (!found.exists()) {
            throw new DamageException(String.join("; ", wrong) + ", and none of the checkpoints is whole");
        }
        found.settings().write(disk);
        findings.add(String.join("; ", wrong) + "; written again from " + found.name());
        return found.settings();
    }

    RepairReport run() throws IOException {
        saved = Checkpoint.newest(disk, files, this::load, this::putAside);
        LogState before = saved.state();
        state = new LogState(0, before.lost(), before.done(), before.attempts());
        cutTornTail();
        if (!saved.exists() || !isSomethingRemoved()) {
            filter = settings.newFilter();
        }
        deduplicator = new Deduplicator(filter, settings.capacity(), OnFull.WARN, event -> {});
        for (int number = firstSegment(); number <= lastSegment(); number++) {
            readSegment(number);
        }
        addLostAtEnd();
        long lostBytes = 0;
        for (SegmentRepair repair : repairs.values()) {
            lostBytes += repair.write(settings.frontierId());
        }
        if (isLogDamaged || (!saved.exists() && isSomethingRemoved())) {
            replaceCheckpoints();
        }
        return new RepairReport(state.accepted(), state.lost(), lostBytes, List.copyOf(findings));
    }

    /** Reads the filter as well, so that a checkpoint with a damaged one is put aside. */
    private boolean load(Checkpoint checkpoint) throws IOException {
        filter = checkpoint.readFilter(disk);
        return checkpoint.settings().equals(settings);
    }

    private void putAside(int number, IOException cause) throws IOException {
        findings.add(cause.getMessage() + "; kept as .broken");
        String name = FrontierFiles.checkpoint(number);
        disk.rename(name, name + ".broken");
    }

    /** Whether some URLs are contained in the filter of the checkpoint only. */
    private boolean isSomethingRemoved() {
        if (firstSegment() > 1) {
            return true;
        }
        for (int number = 1; number <= lastSegment(); number++) {
            if (!files.logs().contains(number) && isRemoved(number)) {
                return true;
            }
        }
        return false;
    }

    /** Cuts off a torn tail as the next open would, so that it is not taken for damage. */
    private void cutTornTail() throws IOException {
        // Read again, since a scan changes the state.
        Checkpoint start = saved.exists() ? Checkpoint.read(disk, saved.number()) : Checkpoint.none(files);
        LogScan scan = new LogScan(disk, settings, files, start, urls -> {});
        try {
            scan.run();
        } catch (DamageException e) {
            return;
        }
        if (scan.cutTornTail()) {
            files = FrontierFiles.list(disk);
        }
    }

    private int firstSegment() {
        if (!files.logs().isEmpty()) {
            return files.logs().first();
        }
        return saved.exists() ? saved.position().segment() : 1;
    }

    private int lastSegment() {
        int forced = saved.forced().segment();
        return files.logs().isEmpty() ? forced : Math.max(forced, files.logs().last());
    }

    private void readSegment(int number) throws IOException {
        boolean isPresent = files.logs().contains(number);
        if (!isPresent && isRemoved(number)) {
            return;
        }
        if (!isPresent) {
            note(FrontierFiles.segment(number) + ": the file is missing");
            byte[] header = new Segment(number, state.nextId()).header(settings.frontierId());
            try (Disk.Sink sink = disk.create(FrontierFiles.segment(number))) {
                sink.append(header, 0, header.length);
            }
        }
        SegmentRepair repair = start(number);
        repairs.put(number, repair);
        segments.put(number, repair.segment());
        String wrong = repair.read(state, deduplicator::restore);
        if (wrong != null) {
            note(wrong);
        }
        if (!isPresent) {
            repair.padTo(0);
            state.addLost();
        }
    }

    private void note(String damage) {
        isLogDamaged = true;
        findings.add(damage);
    }

    /** Whether a missing segment was removed because all of its URLs are done. */
    private boolean isRemoved(int number) {
        if (number >= saved.position().segment()) {
            return false;
        }
        NavigableMap<Integer, Segment> known = saved.segments();
        Segment segment = known.get(number);
        return segment == null || segment.isDone(known, state.done());
    }

    /** Continues with the first id of a segment, or gives the segment the header that it should have. */
    private SegmentRepair start(int number) throws IOException {
        Segment expected = new Segment(number, state.nextId());
        Segment segment;
        try {
            segment = Segment.read(disk, number, settings.frontierId());
        } catch (DamageException e) {
            note(e.getMessage());
            state.addLost();
            return new SegmentRepair(disk, expected, true);
        }
        long firstId = segment.firstId();
        if (firstId < state.nextId()) {
            note(segment.name() + ": " + state.wrongStart(firstId));
            return new SegmentRepair(disk, expected, true);
        }
        if (!segments.containsKey(number - 1)) {
            state.skipTo(firstId);
        } else if (!state.canStartAt(firstId)) {
            note(FrontierFiles.segment(number - 1) + ": its end is missing");
            repairs.get(number - 1).padTo(0);
            state.addLost();
        }
        state.start(firstId);
        return new SegmentRepair(disk, segment, false);
    }

    /** Restores the length that the log had on the disk when the checkpoint was written. */
    private void addLostAtEnd() {
        if (!saved.exists()) {
            return;
        }
        state.start(Math.max(state.nextId(), saved.state().nextId()));
        LogPosition forced = saved.forced();
        SegmentRepair last = repairs.get(forced.segment());
        if (last.size() < forced.offset()) {
            note(last.segment().name() + ": its end is missing from offset " + last.size() + " on");
            last.padTo(forced.offset());
        }
    }

    /** Writes a checkpoint at the end of the log and deletes all others. */
    private void replaceCheckpoints() throws IOException {
        int newest = files.lastCheckpoint() + 1;
        Segment last = segments.lastEntry().getValue();
        LogPosition end = new LogPosition(last.number(), disk.size(last.name()));
        SieveStats before = saved.stats();
        SieveStats stats = new SieveStats(
                state.accepted(),
                before.seen(),
                state.open(),
                0,
                state.doneCount(),
                filter.estimatedSize(),
                settings.capacity(),
                filter.falsePositiveRate(),
                before.estimatedMissed(),
                filter.memoryBytes());
        FrameWriter frames = Checkpoint.frames(newest, settings, end, segments, state, stats);
        Checkpoint.write(disk, newest, frames, filter, () -> end);
        for (int number : FrontierFiles.list(disk).checkpoints().headSet(newest)) {
            disk.delete(FrontierFiles.checkpoint(number));
        }
        disk.forceNames();
    }
}
