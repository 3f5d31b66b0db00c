package dev.sieve.durable;

/** The kinds of frames: the first byte of a payload. The package documentation describes their contents. */
final class FrameKind {
    /** The kinds of the log. */
    static final int URLS = 1;

    static final int DONE = 2;
    static final int RETRY = 3;
    static final int FORCED = 4;
    static final int LOST = 5;
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
