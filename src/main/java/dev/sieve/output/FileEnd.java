package dev.sieve.output;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * Where the content of a file ended after a flush, and its last bytes, by which a later run recognises the file.
 *
 * @param length the number of all bytes
 * @param tail how many of the last ones are in the checksum: what the flush has written
 * @param checksum the CRC-32C of these
 */
public record FileEnd(long length, long tail, int checksum) {
    static final FileEnd EMPTY = new FileEnd(0, 0, 0);

    private static final int BLOCK_BYTES = 1 << 13;
    private static final String ADVICE = "; move it away, and a new file begins";

    /** Requires that a file has these bytes; others may follow. */
    void requireIn(Path file) throws IOException {
        long size = Files.size(file);
        if (size < length) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s: %,d of the %,d bytes that this job has written are missing%s",
                    file,
                    length - size,
                    length,
                    ADVICE));
        }
        CRC32C found = new CRC32C();
        try (InputStream in = new FileInputStream(file.toFile())) {
            in.skipNBytes(length - tail);
            byte[] block = new byte[BLOCK_BYTES];
            int read = 1;
            for (long left = tail; left > 0 && read > 0; left -= read) {
                read = in.readNBytes(block, 0, (int) Math.min(left, block.length));
                found.update(block, 0, read);
            }
        }
        if ((int) found.getValue() != checksum) {
            throw new IOException(file + ": changed since this job has written it" + ADVICE);
        }
    }
}
