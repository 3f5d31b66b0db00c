package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The end of a file that grows by lines of ASCII, and that it closes. Not safe for use by many threads. */
final class AppendedLines implements Closeable {
    private final Path path;
    private final FileChannel file;

    /** Goes on at the position of a file. */
    AppendedLines(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Writes a line, given without its end.
     *
     * @throws UncheckedIOException when the disk fails
     */
    void add(String line) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(US_ASCII));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Brings to the disk itself what was written.
     *
     * @throws UncheckedIOException when the disk fails
     */
    void force() {
        try {
            file.force(false);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private UncheckedIOException failed(IOException e) {
        return new UncheckedIOException("cannot write " + path + ": " + e.getMessage(), e);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
