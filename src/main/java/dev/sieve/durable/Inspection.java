package dev.sieve.durable;

import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads the files of a frontier and changes none of them, so that its owner may go on meanwhile.
 *
 * <p>What is found wrong is noted and not thrown. The filter is left alone, as it may be larger than the memory at hand.
 */
final class Inspection {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int ATTEMPTS = 5;

    private final Disk disk;
    private final Settings settings;
    private final FrontierFiles files;
    private final List<String> problems = new ArrayList<>();
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();
    private Checkpoint.Saved saved;
    private LogState state = new LogState();
    private LogScan scan;

    /**
     * Reads what the frontier says of itself; once more when its owner has removed files meanwhile.
     *
     * @throws IOException when the disk fails, or there is no frontier
     */
    static Inspection of(Disk disk) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                Inspection inspection = new Inspection(disk);
                if (attempt == ATTEMPTS || inspection.files.equals(FrontierFiles.list(disk))) {
                    return inspection;
                }
            } catch (NoSuchFileException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Inspection(Disk disk) throws IOException {
        this.disk = disk;
        files = FrontierFiles.list(disk);
        settings = Settings.read(disk);
        if (settings == null) {
            throw new IOException(Settings.NAME + ": the file is missing, so there is no frontier here");
        }
        loadNewest();
        try {
            readLog();
        } catch (DamageException e) {
            problems.add(e.getMessage());
        }
    }

    private void loadNewest() throws IOException {
        for (int number : files.checkpoints().descendingSet()) {
            try {
                saved = Checkpoint.read(disk, number);
                state = saved.checkpoint().state();
                return;
            } catch (DamageException e) {
                problems.add(e.getMessage());
            }
        }
    }

    private void readLog() throws IOException {
        if (saved == null && !files.isLogWhole()) {
            problems.add("no whole checkpoint is left, and the log no longer has its first segments");
            return;
        }
        LogPosition from = saved == null
                ? new LogPosition(1, Segment.HEADER_BYTES)
                : saved.checkpoint().position();
        scan = new LogScan(
                disk,
                settings.frontierId(),
                files.logs().tailSet(from.segment(), true),
                state,
                urls -> {},
                saved == null ? new LogPosition(1, 0) : saved.forced());
        if (!files.isEmpty()) {
            scan.run(from);
        }
        segments.putAll(scan.segments());
        if (saved != null) {
            segments.putAll(saved.checkpoint().olderSegments(files.logs(), state.done()));
        }
    }

    /** How many URLs were accepted and are known. */
    long accepted() {
        return state.accepted();
    }

    DurableState state(OptionalLong owner) throws IOException {
        if (scan != null && scan.torn() != null && owner.isEmpty()) {
            problems.add("to be cut off at the next start: " + scan.torn().getMessage());
        }
        SieveStats last = saved == null ? null : saved.checkpoint().stats();
        SieveStats stats = new SieveStats(
                state.accepted(),
                last == null ? 0 : last.seen(),
                state.open(),
                0,
                state.doneCount(),
                last == null ? 0 : last.estimatedSize(),
                settings.capacity(),
                last == null ? 0 : last.falsePositiveRate(),
                last == null ? 0 : last.estimatedMissed(),
                last == null ? 0 : last.memoryBytes());
        return new DurableState(
                stats,
                settings.falsePositiveRate(),
                state.lost(),
                last == null ? 0 : last.inFlight(),
                files.logs().size(),
                logBytes(),
                owner,
                List.copyOf(problems));
    }

    private long logBytes() throws IOException {
        long bytes = 0;
        for (int number : files.logs()) {
            try (Disk.Source source = disk.read(FrontierFiles.segment(number))) {
                bytes += source.size();
            }
        }
        return bytes;
    }

    /**
     * Hands out URLs in their order.
     *
     * @return how many
     * @throws IOException when the log is damaged; the URLs before that place were handed out
     */
    long export(Export which, Consumer<String> urls) throws IOException {
        if (!problems.isEmpty()) {
            throw new DamageException(problems.get(0));
        }
        long count = 0;
        for (Segment segment : segments.values()) {
            count += export(segment, which, urls);
        }
        return count;
    }

    private long export(Segment segment, Export which, Consumer<String> urls) throws IOException {
        long count = 0;
        LogPosition end = scan.end();
        UrlFrameReader frames = new UrlFrameReader();
        try (FrameReader reader = Segment.open(disk, segment.start(), BUFFER_BYTES)) {
            while (end.compareTo(new LogPosition(segment.number(), reader.nextPosition())) > 0) {
                FrameReader.Found found = reader.next();
                if (found == FrameReader.Found.END) {
                    break;
                }
                if (found == FrameReader.Found.DAMAGE) {
                    throw reader.broken(reader.damage());
                }
                if (frames.read(reader, reader.kind())) {
                    count += export(frames.firstId(), frames.batch(), which, urls);
                }
            }
        }
        return count;
    }

    private long export(long firstId, UrlBatch batch, Export which, Consumer<String> urls) {
        long count = 0;
        if (batch.label() != 0) {
            return count;
        }
        for (int i = 0; i < batch.size(); i++) {
            if (which.includes(state.done().contains(firstId + i))) {
                urls.accept(batch.url(i));
                count++;
            }
        }
        return count;
    }
}
