package dev.sieve.durable;

/** The first byte of a payload: what a frame says. */
final class FrameKind {
    /** New URLs, in the order in which they were pushed. */
    static final int URLS = 1;

    /** URLs that are done. */
    static final int DONE = 2;

    /** URLs that were given back. */
    static final int RETRY = 3;

    /** How far the log is known to be on the disk itself. */
    static final int FORCED = 4;

    /** Bytes that were found damaged and given up. */
    static final int LOST = 5;

    /** As {@link #URLS}, led by their label. */
    static final int LABELLED = 6;

    private FrameKind() {}

    static boolean isKnown(int kind) {
        return kind >= URLS && kind <= LABELLED;
    }

    static boolean isUrls(int kind) {
        return kind == URLS || kind == LABELLED;
    }
}
