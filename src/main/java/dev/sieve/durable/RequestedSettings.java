package dev.sieve.durable;

import dev.sieve.Sieve;
import dev.sieve.bloom.Memberships;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The settings requested by the caller; null keeps the stored value or takes the default.
 *
 * @param kind which filter
 * @param expectedUrls distinct URLs that the filter is made for
 * @param falsePositiveRate the rate that is asked for
 * @param seed the seed of the hash
 */
record RequestedSettings(Settings.Kind kind, Long expectedUrls, Double falsePositiveRate, Long seed) {

    /**
     * Checks that a frontier can be made, if the folder contains none. Changes nothing.
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

    private static void requireNothing(Disk disk) throws IOException {
        FrontierFiles files = FrontierFiles.list(disk);
        if (!files.isEmpty()) {
            String name = files.logs().isEmpty()
                    ? FrontierFiles.checkpoint(files.checkpoints().first())
                    : FrontierFiles.segment(files.logs().first());
            throw new DamageException(Settings.NAME + ": the file is missing, and " + name + " is there");
        }
    }

    private Settings fresh() {
        if (expectedUrls == null) {
            throw new IllegalArgumentException("there is no frontier yet, and to make one expectedUrls has to be told");
        }
        return apply(new Settings(
                Memberships.randomSeed(),
                Settings.Kind.BLOOM,
                expectedUrls,
                Sieve.DEFAULT_FALSE_POSITIVE_RATE,
                Memberships.randomSeed()));
    }

    /** Writes and returns the settings of a new frontier. */
    Settings make(Disk disk) throws IOException {
        requireNothing(disk);
        Settings made = fresh();
        made.write(disk);
        return made;
    }

    /**
     * Returns the settings of an existing frontier, changed where something else is requested. Does not write them.
     *
     * @throws IllegalArgumentException when the frontier cannot be changed
     */
    Settings change(Settings stored, Disk disk) throws IOException {
        Settings requested = apply(stored);
        if (requested.capacity() != stored.capacity()) {
            requireRoom(requested.capacity(), Inspection.of(disk).accepted());
        }
        if (!requested.equals(stored) && !FrontierFiles.list(disk).isLogWhole()) {
            throw new IllegalArgumentException("made for " + stored.words() + ", not for " + requested.words()
                    + "; that can only be changed where all of the log was kept");
        }
        return requested;
    }

    private static void requireRoom(long expected, long held) {
        if (expected < held) {
            throw new IllegalArgumentException(
                    "expectedUrls is " + expected + ", and there are " + held + " URLs already");
        }
    }

    private Settings apply(Settings settings) {
        return new Settings(
                settings.frontierId(),
                kind == null ? settings.kind() : kind,
                expectedUrls == null ? settings.capacity() : expectedUrls,
                falsePositiveRate == null ? settings.falsePositiveRate() : falsePositiveRate,
                seed == null ? settings.seed() : seed);
    }
}
