package dev.sieve.job;

import dev.sieve.durable.RepairReport;
import java.io.IOException;

/** A place that outlives the process, so that a crawl can be inspected and repaired there. */
public interface SavedPlace extends CrawlPlace {
    @Override
    default boolean isSaved() {
        return true;
    }

    /**
     * Reads the state of the crawl, which may be running, and changes nothing. Damage is listed in the result.
     *
     * @throws IOException when the place cannot be read, or has no crawl
     */
    CrawlState inspect() throws IOException;

    /**
     * Repairs a crawl that {@link #open} refuses as damaged: keeps what is whole, and counts what is lost.
     *
     * @throws IOException when a process uses the crawl, or as {@link #inspect}
     */
    RepairReport repair() throws IOException;

    /**
     * Deletes the crawl. That of a folder is deleted by the user, with its folder.
     *
     * @return of how many keys it consisted
     * @throws IOException when a process uses the crawl, or as {@link #inspect}
     */
    default long delete() throws IOException {
        throw new IOException(this + ": delete the directory itself");
    }
}
