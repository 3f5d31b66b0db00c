package dev.sieve.crawl;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The file from which the report of a crawl is made: one object of JSON per line, in ASCII. A line is buffered when {@link
 * #add} returns. When {@link #flush} returns, it survives the process, and if forced also a power failure.
 *
 * <p>Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
public final class Journal {
    public static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-report", 4, "a record of the report", "the report may miss pages", line -> line.startsWith("{"));

    private final JobFiles files;
    private final LineFile file;

    /** Returns the journal of a crawl, which its job closes; the first call opens it. Without a folder it is temporary. */
    public static Journal of(CrawlJob job) throws IOException {
        return job.part(Journal.class, Journal::new);
    }

    Journal(JobFiles files) throws IOException {
        this.files = files;
        file = files.open(KIND, (position, line) -> {});
    }

    /** Appends a record: an object of JSON in ASCII, in one line. */
    public synchronized void add(byte[] json) {
        file.add(json);
    }

    /** Hands what was added to the operating system, and forces it to the disk if {@code isForced}. */
    public synchronized void flush(boolean isForced) {
        files.flush(file, isForced);
    }

    /** Passes on all records, those of earlier runs first. */
    public synchronized void read(LineFile.Receiver receiver) throws IOException {
        file.flush();
        files.read(KIND, (position, json) -> receiver.accept(json), LineFile.REFUSE);
    }

    /** Passes on the records in the folder of a crawl, running or not, and describes damaged lines to {@code problems}. */
    public static void read(Path folder, LineFile.Receiver receiver, Consumer<String> problems) throws IOException {
        if (Files.notExists(folder.resolve(KIND.name()))) {
            throw new IOException(folder + ": no run of this job has kept a record for a report");
        }
        new JobFiles(new LocalDisk(folder), DurableFolder.id(folder), List.of(KIND), problems::accept)
                .read(KIND, (position, json) -> receiver.accept(json), problems::accept);
    }
}
