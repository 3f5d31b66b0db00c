package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.io.LineReader;
import dev.sieve.io.LocalDisk;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Predicate;

/**
 * A file in the folder of a crawl to which lines of ASCII are appended. The first line names its kind and version. A last
 * line without a line feed was left by a crash, and is cut off.
 *
 * <p>It is not read or written through a channel, which would be closed when a thread is interrupted. Methods that append
 * throw {@link UncheckedIOException} when the disk fails. Not safe for use by many threads.
 */
final class LineFile implements Closeable {
    /** More than any line may have. */
    private static final int MAX_LENGTH = 1 << 21;

    private static final int VERSION = 1;

    /** Refuses a damaged file. */
    static final Receiver REFUSE = problem -> {
        throw new IOException(problem + "; 'repair' keeps what is intact");
    };

    private final Path path;
    private final RandomAccessFile file;

    /**
     * What a file contains.
     *
     * @param name its name in the folder, {@code crawl-seeds}
     * @param earlierName the name that the file had before it had a first line with its kind; null if it never had another
     * @param line what a line is, in messages: {@code a seed}
     * @param isValid whether a text is such a line
     */
    record Kind(String name, String earlierName, String line, Predicate<String> isValid) {
        private String start() {
            return "# sieve " + name + " ";
        }

        /** Returns the file, or that of an earlier version if only that exists. */
        Path path(Path folder) {
            Path path = folder.resolve(name);
            Path earlier = earlierName == null ? path : folder.resolve(earlierName);
            return Files.notExists(path) && Files.exists(earlier) ? earlier : path;
        }

        boolean exists(Path folder) {
            return Files.exists(path(folder));
        }

        private boolean hasHeader(Path path) {
            return path.endsWith(name);
        }
    }

    /** Receives lines, or descriptions of what is wrong in a file. */
    interface Receiver {
        void accept(String text) throws IOException;
    }

    /**
     * Reads the complete lines of the file of a folder, one character per byte; none when it does not exist.
     *
     * @return the position after the last complete line
     * @throws IOException when the disk fails, or the file has a later version
     */
    static long read(Path folder, Kind kind, Receiver lines, Receiver problems) throws IOException {
        Path path = kind.path(folder);
        if (Files.notExists(path)) {
            return 0;
        }
        long end = 0;
        long number = 0;
        try (LineReader in = new LineReader(new FileInputStream(path.toFile()), MAX_LENGTH)) {
            while (in.next() && in.isTerminated()) {
                String line = in.text(ISO_8859_1);
                number++;
                end += in.length() + 1L;
                boolean isHeader = number == 1 && kind.hasHeader(path);
                if (isHeader && isHeader(line, kind, path)) {
                    continue;
                }
                boolean isValid = !in.isCut() && kind.isValid.test(line);
                if (isHeader || !isValid) {
                    String expected = isHeader ? "'" + kind.start() + VERSION + "'" : kind.line;
                    problems.accept(path + ": line " + number + " is not " + expected);
                }
                if (isValid) {
                    lines.accept(line);
                }
            }
        }
        if (number == 0 && kind.hasHeader(path)) {
            problems.accept(path + ": the first line is missing");
        }
        return end;
    }

    private static boolean isHeader(String line, Kind kind, Path path) throws IOException {
        if (!line.matches(kind.start() + "[0-9]{1,9}")) {
            return false;
        }
        int version = Integer.parseInt(line.substring(kind.start().length()));
        if (version > VERSION) {
            throw new IOException(path + ": version " + version + ", written by a later Sieve");
        }
        return version == VERSION;
    }

    /**
     * Replaces the file of a folder by one with the valid lines that are kept, or creates it. The new file is forced to the
     * disk under another name before it is renamed. A file of an earlier version stays as it is.
     */
    static void rewrite(Path folder, Kind kind, Predicate<String> keeps, Receiver problems) throws IOException {
        Path path = folder.resolve(kind.name);
        Path temporary = folder.resolve(kind.name + ".tmp");
        try (FileOutputStream file = new FileOutputStream(temporary.toFile())) {
            OutputStream out = new BufferedOutputStream(file);
            write(out, kind.start() + VERSION);
            read(
                    folder,
                    kind,
                    line -> {
                        if (keeps.test(line)) {
                            write(out, line);
                        }
                    },
                    problems);
            out.flush();
            file.getFD().sync();
        }
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        LocalDisk.forceNames(folder);
    }

    private static void write(OutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(ISO_8859_1));
    }

    /** Opens the file of a folder, which exists, to append lines after {@code end}. */
    LineFile(Path folder, Kind kind, long end) throws IOException {
        path = folder.resolve(kind.name);
        file = new RandomAccessFile(path.toFile(), "rw");
        try {
            cutOff(end);
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
        add((line + "\n").getBytes(ISO_8859_1));
    }

    /** Appends lines, given with their line feeds, in the same way. */
    void add(byte[] lines) {
        try {
            long end = file.getFilePointer();
            try {
                file.write(lines);
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
