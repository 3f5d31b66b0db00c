package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out from a folder what its frontier was when it was left, and puts its files in order.
 *
 * <p>The newest checkpoint that is whole is loaded, and the log read from its position on. Without one all of the log is
 * read, which needs all of it to be there. A torn tail is copied aside and cut off.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /**
     * What was found.
     *
     * @param filter every URL of the log is in it
     * @param state what the log says
     * @param deduplicator holds the filter
     * @param segments the files of the log
     * @param end where the log ends; null when there is none yet
     * @param forced before this position all of the log is known to be on the disk
     * @param from where the reading of the log began
     * @param checkpoint the number of the checkpoint that was loaded; 0 when there was none
     * @param lastCheckpoint the highest number of a checkpoint that was there; 0 when there was none
     */
    record Found(
            Membership filter,
            LogState state,
            Deduplicator deduplicator,
            NavigableMap<Integer, Segment> segments,
            LogPosition end,
            LogPosition forced,
            LogPosition from,
            int checkpoint,
            int lastCheckpoint) {}

    private final Disk disk;
    private final Settings settings;
    private final FrontierFiles files;
    private final int lastCheckpoint;
    private long seen;

    Recovery(Disk disk, Settings settings) throws IOException {
        this.disk = disk;
        this.settings = settings;
        files = FrontierFiles.list(disk);
        lastCheckpoint = files.checkpoints().isEmpty() ? 0 : files.checkpoints().last();
    }

    /**
     * Does it.
     *
     * @param deduplicators makes a deduplicator around a filter
     * @throws IOException when the disk fails, or when something is damaged that had been safe on it
     */
    Found run(Function<Membership, Deduplicator> deduplicators) throws IOException {
        boolean mustExplain = !files.checkpoints().isEmpty();
        Loaded loaded = loadNewest();
        if (loaded == null) {
            if (!files.isLogWhole()) {
                throw new DamageException("no whole checkpoint is left, and the log no longer has its first segments");
            }
            if (mustExplain) {
                LOG.warn("no checkpoint of this filter is left: it is made again from the log");
            }
            loaded = Loaded.nothing(settings.newFilter());
        }
        Deduplicator deduplicator = deduplicators.apply(loaded.filter());
        deduplicator.restore(seen, loaded.missed());
        LogPosition from = loaded.from();
        LogScan scan = new LogScan(
                disk,
                settings.frontierId(),
                files.logs().tailSet(from.segment(), true),
                loaded.state,
                deduplicator::restore,
                loaded.forced());
        if (!files.logs().isEmpty() || loaded.saved != null) {
            scan.run(from);
        }
        if (scan.torn() != null) {
            new TornTail(disk, files.logs()).cut(scan);
        }
        NavigableMap<Integer, Segment> segments = scan.segments();
        if (loaded.saved != null) {
            segments.putAll(loaded.saved.checkpoint().olderSegments(files.logs(), loaded.state.done()));
        }
        return new Found(
                loaded.filter,
                loaded.state,
                deduplicator,
                segments,
                segments.isEmpty() ? null : scan.end(),
                scan.forced(),
                from,
                loaded.saved == null ? 0 : loaded.saved.checkpoint().number(),
                lastCheckpoint);
    }

    /**
     * With what the reading of the log begins.
     *
     * @param saved the checkpoint; null when there is none
     */
    record Loaded(Checkpoint.Saved saved, LogState state, Membership filter) {
        static Loaded nothing(Membership filter) {
            return new Loaded(null, new LogState(), filter);
        }

        LogPosition from() {
            return saved == null
                    ? new Segment(1, 0).start()
                    : saved.checkpoint().position();
        }

        LogPosition forced() {
            return saved == null ? new LogPosition(1, 0) : saved.forced();
        }

        double missed() {
            return saved == null ? 0 : saved.checkpoint().stats().estimatedMissed();
        }
    }

    private Loaded loadNewest() throws IOException {
        for (int number : List.copyOf(files.checkpoints().descendingSet())) {
            try {
                Checkpoint.Saved saved = Checkpoint.read(disk, number);
                Checkpoint checkpoint = saved.checkpoint();
                seen = Math.max(seen, checkpoint.stats().seen());
                if (!checkpoint.settings().equals(settings)) {
                    LOG.warn("{}: passed over, since it is of another filter", checkpoint.name());
                    continue;
                }
                Membership filter = saved.filter(disk);
                if (filter.seed() != settings.seed()) {
                    throw new IOException(checkpoint.name() + ": its filter has another seed");
                }
                return new Loaded(saved, checkpoint.state(), filter);
            } catch (VersionException e) {
                throw e;
            } catch (IOException e) {
                LOG.warn("{}: passed over and kept as .broken: {}", FrontierFiles.checkpoint(number), e.getMessage());
                disk.rename(FrontierFiles.checkpoint(number), FrontierFiles.checkpoint(number) + ".broken");
                files.checkpoints().remove(number);
            }
        }
        return null;
    }
}
