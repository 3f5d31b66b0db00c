package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.UrlBatch;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the events of a frontier to its log, in their order, and updates the state.
 *
 * <p>After a failed write or force every later call throws, since the state in memory may be ahead of the log on the
 * disk.
 *
 * <p>{@link #force}, {@link #appended}, {@link #handOver}, {@link #settle} and {@link #stop} take the lock of the
 * frontier, {@link #isUsable} and {@link #requireUsable} need no lock; all other methods are called under the lock.
 */
final class LogWriter implements Deduplicator.Store, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

    private final SegmentLog log;
    private final LogState state;
    private final ReentrantLock lock;
    private final Durability durability;
    private final PendingResults results = new PendingResults();
    private final FrameWriter frames = new FrameWriter();
    private final UrlFrameWriter urlFrames = new UrlFrameWriter(frames);
    private final Deduplicator.Store ofDone = new FinishingStore(OptionalLong.empty());
    private LogPosition forcedWritten;
    private long written;
    private volatile @Nullable LogPosition appended; // read without the lock, so it may be that of a later append
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** Held while the log is forced; taken before the lock. */
    private final ReentrantLock forcing = new ReentrantLock();

    LogWriter(SegmentLog log, LogState state, ReentrantLock lock, Durability durability) {
        this.log = log;
        this.state = state;
        this.lock = lock;
        this.durability = durability;
        forcedWritten = log.forced();
    }

    /** Writes the pending results, then the URLs. These are already in the filter, which cannot remove them on failure. */
    @Override
    public void append(UrlBatch batch, int from, long mask) {
        append(batch, from, mask, 0, 0);
    }

    /** As above; then records that a range of URLs is done, in the same write. */
    private void append(UrlBatch batch, int from, long mask, long firstDone, long endDone) {
        assert lock.isHeldByCurrentThread();
        try {
            begin();
            urlFrames.write(state.nextId(), batch, from, mask);
            for (long id = firstDone; id < endDone; id++) {
                results.done(id);
            }
            results.drain(frames);
            write();
            state.added(Long.bitCount(mask));
            state.done().addAll(firstDone, endDone);
            appended = log.end();
        } catch (IOException | RuntimeException | Error e) {
            throw fail(e);
        }
    }

    /** Returns this log as a store of URLs that are done as soon as they are appended. */
    Deduplicator.Store ofDone() {
        return ofDone;
    }

    /** Returns this log as a store in which a URL is done as soon as others are appended. */
    Deduplicator.Store ending(long id) {
        return new FinishingStore(OptionalLong.of(id));
    }

    @Override
    public void appended() {
        if (durability == Durability.ALWAYS) {
            force(appended);
        }
    }

    /** Records that a URL is done; written later. */
    void done(long id) {
        assert lock.isHeldByCurrentThread();
        state.done().add(id);
        results.done(id);
        if (results.isFull()) {
            flush();
        }
    }

    /** Records that a URL was given back, with its next attempt; written later. */
    void retry(long id, int attempt) {
        assert lock.isHeldByCurrentThread();
        results.retry(id, attempt);
        if (results.isFull()) {
            flush();
        }
    }

    /** Does as {@link #handOver}, may force the log to the disk, and stores how far it is written. Without the lock. */
    void settle(boolean isForced) {
        LogEnd end = handOver();
        if (isForced) {
            force(end.position());
        }
        log.store(end);
    }

    /** Hands the pending results to the operating system, and returns the end of the log. Called without the lock. */
    LogEnd handOver() {
        lock.lock();
        try {
            requireUsable();
            log.requireOwned();
            flush();
            return log.end(state.nextId());
        } catch (IOException e) {
            throw fail(e);
        } finally {
            lock.unlock();
        }
    }

    /** Hands the pending results to the operating system. */
    void flush() {
        assert lock.isHeldByCurrentThread();
        if (results.isEmpty()) {
            return;
        }
        try {
            begin();
            write();
        } catch (IOException | RuntimeException | Error e) {
            throw fail(e);
        }
    }

    private void begin() throws IOException {
        if (log.isFull() || state.mayLackIds()) {
            log.startNext(state.nextId()); // its header says that no more ids are missing, so a later loss is seen
            state.start(state.nextId());
        }
        frames.clear();
        if (!forcedWritten.equals(log.forced())) {
            forcedWritten = log.forced();
            frames.putFrame(FrameKind.FORCED, forcedWritten.segment(), forcedWritten.offset());
        }
        results.drain(frames);
    }

    private void write() throws IOException {
        log.append(frames);
        written += frames.size();
    }

    Durability durability() {
        return durability;
    }

    /** Returns the number of bytes written since the log was opened. */
    long written() {
        assert lock.isHeldByCurrentThread();
        return written;
    }

    /**
     * Forces the log to the disk, at least up to a position or all of it (null), and returns up to where it is there;
     * one call serves all threads that wait. A failed force is never repeated, since the system may have dropped what
     * it could not write. Called without the lock.
     */
    LogPosition force(@Nullable LogPosition atLeast) {
        forcing.lock();
        try {
            SegmentLog.Unforced unforced = unforced(atLeast);
            if (unforced != null) {
                unforced.force();
            }
            lock.lock();
            try {
                if (unforced != null) {
                    log.noteForced(unforced);
                }
                return log.forced();
            } finally {
                lock.unlock();
            }
        } catch (IOException | Error e) {
            throw fail(e);
        } finally {
            forcing.unlock();
        }
    }

    private SegmentLog.@Nullable Unforced unforced(@Nullable LogPosition atLeast) throws IOException {
        lock.lock();
        try {
            requireUsable();
            if (atLeast != null && log.forced().compareTo(atLeast) >= 0) {
                return null;
            }
            log.requireOwned();
            flush();
            return log.unforced();
        } finally {
            lock.unlock();
        }
    }

    /** Makes every later call throw. */
    @Override
    public void stop(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
                LOG.error("frontier stopped, it accepts no more URLs: {}", cause.getMessage());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes every later call throw; returns or throws the exception of this one. */
    RuntimeException fail(Throwable cause) {
        stop(cause);
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof IOException io ? new UncheckedIOException(io) : (RuntimeException) cause;
    }

    boolean isUsable() {
        return failure == null && !closed;
    }

    @Override
    public void requireUsable() {
        if (closed) {
            throw new IllegalStateException("the frontier is closed");
        }
        if (failure != null) {
            throw new UncheckedIOException(
                    new IOException("frontier stopped after an earlier error: " + failure.getMessage(), failure));
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (failure == null) {
                // Another thread may have finished URLs since the results were handed over.
                flush();
            }
        } finally {
            closed = true;
            log.close();
        }
    }

    /** This log, with the result in the same write as the URLs and after them, so that it is never there without them. */
    private final class FinishingStore implements Deduplicator.Store {
        private final OptionalLong ended; // empty: the appended URLs themselves

        FinishingStore(OptionalLong ended) {
            this.ended = ended;
        }

        @Override
        public void append(UrlBatch batch, int from, long mask) {
            long first = ended.orElse(state.nextId());
            int count = ended.isPresent() ? 1 : Long.bitCount(mask);
            LogWriter.this.append(batch, from, mask, first, first + count);
        }

        @Override
        public void requireUsable() {
            LogWriter.this.requireUsable();
        }

        @Override
        public void appended() {
            LogWriter.this.appended();
        }

        @Override
        public void stop(Throwable cause) {
            LogWriter.this.stop(cause);
        }
    }
}
