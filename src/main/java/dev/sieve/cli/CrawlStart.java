package dev.sieve.cli;

import dev.sieve.Frontier;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A crawl that begins with the first seed that is one: where there is none, nothing is created on the disk. */
final class CrawlStart implements AutoCloseable {

    /** Opens the frontier of the crawl. */
    interface Opening {
        Frontier open() throws IOException;
    }

    private final CrawlOptions options;
    private final Opening opening;
    private Frontier frontier;
    private Crawler crawler;

    CrawlStart(CrawlOptions options, Opening opening) {
        this.options = options;
        this.opening = opening;
    }

    /**
     * The crawl, which begins with the first call.
     *
     * @throws UncheckedIOException when it cannot
     */
    Crawler crawler() {
        if (crawler == null) {
            try {
                frontier = opening.open();
                crawler = new Crawler(options, frontier);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return crawler;
    }

    /** Adds a seed that somebody has typed, whose own place may be asked. */
    void named(String url) {
        crawler().open(url);
        crawler().seed(url);
    }

    /** Adds a seed. */
    void seed(String url) {
        crawler().seed(url);
    }

    /** Whether there is anything to crawl, or ever was. */
    boolean hasUrls() {
        return crawler != null && frontier.stats().accepted() > 0;
    }

    @Override
    public void close() throws IOException {
        try {
            if (crawler != null) {
                crawler.close();
            }
        } finally {
            if (frontier != null) {
                frontier.close();
            }
        }
    }
}
