package dev.sieve.output;

import java.util.Objects;

/**
 * One URL that was found, and not asked for.
 *
 * @param url the URL as it would be asked for; a reference that leads to none, as it is written
 * @param reason why, in the words by which such URLs are counted
 * @param detail the very rule, or what about the URL breaks it, for people; may be empty
 * @param referrer the page on which it was found; null for a seed
 */
public record Skip(String url, String reason, String detail, String referrer) {

    /** Checks. */
    public Skip {
        Objects.requireNonNull(url, "url");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(detail, "detail");
    }
}
