package dev.sieve.durable;

/** The kinds of frames; a payload begins with one. The package documentation describes their contents. */
final class FrameKind {
    /** New URLs with the label 0, in the order in which they were pushed. */
    static final int URLS = 1;
    /** URLs that are done. */
    static final int DONE = 2;
    /** URLs that were given back. */
    static final int RETRY = 3;
    /** How far the log is known to be on the disk itself. */
    static final int FORCED = 4;
    /** Bytes that were found damaged and given up. */
    static final int LOST = 5;
    /** As {@link #URLS}, after a label other than 0. */
    static final int LABELLED = 6;

    /** The kinds of a checkpoint, in their order. */
    static final int STATE = 16;

    static final int SEGMENTS = 17;
    static final int DONE_SET = 18;
    static final int DONE_CHUNK = 19;
    static final int ATTEMPTS = 20;
    static final int FILTER = 21;
    static final int TRAILER = 22;

    private FrameKind() {}

    static boolean isOfLog(int kind) {
        return kind >= URLS && kind <= LABELLED;
    }

    static boolean isUrls(int kind) {
        return kind == URLS || kind == LABELLED;
    }
}
