package dev.sieve.durable;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The URLs of the log that nobody has worked on, first in, first out.
 *
 * <p>The log is read from the front to the back through one buffer. For every 64 KiB that were read their place is kept,
 * so that a URL can be read once more by its id. Owned by the lock of its frontier.
 */
final class LogQueue implements Closeable {
    private static final int BUFFER_BYTES = 1 << 17;
    private static final long INDEX_STEP = 1 << 16;

    private final SegmentLog log;
    private final LogState state;
    private final UrlFrameReader frames = new UrlFrameReader();
    private final TreeMap<Long, LogPosition> index = new TreeMap<>();
    private FrameReader reader;
    private int segment;
    private long nextId;

    LogQueue(SegmentLog log, LogState state) {
        this.log = log;
        this.state = state;
    }

    /** Whether {@link #poll} has something to answer. */
    boolean hasNext() {
        nextId = state.done().firstAbsent(nextId);
        return nextId < state.nextId();
    }

    /** Takes the next URL that is not done out of the queue; null when there is none. */
    Lease poll() throws IOException {
        if (!hasNext()) {
            return null;
        }
        if (nextId >= frames.endId()) {
            goTo(log.holding(nextId));
            do {
                readOn();
            } while (nextId >= frames.endId());
        }
        Lease lease = lease(frames, nextId);
        nextId++;
        return lease;
    }

    private void goTo(Segment next) throws IOException {
        if (reader != null && next.number() == segment) {
            return;
        }
        close();
        reader = log.read(next.start(), BUFFER_BYTES);
        segment = next.number();
    }

    private void readOn() throws IOException {
        reader.requireFrame();
        if (frames.read(reader, reader.kind())) {
            note(reader.position());
        }
    }

    private void note(long offset) {
        Map.Entry<Long, LogPosition> before = index.lastEntry();
        if (before == null
                || before.getValue().segment() != segment
                || offset - before.getValue().offset() >= INDEX_STEP) {
            forgetDone();
            index.put(frames.firstId(), new LogPosition(segment, offset));
        }
    }

    /** Forgets the places of URLs that are all done. */
    private void forgetDone() {
        Long first = index.floorKey(state.done().firstAbsent(0));
        if (first != null) {
            index.headMap(first).clear();
        }
    }

    private Lease lease(UrlFrameReader read, long id) throws IOException {
        if (id < read.firstId()) {
            throw new DamageException(FrontierFiles.segment(segment), 0, "the URL with the id " + id + " is not in it");
        }
        UrlBatch urls = read.batch();
        int i = (int) (id - read.firstId());
        int attempt = state.attempts().getOrDefault(id, 0);
        return new Lease(id, urls.url(i), urls.depth(), urls.redirects(), urls.referrer(), urls.label(), attempt);
    }

    /** Reads a URL once more that was polled before and is not done. */
    Lease reread(long id) throws IOException {
        UrlFrameReader urls = new UrlFrameReader();
        try (FrameReader again = log.read(index.floorEntry(id).getValue(), (int) INDEX_STEP)) {
            while (id >= urls.endId()) {
                again.requireFrame();
                urls.read(again, again.kind());
            }
            return lease(urls, id);
        }
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
