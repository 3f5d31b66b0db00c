package dev.sieve.crawl;

import dev.sieve.Lease;

/**
 * A URL outside of the crawl that is requested once, to check whether it works. The label of a lease stores that. The
 * target of its redirect is a link like any other: in scope it is crawled as a page, elsewhere it is checked.
 */
final class LinkCheck {
    /** The labels below are those of {@link SitemapSource}. */
    static final int LABEL = 4;

    private LinkCheck() {}

    /** Returns whether the URL of a lease is only checked. */
    static boolean is(Lease lease) {
        return LeaseMark.removed(lease).label() == LABEL;
    }
}
