package dev.sieve.crawl;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes files of a job. */
public final class JobLines {
    private JobLines() {}

    /** Replaces a file of a job by one with other lines, which are whole. */
    public static Path replace(Path job, String name, String... lines) throws IOException {
        LineFile.Kind kind = new LineFile.Kind(name, "a line", line -> true);
        LineFile.replace(new LocalDisk(job), kind, DurableFolder.id(job), List.of(lines));
        return job.resolve(name);
    }
}
