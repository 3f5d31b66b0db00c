package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.io.LocalDisk;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.RandomAccessFile;
import java.io.SyncFailedException;
import java.io.Writer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file, or standard output, to which a sink writes UTF-8, with buffer.
 *
 * <p>A flush hands the text over to the operating system, and if so chosen forces it to the disk. The exceptions name
 * the file. After a failure, such as a full disk, the file is cut off where the last flush ended, if the disk allows
 * that, and nothing more is written. Text is not written through a channel, which would be closed when a thread is
 * interrupted. Not safe for use by many threads.
 */
public final class OutputFile extends OutputStream {
    private static final Set<Path> STANDARD_OUTPUT = Set.of(Path.of("-"), Path.of("/dev/stdout"));

    /** Parts of the mode of a file, as POSIX defines them. */
    private static final int TYPE_MASK = 0170000;

    private static final int TYPE_PIPE = 0010000;
    private static final int TYPE_SOCKET = 0140000;

    private final String name;
    private final FileOutputStream out;
    private final Kind kind;
    private final LocalDisk.Work force;
    private final Consumer<FileEnd> flushed;
    /** Where the last flush ended. */
    private FileEnd end;

    private final CRC32C checksum = new CRC32C();
    private long unflushed;
    private @Nullable IOException failure;

    enum Kind {
        /** A regular file that was opened by its name, and can be cut. */
        FILE,
        /** Standard output, if it is a pipe: a write fails when its reader has ended. */
        STANDARD_PIPE,
        /** Anything else. */
        OTHER
    }

    OutputFile(
            String name,
            FileOutputStream out,
            Kind kind,
            FileEnd end,
            LocalDisk.Work force,
            Consumer<FileEnd> flushed) {
        this.name = name;
        this.out = out;
        this.kind = kind;
        this.end = end;
        this.force = force;
        this.flushed = flushed;
    }

    /**
     * Opens a file, and creates it unless it exists.
     *
     * @param how {@code CREATE_NEW} refuses a file that exists, {@code APPEND} keeps its content, any other option does
     *     not
     * @param forces whether a flush forces the file to the disk, if it is on one
     */
    public static Writer open(Path path, StandardOpenOption how, boolean forces) throws IOException {
        return stream(path, how, forces, FileEnds.NONE).writer();
    }

    public static boolean isStandardOutput(Path name) {
        return STANDARD_OUTPUT.contains(name);
    }

    /**
     * Opens a file for lines, which is continued at its stored end, or else after its last line. A pipe or device is
     * written to whatever the option.
     *
     * @throws IllegalArgumentException when a file without a stored end does not end with a line feed
     */
    static OutputFile lines(Path path, OutputOpening opening) throws IOException {
        boolean isSpecial = Files.exists(path) && !Files.isRegularFile(path);
        StandardOpenOption how = isSpecial ? StandardOpenOption.APPEND : opening.how();
        if (how == StandardOpenOption.APPEND
                && !endsWithLine(path)
                && opening.ends().stored(path) == null) {
            throw new IllegalArgumentException(path
                    + ": its last line has no line feed, and this job has not written it; remove that line, or move"
                    + " the file away");
        }
        return stream(path, how, opening.forces(), opening.ends());
    }

    private static boolean endsWithLine(Path path) throws IOException {
        if (!Files.isRegularFile(path) || Files.size(path) == 0) {
            return true;
        }
        try (RandomAccessFile in = new RandomAccessFile(path.toFile(), "r")) {
            in.seek(in.length() - 1);
            return in.read() == '\n';
        }
    }

    /** Refuses a file that another process is writing. */
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

    /**
     * Opens a file as {@link #open} does, for bytes and without buffer. One that is continued is cut to its stored end,
     * if it has one.
     *
     * @param ends receives the present end, and that of each flush
     * @throws IOException also when the file does not have its stored end, or another process is writing it
     */
    static OutputFile stream(Path path, StandardOpenOption how, boolean forces, FileEnds ends) throws IOException {
        boolean isNew = Files.notExists(path);
        boolean appends = how == StandardOpenOption.APPEND;
        long size = appends && !isNew ? Files.size(path) : 0;
        boolean isContinued = appends && Files.isRegularFile(path);
        FileEnd stored = isContinued ? ends.stored(path) : null;
        if (stored != null) {
            // Before the file is locked: to close any stream of a file releases its lock.
            stored.requireIn(path);
        }
        if (how == StandardOpenOption.CREATE_NEW) {
            Files.createFile(path);
        }
        FileOutputStream out = new FileOutputStream(path.toFile(), appends);
        boolean isRegular = Files.isRegularFile(path);
        LocalDisk.Work force = forces && isRegular ? out.getFD()::sync : () -> {};
        FileEnd end = stored == null ? new FileEnd(size, 0, 0) : stored;
        Consumer<FileEnd> flushed = isRegular ? each -> ends.flushed(path, each) : each -> {};
        OutputFile file = new OutputFile(path.toString(), out, isRegular ? Kind.FILE : Kind.OTHER, end, force, flushed);
        try {
            if (isRegular) {
                lock(path, out);
                if (size > end.length()) {
                    out.getChannel().truncate(end.length());
                    out.getFD().sync();
                }
                ends.opened(path, end, size - end.length());
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

    /** Returns standard output, which is not closed with its writer; if it is a file, flushes may force it to the disk. */
    public static Writer standardOutput(boolean forces) {
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        LocalDisk.Work force = forces && canForce(FileDescriptor.out) ? FileDescriptor.out::sync : () -> {};
        return new OutputFile("standard output", out, standardKind(), FileEnd.EMPTY, force, end -> {}).writer();
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
            checksum.update(bytes, from, length);
            unflushed += length;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() throws IOException {
        requireUsable();
        try {
            force.run();
        } catch (IOException e) {
            throw failed(e);
        }
        if (unflushed > 0) {
            end = new FileEnd(end.length() + unflushed, unflushed, (int) checksum.getValue());
            flushed.accept(end);
            checksum.reset();
            unflushed = 0;
        }
    }

    /** Returns how long the file is, with what earlier runs have written. */
    long length() {
        return end.length() + unflushed;
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
            out.getChannel().truncate(end.length());
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
