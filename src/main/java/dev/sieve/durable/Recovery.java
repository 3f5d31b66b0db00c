package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import dev.sieve.SieveStats;
import dev.sieve.bloom.Membership;
import dev.sieve.io.Disk;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores a frontier from its files: loads the newest whole checkpoint, reads the log from there on, and repairs what
 * a crash left at its end. Without a checkpoint all of the log is read; then no segment may have been removed. When it
 * refuses, no file was changed.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /**
     * The restored frontier.
     *
     * @param segments the files of the log
     * @param end the end of the log; null when it has no files yet
     * @param forced the position before which all of the log is known to be on the disk
     * @param checkpoint where the reading began; its state is now that of all of the log
     * @param lastCheckpoint the highest number of a checkpoint; 0 when there was none
     */
    record Found(
            Membership filter,
            Deduplicator deduplicator,
            NavigableMap<Integer, Segment> segments,
            @Nullable LogPosition end,
            LogPosition forced,
            Checkpoint checkpoint,
            int lastCheckpoint) {}

    private final Disk disk;
    private final Settings settings;
    private final FrontierFiles files;
    private @Nullable Membership filter;
    private long seen;
    private LogPosition forced = LogPosition.NONE;
    private @Nullable Checkpoint skipped; // the newest with other settings; null when there is none

    Recovery(Disk disk, Settings settings) throws IOException {
        this.disk = disk;
        this.settings = settings;
        files = FrontierFiles.list(disk);
    }

    /** Restores the frontier, with the choice for a full filter and the listener that are requested. */
    Found run(FrontierSettings requested) throws IOException {
        FrontierFiles.requireNoUnfinishedRepair(disk);
        Map<Integer, DamageException> damaged = new TreeMap<>();
        Checkpoint checkpoint = Checkpoint.newest(disk, files, this::load, damaged);
        if (!checkpoint.exists()) {
            files.requireStartOfLog();
            filter = settings.storedFilter();
        }
        Membership restored = Objects.requireNonNull(filter);
        OnFull onFull = requested.onFull(settings.kind());
        Deduplicator deduplicator = new Deduplicator(restored, settings.capacity(), onFull, requested.listener());
        deduplicator.restore(
                seen, checkpoint.stats().estimatedMissed(), checkpoint.stats().estimatedSize());
        LogScan scan = new LogScan(disk, settings, files, checkpoint, LogEnd.read(disk), deduplicator::restore);
        scan.noteForced(forced);
        scan.run();
        if (skipped != null) {
            // These URLs were missed by another filter; and the new one has no events yet.
            deduplicator.restore(0, missed(skipped.stats(), checkpoint.state().accepted()), 0);
        }
        NavigableMap<Integer, Segment> segments = scan.segments();
        // Nothing was changed until here, so an open that is refused leaves all files as they are.
        scan.repair(disk);
        putAside(damaged);
        if (!checkpoint.exists() && !files.checkpoints().isEmpty()) {
            LOG.warn("no usable checkpoint: the filter is made again from the log");
        }
        return new Found(
                restored,
                deduplicator,
                segments,
                segments.isEmpty() ? null : scan.end(),
                scan.forced(),
                checkpoint,
                files.lastCheckpoint(damaged.keySet()));
    }

    /** Returns the pages that a filter missed: those up to its last checkpoint, and its share of the URLs since then. */
    private static double missed(SieveStats last, long accepted) {
        double rate = last.falsePositiveRate();
        double since = Math.max(0, accepted - last.accepted());
        return last.estimatedMissed() + (rate < 1 ? since * rate / (1 - rate) : 0);
    }

    private boolean load(Checkpoint checkpoint) throws IOException {
        seen = Math.max(seen, checkpoint.stats().seen());
        if (!checkpoint.settings().equals(settings)) {
            LOG.warn("{}: skipped: its filter has other settings", checkpoint.name());
            skipped = skipped == null ? checkpoint : skipped;
            return false;
        }
        // Also true when the filter is damaged, and an older checkpoint is used.
        forced = checkpoint.forced().compareTo(forced) > 0 ? checkpoint.forced() : forced;
        filter = checkpoint.readFilter(disk);
        return true;
    }

    private void putAside(Map<Integer, DamageException> damaged) throws IOException {
        for (Map.Entry<Integer, DamageException> checkpoint : damaged.entrySet()) {
            LOG.warn(
                    "{}: skipped and kept as .broken: {}",
                    FrontierFiles.checkpoint(checkpoint.getKey()),
                    checkpoint.getValue().getMessage());
            new BrokenFiles(disk).putAside(FrontierFiles.checkpoint(checkpoint.getKey()));
        }
    }
}
