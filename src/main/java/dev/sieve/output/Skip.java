package dev.sieve.output;

import dev.sieve.scope.SkipReason;
import org.jspecify.annotations.Nullable;

/**
 * A URL that was found but not requested.
 *
 * @param url the URL to fetch; the reference as written when it cannot be fetched
 * @param reason why it was not requested
 * @param referrer the page on which it was found; null for a seed
 */
public record Skip(String url, SkipReason reason, @Nullable String referrer) {}
