package dev.sieve.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder for the files of one run, which is deleted with them when it is closed. */
public final class TemporaryFolder implements Closeable {
    private final Path folder;
    private final Disk disk;

    /** Creates a folder in another one; its name begins with {@code prefix}. */
    public TemporaryFolder(Path parent, String prefix) throws IOException {
        folder = Files.createTempDirectory(parent, prefix);
        disk = new LocalDisk(folder);
    }

    /** Returns the disk for the files. They have to be closed before the folder. */
    public Disk disk() {
        return disk;
    }

    @Override
    public void close() throws IOException {
        try {
            for (String name : disk.names()) {
                disk.delete(name);
            }
        } finally {
            Files.deleteIfExists(folder);
        }
    }
}
