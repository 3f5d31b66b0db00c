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
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A file, or standard output, to which a sink writes UTF-8, with buffer.
 *
 * <p>A flush hands the text over to the operating system, and if so chosen forces it to the disk. The exceptions name the
 * file. After a failure nothing more is written, since the end of the file is unknown then. It is not written through a
 * channel, which would be closed when a thread is interrupted. Not safe for use by many threads.
 */
@NullMarked
public final class OutputFile extends OutputStream {
    private final String name;
    private final FileOutputStream out;
    private final boolean forces;
    private @Nullable IOException failure;

    private OutputFile(String name, FileOutputStream out, boolean forces) {
        this.name = name;
        this.out = out;
        this.forces = forces;
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
        FileOutputStream out = new FileOutputStream(path.toFile(), how == StandardOpenOption.APPEND);
        OutputFile file = new OutputFile(path.toString(), out, forces && Files.isRegularFile(path));
        try {
            if (Files.isRegularFile(path)) {
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
        return new OutputFile("standard output", out, forces && canForce(FileDescriptor.out)).writer();
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

    private Writer writer() {
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
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() throws IOException {
        requireUsable();
        if (forces) {
            try {
                out.getFD().sync();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    private void requireUsable() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private IOException failed(IOException cause) {
        failure = new IOException("cannot write " + name + ": " + cause.getMessage(), cause);
        return failure;
    }

    @Override
    public void close() throws IOException {
        if (out.getFD() != FileDescriptor.out) {
            out.close();
        }
    }
}
