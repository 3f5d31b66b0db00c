package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.Locale;
import java.util.zip.CRC32C;

/** Lines of ASCII followed by a line with their checksum: {@code crc} and the CRC32C of the bytes before it. */
final class CheckedText {
    private static final String LAST = "crc ";

    private CheckedText() {}

    /** Replaces a file; only if {@code isForced} does that survive a power cut. */
    static void write(Disk disk, String name, String lines, boolean isForced) throws IOException {
        disk.replace(name, seal(lines), isForced);
    }

    /** Reads a file, of which all must be in the first bytes. */
    static String read(DiskView disk, String name, int most) throws IOException {
        try (DiskView.Source source = disk.read(name)) {
            byte[] bytes = new byte[(int) Math.min(most, source.size())];
            return open(name, bytes, source.read(0, bytes, 0, bytes.length));
        }
    }

    /** Adds the line with the checksum. */
    static byte[] seal(String lines) {
        return (lines + lastLine(lines)).getBytes(US_ASCII);
    }

    private static String lastLine(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(US_ASCII));
        return String.format(Locale.ROOT, LAST + "%08x\n", (int) crc.getValue());
    }

    /** Checks and removes the line with the checksum of a file, whose first {@code length} bytes are the text. */
    static String open(String file, byte[] bytes, int length) throws DamageException {
        String text = new String(bytes, 0, length, US_ASCII);
        int end = Math.max(0, text.lastIndexOf(LAST));
        String lines = text.substring(0, end);
        if (!text.substring(end).equals(lastLine(lines))) {
            throw new DamageException(file, end, "wrong checksum");
        }
        return lines;
    }
}
