package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.url.UrlNormalizer;

/** How a crawl has found a sitemap. The label of a lease stores it, which is 0 for a page. */
enum SitemapSource {
    /** A robots.txt names it. */
    ROBOTS(1, "#sitemap"),
    /** No robots.txt names any, and it may be where sitemaps often are. */
    GUESS(2, "#sitemap-guessed"),
    /** An index lists it, so that it is not an index itself. */
    INDEX(3, "#sitemap-listed");

    private final int label;
    /** What stands in place of the label behind a URL in a log of version 1, where no URL of a page has a fragment. */
    private final String fragment;

    SitemapSource(int label, String fragment) {
        this.label = label;
        this.fragment = fragment;
    }

    /** How the sitemap of a lease was found; null when the lease is a page. */
    static SitemapSource of(Lease lease) {
        for (SitemapSource source : values()) {
            if (source.label == lease.label()) {
                return source;
            }
        }
        return null;
    }

    /** An empty batch for sitemaps that were found like this. */
    UrlBatch batch(int redirects, String referrer) {
        return new UrlBatch(0, redirects, referrer, label);
    }

    /** The key of a sitemap, which differs from the key of a page with the same URL. */
    static String key(String url) {
        return "sitemap " + UrlNormalizer.key(url);
    }

    /** The same lease with a label, when it is a sitemap from a log of version 1. */
    static Lease withLabel(Lease lease) {
        int hash = lease.url().indexOf('#');
        if (hash >= 0) {
            for (SitemapSource source : values()) {
                if (lease.url().substring(hash).equals(source.fragment)) {
                    return new Lease(
                            lease.id(),
                            lease.url().substring(0, hash),
                            lease.depth(),
                            lease.redirects(),
                            lease.referrer(),
                            source.label,
                            lease.attempt());
                }
            }
        }
        return lease;
    }
}
