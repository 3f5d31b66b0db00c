package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.FrontierSettings;
import dev.sieve.Sieve;
import dev.sieve.bloom.Memberships;
import dev.sieve.io.Disk;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The settings requested by the caller, with which a folder is made or opened. See {@link Settings}. */
record RequestedSettings(FrontierSettings requested) {
    /**
     * Refuses settings with which no frontier can be made, unless the folder contains one, and a folder that contains
     * part of one. Changes nothing.
     */
    void check(Path directory) throws IOException {
        if (DurableFolder.exists(directory)) {
            return;
        }
        if (Files.exists(directory)) {
            requireNothing(new LocalDisk(directory));
        }
        fresh().newFilter();
    }

    /** Allows the first segment without frames, which {@link #make} creates before the settings. */
    private static void requireNothing(Disk disk) throws IOException {
        FrontierFiles files = FrontierFiles.list(disk);
        boolean isUnfinished = files.checkpoints().isEmpty()
                && files.logs().equals(Set.of(1))
                && disk.size(FrontierFiles.segment(1)) <= Segment.HEADER_BYTES;
        if (!files.isEmpty() && !isUnfinished) {
            throw new DamageException(
                    Settings.NAME + ": the file is missing, but the folder contains a log or checkpoints");
        }
    }

    private Settings fresh() {
        return apply(new Settings(
                Memberships.randomSeed(),
                FilterKind.SPLIT_BLOCKS,
                requested.requireCapacity(),
                Sieve.DEFAULT_FALSE_POSITIVE_RATE,
                Memberships.randomSeed()));
    }

    /** Creates the log and the settings of a new frontier, last the settings: so settings without a log are damage. */
    Settings make(Disk disk) throws IOException {
        requireNothing(disk);
        Settings made = fresh();
        Segment first = new Segment(1, 0);
        disk.replace(first.name(), first.header(made.frontierId()), true);
        made.write(disk);
        return made;
    }

    /** Returns the settings of an existing frontier with the requested changes, if it can be changed. Does not write them. */
    Settings change(Settings stored, Disk disk) throws IOException {
        Settings changed = apply(stored);
        if (changed.capacity() != stored.capacity()) {
            long held = Inspection.of(disk).distinct();
            if (changed.capacity() < held) {
                throw new IllegalArgumentException("capacity is " + changed.capacity()
                        + ", but the frontier already contains about " + held + " URLs");
            }
        }
        if (!changed.equals(stored) && !FrontierFiles.list(disk).isLogWhole()) {
            throw new IllegalArgumentException("made for " + stored.words() + ", not for " + changed.words()
                    + "; changing that requires the whole log, but parts of it were removed");
        }
        return changed;
    }

    private Settings apply(Settings settings) {
        Long capacity = requested.capacity();
        return new Settings(
                settings.frontierId(),
                requested.filter(settings.kind()),
                capacity == null ? settings.capacity() : capacity,
                requested.falsePositiveRate(settings.falsePositiveRate()),
                requested.seed(settings.seed()));
    }
}
