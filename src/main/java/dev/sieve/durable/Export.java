package dev.sieve.durable;

/**
 * Which URLs of a {@link DurableSieve} to export.
 *
 * <p>Only URLs with the label 0 are exported. A label marks what its caller treats differently from a page, such as a
 * sitemap, and an export lists pages: it can serve as the seeds of another crawl.
 */
public enum Export {
    /** Those that are not done; what is handed out at this moment included. */
    PENDING,

    /** Those that are done, as far as the log was kept. */
    DONE,

    /** All, as far as the log was kept. */
    ALL;

    boolean includes(boolean isDone) {
        return this == ALL || isDone == (this == DONE);
    }
}
