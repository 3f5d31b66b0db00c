package dev.sieve.durable;

/** The URLs of a {@link DurableSieve} to export. */
public enum Export {
    /** URLs that are not done, including those in flight. */
    PENDING,

    /** URLs that are done, as far as the log was kept. */
    DONE,

    /** All URLs, as far as the log was kept. */
    ALL;

    boolean includes(boolean isDone) {
        return this == ALL || isDone == (this == DONE);
    }
}
