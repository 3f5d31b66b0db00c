package dev.sieve.job;

import dev.sieve.durable.RepairReport;
import java.io.IOException;

/** A place that outlives the process, so that a crawl can be inspected and repaired there. */
public interface SavedPlace extends CrawlPlace {
    @Override
    default boolean isSaved() {
        return true;
    }

    /** Reads the state of the crawl, which may be running, and changes nothing. Damage is listed in the result. */
    CrawlState inspect() throws IOException;

    /** Repairs a damaged crawl that no process uses: keeps what is whole, and counts what is lost. */
    RepairReport repair() throws IOException;

    /**
     * Deletes the crawl, which no process may use, and returns of how many keys it consisted. That of a folder is
     * deleted by the user, with its folder.
     */
    default long delete() throws IOException {
        throw new IOException(this + ": delete the directory itself");
    }
}
