package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Writes the saved form of a membership; see {@link Memberships}. */
final class SavedFormWriter {
    /** The bytes "sieveset", little-endian. */
    static final long MAGIC = 0x7465736576656973L;

    static final int VERSION = 1;

    private final OutputStream out;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    SavedFormWriter(OutputStream out, int kind, long seed) throws IOException {
        this.out = out;
        writeLong(MAGIC);
        writeLong(VERSION);
        writeLong(kind);
        writeLong(seed);
    }

    void writeLong(long value) throws IOException {
        if (buffer.remaining() < 8) {
            drain();
        }
        buffer.putLong(value);
    }

    void writeWords(long[] words, int from, int to) throws IOException {
        int chunk = buffer.capacity() / 8;
        for (int at = from; at < to; at += chunk) {
            drain();
            int count = Math.min(to - at, chunk);
            buffer.asLongBuffer().put(words, at, count);
            buffer.position(8 * count);
        }
    }

    /** Writes the checksum and flushes the stream. */
    void finish() throws IOException {
        drain();
        buffer.putInt((int) crc.getValue());
        drain();
        out.flush();
    }

    private void drain() throws IOException {
        crc.update(buffer.array(), 0, buffer.position());
        out.write(buffer.array(), 0, buffer.position());
        buffer.clear();
    }
}
