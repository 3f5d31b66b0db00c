package dev.sieve.scope;

import org.jspecify.annotations.Nullable;

/**
 * Decides which of the URLs found are queued: those in the scope of the crawl that are not a trap, in this order.
 *
 * <p>Seeds are queued without this check. A URL that is admitted may still be skipped later: it was seen before, its
 * address is not public, or robots.txt forbids it. Safe for use by many threads.
 *
 * @param scope widened by each seed
 * @param traps counts each URL that was new
 */
public record Admission(Scope scope, TrapGuard traps) {
    /**
     * Returns why a link or the target of a redirect, as a URL to fetch so many links from a seed, is not queued; null
     * when it is.
     */
    public @Nullable SkipReason skipReason(String url, int depth) {
        SkipReason reason = scope.skipReason(url, depth);
        return reason == null ? traps.skipReason(url) : reason;
    }

    /**
     * Returns why a link that is not queued is not even checked: an exclude expression matches, or it is a trap; null
     * when it is only outside of what is crawled, so that it may be requested once.
     *
     * @param reason the {@link #skipReason} of the link
     */
    public @Nullable SkipReason checkSkipReason(String url, SkipReason reason) {
        if (!Scope.isOutside(reason)) {
            return reason;
        }
        SkipReason excluded = scope.exclusion(url);
        return excluded == null ? traps.checkSkipReason(url) : excluded;
    }
}
