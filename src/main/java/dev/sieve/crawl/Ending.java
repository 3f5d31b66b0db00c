package dev.sieve.crawl;

/** Why a crawl is over. */
public enum Ending {
    /** Nothing is pending and nothing is in flight. */
    DRAINED("nothing left to crawl"),
    /** The limit of pages was reached. */
    MAX_PAGES("--max-pages reached"),
    /** The limit of time was reached. */
    MAX_TIME("--max-time reached"),
    /** The user or the caller stopped it. */
    STOPPED("interrupted"),
    /** The filter is full, and was configured to fail then. */
    FULL("filter full"),
    /** The sink or the frontier failed. */
    FAILED("output failed");

    private final String text;

    Ending(String text) {
        this.text = text;
    }

    /** Returns the reason in a few words. */
    public String text() {
        return text;
    }
}
