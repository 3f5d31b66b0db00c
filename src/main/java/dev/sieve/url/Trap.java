package dev.sieve.url;

/** The signs by which {@link TrapGuard} knows a trap; each has a limit, beyond which a URL is taken for one. */
public enum Trap {
    /** Characters of the URL. */
    LENGTH(2083),
    /** Slashes in the path. */
    PATH_DEPTH(20),
    /**
     * How often segments of the path stand there in a row: {@code /a/a} and {@code /a/b/a/b} twice. Links that are
     * relative where they should not be lead ever deeper into such paths.
     */
    REPEATED_SEGMENTS(2),
    /** Parameters in the query. */
    PARAMETERS(32),
    /**
     * How often parts of the query stand there in a row: {@code ?q=&q=} and {@code ?amp;amp;a=1} twice. Pages that add
     * to the query they were asked with, or put their own URL into it, make such ones.
     */
    REPEATED_PARAMETERS(2),
    /**
     * URLs of one host that differ only in their numbers and in the values of their parameters: calendars, session
     * numbers, results of a search.
     */
    SHAPE(50_000),
    /** URLs of one host. */
    HOST(1_000_000),
    /** Hosts of one registrable domain: where every name exists, pages can link to ever new ones. */
    DOMAIN(10_000);

    private final int defaultLimit;

    Trap(int defaultLimit) {
        this.defaultLimit = defaultLimit;
    }

    /** The limit unless another one is set. */
    public int defaultLimit() {
        return defaultLimit;
    }
}
