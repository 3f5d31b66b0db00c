package dev.sieve.output;

import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import org.jspecify.annotations.Nullable;

/**
 * A link that was found: an edge of the link graph.
 *
 * @param source the page, redirect, sitemap or robots.txt that links
 * @param target the URL to which it links; the reference as written when it cannot be fetched
 * @param isNew whether the target was queued because of this link
 * @param reason why the target does not belong to the crawl; null when it does
 */
public record Link(
        String source,
        String target,
        boolean isNew,
        @Nullable SkipReason reason) {

    /**
     * Returns what became of the target, in these words: {@code new} when it was queued because of this link; {@code
     * seen} when it had been queued before, up to the false-positive rate of the filter; {@code out of scope} when it
     * is not where a seed is, whether it is checked or not; otherwise {@code skipped: } and the rule, as in {@code
     * skipped: excluded}.
     */
    public String fate() {
        if (reason == null) {
            return isNew ? "new" : "seen";
        }
        return SkipRule.OUT_OF_SCOPE.is(reason) ? reason.rule() : "skipped: " + reason.rule();
    }
}
