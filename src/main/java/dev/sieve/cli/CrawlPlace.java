package dev.sieve.cli;

import dev.sieve.shared.EngineAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a crawl is saved.
 *
 * @param name the folder of a job, or the address of a shared frontier
 * @param isShared whether other processes work on the crawl
 */
record CrawlPlace(String name, boolean isShared) {
    /** Returns the folder of a job as a place; null when there is none. */
    static @Nullable CrawlPlace in(@Nullable Path job) {
        return job == null ? null : new CrawlPlace(job.toString(), false);
    }

    static CrawlPlace on(EngineAddress address) {
        return new CrawlPlace(address.toString(), true);
    }
}
