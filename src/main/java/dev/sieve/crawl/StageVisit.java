package dev.sieve.crawl;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.parse.DocumentReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The part of a {@link Stage} in the visit of one URL, with its methods in the order in which they are called. Used by
 * one thread at a time.
 */
public interface StageVisit {
    StageVisit NONE = new StageVisit() {};

    /**
     * Makes the request, or another one instead, with a fetcher that passes it on to the stages before this one; so the
     * last stage is called first.
     */
    default FetchResult fetch(FetchRequest request, PageFetcher next) {
        return next.fetch(request);
    }

    /** Returns what reads the document in a page besides the loop, when that begins. */
    default List<DocumentReader> readers() {
        return List.of();
    }

    /** Called when a document was read, before its links are queued. */
    default void read() {}

    /** Called when the result is final and what it links to is queued, before it is recorded; also of a URL that is refused. */
    default void visited() {}

    /** The part of a stage that makes earlier visits again, in one of them. */
    interface Earlier extends StageVisit {
        /** Receives the URLs of a sitemap after they were queued, with their {@code lastmod} where given. */
        void listed(List<String> urls, Map<String, Instant> modified);

        /** Called with the sink's lock when the visit is recorded, before the URL is done or, if left, stays in the frontier. */
        void settled(boolean isLeft);
    }
}
