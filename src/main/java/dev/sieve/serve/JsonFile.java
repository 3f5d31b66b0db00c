package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.OptionalLibrary;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.io.LineReader;
import dev.sieve.io.LocalDisk;
import dev.sieve.io.LongTable;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file with one object of JSON per line, with texts and numbers. Where a later line replaces an earlier one of the same
 * thing, the file is written again from time to time. A last line without a line feed was left by a crash, and is cut off.
 * Not safe for use by many threads.
 */
final class JsonFile implements Closeable {
    static {
        OptionalLibrary.require("com.fasterxml.jackson.jr.ob.JSON", "com.fasterxml.jackson.jr:jackson-jr-objects");
    }

    /** By how many lines the outdated ones may exceed the valid ones before the file is written again. */
    private static final int OUTDATED = 1_000;

    /** Longest line accepted. */
    private static final int MAX_LINE = 1 << 20;

    /** Enough to find the last lines of a million things. */
    private static final int MAX_TABLE_BYTES = 32 << 20;

    private final Path path;
    private final boolean forces;
    private final LineReader reader;
    private RandomAccessFile file;
    private long end;
    private long lines;
    private long enough = OUTDATED;

    /** Opens a file, or creates it, and reads it. Each line that is added may be forced to the disk. */
    JsonFile(Path path, boolean forces, Consumer<Map<String, Object>> receiver) throws IOException {
        this(path, forces);
        try {
            while (read(receiver)) {}
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Opens a file, or creates it. All of it is to be {@linkplain #read read} before a line is added. */
    JsonFile(Path path, boolean forces) throws IOException {
        this.path = path;
        this.forces = forces;
        file = new RandomAccessFile(path.toFile(), "rw");
        reader = new LineReader(new FileInputStream(path.toFile()), MAX_LINE);
    }

    /**
     * Keeps the last one of the lines with the same text in a field, unless that saves little. To be called before the file
     * is opened. Changes nothing when a line is damaged.
     */
    static void keepLast(Path path, String field) throws IOException {
        if (Files.notExists(path)) {
            return;
        }
        LongTable last = new LongTable(MAX_TABLE_BYTES);
        long seed = Memberships.randomSeed();
        long count = 0;
        try (LineReader lines = lines(path)) {
            while (lines.next() && lines.isTerminated()) {
                Long hash = hash(lines, field, seed);
                if (hash == null) {
                    return;
                }
                last.put(hash, ++count);
            }
        }
        if (count <= OUTDATED + 2L * last.entries()) {
            return;
        }
        Path folder = path.toAbsolutePath().getParent();
        String name = path.getFileName().toString();
        new LocalDisk(Objects.requireNonNull(folder)).replace(name, name + ".tmp", sink -> {
            try (LineReader lines = lines(path)) {
                for (long number = 1; lines.next() && lines.isTerminated(); number++) {
                    long kept = last.get(Objects.requireNonNull(hash(lines, field, seed)));
                    // None where the table was full.
                    if (kept == number || kept == 0) {
                        sink.append((lines.text(UTF_8) + '\n').getBytes(UTF_8), 0, lines.length() + 1);
                    }
                }
            }
        });
    }

    private static LineReader lines(Path path) throws IOException {
        return new LineReader(new FileInputStream(path.toFile()), MAX_LINE);
    }

    /** Returns the hash of the text in a field; null when the line is damaged. */
    private static @Nullable Long hash(LineReader line, String field, long seed) {
        try {
            return parse(line.bytes(), line.length()).get(field) instanceof String text
                    ? Murmur3.hash(text, seed)[0]
                    : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Reads the next line; false at the end. */
    boolean read(Consumer<Map<String, Object>> receiver) throws IOException {
        if (!reader.next() || !reader.isTerminated()) {
            reader.close();
            file.setLength(end);
            file.seek(end);
            return false;
        }
        lines++;
        end += reader.length() + 1;
        try {
            receiver.accept(parse(reader.bytes(), reader.length()));
        } catch (IOException | RuntimeException e) {
            throw new IOException(path + ": line " + lines + " is not a setting: " + e.getMessage(), e);
        }
        return true;
    }

    private static Map<String, Object> parse(byte[] bytes, int length) throws IOException {
        if (length == 0 || bytes[0] != '{') {
            throw new IOException("not an object");
        }
        return JSON.std.mapFrom(Arrays.copyOf(bytes, length));
    }

    static long number(Map<String, Object> fields, String name, long defaultValue) {
        return fields.get(name) instanceof Number number ? number.longValue() : defaultValue;
    }

    /** Appends a line; the file may be replaced by all valid lines. */
    void add(Map<String, Object> line, Supplier<Collection<Map<String, Object>>> all) throws IOException {
        add(line);
        if (lines > enough) {
            Collection<Map<String, Object>> valid = all.get();
            enough = OUTDATED + 2L * valid.size();
            if (lines > enough) {
                replace(valid);
            }
        }
    }

    /** Appends a line that does not replace another one. */
    void add(Map<String, Object> line) throws IOException {
        byte[] text = text(line).getBytes(UTF_8);
        end = file.getFilePointer();
        try {
            file.write(text);
            if (forces) {
                file.getFD().sync();
            }
        } catch (IOException e) {
            file.setLength(end);
            file.seek(end);
            throw new IOException("cannot write " + path + ": " + e.getMessage(), e);
        }
        lines++;
    }

    void replace(Collection<Map<String, Object>> valid) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Map<String, Object> line : valid) {
            all.append(text(line));
        }
        LocalDisk.replace(path, all.toString().getBytes(UTF_8));
        file.close();
        file = new RandomAccessFile(path.toFile(), "rw");
        file.seek(file.length());
        lines = valid.size();
    }

    private static String text(Map<String, Object> line) throws IOException {
        return JSON.std.asString(line) + '\n';
    }

    @Override
    public void close() throws IOException {
        reader.close();
        file.close();
    }
}
