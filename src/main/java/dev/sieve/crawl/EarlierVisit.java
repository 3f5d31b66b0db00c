package dev.sieve.crawl;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The part of a stage that makes earlier visits again in one of them. */
public interface EarlierVisit extends StageVisit {
    /** Receives the URLs of a sitemap after they were queued, with their {@code lastmod} where given. */
    void listed(List<String> urls, Map<String, Instant> modified);

    /** Called with the sink's lock when the visit is recorded, before the URL is done or, if left, stays in the frontier. */
    void settled(boolean isLeft);
}
