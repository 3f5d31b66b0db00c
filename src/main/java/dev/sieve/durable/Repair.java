package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.FilterKind;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Repairs a frontier with damaged files so that it can be opened, and keeps all of it that is whole.
 *
 * <p>First everything is read and compared, without a change; {@link #findings} is what {@link DurableFolder#inspect}
 * reports. Then, if something was found, it is written to the file {@code repair}, the segments are repaired from the
 * last to the first, a new checkpoint is written, and the file is deleted. Until then an open is refused, and another
 * repair does what is left. It also reports what that file contains, since the damage may no longer be visible.
 *
 * <p>While no segment was removed, the filter is made again from the log, so lost URLs are new again when they are
 * found. Otherwise the filter of the last checkpoint stays, since only it contains the URLs that were removed.
 */
final class Repair {
    private static final long DEFAULT_CAPACITY = 1_000_000;
    private static final String LOST_BYTES = "lost-bytes ";
    private static final String KEEPS_FILTER = "keeps-filter ";
    private static final int MAX_MARK_BYTES = 1 << 24;

    private final DiskView disk;
    private final LogEnd written;
    private final boolean isDry;
    private final FrontierFiles files;
    private final Set<String> findings = new LinkedHashSet<>();
    private final Map<Integer, DamageException> damaged = new TreeMap<>();
    private final Settings settings;
    private final NavigableSet<Integer> foreign = new TreeSet<>(); // segments of other frontiers beside the log
    private boolean areSettingsNew;
    private final Checkpoint saved;
    private boolean keepsFilter; // of the checkpoint; otherwise it is made again from the log
    private final long inFilter; // the ids below it are in the filter that is kept
    private @Nullable Membership filter; // null in a dry run
    private @Nullable LogScan scan; // null where an open is refused
    private final LogRepair log;
    private final LogState state;
    private boolean isContinued; // after an interrupted repair, whose mark was read
    private long lostBytes;

    /** Reads everything, and changes nothing. */
    private Repair(DiskView disk, LogEnd written, boolean isDry) throws IOException {
        this.disk = disk;
        this.isDry = isDry;
        files = FrontierFiles.list(disk);
        settings = settings();
        this.written = written.of(settings.frontierId());
        if (disk.names().contains(FrontierFiles.REPAIR)) {
            findings.add(FrontierFiles.REPAIR + ": an earlier repair was interrupted");
            readMark();
        }
        // A checkpoint whose filter alone is damaged still contains which URLs are done, and the end of the log.
        saved = Checkpoint.newest(disk, files, found -> found.settings().equals(settings), damaged);
        findForeign();
        Checkpoint whole = Checkpoint.newest(disk, files, this::load, damaged);
        // Decided once: the segments that exist may be others after an interrupted repair.
        keepsFilter = whole.exists() && (isContinued ? keepsFilter : isSomethingRemoved());
        inFilter = keepsFilter ? whole.state().nextId() : 0;
        damaged.values().forEach(damage -> findings.add(damage.getMessage() + "; kept as .broken"));
        scan = scan();
        LogRepair read = readLog();
        LogState before = saved.state();
        if (scan != null && saved.exists() && read.idAtWatched() != before.nextId()) {
            // The position of the checkpoint is not between two frames, so neither may be where the scan ended.
            scan = null;
            read = readLog();
        }
        log = read;
        state = log.state();
        findings.addAll(log.findings());
        compare(before);
        long lostBefore = before.lost();
        if (state.lost() > lostBefore && findings.isEmpty()) {
            findings.add((state.lost() - lostBefore) + " URLs are lost that are not known to be done");
        }
        // Without a checkpoint it is not known which of the URLs whose records are missing were finished.
        boolean areFinishedMissing = saved.exists() ? state.missing() > state.lost() - lostBefore : state.missing() > 0;
        if (areFinishedMissing && !findings.isEmpty()) {
            findings.add("the filter cannot be made again as it was: at least " + state.missing()
                    + " URLs, finished ones included, are new again when they are found");
        }
        lostBytes = Math.max(lostBytes, log.lostBytes());
    }

    /** Returns what a repair would find, except damage of a filter; reads all of the log and changes nothing. */
    static List<String> findings(DiskView disk, LogEnd written) throws IOException {
        return List.copyOf(new Repair(disk, written, true).findings);
    }

    static RepairReport run(Disk disk) throws IOException {
        Repair repair = new Repair(disk, LogEnd.read(disk), false);
        if (!repair.findings.isEmpty()) {
            repair.write(disk);
        }
        return new RepairReport(
                repair.state.accepted(), repair.state.lost(), repair.lostBytes, List.copyOf(repair.findings));
    }

    /** Returns the stored settings; those of the newest checkpoint if they are missing, damaged or of another frontier. */
    private Settings settings() throws IOException {
        String wrong = null;
        Settings stored = null;
        try {
            stored = Settings.read(disk);
        } catch (DamageException e) {
            wrong = e.getMessage();
        }
        Long id = identity(stored);
        Segment first = firstWhole(id);
        if (stored == null && wrong == null) {
            wrong = Settings.NAME + ": the file is missing";
        } else if (stored != null && !Objects.equals(id, stored.frontierId())) {
            wrong = Settings.NAME + ": belongs to another frontier than the log";
        }
        Settings before = stored;
        Checkpoint same =
                Checkpoint.newest(disk, files, found -> found.settings().equals(before), new TreeMap<>());
        if (stored != null && wrong == null && (same.exists() || files.isLogWhole())) {
            return stored;
        }
        Checkpoint other = Checkpoint.newest(
                disk, files, found -> Objects.equals(found.settings().frontierId(), id), new TreeMap<>());
        if (stored != null && wrong == null && !other.exists()) {
            return stored;
        }
        areSettingsNew = true;
        if (other.exists()) {
            findings.add((wrong == null ? Settings.NAME + ": not those of the checkpoint" : wrong)
                    + "; written again from " + other.name());
            return other.settings();
        }
        if (first == null) {
            throw new DamageException(wrong + ", and no segment and no checkpoint is whole");
        }
        Settings made = new Settings(
                first.frontierId(),
                FilterKind.SPLIT_BLOCKS,
                Math.max(DEFAULT_CAPACITY, 2 * Math.min(lastId(first), Long.MAX_VALUE / 2)),
                Sieve.DEFAULT_FALSE_POSITIVE_RATE,
                Memberships.randomSeed());
        findings.add(wrong + ", and no checkpoint is whole; made again for " + made.words());
        return made;
    }

    /**
     * Returns the frontier to which most files belong, so that a few files of another one do not decide; null without a
     * whole file. Of two with as many files it is that of the settings, which an open believes, or of the newest
     * checkpoint.
     */
    private @Nullable Long identity(@Nullable Settings stored) throws IOException {
        Map<Long, Integer> votes = new LinkedHashMap<>();
        if (stored != null) {
            votes.put(stored.frontierId(), 1);
        }
        for (int number : files.checkpoints().descendingSet()) {
            try {
                votes.merge(Checkpoint.read(disk, number).settings().frontierId(), 1, Integer::sum);
            } catch (DamageException e) {
                // It may belong to any frontier.
            }
        }
        for (int number : files.logs()) {
            try {
                votes.merge(Segment.read(disk, number).frontierId(), 1, Integer::sum);
            } catch (DamageException e) {
                // As above.
            }
        }
        @Nullable Long most = null;
        for (Map.Entry<Long, Integer> vote : votes.entrySet()) {
            most = most == null || vote.getValue() > votes.getOrDefault(most, 0) ? vote.getKey() : most;
        }
        return most;
    }

    private @Nullable Segment firstWhole(@Nullable Long id) throws IOException {
        for (int number : files.logs()) {
            try {
                return Segment.read(disk, number, id == null ? 0 : id);
            } catch (DamageException | Segment.ForeignException e) {
                // The id of the frontier is also in the next one.
            }
        }
        return null;
    }

    private long lastId(Segment first) throws IOException {
        for (int number : files.logs().descendingSet()) {
            try {
                return Segment.read(disk, number, first.frontierId()).firstId();
            } catch (DamageException | Segment.ForeignException e) {
                // The one before has a lower id, which is only used to choose a capacity.
            }
        }
        return 0;
    }

    /** Finds segments of other frontiers in the places of those that were removed; others stand for one that is missing. */
    private void findForeign() throws IOException {
        for (int number : List.copyOf(files.logs().headSet(saved.position().segment()))) {
            try {
                if (saved.exists() && isRemoved(number)) {
                    Segment.read(disk, number, settings.frontierId());
                }
            } catch (Segment.ForeignException e) {
                files.logs().remove(number);
                foreign.add(number);
                findings.add(e.getMessage() + "; kept as .broken");
            } catch (DamageException e) {
                // It may be one of this frontier.
            }
        }
    }

    /** Reads what an interrupted repair has reported; nothing when the file is damaged. */
    private void readMark() throws IOException {
        try {
            String text = CheckedText.read(disk, FrontierFiles.REPAIR, MAX_MARK_BYTES);
            for (String line : text.lines().toList()) {
                if (line.startsWith(LOST_BYTES)) {
                    lostBytes = Long.parseLong(line.substring(LOST_BYTES.length()));
                } else if (line.startsWith(KEEPS_FILTER)) {
                    keepsFilter = Boolean.parseBoolean(line.substring(KEEPS_FILTER.length()));
                    isContinued = true;
                } else {
                    findings.add(line);
                }
            }
        } catch (DamageException | NumberFormatException e) {
            // The log and the checkpoint still show what is lost.
        }
    }

    private void writeMark(Disk target) throws IOException {
        String lines =
                LOST_BYTES + lostBytes + "\n" + KEEPS_FILTER + keepsFilter + "\n" + String.join("\n", findings) + "\n";
        CheckedText.write(target, FrontierFiles.REPAIR, lines, true);
    }

    private boolean load(Checkpoint checkpoint) throws IOException {
        if (!checkpoint.settings().equals(settings)) {
            return false;
        }
        if (!isDry) {
            filter = checkpoint.readFilter(disk);
        }
        return true;
    }

    /** Reads the log as an open does, to find out where it ends; returns null where an open is refused. */
    private @Nullable LogScan scan() throws IOException {
        if (!saved.exists() && !files.logs().contains(1)) {
            return null;
        }
        LogScan end = new LogScan(disk, settings, files, savedAgain(), written, urls -> {});
        try {
            end.run();
            return end;
        } catch (DamageException | Segment.ForeignException e) {
            return null;
        }
    }

    /** Reads the checkpoint once more, since its state is changed when the log is read. */
    private Checkpoint savedAgain() throws IOException {
        return saved.exists() ? Checkpoint.read(disk, saved.number()) : Checkpoint.none(files);
    }

    private LogRepair readLog() throws IOException {
        LogState before = savedAgain().state();
        LogState read = new LogState(0, before.lost(), before.done(), before.attempts(), inFilter);
        LogPosition torn = scan != null && scan.torn() != null ? scan.tornAt() : LogPosition.LAST;
        boolean hasRest = scan != null && scan.hasRest();
        LogPosition tail = hasRest ? torn : LogPosition.LAST;
        LogPosition limit = hasRest ? LogPosition.LAST : torn;
        LogRepair repair = new LogRepair(disk, settings.frontierId(), read, urls(), tail, limit);
        repair.watch(saved.position());
        repair.readAll(files.logs(), firstSegment(), this::isRemoved);
        if (repair.segments().isEmpty()) {
            repair.readMissing(Math.max(1, saved.position().segment()));
            repair.findings()
                    .add("nothing of the log is left: all URLs that were not done are lost"
                            + (saved.exists() ? "" : ", and their number is unknown"));
        }
        return repair;
    }

    private Consumer<UrlBatch> urls() throws DamageException {
        if (isDry) {
            return urls -> {};
        }
        if (!keepsFilter) {
            filter = settings.storedFilter();
        }
        return new Deduplicator(Objects.requireNonNull(filter), settings.capacity(), OnFull.WARN, event -> {})::restore;
    }

    /** Compares what was read with the checkpoint, whose state was that of the log. */
    private void compare(LogState before) {
        LogPosition end = saved.forced().compareTo(written.position()) > 0 ? saved.forced() : written.position();
        boolean isCut = log.end().compareTo(end) < 0;
        long nextId = Math.max(before.nextId(), isCut ? written.nextId() : 0);
        if (isCut || state.nextId() < nextId) {
            findings.add(log.end().words() + ": the end of the log is missing, which was written up to " + end.words());
            log.padTo(end);
            if (state.nextId() < nextId) {
                log.continueAt(nextId);
            }
        }
        if (saved.exists() && (log.idAtWatched() != before.nextId() || !hasSegmentsOfLog())) {
            findings.add(saved.name() + ": it does not belong to this log");
        }
    }

    /** Whether an open finds each URL that is not done in the segments that the checkpoint lists. */
    private boolean hasSegmentsOfLog() {
        NavigableMap<Integer, Segment> listed = saved.segments();
        NavigableMap<Integer, Segment> found = log.segments();
        for (Segment segment : listed.values()) {
            Segment same = found.get(segment.number());
            if (same == null
                    ? segment.number() >= saved.position().segment() || !segment.isDone(listed, state.done())
                    : segment.firstId() != same.firstId()) {
                return false;
            }
        }
        return found.headMap(saved.position().segment()).values().stream()
                .allMatch(segment -> listed.containsKey(segment.number()) || segment.isDone(found, state.done()));
    }

    /** Whether some URLs are contained in the filter of the checkpoint only. */
    private boolean isSomethingRemoved() {
        return files.logs().isEmpty()
                || files.logs().first() > 1
                || IntStream.range(1, saved.position().segment())
                        .anyMatch(number -> !files.logs().contains(number) && isRemoved(number));
    }

    /** Whether a missing segment was removed because all of its URLs are done. */
    private boolean isRemoved(int number) {
        if (number >= saved.position().segment()) {
            return false;
        }
        Segment segment = saved.segments().get(number);
        return segment == null || segment.isDone(saved.segments(), saved.state().done());
    }

    private int firstSegment() {
        int first = files.logs().isEmpty() ? 1 : files.logs().first();
        return saved.segments().isEmpty()
                ? first
                : Math.min(first, saved.segments().firstKey());
    }

    private void write(Disk target) throws IOException {
        writeMark(target);
        if (areSettingsNew) {
            settings.write(target);
        }
        if (scan != null && !scan.hasRest()) {
            scan.repair(target);
        }
        new BrokenFiles(target).putAside(foreign);
        log.write(target);
        for (int number : damaged.keySet()) {
            new BrokenFiles(target).putAside(FrontierFiles.checkpoint(number));
        }
        writeCheckpoint(target, files.lastCheckpoint(damaged.keySet()) + 1);
        target.delete(FrontierFiles.REPAIR);
        target.forceNames();
    }

    /** Writes a checkpoint at the end of the log and deletes all others. */
    private void writeCheckpoint(Disk target, int number) throws IOException {
        LogPosition end = log.end();
        Membership restored = Objects.requireNonNull(filter);
        SieveStats before = saved.stats();
        SieveStats stats = new SieveStats(
                settings.filter(),
                state.accepted(),
                before.seen(),
                state.open(),
                0,
                state.doneCount(),
                restored.estimatedSize(),
                settings.capacity(),
                restored.falsePositiveRate(),
                before.estimatedMissed(),
                restored.memoryBytes());
        FrameWriter frames = Checkpoint.frames(number, settings, end, log.segments(), state, stats);
        Checkpoint.write(target, number, frames, restored, () -> end);
        for (int older : FrontierFiles.list(target).checkpoints().headSet(number)) {
            target.delete(FrontierFiles.checkpoint(older));
        }
    }
}
