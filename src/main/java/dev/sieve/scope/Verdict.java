package dev.sieve.scope;

/** What {@link Scope} says of a URL: that it is in, or which of its rules keeps it out. */
public enum Verdict {
    /** Belongs to the crawl. */
    IN,
    /** More links away from a seed than the crawl may go. */
    TOO_DEEP,
    /** On no host, in no domain, under no prefix of a seed. */
    OUT_OF_SCOPE,
    /** An exclude expression finds something in it. */
    EXCLUDED,
    /** There are include expressions, and none finds anything in it. */
    NOT_INCLUDED,
    /** Kept out because an expression needed too many steps on it to come to an end. */
    GAVE_UP
}
