package dev.sieve.crawl;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes files of a job. */
public final class JobLines {
    private JobLines() {}

    /** What a file with a name contains: any lines, in the present version. */
    static LineFile.Kind kind(String name) {
        return new LineFile.Kind(
                name,
                name.equals("crawl-report")
                        ? 4
                        : List.of("crawl-cookies", "crawl-results").contains(name)
                                ? 1
                                : List.of("crawl-pages", "crawl-counts").contains(name) ? 3 : 2,
                "a line",
                "",
                line -> true);
    }

    /** Returns the files of a job without a folder. */
    public static JobFiles temporary(Path parent) throws IOException {
        return JobFiles.temporary(parent, 1);
    }

    /** Stores how many lines the files have. */
    public static void count(CrawlJob job) {
        job.count();
    }

    /** Replaces a file of a job by one with other lines, which are whole. */
    public static Path replace(Path job, String name, String... lines) throws IOException {
        LineFile.replace(new LocalDisk(job), kind(name), DurableFolder.id(job), List.of(lines));
        return job.resolve(name);
    }
}
