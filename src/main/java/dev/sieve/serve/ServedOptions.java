package dev.sieve.serve;

import dev.sieve.FilterKind;
import dev.sieve.FrontierSettings;
import dev.sieve.Sieve;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Path;

/** How the crawls of a server are made; parts of the log whose URLs are all done may be deleted. */
record ServedOptions(FrontierSettings frontier, Durability durability, boolean forgetsDone) {
    static final long DEFAULT_CAPACITY = 10_000_000;

    private FrontierSettings ofNew() {
        return frontier.capacity() == null ? frontier.withCapacity(DEFAULT_CAPACITY) : frontier;
    }

    /** Returns the memory of the filter of a new crawl. */
    long filterBytes() {
        return frontier.filter(FilterKind.SPLIT_BLOCKS)
                .memoryBytes(ofNew().requireCapacity(), frontier.falsePositiveRate(Sieve.DEFAULT_FALSE_POSITIVE_RATE));
    }

    /** Opens the frontier in a folder, or makes one. */
    DurableSieve open(Path folder) throws IOException {
        return DurableSieve.builder(folder)
                .settings(DurableFolder.exists(folder) ? frontier : ofNew())
                .durability(durability)
                .keepLog(!forgetsDone)
                .open();
    }
}
