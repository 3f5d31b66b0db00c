package dev.sieve.cli;

import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Creates a crawl when it gets its first seed, so that nothing is created on disk without one. */
final class CrawlStart implements AutoCloseable {
    private static final int BATCH = 64;

    private final CrawlOptions options;
    private final Supplier<CrawlDirectory> opening;
    private final List<String> seeds = new ArrayList<>();
    private CrawlDirectory directory;
    private Crawler crawler;

    CrawlStart(CrawlOptions options, Supplier<CrawlDirectory> opening) {
        this.options = options;
        this.opening = opening;
    }

    /** Returns the crawl with all seeds added so far; the first call creates it. */
    Crawler crawler() {
        if (crawler == null) {
            directory = opening.get();
            crawler = new Crawler(options, directory);
        }
        crawler.seedAll(seeds);
        seeds.clear();
        return crawler;
    }

    /** Returns the files of the crawl, once it is created. */
    CrawlDirectory directory() {
        return directory;
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

    /** Whether a URL was accepted, by this run or an earlier one. */
    boolean hasUrls() {
        return (crawler != null || !seeds.isEmpty())
                && crawler().report().sieve().accepted() > 0;
    }

    @Override
    public void close() throws IOException {
        CrawlDirectory openDirectory = directory;
        Crawler openCrawler = crawler;
        try (openDirectory;
                openCrawler) {
            // Closes the crawler, then the directory.
        }
    }
}
