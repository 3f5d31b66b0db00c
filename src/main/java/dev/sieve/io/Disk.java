package dev.sieve.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * One folder of files, with the operations that files need which survive a crash; tests substitute a disk that fails.
 *
 * <p>A file is only appended to, cut, or replaced by another one. Written bytes survive the end of the process at once,
 * and a power cut after {@link Sink#force}; created, renamed and deleted files survive it after {@link #forceNames}.
 * Every method throws an {@link IOException} that names the file.
 */
public interface Disk extends DiskView {

    /** A file that is written at its end. */
    interface Sink extends Closeable {

        /** Hands bytes to the operating system; after an exception some of them may have been written. */
        void append(byte[] bytes, int from, int length) throws IOException;

        /** Forces the appended bytes to the disk. May run at the same time as {@link #append}. */
        void force() throws IOException;
    }

    /** Writes the content of a new file. */
    interface Content {
        void write(Sink sink) throws IOException;
    }

    /**
     * Creates or replaces a file in one step: the content is written to a temporary file, forced, renamed, and the
     * folder forced. When that fails, for example on a full disk, the temporary file is deleted if possible.
     */
    default void replace(String name, String temporary, Content content) throws IOException {
        replace(name, temporary, true, content);
    }

    /** Replaces a file by one with these bytes; only if {@code isForced} does that survive a power cut. */
    default void replace(String name, byte[] content, boolean isForced) throws IOException {
        replace(name, name + ".tmp", isForced, sink -> sink.append(content, 0, content.length));
    }

    /** Replaces a file in the same way; only if {@code isForced} does that survive a power cut. */
    default void replace(String name, String temporary, boolean isForced, Content content) throws IOException {
        delete(temporary);
        try {
            try (Sink sink = create(temporary)) {
                content.write(sink);
                if (isForced) {
                    sink.force();
                }
            }
            rename(temporary, name);
        } catch (IOException | RuntimeException | Error e) {
            try {
                delete(temporary);
            } catch (IOException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
        if (isForced) {
            forceNames();
        }
    }

    /** Appends the bytes of a file between two positions to another one, at most up to its end; returns how many. */
    static long copy(Source source, long from, long to, Sink sink) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long at = from;
        while (at < to) {
            int count = source.read(at, buffer, 0, (int) Math.min(buffer.length, to - at));
            if (count == 0) {
                break;
            }
            sink.append(buffer, 0, count);
            at += count;
        }
        return at - from;
    }

    /** Copies a file from a position to its end to another one; returns the number of bytes. */
    default long copy(String name, long from, String to) throws IOException {
        try (Source source = read(name)) {
            long size = source.size();
            replace(to, to + ".tmp", sink -> copy(source, from, size, sink));
            return size - from;
        }
    }

    /** Throws when another process may write to the folder as well. Default: does nothing. */
    default void requireOwned() throws IOException {}

    /** Returns how many more bytes can be written; {@link Long#MAX_VALUE} when that is unknown. */
    default long usableBytes() throws IOException {
        return Long.MAX_VALUE;
    }

    /** Returns what a message calls a file. */
    default String path(String name) {
        return name;
    }

    /** Creates a file that must not exist, readable by its owner only. */
    Sink create(String name) throws IOException;

    /** Opens a file for writing at its end. */
    Sink append(String name) throws IOException;

    /** Cuts a file to its first bytes, and forces that. */
    void cut(String name, long size) throws IOException;

    /** Renames a file in one step; replaces a file that already has the new name. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file if it exists. */
    void delete(String name) throws IOException;

    /** Forces all created, renamed and deleted names to the disk. */
    void forceNames() throws IOException;
}
