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
import java.util.function.Predicate;

/**
 * A file to which lines of ASCII are appended. It is not written through a channel, which would be closed when a thread
 * is interrupted. Methods that write throw {@link UncheckedIOException} when the disk fails. Not safe for use by many
 * threads.
 */
final class LineFile implements Closeable {
    private final Path path;
    private final RandomAccessFile file;

    /**
     * Returns the complete lines of a file, one character per byte; none when the file does not exist.
     *
     * @param what what a line is, with its article, as in messages
     * @throws IOException when the disk fails, or a line is not valid; the message names the file and the line
     */
    static List<String> read(Path path, String what, Predicate<String> isValid) throws IOException {
        String text = Files.exists(path) ? Files.readString(path, ISO_8859_1) : "";
        List<String> lines = List.of(text.split("\n", -1));
        lines = lines.subList(0, lines.size() - 1);
        for (int i = 0; i < lines.size(); i++) {
            if (!isValid.test(lines.get(i))) {
                throw new IOException(path + ": line " + (i + 1) + " is not " + what);
            }
        }
        return lines;
    }

    /** Opens a file with these lines to append more; a last line that a crash has left incomplete is cut off. */
    LineFile(Path path, List<String> lines) throws IOException {
        this.path = path;
        file = new RandomAccessFile(path.toFile(), "rw");
        try {
            cutOff(lines.stream().mapToLong(line -> line.length() + 1).sum());
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private void cutOff(long end) throws IOException {
        file.setLength(end);
        file.seek(end);
    }

    /** Appends a line, given without its line feed; cuts it off again when the disk fails, if the disk allows it. */
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

    /** Forces the lines to the disk. */
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
