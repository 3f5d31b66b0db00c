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
 * A file that grows by lines of ASCII. It is not written through a channel, which the interruption of a thread would
 * close. Not safe for use by many threads.
 */
final class LineFile implements Closeable {
    private final Path path;
    private final RandomAccessFile file;

    /**
     * The whole lines of a file, one character per byte; none when there is no file.
     *
     * @param what what a line is, for people
     * @throws IOException when the disk fails, or a line is not valid; the message names the file and the line
     */
    static List<String> read(Path path, String what, Predicate<String> isValid) throws IOException {
        String text = Files.exists(path) ? Files.readString(path, ISO_8859_1) : "";
        List<String> lines = List.of(text.split("\n", -1));
        lines = lines.subList(0, lines.size() - 1);
        for (int i = 0; i < lines.size(); i++) {
            if (!isValid.test(lines.get(i))) {
                throw new IOException(path + ": line " + (i + 1) + " is no " + what);
            }
        }
        return lines;
    }

    /** Opens a file to append to these lines of it; a further line, which a crash has left unfinished, is cut off. */
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

    /**
     * Appends a line, given without its line feed.
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
     * Forces what was written to the disk.
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
