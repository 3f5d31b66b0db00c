package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.url.UrlNormalizer;
import org.jspecify.annotations.Nullable;

/** How a crawl has found a sitemap. The label of a lease stores it; the label of a page is 0. */
enum SitemapSource {
    /** A robots.txt names it. */
    ROBOTS(1, "#sitemap"),
    /** No robots.txt names any, and it is where sitemaps often are. */
    GUESS(2, "#sitemap-guessed"),
    /** An index lists it, so it must not be an index itself. */
    INDEX(3, "#sitemap-listed");

    private final int label;
    /** In logs of version 1, where URLs of pages have no fragment, this is at the end of the URL in place of the label. */
    private final String fragment;

    SitemapSource(int label, String fragment) {
        this.label = label;
        this.fragment = fragment;
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

    /** Returns the lease, with a label when it is a sitemap from a log of version 1. */
    static Lease withLabel(Lease lease) {
        for (SitemapSource source : values()) {
            if (lease.url().endsWith(source.fragment)) {
                String url = lease.url().substring(0, lease.url().length() - source.fragment.length());
                return new Lease(
                        lease.id(),
                        url,
                        lease.depth(),
                        lease.redirects(),
                        lease.referrer(),
                        source.label,
                        lease.attempt());
            }
        }
        return lease;
    }
}
