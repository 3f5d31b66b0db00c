package dev.sieve.scope;

import dev.sieve.url.Refusal;

/**
 * Why a URL is not requested: the one rule that decides, whichever package applies it. A method that returns a
 * {@code SkipReason} returns null when no rule applies.
 *
 * @param rule the rule in a few words, by which skipped URLs are counted: {@code excluded}
 * @param detail what exactly decides, for the user: {@code exclude \.pdf$}; may be empty
 */
public record SkipReason(String rule, String detail) {

    public SkipReason(String rule) {
        this(rule, "");
    }

    /** Returns the reason for a text that is not the URL of a page. */
    public static SkipReason invalid(Refusal refusal) {
        return new SkipReason(refusal.words());
    }

    /** Returns the rule and, after a colon, the detail. */
    public String text() {
        return detail.isEmpty() ? rule : rule + ": " + detail;
    }
}
