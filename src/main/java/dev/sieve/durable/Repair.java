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
 * Makes a frontier with damaged files one that can be opened, and keeps all of it that is whole.
 *
 * <p>Every file that is changed or given up is kept beside, under its name with {@code .broken}. Where nothing of the
 * log had been removed, the filter is made anew from what is left of it, so that lost URLs are new again for whoever finds
 * them. Otherwise the filter of the last checkpoint stays, as the only one that knows those that were removed.
 */
final class Repair {
    private final Disk disk;
    private FrontierFiles files;
    private final List<String> findings = new ArrayList<>();
    private final Settings settings;
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private final NavigableMap<Integer, SegmentRepair> repairs = new TreeMap<>();
    /** The newest checkpoint that is whole; null when there is none. */
    private Checkpoint.Saved saved;

    private Membership filter;
    private Deduplicator deduplicator;
    private LogState state = new LogState();
    private boolean isLogDamaged;

    Repair(Disk disk) throws IOException {
        this.disk = disk;
        files = FrontierFiles.list(disk);
        settings = settings();
    }

    /** The settings; those of the newest checkpoint if their file is not what was written. */
    private Settings settings() throws IOException {
        String wrong = Settings.NAME + ": the file is missing";
        try {
            Settings found = Settings.read(disk);
            if (found != null) {
                return found;
            }
        } catch (DamageException e) {
            wrong = e.getMessage();
        }
        for (int number : files.checkpoints().descendingSet()) {
            try {
                Settings found = Checkpoint.read(disk, number).checkpoint().settings();
                found.write(disk);
                findings.add(wrong + "; written again from " + FrontierFiles.checkpoint(number));
                return found;
            } catch (DamageException e) {
                wrong += "; " + e.getMessage();
            }
        }
        throw new DamageException(wrong + ", and there is no checkpoint to take them from");
    }

    RepairReport run() throws IOException {
        loadCheckpoint();
        cutTornTail();
        if (saved == null || !isSomethingRemoved()) {
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
        if (isLogDamaged || (saved == null && isSomethingRemoved())) {
            deleteCheckpoints(writeCheckpoint());
        }
        return new RepairReport(state.accepted(), state.lost(), lostBytes, List.copyOf(findings));
    }

    private void loadCheckpoint() throws IOException {
        for (int number : files.checkpoints().descendingSet()) {
            String name = FrontierFiles.checkpoint(number);
            try {
                Checkpoint.Saved candidate = Checkpoint.read(disk, number);
                Membership itsFilter = candidate.filter(disk);
                if (candidate.checkpoint().settings().equals(settings)) {
                    LogState before = candidate.checkpoint().state();
                    saved = candidate;
                    filter = itsFilter;
                    state = new LogState(0, before.lost(), before.done(), before.attempts());
                    return;
                }
            } catch (VersionException e) {
                throw e;
            } catch (IOException e) {
                findings.add(e.getMessage() + "; put aside");
                disk.rename(name, name + ".broken");
            }
        }
    }

    /** Whether there are URLs that only the filter of the checkpoint knows. */
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

    /** Does what the next open would do, lest it is taken for damage. */
    private void cutTornTail() throws IOException {
        if (files.isEmpty()) {
            return;
        }
        LogPosition from = new LogPosition(firstSegment(), Segment.HEADER_BYTES);
        LogPosition forced = new LogPosition(1, 0);
        LogState before = new LogState();
        if (saved != null) {
            from = saved.checkpoint().position();
            forced = saved.forced();
            before = Checkpoint.read(disk, saved.checkpoint().number())
                    .checkpoint()
                    .state();
        }
        LogScan scan = new LogScan(
                disk, settings.frontierId(), files.logs().tailSet(from.segment(), true), before, urls -> {}, forced);
        try {
            scan.run(from);
        } catch (DamageException e) {
            return;
        }
        if (scan.torn() != null) {
            new TornTail(disk, files.logs()).cut(scan);
            files = FrontierFiles.list(disk);
        }
    }

    private int firstSegment() {
        if (!files.logs().isEmpty()) {
            return files.logs().first();
        }
        return saved == null ? 1 : saved.checkpoint().position().segment();
    }

    private int lastSegment() {
        int forced = saved == null ? 0 : saved.forced().segment();
        return files.logs().isEmpty() ? forced : Math.max(forced, files.logs().last());
    }

    private void readSegment(int number) throws IOException {
        boolean isPresent = files.logs().contains(number);
        if (!isPresent && isRemoved(number)) {
            return;
        }
        if (!isPresent) {
            note(FrontierFiles.segment(number) + ": the file is missing");
            writeEmpty(new Segment(number, state.nextId()));
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

    /** Whether a segment that is not there was removed since all of it is done. */
    private boolean isRemoved(int number) {
        if (saved == null || number >= saved.checkpoint().position().segment()) {
            return false;
        }
        NavigableMap<Integer, Segment> known = saved.checkpoint().segments();
        Segment segment = known.get(number);
        return segment == null || segment.isDone(known, state.done());
    }

    private void writeEmpty(Segment segment) throws IOException {
        try (Disk.Sink sink = disk.create(segment.name())) {
            sink.append(segment.header(settings.frontierId()), 0, Segment.HEADER_BYTES);
        }
    }

    /** Reads the head of a segment and goes on with its first id, or gives it the head that it should have. */
    private SegmentRepair start(int number) throws IOException {
        Segment segment;
        try {
            segment = Segment.read(disk, number, settings.frontierId());
        } catch (DamageException e) {
            note(e.getMessage());
            state.addLost();
            return new SegmentRepair(disk, new Segment(number, state.nextId()), true);
        }
        long firstId = segment.firstId();
        if (firstId < state.nextId()) {
            note(segment.name() + ": its first id should be " + state.nextId() + ": " + firstId);
            return new SegmentRepair(disk, new Segment(number, state.nextId()), true);
        }
        if (!segments.containsKey(number - 1)) {
            state.addRemoved(firstId);
        } else if (!state.canStartAt(firstId)) {
            note(FrontierFiles.segment(number - 1) + ": its end is missing");
            repairs.get(number - 1).padTo(0);
            state.addLost();
        }
        state.start(firstId);
        return new SegmentRepair(disk, segment, false);
    }

    /** What was on the disk when the checkpoint was written has to be there again, in length at least. */
    private void addLostAtEnd() {
        if (saved == null) {
            return;
        }
        state.start(Math.max(state.nextId(), saved.checkpoint().state().nextId()));
        LogPosition forced = saved.forced();
        SegmentRepair last = repairs.get(forced.segment());
        if (last.size() < forced.offset()) {
            note(last.segment().name() + ": its end is missing from offset " + last.size() + " on");
            last.padTo(forced.offset());
        }
    }

    private void deleteCheckpoints(int newest) throws IOException {
        for (int number : FrontierFiles.list(disk).checkpoints()) {
            if (number != newest) {
                disk.delete(FrontierFiles.checkpoint(number));
            }
        }
        disk.forceNames();
    }

    /** Writes what is known now, as a checkpoint at the end of the log; answers its number. */
    private int writeCheckpoint() throws IOException {
        int number = files.checkpoints().isEmpty() ? 1 : files.checkpoints().last() + 1;
        Segment last = segments.lastEntry().getValue();
        LogPosition end;
        try (Disk.Source source = disk.read(last.name())) {
            end = new LogPosition(last.number(), source.size());
        }
        SieveStats before = saved == null ? null : saved.checkpoint().stats();
        SieveStats stats = new SieveStats(
                state.accepted(),
                before == null ? 0 : before.seen(),
                state.open(),
                0,
                state.doneCount(),
                filter.estimatedSize(),
                settings.capacity(),
                filter.falsePositiveRate(),
                before == null ? 0 : before.estimatedMissed(),
                filter.memoryBytes());
        FrameWriter frames = new Checkpoint(number, settings, end, segments, state, stats).frames();
        Checkpoint.write(disk, number, frames, filter, () -> end);
        return number;
    }
}
