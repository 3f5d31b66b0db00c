package dev.sieve;

import java.util.Locale;

/** What happens when the filter is full, that is, when it holds as many URLs as its capacity. */
public enum OnFull {
    /** Continues, and mistakes more and more new URLs for seen ones. */
    WARN,

    /** Adds a stricter layer to the filter: the rate stays below the one requested, the memory grows. */
    GROW,

    /** Refuses each new URL with a {@link SieveFullException}. */
    FAIL;

    /** Returns the word of an option: {@code warn}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
