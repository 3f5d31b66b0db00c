package dev.sieve.fetch;

/** Requests URLs and returns whatever the server does as a value. Safe for use by many threads. */
@FunctionalInterface
public interface PageFetcher {
    /** Makes a request. Throws only what its {@linkplain FetchRequest.Watch watch} or the reader of its body throws. */
    FetchResult fetch(FetchRequest request);

    /** Requests a document. */
    default FetchResult fetch(String url) {
        return fetch(new FetchRequest(url));
    }

    /** Notes that a result and its exchange are not used any more, so that the memory of their bodies can be given to others. */
    default void release(FetchResult result) {}
}
