package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;
import java.util.zip.CRC32C;

/** Lines of ASCII followed by a line with their checksum: {@code crc} and the CRC32C of the bytes before it. */
final class CheckedText {
    private static final String LAST = "crc ";

    private CheckedText() {}

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
