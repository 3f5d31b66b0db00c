package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.durable.DurableFolder;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Writes files of a job. */
public final class JobLines {
    private JobLines() {}

    /** What a file with a name contains: any lines, in the present version. */
    static LineFile.Kind kind(String name) {
        return new LineFile.Kind(
                name,
                name.equals("crawl-report")
                        ? 4
                        : List.of("crawl-pages", "crawl-counts").contains(name) ? 3 : 2,
                "a line",
                "",
                line -> true);
    }

    /** Adds a page to a job with rounds, unless it is known. */
    static void addPage(CrawlJob job, String url) throws IOException {
        Rounds rounds = Objects.requireNonNull(Rounds.of(job, RevisitRule.DEFAULT));
        Target page = Target.of(new Lease(0, url, 0, 0, null, 0, 0));
        if (rounds.base(page) == null) {
            rounds.store(List.of(rounds.refused(page)), false);
        }
    }

    /** Replaces a file of a job by one with other lines, which are whole. */
    public static Path replace(Path job, String name, String... lines) throws IOException {
        LineFile.replace(new LocalDisk(job), kind(name), DurableFolder.id(job), List.of(lines));
        return job.resolve(name);
    }
}
