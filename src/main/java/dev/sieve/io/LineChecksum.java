package dev.sieve.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** The checksums of the lines of a file, by which whole lines, damage, and what a power cut leaves are distinguished. */
final class LineChecksum {
    /** Longest line accepted. */
    static final int MAX_LENGTH = 1 << 21;

    static final int CHECKSUM_LENGTH = 8;
    /** Follows the number of a line before which zeros are damage. */
    static final char FORCED = '+';

    /** How far before the end a power cut may leave a hole. */
    private static final int MAX_UNFORCED = 1 << 24;

    /** The bytes that precede each line in its checksum. */
    private final byte[] context;

    LineChecksum(String context) {
        this.context = context.getBytes(ISO_8859_1);
    }

    /** Returns the checksum of the first bytes of an array. */
    static int of(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    void write(byte[] number, byte[] content, ByteArrayOutputStream out) {
        CRC32C crc = new CRC32C();
        crc.update(context);
        crc.update(number);
        crc.update(content);
        out.writeBytes((digits(crc) + " ").getBytes(ISO_8859_1));
        out.writeBytes(number);
        out.writeBytes(content);
        out.write('\n');
    }

    /** Returns whether a line, given without its line feed, has its checksum. */
    boolean isWhole(byte[] line, int length) {
        if (length <= CHECKSUM_LENGTH) {
            return false;
        }
        CRC32C crc = new CRC32C();
        crc.update(context);
        crc.update(line, CHECKSUM_LENGTH + 1, length - CHECKSUM_LENGTH - 1);
        return new String(line, 0, CHECKSUM_LENGTH, ISO_8859_1).equals(digits(crc));
    }

    private static String digits(CRC32C crc) {
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    /**
     * Returns whether a line, at its start, has a hole that a power cut may have left: it is near the end, and no later
     * line says that those before it were forced to the disk.
     */
    boolean isHole(DiskView.Source source, long start, LineReader line) throws IOException {
        String text = line.text(ISO_8859_1);
        // A single zero may be a changed bit.
        if (text.indexOf(0) == text.lastIndexOf(0)
                || isWhole(line.bytes(), line.length())
                || source.size() - start > MAX_UNFORCED) {
            return false;
        }
        LineReader later = new LineReader(source.stream(start + line.length() + 1), MAX_LENGTH);
        while (later.next() && later.isTerminated()) {
            String next = later.text(ISO_8859_1);
            int space = next.indexOf(' ', CHECKSUM_LENGTH + 1);
            boolean isForced = space > 0 && next.charAt(space - 1) == FORCED;
            if (isForced && isWhole(later.bytes(), later.length())) {
                return false;
            }
        }
        return true;
    }
}
