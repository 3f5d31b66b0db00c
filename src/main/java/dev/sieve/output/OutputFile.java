package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.io.LocalDisk;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.SyncFailedException;
import java.io.Writer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file, or standard output, to which a sink writes UTF-8, with buffer.
 *
 * <p>A flush hands the text over to the operating system, and if so chosen forces it to the disk, as does every eighth
 * megabyte. The exceptions name the file. After a failure, such as a full disk, the file is cut off where the last flush
 * ended, if the disk allows that, and nothing more is written. Text is not written through a channel, which would be closed
 * when a thread is interrupted. Not safe for use by many threads.
 */
public final class OutputFile extends OutputStream {
    /** Less than {@link FileEnd#MAX_BYTES} by more than is written at a time. */
    private static final long MAX_UNFORCED = FileEnd.MAX_BYTES / 2;

    private static final Set<Path> STANDARD_OUTPUT = Set.of(Path.of("-"), Path.of("/dev/stdout"));

    /** Parts of the mode of a file, as POSIX defines them. */
    private static final int TYPE_MASK = 0170000;

    private static final int TYPE_PIPE = 0010000;
    private static final int TYPE_SOCKET = 0140000;

    private final String name;
    private final FileOutputStream out;
    private final Kind kind;
    private final Force force;
    /** The position at which the last flush ended, if the file can be cut. */
    private long flushed;

    private long unforced;
    private long unflushed;
    private @Nullable IOException failure;

    /** What is written to. */
    enum Kind {
        /** A regular file that was opened by its name, and can be cut. */
        FILE,
        /** Standard output, if it is a pipe: a write fails when its reader has ended. */
        STANDARD_PIPE,
        /** Anything else. */
        OTHER
    }

    /** Forces what was written to the disk. */
    interface Force {
        Force NONE = () -> {};

        void run() throws IOException;

        /** Returns the force of an open file. */
        static Force of(FileDescriptor file) {
            return file::sync;
        }
    }

    OutputFile(String name, FileOutputStream out, Kind kind, long size, Force force) {
        this.name = name;
        this.out = out;
        this.kind = kind;
        flushed = size;
        this.force = force;
    }

    /**
     * Opens a file, and creates it unless it exists.
     *
     * @param how {@code CREATE_NEW} refuses a file that exists, {@code APPEND} keeps its content, any other option does not
     * @param forces whether a flush forces the file to the disk, if it is on one
     */
    public static Writer open(Path path, StandardOpenOption how, boolean forces) throws IOException {
        return stream(path, how, forces).writer();
    }

    /** Returns whether a name stands for standard output. */
    public static boolean isStandardOutput(Path name) {
        return STANDARD_OUTPUT.contains(name);
    }

    /**
     * Refuses a file that another process is writing: to continue it would remove its last line.
     *
     * @throws IOException when one is, or the file cannot be opened
     */
    public static void requireUnused(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            try (FileOutputStream out = new FileOutputStream(path.toFile(), true)) {
                lock(path, out);
            }
        }
    }

    /** Locks a file until it is closed, where the system can do so. */
    private static void lock(Path path, FileOutputStream out) throws IOException {
        boolean isLocked;
        try {
            isLocked = out.getChannel().tryLock() != null;
        } catch (OverlappingFileLockException e) {
            isLocked = false;
        } catch (IOException e) {
            // Such as a network file system without locks.
            isLocked = true;
        }
        if (!isLocked) {
            throw new IOException(path + ": another process is writing this file");
        }
    }

    /** Opens a file as {@link #open} does, for bytes and without buffer. */
    static OutputFile stream(Path path, StandardOpenOption how, boolean forces) throws IOException {
        boolean isNew = Files.notExists(path);
        if (how == StandardOpenOption.CREATE_NEW) {
            Files.createFile(path);
        }
        boolean appends = how == StandardOpenOption.APPEND;
        long size = appends && !isNew ? Files.size(path) : 0;
        FileOutputStream out = new FileOutputStream(path.toFile(), appends);
        boolean isRegular = Files.isRegularFile(path);
        Force force = forces && isRegular ? Force.of(out.getFD()) : Force.NONE;
        OutputFile file = new OutputFile(path.toString(), out, isRegular ? Kind.FILE : Kind.OTHER, size, force);
        try {
            if (isRegular) {
                lock(path, out);
            }
            if (isNew && forces) {
                LocalDisk.forceNames(path.toAbsolutePath().getParent());
            }
            return file;
        } catch (IOException | RuntimeException e) {
            try (file) {
                throw e;
            }
        }
    }

    /**
     * Returns standard output, which is not closed with its writer.
     *
     * @param forces whether a flush forces it to the disk, if it is a file
     */
    public static Writer standardOutput(boolean forces) {
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        Force force = forces && canForce(FileDescriptor.out) ? Force.of(FileDescriptor.out) : Force.NONE;
        return new OutputFile("standard output", out, standardKind(), 0, force).writer();
    }

    private static Kind standardKind() {
        try {
            int type = (int) Files.getAttribute(Path.of("/dev/stdout"), "unix:mode") & TYPE_MASK;
            return type == TYPE_PIPE || type == TYPE_SOCKET ? Kind.STANDARD_PIPE : Kind.OTHER;
        } catch (IOException | UnsupportedOperationException e) {
            // Not on this system.
            return Kind.OTHER;
        }
    }

    private static boolean canForce(FileDescriptor file) {
        try {
            file.sync();
            return true;
        } catch (SyncFailedException e) {
            // A terminal or a pipe.
            return false;
        }
    }

    /** Returns a writer that flushes and closes this file with itself. */
    Writer writer() {
        return new BufferedWriter(new OutputStreamWriter(this, UTF_8));
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        requireUsable();
        try {
            out.write(bytes, from, length);
            unflushed += length;
            unforced += length;
            if (unforced >= MAX_UNFORCED) {
                force();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() throws IOException {
        requireUsable();
        try {
            force();
        } catch (IOException e) {
            throw failed(e);
        }
        flushed += unflushed;
        unflushed = 0;
    }

    private void force() throws IOException {
        force.run();
        unforced = 0;
    }

    private void requireUsable() throws IOException {
        if (failure != null) {
            throw exception(failure.getMessage(), failure);
        }
    }

    private IOException failed(IOException cause) {
        failure = exception("cannot write " + name + ": " + cause.getMessage(), cause);
        if (kind == Kind.FILE) {
            cutBack(failure);
        }
        return failure;
    }

    private IOException exception(@Nullable String message, IOException cause) {
        return kind == Kind.STANDARD_PIPE ? new BrokenPipeException(message, cause) : new IOException(message, cause);
    }

    /** Cuts off what was written since the last flush, which may end anywhere. */
    private void cutBack(IOException cause) {
        // A channel is closed when the thread is interrupted.
        boolean isInterrupted = Thread.interrupted();
        try {
            out.getChannel().truncate(flushed);
        } catch (IOException e) {
            cause.addSuppressed(e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (out.getFD() != FileDescriptor.out) {
            out.close();
        }
    }
}
