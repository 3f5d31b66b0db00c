package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.io.DiskView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.NavigableMap;
import java.util.zip.CRC32C;

/**
 * One file of the log.
 *
 * @param number its place in the log, from 1 on
 * @param firstId the id of its first URL; while it has none, of the next one to be written
 * @param frontierId the frontier to which its file belongs; 0 where its file was not read
 */
record Segment(int number, long firstId, long frontierId) {
    static final int HEADER_BYTES = 36;
    static final int VERSION = 2;

    private static final byte[] MAGIC = "sievelog".getBytes(US_ASCII);

    Segment(int number, long firstId) {
        this(number, firstId, 0);
    }

    String name() {
        return FrontierFiles.segment(number);
    }

    /** Whether all URLs of this segment are done; {@code all} must contain a later segment. */
    boolean isDone(NavigableMap<Integer, Segment> all, DoneSet done) {
        return done.firstAbsent(firstId) >= all.higherEntry(number).getValue().firstId();
    }

    LogPosition start() {
        return new LogPosition(number, HEADER_BYTES);
    }

    byte[] header(long frontierId) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(number).putLong(frontierId).putLong(firstId);
        byte[] bytes = header.array();
        header.putInt(checksum(bytes));
        return bytes;
    }

    private static int checksum(byte[] header) {
        CRC32C crc = new CRC32C();
        crc.update(header, 0, HEADER_BYTES - 4);
        return (int) crc.getValue();
    }

    static FrameReader open(DiskView disk, LogPosition from, int bufferBytes) throws IOException {
        String name = FrontierFiles.segment(from.segment());
        return new FrameReader(name, disk.read(name), from.offset(), bufferBytes);
    }

    /** Reads the header of a segment. Refuses one that is damaged, of another segment or frontier, or of another version. */
    static Segment read(DiskView disk, int number, long frontierId) throws IOException {
        Segment segment = read(disk, number);
        if (segment.frontierId != frontierId) {
            throw new ForeignException(segment.name());
        }
        return segment;
    }

    /** Opens a segment of any frontier. */
    static Segment read(DiskView disk, int number) throws IOException {
        byte[] bytes = new byte[HEADER_BYTES];
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        String name = FrontierFiles.segment(number);
        int length;
        try (DiskView.Source source = disk.read(name)) {
            length = source.read(0, bytes, 0, HEADER_BYTES);
        }
        if (length < HEADER_BYTES) {
            throw new DamageException(name, 0, "the file ends in its header");
        }
        if (header.getInt(HEADER_BYTES - 4) != checksum(bytes)
                || !header.slice(0, 8).equals(ByteBuffer.wrap(MAGIC))) {
            throw new DamageException(name, 0, "damaged segment header");
        }
        int version = header.getInt(8);
        if (version != VERSION) {
            throw new VersionException(name, Integer.toString(version), VERSION);
        }
        Segment segment = new Segment(header.getInt(12), header.getLong(24), header.getLong(16));
        if (segment.number != number || segment.firstId < 0) {
            throw new DamageException(name, 0, "the header is that of segment " + segment.number);
        }
        return segment;
    }

    /** Thrown when a file belongs to another frontier. */
    static final class ForeignException extends IOException {
        ForeignException(String name) {
            super(name + ": belongs to another frontier");
        }
    }
}
