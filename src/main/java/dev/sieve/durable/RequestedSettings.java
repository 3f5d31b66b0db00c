package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.Sieve;
import dev.sieve.bloom.Memberships;
import dev.sieve.io.Disk;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings requested by the caller; null keeps the stored value or takes the default. See {@link Settings}. */
record RequestedSettings(
        @Nullable FilterKind kind,
        @Nullable Long capacity,
        @Nullable Double falsePositiveRate,
        @Nullable Long seed) {

    /**
     * Checks that a frontier can be made, unless the folder contains one. Changes nothing.
     *
     * @throws IllegalArgumentException when it cannot be made
     * @throws IOException when the folder contains part of a frontier
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
        if (capacity == null) {
            throw new IllegalArgumentException("capacity is required to make a new frontier");
        }
        return apply(new Settings(
                Memberships.randomSeed(),
                FilterKind.forOnFull(null),
                capacity,
                Sieve.DEFAULT_FALSE_POSITIVE_RATE,
                Memberships.randomSeed()));
    }

    /** Creates the log and the settings of a new frontier, last the settings: so settings without a log are damage. */
    Settings make(Disk disk) throws IOException {
        requireNothing(disk);
        Settings made = fresh();
        Segment first = new Segment(1, 0);
        disk.replace(
                first.name(),
                first.name() + ".tmp",
                sink -> sink.append(first.header(made.frontierId()), 0, Segment.HEADER_BYTES));
        made.write(disk);
        return made;
    }

    /**
     * Returns the settings of an existing frontier with the requested changes. Does not write them.
     *
     * @throws IllegalArgumentException when the frontier cannot be changed
     */
    Settings change(Settings stored, Disk disk) throws IOException {
        Settings requested = apply(stored);
        if (requested.capacity() != stored.capacity()) {
            long held = Inspection.of(disk).distinct();
            if (requested.capacity() < held) {
                throw new IllegalArgumentException("capacity is " + requested.capacity()
                        + ", but the frontier already contains about " + held + " URLs");
            }
        }
        if (!requested.equals(stored) && !FrontierFiles.list(disk).isLogWhole()) {
            throw new IllegalArgumentException("made for " + stored.words() + ", not for " + requested.words()
                    + "; changing that requires the whole log, but parts of it were removed");
        }
        return requested;
    }

    private Settings apply(Settings settings) {
        return new Settings(
                settings.frontierId(),
                kind == null ? settings.kind() : kind,
                capacity == null ? settings.capacity() : capacity,
                falsePositiveRate == null ? settings.falsePositiveRate() : falsePositiveRate,
                seed == null ? settings.seed() : seed);
    }
}
