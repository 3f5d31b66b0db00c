package dev.sieve.bloom;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads the saved form of a membership, see {@link Memberships}, and validates all of it.
 *
 * <p>Memory grows as bytes arrive, at most to sixteen times as much, so that a forged number cannot allocate all of it.
 */
final class SavedFormReader {
    private static final int GROWTH = 16;

    private final InputStream in;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private long offset;
    private final int kind;
    private final long seed;

    SavedFormReader(InputStream in) throws IOException {
        this.in = in;
        if (read("magic", 8).getLong(0) != SavedFormWriter.MAGIC) {
            throw new IOException("not the saved form of a membership: wrong magic at offset 0");
        }
        readLong("version", SavedFormWriter.VERSION, SavedFormWriter.VERSION);
        kind = (int) readLong("kind", 1, 255);
        seed = readLong("seed", Long.MIN_VALUE, Long.MAX_VALUE);
    }

    int kind() {
        return kind;
    }

    long seed() {
        return seed;
    }

    long readLong(String field, long min, long max) throws IOException {
        long value = read(field, 8).getLong(0);
        if (value < min || value > max) {
            throw new IOException(String.format(
                    "damaged saved form: %s at offset %d must be from %d to %d: %d",
                    field, offset - 8, min, max, value));
        }
        return value;
    }

    double readRate() throws IOException {
        try {
            return BloomSize.checkRate(read("rate", 8).getDouble(0));
        } catch (IllegalArgumentException e) {
            throw new IOException("damaged saved form: rate at offset " + (offset - 8) + ": " + e.getMessage(), e);
        }
    }

    /** Reads words into an array, after a number of free words that stay 0. */
    long[] readWords(String field, long count, int free) throws IOException {
        if (count > ArrayFilter.MAX - free) {
            throw new IOException("damaged saved form: too many " + field + " at offset " + offset + ": " + count);
        }
        long room = count;
        while (room > buffer.capacity()) {
            room = (room + GROWTH - 1) / GROWTH;
        }
        long[] words = new long[(int) room + free];
        int at = free;
        while (at < free + count) {
            if (at == words.length) {
                words = Arrays.copyOf(words, (int) Math.min(free + count, (long) GROWTH * words.length));
            }
            int read = Math.min(words.length - at, buffer.capacity() / 8);
            read(field, 8 * read).asLongBuffer().get(words, at, read);
            at += read;
        }
        return words;
    }

    /** Requires that unused bits are 0. */
    void requireClear(String field, long value) throws IOException {
        if (value != 0) {
            throw new IOException("damaged saved form: " + field + " before offset " + offset + " are not clear");
        }
    }

    /** Reads and verifies the checksum. */
    void finish() throws IOException {
        int computed = (int) crc.getValue();
        int stored = read("checksum", 4).getInt(0);
        if (computed != stored) {
            throw new IOException(String.format(
                    "damaged saved form: checksum at offset %d is %08x, but must be %08x",
                    offset - 4, stored, computed));
        }
    }

    private ByteBuffer read(String field, int length) throws IOException {
        int read = in.readNBytes(buffer.array(), 0, length);
        offset += read;
        if (read < length) {
            throw new EOFException("damaged saved form: ends within " + field + " at offset " + offset);
        }
        crc.update(buffer.array(), 0, length);
        return buffer.clear();
    }
}
