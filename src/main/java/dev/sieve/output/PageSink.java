package dev.sieve.output;

import dev.sieve.fetch.Exchange;
import java.io.IOException;
import java.util.List;

/** Receives what a crawl finds; a crawl never calls it from two threads at once. */
@FunctionalInterface
public interface PageSink extends AutoCloseable {

    /** Receives a visit: a page, a redirect, or a final failure. As in all methods here, an exception ends the crawl. */
    void accept(Visit visit) throws IOException;

    /**
     * Receives a URL that was found or queued and is not requested. Those found on a page come before the visit to the
     * page. Does nothing unless overridden.
     */
    default void skipped(Skip skip) throws IOException {}

    /**
     * Receives a link. The links of a page, and of a redirect, come before its visit and are stored by the same {@link
     * #flush}; links that are skipped are also passed to {@link #skipped}. Called only if {@link #takesLinks}. Does
     * nothing unless overridden.
     */
    default void linked(Link link) throws IOException {}

    /** Returns whether this sink receives links, which must not change during a crawl. False unless overridden. */
    default boolean takesLinks() {
        return false;
    }

    /**
     * Returns whether this sink uses {@link Visit#likeness}, which takes some time for each page and must not change
     * during a crawl. False unless overridden.
     */
    default boolean comparesPages() {
        return false;
    }

    /**
     * Returns whether this sink uses the sketch in {@link Visit#likeness}, which takes more time and must not change
     * during a crawl. Without a sink that {@link #comparesPages}, there is none. False unless overridden.
     */
    default boolean comparesSketches() {
        return false;
    }

    /**
     * Receives what was sent and received by a request, for every request with a response: also for robots.txt, for
     * sitemaps, redirects and retries. That of a visit comes before the visit. Only called if the crawl keeps
     * exchanges. Does nothing unless overridden.
     */
    default void exchanged(Exchange exchange) throws IOException {}

    /**
     * Receives some pages that link to a URL that is broken, those where it was found first, when they are known: at
     * the end, before {@link #close}. None for a seed. Does nothing unless overridden.
     */
    default void linkedFrom(String url, List<String> pages) {}

    /**
     * Stores everything received so far. When this returns, the crawl marks these URLs as done in its frontier, and a
     * crawl that continues from there does not request them again; so a record must now survive whatever the frontier
     * survives. Called after each URL; for a {@code DurableSieve} that survives power failures once per second or 512
     * URLs, and at the end. Does nothing unless overridden.
     *
     * @throws IOException when they cannot be stored, which ends the crawl; their URLs are not done
     */
    default void flush() throws IOException {}

    /** Releases the sink after the last call. */
    @Override
    default void close() throws IOException {}
}
