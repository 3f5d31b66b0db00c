package dev.sieve.durable;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The sums of the log over all URLs: computed by reading the log, and updated as the log grows.
 *
 * <p>Ids count the URLs in the order of the log. Not safe for use by many threads.
 */
final class LogState {
    /** A larger gap between the ids of two frames is not taken for lost URLs. */
    private static final long MAX_LOST = 1L << 32;

    private long nextId;
    private long lost;
    private boolean mayLackIds;
    private long missing;
    private final long countFrom;
    private final DoneSet done;
    private final Map<Long, Integer> attempts;

    LogState() {
        this(0, 0, new DoneSet(), new HashMap<>());
    }

    LogState(long nextId, long lost, DoneSet done, Map<Long, Integer> attempts) {
        this(nextId, lost, done, attempts, 0);
    }

    /** As above; ids below {@code countFrom} are not counted by {@link #missing}. */
    LogState(long nextId, long lost, DoneSet done, Map<Long, Integer> attempts, long countFrom) {
        this.countFrom = countFrom;
        this.nextId = nextId;
        this.lost = lost;
        this.done = done;
        this.attempts = attempts;
    }

    long nextId() {
        return nextId;
    }

    void added(int count) {
        nextId += count;
    }

    /** Returns the number of URLs that were accepted and are not lost. */
    long accepted() {
        return nextId - lost;
    }

    /** Returns the number of accepted URLs whose records were damaged. */
    long lost() {
        return lost;
    }

    /** Returns the number of ids that were skipped: their URLs are not in the log that was read. */
    long missing() {
        return missing;
    }

    long doneCount() {
        return done.size() - lost;
    }

    /** Returns the number of URLs that are neither done nor lost. */
    long open() {
        return nextId - done.size();
    }

    /** Returns the ids of all URLs that are done or lost. */
    DoneSet done() {
        return done;
    }

    /** Returns the present attempt of each open URL that was given back; the others are at 0. */
    Map<Long, Integer> attempts() {
        return attempts;
    }

    /** Applies a frame of the log; the payload of {@link FrameKind#FORCED} remains unread. */
    void apply(FrameReader frame, UrlFrameReader urls) throws IOException {
        if (urls.read(frame)) {
            addUrls(frame, urls);
        } else {
            addOther(frame);
        }
    }

    void addUrls(FrameReader frame, UrlFrameReader urls) throws DamageException {
        if (!canStartAt(urls.firstId())) {
            throw frame.broken(wrongStart(urls.firstId()));
        }
        start(urls.firstId());
        nextId = urls.endId();
    }

    /** Applies a frame that is not one of URLs. */
    void addOther(FrameReader frame) throws IOException {
        switch (frame.kind()) {
            case FrameKind.DONE -> addDone(frame);
            case FrameKind.RETRY -> addRetries(frame);
            case FrameKind.LOST -> addLost();
            case FrameKind.FORCED -> {}
            default -> throw frame.broken("unknown kind of frame: " + frame.kind());
        }
    }

    /** Continues with an id; all ids skipped that are not done are lost. */
    void start(long firstId) {
        long before = done.size();
        done.addAll(nextId, firstId);
        lost += done.size() - before;
        missing += Math.max(0, firstId - Math.max(nextId, countFrom));
        nextId = firstId;
        mayLackIds = false;
    }

    /** Whether the log ends with damaged bytes that were given up: it can continue with a later id. */
    boolean mayLackIds() {
        return mayLackIds;
    }

    /** Whether the log can continue with an id: the next one, or a later one after lost bytes. */
    boolean canStartAt(long firstId) {
        return firstId == nextId || (mayLackIds && canSkipTo(firstId));
    }

    /** Whether an id is after the next one, by a number of URLs that can be lost. */
    boolean canSkipTo(long firstId) {
        return firstId > nextId && firstId - nextId <= MAX_LOST;
    }

    String wrongStart(long firstId) {
        return "first id " + firstId + " instead of " + nextId;
    }

    /** Records that damaged bytes were discarded: ids may be missing after them. */
    void addLost() {
        mayLackIds = true;
    }

    private void addDone(FrameReader frame) throws IOException {
        long id = 0;
        while (frame.hasMore()) {
            id += frame.number("distance of an id", nextId - 1 - id);
            done.add(id);
            attempts.remove(id);
        }
    }

    private void addRetries(FrameReader frame) throws IOException {
        while (frame.hasMore()) {
            long id = frame.number("id", nextId - 1);
            int attempt = frame.integer("attempt");
            if (!done.contains(id)) {
                attempts.merge(id, attempt, Math::max);
            }
        }
    }
}
