package dev.sieve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * What a frontier on the disk was made with; it decides what its filter is. The seed in it is a secret.
 *
 * @param frontierId tells the files of this frontier from those of others
 * @param kind which filter
 * @param capacity distinct URLs that the filter is made for
 * @param falsePositiveRate the rate that is asked for
 * @param seed the seed of the hash
 */
record Settings(long frontierId, Kind kind, long capacity, double falsePositiveRate, long seed) {
    static final String NAME = "settings";

    private static final int VERSION = 1;
    private static final int MAX_BYTES = 1 << 12;

    /** The filters to choose from. */
    enum Kind {
        BLOOM,
        GROWING,
        EXACT
    }

    Membership newFilter() {
        return switch (kind) {
            case BLOOM -> BloomFilter.create(capacity, falsePositiveRate, seed);
            case GROWING -> GrowingBloomFilter.create(capacity, falsePositiveRate, seed);
            case EXACT -> ExactSet.create(seed);
        };
    }

    /** Says in few bits which filter it is: checkpoints with another sum are of no use. */
    int filterSum() {
        return checksum(String.format(
                Locale.ROOT, "%016x %s %d %s %016x", frontierId, kind, capacity, falsePositiveRate, seed));
    }

    private static int checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(US_ASCII));
        return (int) crc.getValue();
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
        byte[] bytes = (lines + String.format(Locale.ROOT, "crc %08x\n", checksum(lines))).getBytes(US_ASCII);
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
        return parse(new String(bytes, 0, length, US_ASCII));
    }

    private static Settings parse(String text) throws IOException {
        int checked = text.lastIndexOf("crc ");
        if (checked < 0
                || !text.substring(checked)
                        .equals(String.format(Locale.ROOT, "crc %08x\n", checksum(text.substring(0, checked))))) {
            throw new DamageException(NAME, Math.max(0, checked), "its checksum is wrong");
        }
        Map<String, String> values = new HashMap<>();
        for (String line : text.split("\n", -1)) {
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
