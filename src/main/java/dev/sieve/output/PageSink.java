package dev.sieve.output;

import java.io.IOException;

/** Receives what a crawl finds, one at a time: a crawl never calls it from two threads at once. */
@FunctionalInterface
public interface PageSink extends AutoCloseable {

    /**
     * Takes one visit: a page, a redirect, or a failure that is not going to be tried again.
     *
     * @throws IOException when it cannot be kept, which ends the crawl
     */
    void accept(Visit visit) throws IOException;

    /**
     * Takes one URL that was found, or queued, and is not going to be asked for; unless a sink wants to know, nothing
     * becomes of it. What was found on a page comes before the visit to the page.
     *
     * @throws IOException when it cannot be kept, which ends the crawl
     */
    default void skipped(Skip skip) throws IOException {}

    /** Nothing more will come. */
    @Override
    default void close() throws IOException {}
}
