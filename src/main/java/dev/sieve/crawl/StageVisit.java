package dev.sieve.crawl;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.parse.LinkExtractor;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The part of a {@link Stage} in the visit of one URL, with its methods in the order in which they are called. It also receives
 * the parts of a document, if it takes them. Used by one thread at a time.
 */
public interface StageVisit extends LinkExtractor.Rest {
    StageVisit NONE = new StageVisit() {};

    /**
     * Makes the request, or another one in its place, with a fetcher that passes it on to the stages before this one; so the last
     * stage is called first.
     */
    default FetchResult fetch(FetchRequest request, PageFetcher next) {
        return next.fetch(request);
    }

    /** Receives the URLs of a sitemap after they were queued, with their {@code lastmod} where given. */
    default void listed(List<String> urls, Map<String, Instant> modified) {}

    /** Called when a document was read, before its links are queued. */
    default void read() {}

    /** Called when the result is final and what it links to is queued, before it is recorded. */
    default void visited() {}

    /** Called with the sink's lock when the visit is recorded, before the URL is done or, if left, stays in the frontier. */
    default void settled(boolean isLeft) {}
}
