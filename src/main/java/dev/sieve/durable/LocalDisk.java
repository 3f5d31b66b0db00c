package dev.sieve.durable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A folder of the file system.
 *
 * <p>Only regular files that nobody else may write are opened: no symbolic link leads out of the folder. Files are read
 * and written through {@link RandomAccessFile}, since a channel is closed under the hands of all its users when one of
 * them is interrupted.
 */
final class LocalDisk implements Disk {
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_FOLDER = PosixFilePermissions.fromString("rwx------");

    private final Path folder;
    private final boolean posix;

    LocalDisk(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException(folder + (Files.exists(folder) ? ": no folder" : ": there is no such folder"));
        }
        this.folder = folder;
        this.posix = isPosix(folder);
        requirePrivate(folder);
    }

    /** Makes a folder that only its owner can enter, unless it is there. */
    static void makeFolder(Path folder) throws IOException {
        if (Files.exists(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.createDirectory(folder, isPosix(parent) ? attributes(OWNER_FOLDER) : new FileAttribute<?>[0]);
    }

    private static boolean isPosix(Path path) throws IOException {
        return path != null && Files.getFileStore(path).supportsFileAttributeView("posix");
    }

    private static FileAttribute<?>[] attributes(Set<PosixFilePermission> permissions) {
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
    }

    private void requirePrivate(Path path) throws IOException {
        if (posix
                && Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .permissions()
                        .contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(path + ": refused, since everybody may write to it");
        }
    }

    /** The path of a file that may be opened. */
    private Path checked(String name) throws IOException {
        Path path = folder.resolve(name);
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(path.toString());
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + ": refused, since it is no regular file");
        }
        requirePrivate(path);
        return path;
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).collect(Collectors.toList());
        }
    }

    @Override
    public Source read(String name) throws IOException {
        return new LocalFile(checked(name), "r");
    }

    @Override
    public Sink create(String name) throws IOException {
        Path path = folder.resolve(name);
        Files.newByteChannel(path, NEW, posix ? attributes(OWNER_ONLY) : new FileAttribute<?>[0])
                .close();
        return new LocalFile(path, "rw");
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
        if (!posix) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        boolean forced = false;
        while (!forced) {
            try (FileChannel channel = FileChannel.open(folder)) {
                channel.force(true);
                forced = true;
            } catch (ClosedByInterruptException e) {
                // Only the channel has gone, nothing has failed.
                interrupted = Thread.interrupted();
            } catch (IOException e) {
                throw failure(folder, "force", 0, e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
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
                while (filled < length) {
                    int count = file.read(into, from + filled, length - filled);
                    if (count < 0) {
                        break;
                    }
                    filled += count;
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
