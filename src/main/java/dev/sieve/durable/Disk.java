package dev.sieve.durable;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * One folder of files, with the operations that a durable sieve needs; tests substitute a disk that fails.
 *
 * <p>A file is only ever appended to, cut, or replaced by another one that was written beside it. What was written
 * survives the end of the process at once, a power cut only after {@link Sink#force}; that a file is there, has a name,
 * or is gone survives it after {@link #forceNames}. Every method throws an {@link IOException} that names the file.
 */
interface Disk {

    /** A file that is read at any position. */
    interface Source extends Closeable {

        /** Reads up to {@code length} bytes, fewer only where the file ends; answers how many, 0 at its end. */
        int read(long position, byte[] into, int from, int length) throws IOException;

        /** Appends the bytes from a position to before another one to a file; returns how many there were. */
        default long copy(long from, long to, Sink sink) throws IOException {
            byte[] buffer = new byte[1 << 16];
            long at = from;
            while (at < to) {
                int count = read(at, buffer, 0, (int) Math.min(buffer.length, to - at));
                if (count == 0) {
                    break;
                }
                sink.append(buffer, 0, count);
                at += count;
            }
            return at - from;
        }

        /** The present length in bytes; it may grow at any time. */
        long size() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** A file that is written at its end. */
    interface Sink extends Closeable {

        /** Hands bytes to the operating system; after an exception some of them may have been written. */
        void append(byte[] bytes, int from, int length) throws IOException;

        /** Brings what was appended to the disk itself. May run beside {@link #append}. */
        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** The names of all files in the folder, in no order. */
    List<String> names() throws IOException;

    /** Opens a file to read it. */
    Source read(String name) throws IOException;

    /** Makes a file that must not be there, readable by its owner only. */
    Sink create(String name) throws IOException;

    /** Opens a file to write at its end. */
    Sink append(String name) throws IOException;

    /** Cuts a file to its first bytes, and forces that. */
    void cut(String name, long size) throws IOException;

    /** Gives a file another name, in one step, in place of the file that has that name. */
    void rename(String from, String to) throws IOException;

    /** Removes a file if it is there. */
    void delete(String name) throws IOException;

    /** Brings all changes of names to the disk itself. */
    void forceNames() throws IOException;
}
