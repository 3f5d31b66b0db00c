package dev.sieve.io;

import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder of the file system.
 *
 * <p>Only regular files that others cannot write are opened, so a symbolic link cannot lead out of the folder. Files
 * are read and written through {@link RandomAccessFile}, since a channel is closed when one of its threads is
 * interrupted.
 */
public final class LocalDisk implements Disk {
    private final Path folder;
    private final boolean posix;
    private final Work owner;

    /** Something that is done with a file. */
    public interface Work {
        void run() throws IOException;
    }

    public interface Writing {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Uses a folder that has no owner. */
    public LocalDisk(Path folder) throws IOException {
        this(folder, () -> {});
    }

    /** Uses a folder, which has to exist and not to be world-writable; its owner throws when another process may write to it. */
    public LocalDisk(Path folder, Work owner) throws IOException {
        this.owner = owner;
        if (Files.notExists(folder)) {
            throw new IOException(folder + ": no such directory");
        }
        if (!Files.readAttributes(folder, BasicFileAttributes.class).isDirectory()) {
            throw new IOException(folder + ": not a directory");
        }
        this.folder = folder;
        this.posix = isPosix(folder);
        requirePrivate(folder);
    }

    /** Creates a folder that only its owner can enter, unless it exists, and forces its name to the disk. */
    public static void makeFolder(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null) {
            return;
        }
        Path existing = parent;
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        Files.createDirectories(parent);
        if (!Files.exists(folder)) {
            try {
                Files.createDirectory(folder, permissions(isPosix(parent), "rwx------"));
            } catch (FileAlreadyExistsException e) {
                // Another process was faster.
            }
        }
        for (Path each = parent;
                each != null && existing != null && each.startsWith(existing);
                each = each.getParent()) {
            forceNames(each);
        }
    }

    /** Forces the names of created, renamed and deleted files of any folder to the disk, where the system can do so. */
    public static void forceNames(@Nullable Path folder) throws IOException {
        // A folder that may be entered but not read cannot be opened, and therefore not forced.
        if (folder != null && isPosix(folder) && Files.isReadable(folder)) {
            force(folder);
        }
    }

    /** Deletes the folder and its files. */
    public void deleteAll() throws IOException {
        for (String name : names()) {
            delete(name);
        }
        Files.delete(folder);
    }

    /**
     * Creates or replaces a file of any folder in one step, with the permissions of a new file: the content is written
     * to {@link #temporary}, forced and renamed.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        replace(file, out -> out.write(content));
    }

    /** Does the same with content that is written as a stream, which may be closed. */
    public static void replace(Path file, Writing content) throws IOException {
        Path temporary = temporary(file);
        try {
            try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
                BufferedOutputStream stream = new BufferedOutputStream(out) {
                    @Override
                    public void close() throws IOException {
                        flush();
                    }
                };
                content.writeTo(stream);
                stream.flush();
                out.getFD().sync();
            }
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            forceNames(temporary.getParent());
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns the name under which {@link #replace} writes a file. */
    public static Path temporary(Path file) {
        return file.toAbsolutePath().resolveSibling(file.getFileName() + ".tmp");
    }

    private static boolean isPosix(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }

    private static FileAttribute<?>[] permissions(boolean posix, String permissions) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Creates an empty file that only its owner can read and write; there must be none of this name. */
    public static Path createPrivate(Path path) throws IOException {
        Path parent = Objects.requireNonNull(path.toAbsolutePath().getParent());
        return Files.createFile(path, permissions(isPosix(parent), "rw-------"));
    }

    private void requirePrivate(Path path) throws IOException {
        if (posix
                && Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)
                        .contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(path + ": refused: it is world-writable");
        }
    }

    /**
     * Requires a regular file, not a link to one.
     *
     * @throws NoSuchFileException only when it does not exist, not when that cannot be found out
     */
    public static void requireRegular(Path path) throws IOException {
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isRegularFile()) {
            throw new IOException(path + ": refused: not a regular file");
        }
    }

    /** Returns the path of a file that may be opened. */
    private Path checked(String name) throws IOException {
        Path path = folder.resolve(name);
        requireRegular(path);
        requirePrivate(path);
        return path;
    }

    @Override
    public void requireOwned() throws IOException {
        owner.run();
    }

    @Override
    public long usableBytes() throws IOException {
        long bytes = Files.getFileStore(folder).getUsableSpace();
        return bytes < 0 ? Long.MAX_VALUE : bytes; // more than a long holds
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    @Override
    public String path(String name) {
        return folder.resolve(name).toString();
    }

    @Override
    public Source read(String name) throws IOException {
        Path path = checked(name);
        try {
            return new LocalFile(path, "r");
        } catch (FileNotFoundException e) {
            if (Files.notExists(path)) {
                throw new NoSuchFileException(path.toString()); // deleted since it was checked
            }
            throw e;
        }
    }

    @Override
    public Sink create(String name) throws IOException {
        return new LocalFile(Files.createFile(folder.resolve(name), permissions(posix, "rw-------")), "rw");
    }

    @Override
    public Sink append(String name) throws IOException {
        return new LocalFile(checked(name), "rw");
    }

    @Override
    public void cut(String name, long size) throws IOException {
        Path path = checked(name);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(size);
            file.getFD().sync();
        } catch (IOException e) {
            throw failure(path, "cut", size, e);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void forceNames() throws IOException {
        if (posix) {
            force(folder);
        }
    }

    private static void force(Path folder) throws IOException {
        Work force = () -> {
            try (FileChannel channel = FileChannel.open(folder)) {
                channel.force(true);
            }
        };
        try {
            uninterrupted(force);
        } catch (IOException e) {
            throw failure(folder, "force", 0, e);
        }
    }

    /**
     * Does work on a channel that it opens, whether the thread is interrupted or not, again if an interrupt closes it. The
     * thread stays interrupted.
     */
    public static void uninterrupted(Work work) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        boolean isDone = false;
        try {
            while (!isDone) {
                try {
                    work.run();
                    isDone = true;
                } catch (ClosedByInterruptException | FileLockInterruptionException e) {
                    // The work itself has not failed.
                    isInterrupted = Thread.interrupted();
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static IOException failure(Path path, String verb, long offset, IOException cause) {
        return new IOException(path + ": cannot " + verb + " at offset " + offset + ": " + cause.getMessage(), cause);
    }

    /** An open file, either to be read or to be appended to. */
    private static final class LocalFile implements Source, Sink {
        private final Path path;
        private final RandomAccessFile file;
        private long end;

        LocalFile(Path path, String mode) throws IOException {
            this.path = path;
            file = new RandomAccessFile(path.toFile(), mode);
            end = file.length();
            file.seek(end);
        }

        @Override
        public int read(long position, byte[] into, int from, int length) throws IOException {
            try {
                file.seek(position);
                int filled = 0;
                int count = 0;
                while (filled < length && count >= 0) {
                    count = file.read(into, from + filled, length - filled);
                    filled += Math.max(0, count);
                }
                return filled;
            } catch (IOException e) {
                throw failure(path, "read", position, e);
            }
        }

        @Override
        public long size() throws IOException {
            return file.length();
        }

        @Override
        public void append(byte[] bytes, int from, int length) throws IOException {
            try {
                file.seek(end); // part of a write that failed may have been cut off
                file.write(bytes, from, length);
                end += length;
            } catch (IOException e) {
                throw failure(path, "write", end, e);
            }
        }

        @Override
        public void force() throws IOException {
            try {
                file.getFD().sync();
            } catch (IOException e) {
                throw failure(path, "force", end, e);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
