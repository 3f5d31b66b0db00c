package dev.sieve.durable;

import dev.sieve.Lease;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The URLs of the log that were not handed out yet, first in, first out.
 *
 * <p>The log is read from front to back through one buffer. One position per 64 KiB is kept, so that a URL can be read
 * again by its id. Guarded by the lock of the frontier.
 */
final class LogQueue implements Closeable {
    private static final int BUFFER_BYTES = 1 << 17;
    private static final long INDEX_STEP = 1 << 16;

    private final SegmentLog log;
    private final LogState state;
    private final UrlFrameReader frames = new UrlFrameReader();
    private final TreeMap<Long, LogPosition> index = new TreeMap<>();
    private @Nullable FrameReader reader;
    private int segment;
    private long nextId;

    LogQueue(SegmentLog log, LogState state) {
        this.log = log;
        this.state = state;
    }

    /** Whether {@link #poll} would return a URL. */
    boolean hasNext() {
        nextId = state.done().firstAbsent(nextId);
        return nextId < state.nextId();
    }

    /** Removes and returns the next URL that is not done; null when there is none. */
    @Nullable
    Lease poll() throws IOException {
        if (!hasNext()) {
            return null;
        }
        if (nextId >= frames.endId()) {
            FrameReader open = goTo(log.holding(nextId));
            do {
                readOn(open);
            } while (nextId >= frames.endId());
        }
        Lease lease = lease(frames, nextId);
        nextId++;
        return lease;
    }

    private FrameReader goTo(Segment next) throws IOException {
        if (reader != null && next.number() == segment) {
            return reader;
        }
        close();
        FrameReader open = log.read(next.start(), BUFFER_BYTES);
        reader = open;
        segment = next.number();
        return open;
    }

    private void readOn(FrameReader open) throws IOException {
        open.requireFrame();
        if (frames.read(open)) {
            note(open.position());
        }
    }

    private void note(long offset) {
        Map.Entry<Long, LogPosition> before = index.lastEntry();
        if (before == null
                || before.getValue().segment() != segment
                || offset - before.getValue().offset() >= INDEX_STEP) {
            Long firstOpen = index.floorKey(state.done().firstAbsent(0));
            if (firstOpen != null) {
                index.headMap(firstOpen).clear();
            }
            index.put(frames.firstId(), new LogPosition(segment, offset));
        }
    }

    private Lease lease(UrlFrameReader read, long id) throws IOException {
        if (id < read.firstId()) {
            throw new DamageException(
                    FrontierFiles.segment(segment), 0, "it does not contain the URL with the id " + id);
        }
        return read.lease(id, state.attempts().getOrDefault(id, 0));
    }

    /** Reads a URL again that was polled before and is not done. */
    Lease reread(long id) throws IOException {
        UrlFrameReader urls = new UrlFrameReader();
        try (FrameReader again = log.read(index.floorEntry(id).getValue(), (int) INDEX_STEP)) {
            while (id >= urls.endId()) {
                again.requireFrame();
                urls.read(again);
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
