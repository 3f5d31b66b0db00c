package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.url.UrlNormalizer;

/**
 * How a crawl has come to a sitemap; it stands in the frontier as the fragment of the sitemap's URL, which no URL of a
 * page has there.
 */
enum SitemapKind {
    /** A robots.txt names it. */
    NAMED("#sitemap"),
    /** No robots.txt names any, and it may be where sitemaps often are. */
    GUESSED("#sitemap-guessed"),
    /** An index lists it, so that it is none itself. */
    LISTED("#sitemap-listed");

    private final String mark;

    SitemapKind(String mark) {
        this.mark = mark;
    }

    /** The kind of sitemap that a URL of the frontier is; null when it is a page. */
    static SitemapKind of(Lease lease) {
        int hash = lease.url().indexOf('#');
        if (hash >= 0) {
            for (SitemapKind kind : values()) {
                if (lease.url().substring(hash).equals(kind.mark)) {
                    return kind;
                }
            }
        }
        return null;
    }

    /** A sitemap of this kind as it stands in the frontier. */
    String marked(String url) {
        return url + mark;
    }

    /** What stands for a sitemap in the filter, where its URL may stand for a page as well. */
    static String key(String url) {
        return "sitemap " + UrlNormalizer.key(url);
    }

    /** The sitemap of a lease by its own URL. */
    static Lease unmarked(Lease lease) {
        String url = lease.url().substring(0, lease.url().indexOf('#'));
        return new Lease(
                lease.id(), url, lease.depth(), lease.redirects(), lease.referrer(), lease.label(), lease.attempt());
    }
}
