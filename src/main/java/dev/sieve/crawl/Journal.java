package dev.sieve.crawl;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.Disk;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.io.TemporaryFolder;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file from which the report of a crawl is made: one object of JSON per line, in ASCII. A line is buffered when {@link
 * #add} returns. When {@link #flush} returns, it survives the process, and if forced also a power failure.
 *
 * <p>Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
public final class Journal implements Closeable {
    static final LineFile.Kind KIND =
            new LineFile.Kind("crawl-report", 3, "a record of the report", line -> line.startsWith("{"));

    private final Disk disk;
    private final long owner;
    private final LineFile file;
    /** The folder of a temporary file; null otherwise. */
    private final @Nullable TemporaryFolder temporary;

    /** Uses the file of a job, which is closed by the job. */
    Journal(Disk disk, long owner, LineFile file) {
        this(disk, owner, file, null);
    }

    private Journal(Disk disk, long owner, LineFile file, @Nullable TemporaryFolder temporary) {
        this.disk = disk;
        this.owner = owner;
        this.file = file;
        this.temporary = temporary;
    }

    /** Creates a journal in a temporary file, which is deleted when it is closed. */
    static Journal temporary(Path parent) throws IOException {
        TemporaryFolder folder = new TemporaryFolder(parent, KIND.name());
        Disk disk = folder.disk();
        return new Journal(disk, 0, LineFile.open(disk, KIND, 0, line -> {}), folder);
    }

    /** Returns whether it is only for this run. */
    public boolean isTemporary() {
        return temporary != null;
    }

    /**
     * Appends a record.
     *
     * @param json an object of JSON in ASCII, in one line
     */
    public synchronized void add(byte[] json) {
        file.add(json);
    }

    /** Hands what was added to the operating system, and forces it to the disk if {@code isForced}. */
    public synchronized void flush(boolean isForced) {
        // No other process, nor a later run, reads a temporary file.
        if (!isTemporary()) {
            file.flush(isForced);
        }
    }

    /** Receives records. */
    public interface Receiver {
        /** Receives a record as it was added. */
        void accept(String json) throws IOException;
    }

    /** Passes on all records, those of earlier runs first. */
    public synchronized void read(Receiver receiver) throws IOException {
        file.flush();
        LineFile.read(disk, KIND, owner, receiver::accept, LineFile.REFUSE);
    }

    /**
     * Passes on the records in the folder of a crawl, which may be running.
     *
     * @param problems receives a description of each line that is damaged
     * @throws IOException when there are none
     */
    public static void read(Path folder, Receiver receiver, Consumer<String> problems) throws IOException {
        if (Files.notExists(folder.resolve(KIND.name()))) {
            throw new IOException(folder + ": no run of this job has kept a record for a report");
        }
        LineFile.read(new LocalDisk(folder), KIND, DurableFolder.id(folder), receiver::accept, problems::accept);
    }

    @Override
    @SuppressWarnings("try") // they are only closed here
    public synchronized void close() throws IOException {
        if (temporary == null) {
            flush(false);
            return;
        }
        try (temporary;
                file) {
            // Closes both, the file first.
        }
    }
}
