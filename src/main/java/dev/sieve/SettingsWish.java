package dev.sieve;

import dev.sieve.bloom.Memberships;
import java.io.IOException;

/**
 * What whoever opens a frontier wants it to be made with; null where it shall stay as it is, or become the default.
 *
 * @param kind which filter
 * @param expectedUrls distinct URLs that the filter is made for
 * @param falsePositiveRate the rate that is asked for
 * @param seed the seed of the hash
 */
record SettingsWish(Settings.Kind kind, Long expectedUrls, Double falsePositiveRate, Long seed) {

    /** The settings of a new frontier, on the disk. */
    Settings make(Disk disk) throws IOException {
        for (String name : disk.names()) {
            if (Segment.number(name).isPresent() || Checkpoint.number(name).isPresent()) {
                throw new IOException(Settings.NAME + ": the file is missing, and " + name + " is there");
            }
        }
        if (expectedUrls == null) {
            throw nothingThere();
        }
        Settings made = change(new Settings(
                Memberships.randomSeed(),
                Settings.Kind.BLOOM,
                expectedUrls,
                Sieve.DEFAULT_FALSE_POSITIVE_RATE,
                Memberships.randomSeed()));
        // A wish that cannot be fulfilled shall leave nothing behind.
        made.newFilter();
        made.write(disk);
        return made;
    }

    static IllegalArgumentException nothingThere() {
        return new IllegalArgumentException("there is no frontier yet, and to make one expectedUrls has to be told");
    }

    /** Other settings, where something else was wished for. */
    Settings change(Settings settings) {
        return new Settings(
                settings.frontierId(),
                kind == null ? settings.kind() : kind,
                expectedUrls == null ? settings.capacity() : expectedUrls,
                falsePositiveRate == null ? settings.falsePositiveRate() : falsePositiveRate,
                seed == null ? settings.seed() : seed);
    }
}
