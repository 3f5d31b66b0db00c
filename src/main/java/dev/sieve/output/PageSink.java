package dev.sieve.output;

import java.io.IOException;

/** Receives what a crawl finds, one visit at a time: a crawl never calls it from two threads at once. */
@FunctionalInterface
public interface PageSink extends AutoCloseable {

    /**
     * Takes one visit: a page, a redirect, or a failure that is not going to be tried again.
     *
     * @throws IOException when it cannot be kept, which ends the crawl
     */
    void accept(Visit visit) throws IOException;

    /** Nothing more will come. */
    @Override
    default void close() throws IOException {}
}
