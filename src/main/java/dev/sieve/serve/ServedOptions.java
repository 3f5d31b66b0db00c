package dev.sieve.serve;

import dev.sieve.FilterKind;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the crawls of a server are made.
 *
 * @param capacity per crawl; null keeps what is stored, or takes the default
 * @param falsePositiveRate null keeps what is stored, or takes the default
 * @param forgetsDone whether parts of the log whose URLs are all done are deleted
 * @param onFull null for the default
 */
record ServedOptions(
        @Nullable Long capacity,
        @Nullable Double falsePositiveRate,
        Durability durability,
        boolean forgetsDone,
        @Nullable OnFull onFull) {
    static final long DEFAULT_URLS = 10_000_000;

    /** Returns the memory of the filter of a new crawl. */
    long filterBytes() {
        return FilterKind.forOnFull(onFull)
                .memoryBytes(
                        capacity == null ? DEFAULT_URLS : capacity,
                        falsePositiveRate == null ? Sieve.DEFAULT_FALSE_POSITIVE_RATE : falsePositiveRate);
    }

    /** Opens the frontier in a folder, or makes one. */
    DurableSieve open(Path folder) throws IOException {
        DurableSieve.Builder builder =
                DurableSieve.builder(folder).durability(durability).keepLog(!forgetsDone);
        if (capacity != null || !DurableFolder.exists(folder)) {
            builder.capacity(capacity == null ? DEFAULT_URLS : capacity);
        }
        if (falsePositiveRate != null) {
            builder.falsePositiveRate(falsePositiveRate);
        }
        if (onFull != null) {
            builder.onFull(onFull);
        }
        return builder.open();
    }
}
