package dev.sieve.scope;

/**
 * Decides which of the URLs found are queued: those in the {@link Scope} of the crawl that are not a trap by the
 * {@link TrapGuard}, in this order.
 *
 * <p>Seeds are queued without this check. A URL that is admitted may still be skipped later: it was seen before, its
 * address is not public, or robots.txt forbids it.
 *
 * <p>All URLs passed in are URLs to fetch, as returned by the normaliser. Safe for use by many threads.
 */
public final class Admission {
    private final Scope scope;
    private final TrapGuard traps;

    /** Creates an admission by a scope, which may have seeds already, and a guard. */
    public Admission(Scope scope, TrapGuard traps) {
        this.scope = scope;
        this.traps = traps;
    }

    /** Adds a seed to the scope. */
    public void addSeed(String url) {
        scope.addSeed(url);
    }

    /**
     * Returns why a link or the target of a redirect is not queued; null when it is.
     *
     * @param depth links followed from a seed to this URL
     */
    public SkipReason skipReason(String url, int depth) {
        SkipReason reason = scope.skipReason(url, depth);
        return reason == null ? traps.skipReason(url) : reason;
    }

    /** Returns the rule by which the scope admits a URL without a skip reason, for the user. */
    public String admittedBy(String url) {
        return scope.admittedBy(url);
    }

    /** Counts a URL that was new, since some traps are recognised by the number of such URLs. */
    public void accepted(String url) {
        traps.accepted(url);
    }
}
