package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.io.LineReader;
import dev.sieve.url.Printable;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * The lines of a file that a crash left unfinished: a last line without its line feed, and lines with zeros, which are what
 * a power cut leaves of bytes that were not forced to the disk. The last 16 MiB of the file are searched for zeros; an
 * {@link OutputFile} that is forced has none before them.
 */
public final class UnfinishedLines {
    private static final int BLOCK_BYTES = 1 << 13;
    private static final int MAX_SHOWN = 500;

    private final Path file;
    private final Predicate<String> mayBegin;
    private final long size;
    private final long start;
    private final boolean isInside;
    private final boolean isForeign;
    private final String text;

    /**
     * Reads the end of a file.
     *
     * @param mayBegin whether a text may be the beginning of a line; a line with zeros that begins otherwise is left alone
     * @throws IOException when the file cannot be read, with its name
     */
    public UnfinishedLines(Path file, Predicate<String> mayBegin) throws IOException {
        this.file = file;
        this.mayBegin = mayBegin;
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            size = in.length();
            long end = endOfLines(in);
            start = firstDamaged(Math.max(0, size - FileEnd.MAX_BYTES), end);
            isInside = start < end && hasWholeLine();
            isForeign = end < size && !mayBegin.test(beginning(in, end));
            text = beginning(in, start);
        } catch (IOException e) {
            throw named(e);
        }
    }

    private IOException named(IOException e) {
        return new IOException(file + ": " + e.getMessage(), e);
    }

    /** Returns the position after the last line feed. */
    private static long endOfLines(RandomAccessFile in) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        for (long end = in.length(); end > 0; ) {
            int length = (int) Math.min(end, block.length);
            in.seek(end - length);
            in.readFully(block, 0, length);
            for (; length > 0; length--, end--) {
                if (block[length - 1] == '\n') {
                    return end;
                }
            }
        }
        return 0;
    }

    /** Returns where the first damaged line between two positions begins; the second position if there is none. */
    private long firstDamaged(long from, long end) throws IOException {
        try (LineReader lines = linesFrom(from)) {
            long position = from;
            boolean isWhole = from == 0;
            while (position < end && lines.next()) {
                if (isWhole && isDamaged(lines)) {
                    return position;
                }
                position += lines.length() + 1L;
                // The first one may begin before the position.
                isWhole = true;
            }
            return end;
        }
    }

    private LineReader linesFrom(long position) throws IOException {
        InputStream in = new FileInputStream(file.toFile());
        try {
            in.skipNBytes(position);
            return new LineReader(in, (int) FileEnd.MAX_BYTES);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private boolean isDamaged(LineReader line) {
        int zero = firstZero(line.bytes(), line.length());
        return zero < line.length() && mayBegin.test(beginning(line.bytes(), zero));
    }

    private boolean hasWholeLine() throws IOException {
        try (LineReader lines = linesFrom(start)) {
            while (lines.next() && lines.isTerminated()) {
                if (!isDamaged(lines)) {
                    return true;
                }
            }
            return false;
        }
    }

    private static int firstZero(byte[] bytes, int length) {
        int i = 0;
        while (i < length && bytes[i] != 0) {
            i++;
        }
        return i;
    }

    private static String beginning(RandomAccessFile in, long position) throws IOException {
        byte[] bytes = new byte[(int) Math.min(MAX_SHOWN, in.length() - position)];
        in.seek(position);
        in.readFully(bytes);
        return beginning(bytes, bytes.length);
    }

    /** Returns a text up to its first zero, as far as it is looked at. */
    private static String beginning(byte[] bytes, int length) {
        return new String(bytes, 0, firstZero(bytes, Math.min(length, MAX_SHOWN)), UTF_8);
    }

    /** Returns whether the last line has no line feed and was written by another program. */
    public boolean isForeign() {
        return isForeign;
    }

    /**
     * Removes the unfinished lines. If there are whole lines after the first of them, all bytes from that one on are copied
     * to {@code NAME-POSITION.broken} first. The whole lines are kept, unless the first line of the file is damaged.
     *
     * @throws IOException when the file cannot be read or written, with its name
     */
    public Removal remove() throws IOException {
        if (start == size) {
            return new Removal(start, 0, "", null);
        }
        try {
            Path copy = isInside ? FileEnd.copy(file, start) : null;
            FileEnd.cut(file, start);
            long kept = copy == null || start == 0 ? 0 : append(copy);
            return new Removal(start, size - start - kept, Printable.of(text), copy);
        } catch (IOException e) {
            throw named(e);
        }
    }

    /** Appends the whole lines of another file, and returns their bytes. */
    private long append(Path copy) throws IOException {
        long bytes = 0;
        try (LineReader lines = new LineReader(new FileInputStream(copy.toFile()), (int) FileEnd.MAX_BYTES);
                FileOutputStream appended = new FileOutputStream(file.toFile(), true);
                OutputStream out = new BufferedOutputStream(appended)) {
            while (lines.next() && lines.isTerminated()) {
                if (!isDamaged(lines)) {
                    out.write(lines.bytes(), 0, lines.length());
                    out.write('\n');
                    bytes += lines.length() + 1L;
                }
            }
            out.flush();
            appended.getFD().sync();
        }
        return bytes;
    }
}
