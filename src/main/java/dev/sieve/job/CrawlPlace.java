package dev.sieve.job;

import dev.sieve.FrontierSettings;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Sharing;
import dev.sieve.durable.Export;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Where a crawl is kept: in memory, in a folder, or on an engine. It is decided once, and everything else asks the
 * place. {@code toString} is what the user calls it, without a password. Only {@link #open} changes anything; the other
 * methods may be called while the crawl runs, and find nothing unless overridden.
 */
public interface CrawlPlace {
    /** Returns the word for such a place: {@code job} or {@code frontier}. */
    String kind();

    /** Returns whether the crawl outlives the process. */
    default boolean isSaved() {
        return false;
    }

    /** Returns whether other processes may work on the crawl at the same time. */
    default boolean isShared() {
        return false;
    }

    /** Returns whether each run begins anew, and only what is known of links is kept. */
    default boolean beginsAnew() {
        return false;
    }

    /** Returns whether what is done survives a failure of this machine, so that its lines have to be on the disk before. */
    default boolean forces() {
        return false;
    }

    /** Returns whether a file would be among those of the place. */
    default boolean contains(Path file) {
        return false;
    }

    /**
     * Checks that {@link #open} does not refuse the place whatever its settings.
     *
     * @throws IllegalArgumentException when it does; the message names the reason
     * @throws IOException when that cannot be found out
     */
    default void check() throws IOException {}

    default boolean exists() throws IOException {
        return false;
    }

    /**
     * Continues the crawl of the place, or starts one.
     *
     * @throws IllegalArgumentException when the crawl does not allow these settings, or as {@link #check}
     * @throws IOException when the place cannot be read or written, or is damaged
     */
    CrawlJob open(CrawlOptions options, FrontierSettings settings) throws IOException;

    /** Passes on the seeds of the crawl. */
    default void seeds(Consumer<String> seeds) throws IOException {}

    /** Passes on URLs of the crawl, as far as the place keeps them; those before damage were passed on. */
    default void export(Export which, Consumer<String> urls) throws IOException {}

    /** Passes on what each process of a shared crawl has {@linkplain Sharing#share stored} for its report. */
    default void shares(Consumer<byte[]> shares) throws IOException {}

    /** Returns whether the place keeps URLs that are done, to export them. */
    default boolean keepsDone() {
        return false;
    }

    /**
     * Returns whether the crawl has accepted the URL with a key, up to its false-positive rate. A place may not know
     * that of URLs that were accepted lately; then it exports them.
     */
    default boolean mightContain(String key) throws IOException {
        return false;
    }
}
