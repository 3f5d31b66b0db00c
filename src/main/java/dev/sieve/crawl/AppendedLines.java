package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The end of a file that grows by lines of ASCII, and that it closes. No channel: one is closed when a thread that uses it
 * is interrupted. Not safe for use by many threads.
 */
final class AppendedLines implements Closeable {
    private final Path path;
    private final RandomAccessFile file;

    /** The lines of a file that are whole; none where there is no file. Whatever it holds, a byte is a character. */
    static List<String> read(Path path) throws IOException {
        String text = Files.exists(path) ? Files.readString(path, ISO_8859_1) : "";
        List<String> lines = List.of(text.split("\n", -1));
        return lines.subList(0, lines.size() - 1);
    }

    /** Goes on behind the lines that were read; a further one, which a crash has left unfinished, is cut off. */
    AppendedLines(Path path, List<String> lines) throws IOException {
        this.path = path;
        file = new RandomAccessFile(path.toFile(), "rw");
        cutOff(lines.stream().mapToLong(line -> line.length() + 1).sum());
    }

    private void cutOff(long end) throws IOException {
        file.setLength(end);
        file.seek(end);
    }

    /**
     * Writes a line, given without its end.
     *
     * @throws UncheckedIOException when the disk fails; the line is not in the file then, as far as the disk allows
     */
    void add(String line) {
        try {
            long end = file.getFilePointer();
            try {
                file.write((line + "\n").getBytes(US_ASCII));
            } catch (IOException e) {
                cutOff(end);
                throw e;
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
            file.getFD().sync();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private UncheckedIOException failed(IOException e) {
        return new UncheckedIOException(new IOException("cannot write " + path + ": " + e.getMessage(), e));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
