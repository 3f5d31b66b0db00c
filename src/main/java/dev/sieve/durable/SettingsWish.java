package dev.sieve.durable;

import dev.sieve.Sieve;
import dev.sieve.bloom.Memberships;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What whoever opens a frontier wants it to be made with; null where it shall stay as it is, or become the default.
 *
 * @param kind which filter
 * @param expectedUrls distinct URLs that the filter is made for
 * @param falsePositiveRate the rate that is asked for
 * @param seed the seed of the hash
 */
record SettingsWish(Settings.Kind kind, Long expectedUrls, Double falsePositiveRate, Long seed) {

    /**
     * Finds out whether a frontier can be made, where there is none in a folder; nothing is changed.
     *
     * @throws IllegalArgumentException when it cannot
     * @throws IOException when there is a part of a frontier
     */
    void tryOut(Path directory) throws IOException {
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

    /** The settings of a new frontier, on the disk. */
    Settings make(Disk disk) throws IOException {
        requireNothing(disk);
        Settings made = fresh();
        made.write(disk);
        return made;
    }

    /**
     * The settings of a frontier, or others where something else is wished for; they are not written.
     *
     * @throws IllegalArgumentException when it cannot have others
     */
    Settings change(Settings stored, Disk disk) throws IOException {
        Settings wished = apply(stored);
        if (wished.capacity() != stored.capacity()) {
            requireRoom(wished.capacity(), Inspection.of(disk).accepted());
        }
        if (!wished.equals(stored) && !FrontierFiles.list(disk).isLogWhole()) {
            throw new IllegalArgumentException("made for " + stored.words() + ", not for " + wished.words()
                    + "; that can only be changed where all of the log was kept");
        }
        return wished;
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
