package dev.sieve.cli;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates a crawl when it gets its first seed, so that nothing is created on disk without one. */
final class CrawlStart implements AutoCloseable {
    private static final int BATCH = 64;

    private final Supplier<CrawlJob> opening;
    private final Function<CrawlJob, Crawler> starting;
    private final List<String> seeds = new ArrayList<>();
    private @Nullable CrawlJob job;
    private @Nullable Crawler crawler;

    CrawlStart(Supplier<CrawlJob> opening, Function<CrawlJob, Crawler> starting) {
        this.opening = opening;
        this.starting = starting;
    }

    /** Returns the crawl with all seeds added so far; the first call creates it. */
    Crawler crawler() {
        Crawler open = crawler;
        if (open == null) {
            CrawlJob made = opening.get();
            job = made;
            open = starting.apply(made);
            crawler = open;
        }
        open.seedAll(seeds);
        seeds.clear();
        return open;
    }

    /** Returns where the crawl is kept, once it is created. */
    CrawlJob job() {
        return Objects.requireNonNull(job);
    }

    /** Adds a seed typed by the user. Its host and port may be requested even if its address is not public. */
    void addTyped(String url) {
        crawler().open(url);
        add(url);
    }

    void add(String url) {
        seeds.add(url);
        if (seeds.size() == BATCH) {
            crawler();
        }
    }

    /** Whether the crawl exists, or a seed was added. */
    boolean hasSeeds() {
        return crawler != null || !seeds.isEmpty();
    }

    /** Whether a URL was accepted, by this run or an earlier one. */
    boolean hasUrls() {
        return hasSeeds() && crawler().report().sieve().accepted() > 0;
    }

    @Override
    public void close() throws IOException {
        CrawlJob openJob = job;
        Crawler openCrawler = crawler;
        try (openJob;
                openCrawler) {
            // Closes the crawler, then the job.
        }
    }
}
