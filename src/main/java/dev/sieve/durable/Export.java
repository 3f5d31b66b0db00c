package dev.sieve.durable;

/** Which URLs of a {@link DurableSieve} are meant. */
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
