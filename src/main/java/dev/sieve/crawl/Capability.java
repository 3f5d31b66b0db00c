package dev.sieve.crawl;

/** What a crawl may do besides, as its {@link CrawlOptions} describe. */
public enum Capability {
    /** {@link CrawlOptions#again}. */
    ROUNDS,
    /** {@link CrawlOptions#onlyDue}. */
    ONLY_DUE,
    /** {@link CrawlOptions#sitemaps}. */
    SITEMAPS,
    /** {@link CrawlOptions#skipDuplicates}. */
    SKIP_DUPLICATES,
    /** {@link CrawlOptions#meta}. */
    META,
    /** {@link CrawlOptions#checkLinks}. */
    CHECK_LINKS,
    /** {@link CrawlOptions#checkResources}. */
    CHECK_RESOURCES,
    /** {@link CrawlOptions#checkFragments}. */
    CHECK_FRAGMENTS,
    /** {@link CrawlOptions#checkRoutes}. */
    CHECK_ROUTES
}
