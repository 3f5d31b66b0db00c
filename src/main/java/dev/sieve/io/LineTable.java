package dev.sieve.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A file of {@link JobFiles} to which lines are appended, of which those that do not count any more are removed when
 * they are many: in most files the last line of a key counts. The files close it. Methods that write throw {@link
 * UncheckedIOException} when the disk fails. Not safe for use by many threads.
 */
public final class LineTable {
    /** By how many lines the outdated ones may exceed the others before the file is replaced. */
    private static final int OUTDATED = 1_000;

    /** Enough to find the last lines of a million keys. */
    private static final int MAX_TABLE_BYTES = 32 << 20;

    private final JobFiles files;
    private final LineFile.Kind kind;
    private LineFile file;
    private long enough = OUTDATED;

    /** Opens a file, or creates it, and passes on its lines. */
    public LineTable(JobFiles files, LineFile.Kind kind, LineFile.Lines lines) throws IOException {
        this.files = files;
        this.kind = kind;
        file = files.open(kind, lines);
    }

    /** Appends a line, which is buffered; returns its position, for {@link #line}. */
    public long add(String line) {
        return file.add(line);
    }

    /** Returns the line at a position. */
    public String line(long position) throws IOException {
        return file.line(position);
    }

    /** Reads the file from its first line. Lines that are buffered are written before. */
    public LineFile.Cursor lines() {
        file.flush();
        return file.new Cursor();
    }

    /** Passes on all lines. */
    public void read(LineFile.Lines lines) throws IOException {
        file.flush();
        files.read(kind, lines, LineFile.REFUSE);
    }

    /** Hands the lines to the operating system, and forces them to the disk if {@code isForced}; not in a temporary folder. */
    public void flush(boolean isForced) {
        files.flush(file, isForced);
    }

    /** Does what makes the lines survive what the files survive, and stores how many there are. */
    public void store() {
        files.flush(file);
    }

    /** Replaces the file in one step by one with other lines, which are passed on after an action. */
    public void replace(LineFile.Writing valid, Runnable replaced, LineFile.Lines lines) throws IOException {
        file.flush();
        files.replace(kind, valid);
        replaced.run();
        file = files.open(kind, lines);
    }

    /** Replaces the file by one with the lines that count, if it has many others. */
    public void trim(Supplier<Collection<String>> valid) {
        if (file.last() > enough) {
            Collection<String> all = valid.get();
            enough = OUTDATED + 2L * all.size();
            if (file.last() > enough) {
                replace(all);
            }
        }
    }

    /** Replaces the file by one with the lines that count. */
    public void replace(Collection<String> valid) {
        try {
            replace(LineFile.Writing.of(valid), () -> {}, (position, line) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the file by one with the last line of each key, as {@link #keepLast} does, if it has many others. */
    public void trim(ToLongFunction<String> key) {
        if (file.last() > enough) {
            try {
                file.flush();
                enough = OUTDATED + 2L * keepLast(files, kind, OUTDATED, key);
                file = files.open(kind, (position, line) -> {});
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Replaces a file, which is not used while it is open, by one with the last line of each key, unless that saves
     * little. Uses memory for a million keys; the lines of further ones are all kept.
     *
     * @param outdated how many other lines may be in it, besides as many as there are keys
     * @param key the hash of the key of a line; 0 if the line does not count
     * @return the number of keys
     */
    public static long keepLast(JobFiles files, LineFile.Kind kind, long outdated, ToLongFunction<String> key)
            throws IOException {
        LongTable last = new LongTable(MAX_TABLE_BYTES);
        LineFile.Lines all = (position, line) -> {
            long hash = key.applyAsLong(line);
            if (hash != 0) {
                last.put(hash, position);
            }
        };
        long count = files.read(kind, all, LineFile.REFUSE);
        if (count - 2L * last.entries() > outdated) {
            LineFile.Writing kept = lines -> {
                LineFile.Lines each = (position, line) -> {
                    long hash = key.applyAsLong(line);
                    // 0 where the table was full.
                    long at = hash == 0 ? -1 : last.get(hash);
                    if (at == position || at == 0) {
                        lines.accept(line);
                    }
                };
                files.read(kind, each, LineFile.REFUSE);
            };
            files.replace(kind, kept);
        }
        return last.entries();
    }
}
