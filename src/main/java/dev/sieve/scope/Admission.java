package dev.sieve.scope;

/**
 * Decides which of the URLs that are found are queued: those in the {@link Scope} of the crawl that do not look like a
 * trap to the {@link TrapGuard}, in this order.
 *
 * <p>A seed is queued without being checked here. A URL that is admitted may still be skipped later: it was seen before,
 * its address is not public, or robots.txt forbids it.
 *
 * <p>Nothing is requested here. Memory is that of the scope and of the guard. Safe for use by many threads.
 */
public final class Admission {
    private final Scope scope;
    private final TrapGuard traps;

    /** An admission by these two, which may have seeds already. */
    public Admission(Scope scope, TrapGuard traps) {
        this.scope = scope;
        this.traps = traps;
    }

    /**
     * Widens the scope by the surroundings of a seed.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    public void addSeed(String url) {
        scope.addSeed(url);
    }

    /**
     * Why a URL that was found is not queued, whether it is a link or the target of a redirect.
     *
     * @param url a URL to fetch, as the normaliser gives it
     * @param depth links followed from a seed to here
     * @return null when it is admitted
     */
    public SkipReason skipReason(String url, int depth) {
        SkipReason reason = scope.skipReason(url, depth);
        return reason == null ? traps.skipReason(url) : reason;
    }

    /** The rule of the scope by which a URL without a skip reason is admitted, for people. */
    public String admittedBy(String url) {
        return scope.admittedBy(url);
    }

    /**
     * Counts a URL that turned out to be new, since some traps show only in the number of such URLs.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    public void accepted(String url) {
        traps.accepted(url);
    }
}
