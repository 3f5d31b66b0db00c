package dev.sieve.durable;

import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Reads the files of a frontier, which may be open, and changes none of them.
 *
 * <p>Damage is collected, not thrown. The filter is not read, since it may be larger than the memory.
 */
final class Inspection {
    private static final int ATTEMPTS = 100;

    private final DiskView disk;
    private final LogEnd written;
    private final Settings settings;
    private final FrontierFiles files;
    private final Map<Integer, DamageException> damagedCheckpoints = new TreeMap<>();
    private final List<DamageException> damages = new ArrayList<>();
    private final Checkpoint checkpoint;
    private final LogState state;
    private final LogScan scan;
    private NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private boolean hasProblems;

    /** Returns something that was read of a frontier. */
    interface Result<T> {
        T of(Inspection inspection) throws IOException;
    }

    /** Reads the frontier as it is at one moment; again when a file was removed at the same time. */
    static <T> T of(DiskView disk, Result<T> result) throws IOException {
        for (int attempt = 1; ; attempt++) {
            FrontierFiles before = FrontierFiles.list(disk);
            LogEnd written = LogEnd.read(disk);
            try {
                Inspection inspection = new Inspection(new PinnedDisk(disk), written);
                T found = result.of(inspection);
                if (!inspection.hasProblems || attempt == ATTEMPTS || before.equals(FrontierFiles.list(disk))) {
                    return found;
                }
            } catch (NoSuchFileException e) {
                if (attempt == ATTEMPTS || before.equals(FrontierFiles.list(disk))) {
                    throw e;
                }
            }
        }
    }

    static Inspection of(DiskView disk) throws IOException {
        return of(disk, inspection -> inspection);
    }

    private Inspection(DiskView disk, LogEnd written) throws IOException {
        this.disk = disk;
        this.written = written;
        files = FrontierFiles.list(disk);
        Settings stored = Settings.read(disk);
        if (stored == null) {
            throw new IOException(Settings.NAME + ": the file is missing, so the folder does not contain a frontier");
        }
        settings = stored;
        checkpoint = Checkpoint.newest(disk, files, found -> true, damagedCheckpoints);
        damages.addAll(damagedCheckpoints.values());
        state = checkpoint.state();
        scan = new LogScan(disk, settings, files, checkpoint, written, urls -> {});
        try {
            FrontierFiles.requireNoUnfinishedRepair(disk);
            if (!checkpoint.exists()) {
                files.requireStartOfLog();
            }
            scan.run();
            segments = scan.segments();
        } catch (DamageException e) {
            damages.add(e);
        }
        hasProblems = !damages.isEmpty();
    }

    /** Returns the number of distinct URLs; some may have been queued again since the last checkpoint. */
    long distinct() {
        long since = state.accepted() - checkpoint.stats().accepted();
        return Math.min(state.accepted(), checkpoint.stats().estimatedSize() + since);
    }

    DurableState state(OptionalLong owner) throws IOException {
        List<String> problems = new ArrayList<>();
        damages.forEach(damage -> problems.add(damage.getMessage()));
        if (scan.torn() != null && owner.isEmpty()) {
            problems.add((scan.hasRest() ? "will be repaired" : "will be cut off") + " at the next start: "
                    + scan.torn().getMessage());
        }
        problems.addAll(olderProblems());
        hasProblems = !problems.isEmpty();
        SieveStats last = checkpoint.stats();
        SieveStats stats = new SieveStats(
                settings.filter(),
                state.accepted(),
                last.seen(),
                state.open(),
                0,
                state.doneCount(),
                last.estimatedSize(),
                settings.capacity(),
                last.falsePositiveRate(),
                last.estimatedMissed(),
                last.memoryBytes());
        long logBytes = 0;
        for (int number : files.logs()) {
            logBytes += disk.size(FrontierFiles.segment(number));
        }
        return new DurableState(
                stats,
                settings.falsePositiveRate(),
                state.lost(),
                last.inFlight(),
                files.logs().size(),
                logBytes,
                owner,
                List.copyOf(problems));
    }

    /** Whether the filter of the last checkpoint contains a key; without a checkpoint, all URLs are in the log. */
    boolean filterMightContain(String key) throws IOException {
        if (!checkpoint.exists()) {
            return false;
        }
        Membership filter = checkpoint.readFilter(disk);
        long[] hash = Murmur3.hash(key, filter.seed());
        return filter.mightContain(hash[0], hash[1]);
    }

    /** Returns the problems in parts of the log that an open does not read. */
    private List<String> olderProblems() throws IOException {
        if (!damages.isEmpty() || scan.torn() != null) {
            return List.of();
        }
        return Repair.findings(disk, written);
    }

    /** Passes on URLs with these labels in their order, and returns how many; those before damage were passed on. */
    long export(Export which, IntPredicate labels, Consumer<String> urls) throws IOException {
        if (!damages.isEmpty()) {
            throw damages.get(0);
        }
        AtomicLong count = new AtomicLong();
        LogPosition repairedFrom = scan.hasRest() ? scan.tornAt() : LogPosition.LAST;
        new LogPass(disk, segments, state.done(), scan.end(), repairedFrom, segment -> true).run((url, isDone) -> {
            if (labels.test(url.label()) && which.includes(isDone)) {
                urls.accept(url.url());
                count.incrementAndGet();
            }
            return true;
        });
        return count.get();
    }
}
