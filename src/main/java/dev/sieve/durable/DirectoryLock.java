package dev.sieve.durable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock on a folder, which has one owner at a time.
 *
 * <p>It is an operating system lock on the file {@code lock}, so it ends with its process, whatever the file contains. The
 * file contains the number of the process, for messages only; a checksum keeps a damaged file from naming another
 * process. Such a lock is lost as soon as its process closes any handle on the file. Therefore the folders that are
 * locked by this process are also kept in a set, and their lock files are not opened again.
 */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = "lock";
    private static final String PROCESS = "process ";
    private static final int MAX_BYTES = 64;
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final RandomAccessFile file;

    private DirectoryLock(Path folder, RandomAccessFile file) {
        this.folder = folder;
        this.file = file;
    }

    /**
     * Takes the lock.
     *
     * @throws IOException when another owner has it; the message names the process
     */
    static DirectoryLock acquire(Path directory) throws IOException {
        Path folder = directory.toRealPath();
        if (!HELD.add(folder)) {
            throw inUse(folder, OptionalLong.of(ProcessHandle.current().pid()));
        }
        try {
            return new DirectoryLock(folder, lock(folder));
        } catch (IOException | RuntimeException | Error e) {
            HELD.remove(folder);
            throw e;
        }
    }

    private static RandomAccessFile lock(Path folder) throws IOException {
        RandomAccessFile file = open(folder, "rw");
        try {
            FileLock lock = file.getChannel().tryLock();
            if (lock == null) {
                throw inUse(folder, pid(file));
            }
            byte[] text = CheckedText.seal(PROCESS + ProcessHandle.current().pid() + "\n");
            file.setLength(0);
            file.write(text);
            return file;
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private static RandomAccessFile open(Path folder, String mode) throws IOException {
        Path path = folder.resolve(NAME);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + ": refused, since it is no regular file");
        }
        return new RandomAccessFile(path.toFile(), mode);
    }

    private static IOException inUse(Path folder, OptionalLong pid) {
        return new IOException(folder + ": in use by "
                + (pid.isPresent()
                        ? "process " + pid.getAsLong()
                        : "another process, which its file " + NAME + " does not name"));
    }

    private static OptionalLong pid(RandomAccessFile file) throws IOException {
        byte[] text = new byte[MAX_BYTES];
        file.seek(0);
        int length = Math.max(0, file.read(text));
        try {
            String line = CheckedText.open(NAME, text, length).strip();
            return OptionalLong.of(Long.parseLong(line.substring(PROCESS.length())));
        } catch (DamageException | NumberFormatException | IndexOutOfBoundsException e) {
            return OptionalLong.empty();
        }
    }

    /** The process that holds a folder at this moment; empty when none does, 0 when it is not known which. */
    static OptionalLong owner(Path directory) throws IOException {
        Path folder = directory.toRealPath();
        if (HELD.contains(folder)) {
            return OptionalLong.of(ProcessHandle.current().pid());
        }
        if (!Files.exists(folder.resolve(NAME), LinkOption.NOFOLLOW_LINKS)) {
            return OptionalLong.empty();
        }
        try (RandomAccessFile file = open(folder, "rw")) {
            FileLock lock = file.getChannel().tryLock();
            return lock == null ? OptionalLong.of(pid(file).orElse(0)) : OptionalLong.empty();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } finally {
            HELD.remove(folder);
        }
    }
}
