package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import org.jspecify.annotations.Nullable;

/**
 * What a lease stores while it waits for its host: whether robots.txt allows its URL, once the rules were read, how often
 * robots.txt was requested for it, and whether it was requested itself. It is in the label of the lease, above the bits of
 * the frontier.
 *
 * <p>Rules may be dropped from their cache before the URL is requested, if many hosts have large ones. Since each request
 * for robots.txt settles a URL, or brings it closer to a limit, a crawl ends however small the cache is.
 *
 * @param rule whether the URL is allowed; null when the rules were not read for it
 * @param requests how often robots.txt was requested for the URL
 * @param isRepeated whether the URL is requested again, since its connection was closed
 */
record LeaseMark(@Nullable Boolean rule, int requests, boolean isRepeated) {
    /** The mark of a URL for which nothing was requested. */
    static final LeaseMark NONE = new LeaseMark(null, 0, false);

    private static final int FRONTIER_MASK = UrlBatch.MAX_LABEL;
    private static final int ALLOWED = FRONTIER_MASK + 1;
    private static final int FORBIDDEN = ALLOWED << 1;
    private static final int REPEATED = FORBIDDEN << 1;
    private static final int REQUESTS_SHIFT = Integer.numberOfTrailingZeros(REPEATED) + 1;
    private static final int MAX_REQUESTS = (1 << (31 - REQUESTS_SHIFT)) - 1;

    static LeaseMark of(Lease lease) {
        int label = lease.label();
        Boolean rule = (label & ALLOWED) != 0 ? Boolean.TRUE : (label & FORBIDDEN) != 0 ? Boolean.FALSE : null;
        return new LeaseMark(rule, label >>> REQUESTS_SHIFT, (label & REPEATED) != 0);
    }

    /** Returns this mark after another request for robots.txt, with what the rules say; null without rules. */
    LeaseMark asked(@Nullable Boolean newRule) {
        return new LeaseMark(newRule, requests + 1, isRepeated);
    }

    LeaseMark repeated() {
        return new LeaseMark(rule, requests, true);
    }

    /** Returns a lease with this mark in place of another one. */
    Lease on(Lease lease) {
        int ruleBit = rule == null ? 0 : rule ? ALLOWED : FORBIDDEN;
        int upper = (isRepeated ? REPEATED : 0) | Math.min(requests, MAX_REQUESTS) << REQUESTS_SHIFT;
        return withLabel(lease, (lease.label() & FRONTIER_MASK) | ruleBit | upper);
    }

    /** Returns a lease without a mark. */
    static Lease removed(Lease lease) {
        return lease.label() <= FRONTIER_MASK ? lease : withLabel(lease, lease.label() & FRONTIER_MASK);
    }

    static Lease withLabel(Lease lease, int label) {
        return new Lease(
                lease.id(), lease.url(), lease.depth(), lease.redirects(), lease.referrer(), label, lease.attempt());
    }
}
