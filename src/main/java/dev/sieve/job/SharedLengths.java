package dev.sieve.job;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.Disk;
import dev.sieve.io.LocalDisk;
import dev.sieve.output.FileEnd;
import dev.sieve.output.FileEnds;
import dev.sieve.output.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lengths of the outputs of a worker, in a folder {@code NAME.lengths} beside the first of them. It is deleted when
 * this is closed, unless a later run has something to remove. Lengths of another crawl, or damaged ones, are replaced.
 * Those that a run with the same outputs in another order has left are taken over, and those of outputs that this run
 * does not write are dropped: they would be out of date when a later run writes these outputs.
 */
final class SharedLengths implements FileEnds {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** The file of {@link DurableFolder#lock}. */
    private static final String LOCK = "lock";

    /** A folder of lengths, which is locked. */
    private record Folder(Path path, Closeable lock, OutputLengths lengths) {
        static Folder open(Path path, long owner) throws IOException {
            LocalDisk.makeFolder(path);
            // Another worker may have started at the same time, and not have opened its outputs.
            Closeable lock = DurableFolder.lock(path);
            try {
                Disk disk = new LocalDisk(path);
                try {
                    return new Folder(path, lock, OutputLengths.open(disk, owner));
                } catch (IOException e) {
                    LOG.warn("{}; outputs are continued at their ends", e.getMessage());
                    deleteFiles(disk);
                    return new Folder(path, lock, OutputLengths.open(disk, owner));
                }
            } catch (IOException | RuntimeException e) {
                try (lock) {
                    throw e;
                }
            }
        }

        /** Deletes all but the lock. */
        private static void deleteFiles(Disk disk) throws IOException {
            for (String name : disk.names()) {
                if (!name.equals(LOCK)) {
                    disk.delete(name);
                }
            }
        }

        void close(boolean deletes) throws IOException {
            try (lock) {
                lengths.close();
                if (deletes) {
                    deleteFiles(new LocalDisk(path));
                }
            }
            if (deletes) {
                try {
                    Files.deleteIfExists(path.resolve(LOCK));
                    Files.delete(path);
                } catch (FileSystemException e) {
                    // Another worker has begun to use it.
                }
            }
        }
    }

    private final Folder own;
    /** The folders of earlier runs, until their lengths are stored here. */
    private final List<Folder> others = new ArrayList<>();

    private boolean isStored;

    private SharedLengths(Folder own) {
        this.own = own;
    }

    /**
     * Opens the lengths of the outputs of a run.
     *
     * @throws IOException also when another process is writing the first output, or has the lengths of one of them
     */
    static FileEnds open(List<Path> outputs, long owner) throws IOException {
        Path first = outputs.get(0);
        OutputFile.requireUnused(first);
        if (!Files.isDirectory(first.toAbsolutePath().resolveSibling(""))) {
            return NONE;
        }
        SharedLengths lengths = new SharedLengths(Folder.open(folder(first), owner));
        try {
            for (Path output : outputs) {
                Path folder = folder(output);
                if (!folder.equals(lengths.own.path) && Files.isDirectory(folder)) {
                    Folder other = Folder.open(folder, owner);
                    lengths.others.add(other);
                    lengths.own.lengths.takeOver(other.lengths);
                }
            }
        } catch (IOException | RuntimeException e) {
            try (lengths) {
                throw e;
            }
        }
        return lengths;
    }

    private static Path folder(Path output) {
        return output.resolveSibling(output.getFileName() + ".lengths");
    }

    @Override
    public @Nullable FileEnd stored(Path output) throws IOException {
        return own.lengths.stored(output);
    }

    @Override
    public void opened(Path output, FileEnd end, long removed) throws IOException {
        own.lengths.opened(output, end, removed);
    }

    @Override
    public void flushed(Path output, FileEnd end) {
        own.lengths.flushed(output, end);
    }

    @Override
    public void flush() throws IOException {
        if (isStored) {
            own.lengths.flush();
            return;
        }
        own.lengths.storeOpened();
        isStored = true;
        for (Folder other : others) {
            other.close(true);
        }
        others.clear();
    }

    @Override
    public void close() throws IOException {
        try {
            own.close(own.lengths.areWhole());
        } finally {
            for (Folder other : others) {
                other.close(other.lengths.areWhole());
            }
        }
    }
}
