package dev.sieve.crawl;

/** Why a crawl is over. */
public enum Ending {
    /** Nothing is pending, and nothing is in flight but URLs that wait for a later run. */
    DRAINED("nothing left to crawl"),
    /** No server has responded, to whatever was requested; URLs that were requested are not done. */
    UNREACHABLE("no host has responded"),
    MAX_PAGES("limit of pages reached"),
    MAX_TIME("limit of time reached"),
    /** The user or the caller stopped it. */
    STOPPED("interrupted"),
    /** The filter is full, and was configured to fail then; or the engine of a shared crawl has no memory left. */
    FULL("frontier full"),
    FAILED("output or frontier failed");

    private final String text;

    Ending(String text) {
        this.text = text;
    }

    /** Returns the reason in a few words. */
    public String text() {
        return text;
    }
}
