package dev.sieve.durable;

import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/** Tools for the folder of a {@link DurableSieve}. Safe for use by many threads. */
public final class DurableFolder {
    private DurableFolder() {}

    /** Whether a folder contains a frontier, in any state; also true when that cannot be found out. */
    public static boolean exists(Path directory) {
        return !Files.isRegularFile(directory) && !Files.notExists(directory.resolve(Settings.NAME));
    }

    /**
     * Returns the identity of a frontier, which its files contain.
     *
     * @throws DamageException when the settings are damaged or missing
     * @throws IOException when the disk fails, or the folder does not exist
     */
    public static long id(Path directory) throws IOException {
        Settings settings = Settings.read(new LocalDisk(directory));
        if (settings == null) {
            throw DamageException.missing(Settings.NAME);
        }
        return settings.frontierId();
    }

    /**
     * Keeps other processes out of the folder of a frontier until the result is closed.
     *
     * @throws IOException when another process has the folder, which the message names
     */
    public static Closeable lock(Path directory) throws IOException {
        return DirectoryLock.acquire(directory);
    }

    /**
     * Reads the state of a frontier, which may be open, and changes nothing. Reads the last checkpoint without its
     * filter, and all of the log. Damage is listed in the result.
     *
     * @throws DamageException when the settings are damaged
     * @throws IOException when the disk fails, or the folder does not contain a frontier
     */
    public static DurableState inspect(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        OptionalLong owner = DirectoryLock.owner(directory);
        return Inspection.of(disk, inspection -> inspection.state(owner));
    }

    /**
     * Passes on the URLs of a frontier in the order in which they were accepted. The frontier may be open: then they
     * are the URLs of one moment. A URL that was queued again is passed on once for each time. Reads all of the log.
     *
     * @param labels accepts the {@linkplain dev.sieve.UrlBatch#label labels} of the URLs to pass on
     * @return how many there were
     * @throws DamageException when a file is damaged; the URLs before the damage were passed on
     * @throws IOException when the disk fails, or the folder does not contain a frontier
     */
    public static long export(Path directory, Export which, IntPredicate labels, Consumer<String> urls)
            throws IOException {
        Inspection inspection = Inspection.of(new LocalDisk(directory));
        return inspection.export(which, labels, urls);
    }

    /**
     * Whether the filter of the last checkpoint contains a key, up to its false-positive rate. URLs that were accepted
     * since then are still in the log: see {@link #export}. The frontier may be open. Reads the filter into memory.
     *
     * @throws DamageException when a file is damaged
     * @throws IOException when the disk fails, or the folder does not contain a frontier
     */
    public static boolean filterMightContain(Path directory, String key) throws IOException {
        return Inspection.of(new LocalDisk(directory)).filterMightContain(key);
    }

    /**
     * Repairs a frontier that {@link DurableSieve.Builder#open} refuses as damaged: keeps everything that is whole, and
     * counts what is lost. Changed files are kept as {@code .broken}. A repair that was interrupted is completed by the
     * next one.
     *
     * @throws DamageException when the settings are damaged, and neither a checkpoint nor a segment is whole
     * @throws IOException when the disk fails, another process has the folder, a file has a later version, or the
     *     folder does not contain a frontier; nothing is changed then
     */
    @SuppressWarnings("try") // the lock is only held
    public static RepairReport repair(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        FrontierFiles files = FrontierFiles.list(disk);
        if (!exists(directory) && files.logs().isEmpty() && files.checkpoints().isEmpty()) {
            throw new IOException(directory + ": the folder does not contain a frontier");
        }
        try (DirectoryLock held = DirectoryLock.acquire(directory)) {
            return Repair.run(disk);
        }
    }
}
