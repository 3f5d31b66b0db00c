package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.url.UrlNormalizer;
import org.jspecify.annotations.Nullable;

/** How a crawl has found a sitemap. The label of a lease stores it; the label of a page is 0. */
enum SitemapSource {
    /** A robots.txt names it. */
    ROBOTS(1),
    /** No robots.txt names any, and it is where sitemaps often are. */
    GUESS(2),
    /** An index lists it, so it must not be an index itself. */
    INDEX(3);

    private final int label;

    SitemapSource(int label) {
        this.label = label;
    }

    /** Returns how the sitemap of a lease was found; null when the lease is a page. */
    static @Nullable SitemapSource of(Lease lease) {
        int label = LeaseMark.removed(lease).label();
        for (SitemapSource source : values()) {
            if (source.label == label) {
                return source;
            }
        }
        return null;
    }

    /** Returns an empty batch for sitemaps that were found like this. */
    UrlBatch batch(int redirects, String referrer) {
        return new UrlBatch(0, redirects, referrer, label);
    }

    /** Returns the key of a sitemap, which differs from the key of a page with the same URL. */
    static String key(String url) {
        return "sitemap " + UrlNormalizer.key(url);
    }
}
