package dev.sieve.output;

import dev.sieve.scope.SkipReason;
import java.util.Objects;

/**
 * One URL that was found, and not requested.
 *
 * @param url the URL as it would be requested; a reference that leads to none, as it is written
 * @param reason why
 * @param referrer the page on which it was found; null for a seed
 */
public record Skip(String url, SkipReason reason, String referrer) {

    /** Refuses a URL or a reason that is null. */
    public Skip {
        Objects.requireNonNull(url, "url");
        Objects.requireNonNull(reason, "reason");
    }
}
