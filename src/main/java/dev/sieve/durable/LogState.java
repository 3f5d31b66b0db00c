package dev.sieve.durable;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * What the log says of all URLs together: it is made by reading the log, and kept up to date as the log grows.
 *
 * <p>Ids count the URLs in the order of the log. Not safe for use by many threads.
 */
final class LogState {
    /** The most ids that are taken for lost between two frames; more of them are no damage but nonsense. */
    private static final long MAX_LOST = 1L << 32;

    private long nextId;
    private long lost;
    private boolean somethingLost;
    private final DoneSet done;
    private final Map<Long, Integer> attempts;

    LogState() {
        this(0, 0, new DoneSet(), new HashMap<>());
    }

    LogState(long nextId, long lost, DoneSet done, Map<Long, Integer> attempts) {
        this.nextId = nextId;
        this.lost = lost;
        this.done = done;
        this.attempts = attempts;
    }

    /** The id that the next new URL gets. */
    long nextId() {
        return nextId;
    }

    /** Notes that so many more URLs were written. */
    void added(int count) {
        nextId += count;
    }

    /** How many URLs were accepted and are known. */
    long accepted() {
        return nextId - lost;
    }

    /** How many URLs had been accepted, and their records were damaged. They count as no longer there. */
    long lost() {
        return lost;
    }

    /** How many URLs are done. */
    long doneCount() {
        return done.size() - lost;
    }

    /** How many URLs are neither done nor lost. */
    long open() {
        return nextId - done.size();
    }

    /** Every id that nobody has to work on any more: those that are done, and those that are lost. */
    DoneSet done() {
        return done;
    }

    /** The present attempt of each URL that was given back before and is not done; all others are at attempt 0. */
    Map<Long, Integer> attempts() {
        return attempts;
    }

    /**
     * Applies a frame of the log.
     *
     * @param urls reads the frame if it is one of URLs
     * @return the kind of the frame; the payload of {@link FrameKind#FORCED} is left to be read
     */
    int apply(FrameReader frame, UrlFrameReader urls) throws IOException {
        int kind = frame.kind();
        if (urls.read(frame, kind)) {
            startAt(frame, urls.firstId());
            nextId = urls.endId();
            return kind;
        }
        switch (kind) {
            case FrameKind.DONE -> addDone(frame);
            case FrameKind.RETRY -> addRetries(frame);
            case FrameKind.LOST -> addLost();
            case FrameKind.FORCED -> {}
            default -> throw frame.broken("frames of kind " + kind + " are not known to this version");
        }
        return kind;
    }

    /** Takes in that the log goes on with this id: with the next one, unless something in between was lost. */
    void startAt(FrameReader frame, long firstId) throws IOException {
        if (!canStartAt(firstId)) {
            throw frame.broken("its first id should be " + nextId + ": " + firstId);
        }
        start(firstId);
    }

    /** Goes on with this id; all before it whose records were not there are lost. */
    void start(long firstId) {
        long before = done.size();
        done.addAll(nextId, firstId);
        lost += done.size() - before;
        nextId = firstId;
        somethingLost = false;
    }

    /** Whether the log can go on with this id. */
    boolean canStartAt(long firstId) {
        return firstId == nextId || (firstId > nextId && somethingLost && firstId - nextId <= MAX_LOST);
    }

    /** Takes in that the records of all URLs before this id were removed, since they are done. */
    void addRemoved(long firstId) {
        done.addAll(nextId, firstId);
        nextId = firstId;
        somethingLost = false;
    }

    /** Takes in a frame that gives up damaged bytes: from here on ids may be missing. */
    void addLost() {
        somethingLost = true;
    }

    private void addDone(FrameReader frame) throws IOException {
        long id = 0;
        while (frame.hasMore()) {
            id += frame.number("step to an id", nextId - 1 - id);
            done.add(id);
            attempts.remove(id);
        }
    }

    private void addRetries(FrameReader frame) throws IOException {
        while (frame.hasMore()) {
            long id = frame.number("id", nextId - 1);
            int attempt = (int) frame.number("attempt", Integer.MAX_VALUE);
            if (!done.contains(id)) {
                attempts.merge(id, attempt, Math::max);
            }
        }
    }
}
