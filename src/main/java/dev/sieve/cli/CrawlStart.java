package dev.sieve.cli;

import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A crawl that is created with its first seed, so that nothing is created on the disk when there is none. */
final class CrawlStart implements AutoCloseable {
    private static final int BATCH = 64;

    /** Opens the directory of the crawl, or makes a frontier in memory. */
    interface Opening {
        CrawlDirectory open() throws IOException;
    }

    private final CrawlOptions options;
    private final Opening opening;
    private final List<String> seeds = new ArrayList<>();
    private CrawlDirectory directory;
    private Crawler crawler;

    CrawlStart(CrawlOptions options, Opening opening) {
        this.options = options;
        this.opening = opening;
    }

    /**
     * The crawl, which the first call creates, with all seeds that were added.
     *
     * @throws UncheckedIOException when it cannot be created
     */
    Crawler crawler() {
        if (crawler == null) {
            try {
                directory = opening.open();
                crawler = new Crawler(options, directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        crawler.seedAll(seeds);
        seeds.clear();
        return crawler;
    }

    /** Adds a seed that the user has typed, whose host and port may be requested whatever its address. */
    void named(String url) {
        crawler().open(url);
        seed(url);
    }

    /** Adds a seed. */
    void seed(String url) {
        seeds.add(url);
        if (seeds.size() == BATCH) {
            crawler();
        }
    }

    /** Whether there is anything to crawl, or ever was. */
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
