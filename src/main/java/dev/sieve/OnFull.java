package dev.sieve;

/** What a sieve does once it holds as many URLs as it was made for. */
public enum OnFull {
    /** Goes on with a false-positive rate that rises: more and more new URLs are taken for seen ones. */
    WARN,

    /** Adds a further, stricter layer to the filter: the rate stays below the one requested, the memory grows. */
    GROW,

    /** Refuses each further new URL with a {@link SieveFullException}. */
    FAIL
}
