package dev.sieve.crawl;

/** Why a crawl is over. */
public enum Ending {
    /** Nothing is queued and nothing is in flight. */
    DRAINED("nothing left to crawl"),
    /** As many pages were fetched as were asked for. */
    MAX_PAGES("--max-pages reached"),
    /** The time that was given is over. */
    MAX_TIME("--max-time reached"),
    /** Somebody stopped it. */
    STOPPED("interrupted"),
    /** The sieve is full, and was made to fail then. */
    FULL("the filter is full"),
    /** A page could not be kept, or the frontier could not keep its promises. */
    FAILED("output failed");

    private final String text;

    Ending(String text) {
        this.text = text;
    }

    /** The reason in a few words. */
    public String text() {
        return text;
    }
}
