package dev.sieve.output;

import dev.sieve.io.LocalDisk;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * The end of a file that was being written when the process, the machine or the disk failed.
 *
 * <p>After a power cut, bytes that were not forced to the disk may be missing. The file then ends before them, or they are
 * zeros: file systems make a file longer inside an allocated block before they write its bytes, and write blocks in any
 * order. {@link OutputFile} limits how many bytes are not forced, so such a hole begins within the last {@link #MAX_BYTES}.
 */
final class FileEnd {
    /** The size of the end that is searched: larger than the unforced part of a file, unless it is never forced. */
    static final long MAX_BYTES = 16 << 20;

    /** Fewer zeros may be part of a compressed record. */
    private static final int MIN_ZEROS = 16;

    /** Fewer zeros may be the end of a compressed record, which is its size. */
    private static final int MIN_ZEROS_AT_END = 4;

    private FileEnd() {}

    /** Zeros in the last bytes of a file. */
    enum Hole {
        /** There are none. */
        NONE,
        /** They are the last bytes. */
        LAST,
        /** Other bytes follow. */
        INSIDE
    }

    /** Returns whether records from a position on have a hole: zeros at that position, many zeros, or zeros at the end. */
    static Hole hole(Path file, long from) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()))) {
            in.skipNBytes(from);
            boolean isFound = false;
            boolean isStart = true;
            int zeros = 0;
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next == 0) {
                    zeros++;
                    isFound |= isStart || zeros >= MIN_ZEROS;
                } else if (isFound) {
                    return Hole.INSIDE;
                } else {
                    zeros = 0;
                }
                isStart = false;
            }
            return isFound || zeros >= MIN_ZEROS_AT_END ? Hole.LAST : Hole.NONE;
        }
    }

    /** Returns how long a file is without the zeros at its end, of which there may be 16 at most. */
    static long lengthWithoutZeros(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            long end = in.length();
            long least = Math.max(0, end - MIN_ZEROS);
            for (in.seek(Math.max(0, end - 1)); end > least && in.read() == 0; in.seek(Math.max(0, end - 1))) {
                end--;
            }
            return end;
        }
    }

    /** Copies the bytes of a file from a position on to a new file in the same folder, and returns that. */
    static Path copy(Path file, long from) throws IOException {
        Path copy = file.resolveSibling(file.getFileName() + "-" + from + ".broken");
        try (InputStream in = new FileInputStream(file.toFile());
                FileOutputStream out = new FileOutputStream(copy.toFile())) {
            in.skipNBytes(from);
            in.transferTo(out);
            out.getFD().sync();
        }
        LocalDisk.forceNames(copy.toAbsolutePath().getParent());
        return copy;
    }

    /** Cuts a file off at a position. What is left of it survives a power cut. */
    static void cut(Path file, long end) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(end);
            out.getFD().sync();
        }
    }

    /** Forces a file to the disk. */
    static void force(Path file) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.getFD().sync();
        }
    }
}
