package dev.sieve.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A file of {@link JobFiles} in which the last line of a key counts. It is replaced by one without the other lines when these
 * are many. Methods that write throw {@link UncheckedIOException} when the disk fails. Not safe for use by many threads.
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
    public LineTable(JobFiles files, LineFile.Kind kind, LineFile.Receiver lines) throws IOException {
        this.files = files;
        this.kind = kind;
        file = files.open(kind, (position, line) -> lines.accept(line));
    }

    /**
     * Replaces a file that is not open by one with the last line of each key, unless that saves little. Uses memory for a
     * million keys; the lines of further ones are all kept.
     *
     * @param key the hash of the key of a line; 0 if the line does not count
     */
    public static void keepLast(JobFiles files, LineFile.Kind kind, ToLongFunction<String> key) throws IOException {
        LongTable last = new LongTable(MAX_TABLE_BYTES);
        long count = files.read(
                kind,
                (position, line) -> {
                    long hash = key.applyAsLong(line);
                    if (hash != 0) {
                        last.put(hash, position);
                    }
                },
                LineFile.REFUSE);
        if (count > OUTDATED + 2L * last.entries()) {
            LineFile.Writing kept = lines -> files.read(
                    kind,
                    (position, line) -> {
                        long hash = key.applyAsLong(line);
                        // 0 where the table was full.
                        long at = hash == 0 ? -1 : last.get(hash);
                        if (at == position || at == 0) {
                            lines.accept(line);
                        }
                    },
                    LineFile.REFUSE);
            files.replace(kind, kept);
        }
    }

    /** Reads the file from its first line. */
    public LineFile.Cursor lines() {
        return file.new Cursor();
    }

    /**
     * Appends a line, which survives what the files survive, and replaces the file if it has too many others.
     *
     * @param all the last lines of all keys, this one included
     */
    public void add(String line, Supplier<Collection<String>> all) {
        add(line);
        if (file.last() > enough) {
            Collection<String> valid = all.get();
            enough = OUTDATED + 2L * valid.size();
            if (file.last() > enough) {
                replace(valid);
            }
        }
    }

    /** Appends a line in the same way and leaves the others. */
    public void add(String line) {
        file.add(line);
        files.flush(file);
    }

    private void replace(Collection<String> valid) {
        try {
            file.close();
            files.replace(kind, lines -> {
                for (String line : valid) {
                    lines.accept(line);
                }
            });
            file = files.open(kind, (position, line) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
