package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;
import java.util.zip.CRC32C;

/** Lines of text with a last one that holds their checksum: {@code crc} and the CRC32C of all before it. */
final class CheckedText {
    private static final String LAST = "crc ";

    private CheckedText() {}

    /** Adds the last line to lines of ASCII, each with its end. */
    static byte[] seal(String lines) {
        return (lines + lastLine(lines)).getBytes(US_ASCII);
    }

    private static String lastLine(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(US_ASCII));
        return String.format(Locale.ROOT, LAST + "%08x\n", (int) crc.getValue());
    }

    /**
     * Checks a text and takes its last line away.
     *
     * @param name of the file
     * @param length how many of the bytes are the text
     * @throws DamageException when it is not what was sealed
     */
    static String open(String name, byte[] bytes, int length) throws DamageException {
        String text = new String(bytes, 0, length, US_ASCII);
        int end = Math.max(0, text.lastIndexOf(LAST));
        String lines = text.substring(0, end);
        if (!text.substring(end).equals(lastLine(lines))) {
            throw new DamageException(name, end, "its checksum is wrong");
        }
        return lines;
    }
}
