package dev.sieve.scope;

import dev.sieve.url.Refusal;
import java.util.Objects;

/**
 * Why a URL is not requested: the one rule that decides, whichever package applies it.
 *
 * <p>Where a method returns a {@code SkipReason}, null means that it found none.
 *
 * @param rule the rule in a few words, by which skipped URLs are counted: {@code excluded}
 * @param detail what exactly decides, for people: {@code exclude \.pdf$}; may be empty
 */
public record SkipReason(String rule, String detail) {

    /** Refuses null. */
    public SkipReason {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(detail, "detail");
    }

    /** A rule that needs no detail. */
    public SkipReason(String rule) {
        this(rule, "");
    }

    /** The text is not the URL of a page. */
    public static SkipReason invalid(Refusal refusal) {
        return new SkipReason(refusal.words());
    }

    /** The rule and, after a colon, the detail. */
    public String text() {
        return detail.isEmpty() ? rule : rule + ": " + detail;
    }
}
