package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a frontier on the disk was made with; it decides what its filter is. The seed in it is a secret.
 *
 * @param frontierId tells the files of this frontier from those of others
 * @param kind which filter
 * @param capacity distinct URLs that the filter is made for
 * @param falsePositiveRate the rate that is asked for
 * @param seed the seed of the hash
 */
public record Settings(long frontierId, Kind kind, long capacity, double falsePositiveRate, long seed) {
    static final String NAME = "settings";

    private static final int VERSION = 1;
    private static final int MAX_BYTES = 1 << 12;

    /** The filters to choose from; their names and numbers are part of the format. */
    enum Kind {
        BLOOM(1, FilterKind.SPLIT_BLOCKS),
        GROWING(2, FilterKind.GROWING),
        EXACT(3, FilterKind.EXACT),
        CLASSIC(4, FilterKind.CLASSIC);

        private final int number;
        final FilterKind filter;

        Kind(int number, FilterKind filter) {
            this.number = number;
            this.filter = filter;
        }

        static Kind of(FilterKind filter) {
            for (Kind kind : values()) {
                if (kind.filter == filter) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("not a filter of a frontier on disk: " + filter);
        }

        static Kind read(FrameReader in) throws IOException {
            long number = in.number("kind of filter", Integer.MAX_VALUE);
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw in.broken("there is no kind of filter with the number " + number);
        }
    }

    Membership newFilter() {
        return kind.filter.create(capacity, falsePositiveRate, seed);
    }

    /** All but the secret, for a message. */
    String words() {
        return capacity + " URLs at " + falsePositiveRate + " with a filter of the kind "
                + kind.name().toLowerCase(Locale.ROOT);
    }

    /** Puts them into the present frame. */
    void write(FrameWriter out) {
        out.putNumber(kind.number);
        out.putLongs(frontierId, capacity, Double.doubleToRawLongBits(falsePositiveRate), seed);
    }

    /** Reads what was put into a frame. */
    static Settings read(FrameReader in) throws IOException {
        Kind kind = Kind.read(in);
        long[] values = in.longs("settings", 4);
        return new Settings(values[0], kind, values[1], Double.longBitsToDouble(values[2]), values[3]);
    }

    void write(Disk disk) throws IOException {
        String lines = String.format(
                Locale.ROOT,
                "sieve-frontier %d\nid %016x\nfilter %s\ncapacity %d\nrate %s\nseed %016x\n",
                VERSION,
                frontierId,
                kind.name().toLowerCase(Locale.ROOT),
                capacity,
                falsePositiveRate,
                seed);
        byte[] bytes = CheckedText.seal(lines);
        String temporary = NAME + ".tmp";
        disk.delete(temporary);
        try (Disk.Sink sink = disk.create(temporary)) {
            sink.append(bytes, 0, bytes.length);
            sink.force();
        }
        disk.rename(temporary, NAME);
        disk.forceNames();
    }

    /**
     * Reads what was written.
     *
     * @return null when there is no such file
     * @throws IOException when it is damaged, or of a later version
     */
    static Settings read(Disk disk) throws IOException {
        byte[] bytes = new byte[MAX_BYTES];
        int length;
        try (Disk.Source source = disk.read(NAME)) {
            length = source.read(0, bytes, 0, MAX_BYTES);
        } catch (NoSuchFileException e) {
            return null;
        }
        return parse(CheckedText.open(NAME, bytes, length));
    }

    private static Settings parse(String lines) throws IOException {
        Map<String, String> values = new HashMap<>();
        for (String line : lines.split("\n", -1)) {
            int space = line.indexOf(' ');
            values.put(line.substring(0, Math.max(0, space)), line.substring(space + 1));
        }
        if (!values.getOrDefault("sieve-frontier", "").equals(Integer.toString(VERSION))) {
            throw new VersionException(NAME, values.get("sieve-frontier"), VERSION);
        }
        try {
            return new Settings(
                    Long.parseUnsignedLong(value(values, "id"), 16),
                    Kind.valueOf(value(values, "filter").toUpperCase(Locale.ROOT)),
                    Long.parseLong(value(values, "capacity")),
                    Double.parseDouble(value(values, "rate")),
                    Long.parseUnsignedLong(value(values, "seed"), 16));
        } catch (IllegalArgumentException e) {
            throw new IOException(NAME + ": it has a value that makes no sense: " + e.getMessage(), e);
        }
    }

    private static String value(Map<String, String> values, String name) throws IOException {
        String value = values.get(name);
        if (value == null) {
            throw new IOException(NAME + ": it lacks the line " + name);
        }
        return value;
    }
}
