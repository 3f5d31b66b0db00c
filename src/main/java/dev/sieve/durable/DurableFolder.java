package dev.sieve.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Tools for the folder of a {@link DurableSieve}. Safe for use by many threads. */
public final class DurableFolder {
    private DurableFolder() {}

    /** Whether there is a frontier in a folder, in whatever state. */
    public static boolean exists(Path directory) {
        return Files.exists(directory.resolve(Settings.NAME));
    }

    /**
     * Looks at the frontier in a folder, which may be open at the same time, and changes nothing. It reads the last
     * checkpoint without its filter, and the log since then; older parts of the log are not read, so damage in them is
     * not found. Damage that is found is listed in the result.
     *
     * @throws DamageException when the settings are damaged
     * @throws IOException when the disk fails, or when there is no frontier
     */
    public static DurableState inspect(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        OptionalLong owner = DirectoryLock.owner(directory);
        return Inspection.of(disk).state(owner);
    }

    /**
     * Hands out the URLs of the frontier in a folder, in the order in which they were accepted. The frontier may be open
     * at the same time: then they are the URLs of one moment. All of the log is read.
     *
     * @param urls takes one URL after the other
     * @return how many there were
     * @throws DamageException when a file is damaged; the URLs before the damaged place were handed out
     * @throws IOException when the disk fails, or when there is no frontier
     */
    public static long export(Path directory, Export which, Consumer<String> urls) throws IOException {
        return Inspection.of(new LocalDisk(directory)).export(which, urls);
    }

    /**
     * Repairs the frontier in a folder where {@link DurableSieve.Builder#open} refuses it as damaged: keeps all that is
     * whole, and counts what is lost. Files that it changes are kept beside as {@code .broken}.
     *
     * @throws DamageException when the settings are gone and no checkpoint has them
     * @throws IOException when the disk fails; when another process has the folder; or when a file was written by a later
     *     version
     */
    public static RepairReport repair(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        DirectoryLock folderLock = DirectoryLock.acquire(directory);
        try {
            return new Repair(disk).run();
        } finally {
            folderLock.close();
        }
    }
}
