package dev.sieve.durable;

import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a folder, which has one owner at a time.
 *
 * <p>It is an operating system lock on the file {@code lock}, so it ends with its process. The file contains the number
 * of the process, for messages only, with a checksum. A process loses the lock when it closes any handle on the file;
 * therefore the folders locked by this process are also kept in a set, and their lock files are not opened again.
 *
 * <p>The owner holds all bytes up to {@link #OWNED} and that byte. Whether a folder has an owner is tried with a shared
 * lock on that byte alone, for which a new owner waits: it never makes an open fail.
 */
final class DirectoryLock implements Closeable {
    private static final String NAME = "lock";
    private static final String PROCESS = "process ";
    private static final int MAX_BYTES = 64;
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** The position of the locked bytes: far after the contents, since some systems do not let others read locked bytes. */
    private static final long OWNED = 1 << 30;

    private final Path folder;
    private @Nullable RandomAccessFile file;
    private @Nullable Object key; // identifies the file, whatever its name; null where the system has none

    private DirectoryLock(Path folder) {
        this.folder = folder;
    }

    /** Takes the lock; when another owner has it, the message of the exception contains the number of its process. */
    static DirectoryLock acquire(Path directory) throws IOException {
        Path folder = directory.toRealPath();
        synchronized (HELD) {
            if (!HELD.add(folder)) {
                throw inUse(folder, ProcessHandle.current().pid());
            }
            DirectoryLock lock = new DirectoryLock(folder);
            try {
                LocalDisk.uninterrupted(lock::lock);
                return lock;
            } catch (IOException | RuntimeException | Error e) {
                lock.close();
                throw e;
            }
        }
    }

    private void lock() throws IOException {
        if (file != null) {
            file.close(); // by an interrupt, in part
        }
        RandomAccessFile opened = open(folder);
        file = opened;
        if (opened.getChannel().tryLock(0, OWNED, false) == null) {
            throw inUse(folder, pid(opened));
        }
        FileLock unused = opened.getChannel().lock(OWNED, 1, false);
        try {
            opened.setLength(0);
            opened.write(CheckedText.seal(PROCESS + ProcessHandle.current().pid() + "\n"));
        } catch (IOException e) {
            throw new IOException(folder.resolve(NAME) + ": cannot write: " + e.getMessage(), e);
        }
        key = Files.readAttributes(folder.resolve(NAME), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Throws when the lock file was removed or replaced, since another process may then have locked the new one. */
    void requireHeld() throws IOException {
        Path path = folder.resolve(NAME);
        @Nullable Object found;
        try {
            found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException e) {
            throw new IOException(path + ": removed while the frontier is open", e);
        }
        if (!Objects.equals(key, found)) {
            throw new IOException(path + ": replaced while the frontier is open");
        }
    }

    private static RandomAccessFile open(Path folder) throws IOException {
        Path path = folder.resolve(NAME);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            LocalDisk.requireRegular(path);
        } else {
            try {
                new LocalDisk(folder).create(NAME).close();
            } catch (FileAlreadyExistsException e) {
                // Another process was faster.
            }
        }
        return new RandomAccessFile(path.toFile(), "rw");
    }

    private static IOException inUse(Path folder, long pid) {
        return new IOException(folder + ": in use by "
                + (pid == 0 ? "another process; its file " + NAME + " is not readable" : "process " + pid));
    }

    /** Reads the number of the process; 0 when the file is damaged. */
    private static long pid(RandomAccessFile file) throws IOException {
        byte[] text = new byte[MAX_BYTES];
        file.seek(0);
        int length = Math.max(0, file.read(text));
        try {
            String line = CheckedText.open(NAME, text, length).strip();
            return Long.parseLong(line.substring(PROCESS.length()));
        } catch (DamageException | NumberFormatException | IndexOutOfBoundsException e) {
            return 0;
        }
    }

    /** Returns the number of the process that holds a folder; empty when it is free, 0 when the process is unknown. */
    static OptionalLong owner(Path directory) throws IOException {
        Path folder = directory.toRealPath();
        synchronized (HELD) {
            if (HELD.contains(folder)) {
                return OptionalLong.of(ProcessHandle.current().pid());
            }
            Path path = folder.resolve(NAME);
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                return OptionalLong.empty();
            }
            LocalDisk.requireRegular(path);
            // A shared lock needs no permission to write, which a file system may not give.
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                boolean isFree = file.getChannel().tryLock(OWNED, 1, true) != null;
                return isFree ? OptionalLong.empty() : OptionalLong.of(pid(file));
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (file != null) {
                file.close();
            }
        } finally {
            HELD.remove(folder);
        }
    }
}
