package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.Membership;
import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a frontier on the disk was made with, which determine its filter. The seed is a secret.
 *
 * @param frontierId distinguishes the files of this frontier from those of others
 * @param kind the filter
 * @param capacity distinct URLs that the filter is made for
 * @param falsePositiveRate the requested rate
 * @param seed the seed of the hash
 */
record Settings(long frontierId, FilterKind kind, long capacity, double falsePositiveRate, long seed) {
    static final String NAME = "settings";

    private static final int VERSION = 1;
    private static final int MAX_BYTES = 1 << 12;

    /** The filters; their order, which numbers them from 1 on, and their names are part of the format. */
    private static final List<FilterKind> KINDS =
            List.of(FilterKind.SPLIT_BLOCKS, FilterKind.GROWING, FilterKind.EXACT, FilterKind.CLASSIC);

    private static final List<String> KIND_NAMES = List.of("bloom", "growing", "exact", "classic");

    FilterKind filter() {
        return kind.at(falsePositiveRate);
    }

    Membership newFilter() {
        return kind.create(capacity, falsePositiveRate, seed);
    }

    /** Makes the filter of stored settings, which may be forged. */
    Membership storedFilter() throws DamageException {
        try {
            return newFilter();
        } catch (IllegalArgumentException e) {
            throw new DamageException(NAME, 0, e.getMessage());
        }
    }

    /** Returns all but the secret, for a message. */
    String words() {
        return "a capacity of " + capacity + " URLs at a false-positive rate of " + falsePositiveRate
                + " with a filter of the kind "
                + kind.toString().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void write(FrameWriter out) {
        out.putNumber(KINDS.indexOf(kind) + 1);
        out.putLongs(frontierId, capacity, Double.doubleToRawLongBits(falsePositiveRate), seed);
    }

    static Settings read(FrameReader in) throws IOException {
        int number = in.integer("kind of filter");
        if (number < 1 || number > KINDS.size()) {
            throw in.broken("unknown kind of filter: " + number);
        }
        long[] values = in.longs("settings", 4);
        try {
            return checked(new Settings(
                    values[0], KINDS.get(number - 1), values[1], Double.longBitsToDouble(values[2]), values[3]));
        } catch (IllegalArgumentException e) {
            throw in.broken(e.getMessage());
        }
    }

    /** Returns settings with which a filter can be made; the size of its array is checked when that is done. */
    private static Settings checked(Settings settings) {
        BloomSize.checkRate(settings.falsePositiveRate);
        if (settings.capacity < 1) {
            throw new IllegalArgumentException("the capacity must be at least 1: " + settings.capacity);
        }
        return settings;
    }

    void write(Disk disk) throws IOException {
        String lines = String.format(
                Locale.ROOT,
                "sieve-frontier %d\nid %016x\nfilter %s\ncapacity %d\nrate %s\nseed %016x\n",
                VERSION,
                frontierId,
                KIND_NAMES.get(KINDS.indexOf(kind)),
                capacity,
                falsePositiveRate,
                seed);
        CheckedText.write(disk, NAME, lines, true);
    }

    /** Reads the settings of a folder, or null without the file. Refuses those that are damaged or of a later version. */
    static @Nullable Settings read(DiskView disk) throws IOException {
        String lines;
        try {
            lines = CheckedText.read(disk, NAME, MAX_BYTES);
        } catch (NoSuchFileException e) {
            return null;
        }
        Map<String, String> values = new HashMap<>();
        for (String line : lines.split("\n", -1)) {
            int space = line.indexOf(' ');
            values.put(line.substring(0, Math.max(0, space)), line.substring(space + 1));
        }
        if (!Integer.toString(VERSION).equals(values.get("sieve-frontier"))) {
            throw new VersionException(NAME, values.get("sieve-frontier"), VERSION);
        }
        try {
            int kind = KIND_NAMES.indexOf(value(values, "filter"));
            if (kind < 0) {
                throw new IllegalArgumentException("unknown filter " + values.get("filter"));
            }
            return checked(new Settings(
                    Long.parseUnsignedLong(value(values, "id"), 16),
                    KINDS.get(kind),
                    Long.parseLong(value(values, "capacity")),
                    Double.parseDouble(value(values, "rate")),
                    Long.parseUnsignedLong(value(values, "seed"), 16)));
        } catch (IllegalArgumentException e) {
            throw new DamageException(NAME, 0, e.getMessage());
        }
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the line '" + name + "' is missing");
        }
        return value;
    }
}
