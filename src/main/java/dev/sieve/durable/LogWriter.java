package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.UrlBatch;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what happens to a frontier into its log, in the order in which it happens, and keeps the state up to date.
 *
 * <p>When a write or a force fails, that is the end: what is known of the log in memory may be ahead of the log on the
 * disk from then on. Every later call throws.
 *
 * <p>{@link #force}, {@link #appended} and {@link #handOver} take the lock of the frontier, {@link #isUsable} and {@link #requireUsable} need
 * none; all others are called under it.
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
    private LogPosition forcedWritten;
    private long written;
    /** Where the log ended after the last append; read without the lock, when it may be that of a later append. */
    private volatile LogPosition appended;

    private volatile Throwable failure;
    private volatile boolean closed;

    /** Held while the log is forced; taken before the lock. */
    private final ReentrantLock forcing = new ReentrantLock();

    /**
     * Goes on with a log.
     *
     * @param lock the one of the frontier
     */
    LogWriter(SegmentLog log, LogState state, ReentrantLock lock, Durability durability) {
        this.log = log;
        this.state = state;
        this.lock = lock;
        this.durability = durability;
        forcedWritten = log.forced();
    }

    /**
     * {@inheritDoc}
     *
     * <p>They are written after all results that wait. They are in the filter by now, from which nothing can be removed:
     * when this fails, the filter says "seen" of URLs that are not in the log.
     */
    @Override
    public void append(UrlBatch batch, int from, long mask) {
        assert lock.isHeldByCurrentThread();
        try {
            begin();
            urlFrames.write(state.nextId(), batch, from, mask);
            write();
            state.added(Long.bitCount(mask));
            appended = log.end();
        } catch (IOException | RuntimeException | Error e) {
            throw fail(e);
        }
    }

    /** Forces what was appended where that is the durability. */
    @Override
    public void appended() {
        if (durability == Durability.ALWAYS) {
            force(appended);
        }
    }

    /** Notes that a URL is done; it is written in the company of others. */
    void done(long id) {
        assert lock.isHeldByCurrentThread();
        state.done().add(id);
        results.done(id);
        flushIfMany();
    }

    /** Notes that a URL was given back and is now at such an attempt; it is written in the company of others. */
    void retry(long id, int attempt) {
        assert lock.isHeldByCurrentThread();
        results.retry(id, attempt);
        flushIfMany();
    }

    private void flushIfMany() {
        if (results.isFull()) {
            flush();
        }
    }

    /** Hands the results that wait to the operating system. Called without the lock. */
    void handOver() {
        lock.lock();
        try {
            requireUsable();
            flush();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #handOver}, under the lock. */
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
        log.turn(state.nextId());
        frames.clear();
        if (!forcedWritten.equals(log.forced())) {
            forcedWritten = log.forced();
            frames.begin(FrameKind.FORCED);
            frames.putNumber(forcedWritten.segment());
            frames.putNumber(forcedWritten.offset());
            frames.end();
        }
        results.drain(frames);
    }

    private void write() throws IOException {
        log.append(frames);
        written += frames.size();
    }

    /** The bytes that were written since the log was opened. */
    long written() {
        assert lock.isHeldByCurrentThread();
        return written;
    }

    /**
     * Brings the log to the disk itself, at least up to a position; those who wait for one another are served by one
     * call. A call that fails is never tried again: the system may have dropped what it could not write. Called without
     * the lock.
     *
     * @param atLeast null for all that is there
     * @return before this position all of the log is on the disk
     */
    LogPosition force(LogPosition atLeast) {
        forcing.lock();
        try {
            SegmentLog.Unforced unforced = unforced(atLeast);
            if (unforced != null) {
                unforced.force();
            }
            return noteForced(unforced);
        } catch (IOException | Error e) {
            throw fail(e);
        } finally {
            forcing.unlock();
        }
    }

    private SegmentLog.Unforced unforced(LogPosition atLeast) {
        lock.lock();
        try {
            requireUsable();
            if (atLeast != null && log.forced().compareTo(atLeast) >= 0) {
                return null;
            }
            flush();
            return log.unforced();
        } finally {
            lock.unlock();
        }
    }

    private LogPosition noteForced(SegmentLog.Unforced unforced) throws IOException {
        lock.lock();
        try {
            if (unforced != null) {
                log.noteForced(unforced);
            }
            return log.forced();
        } finally {
            lock.unlock();
        }
    }

    private RuntimeException fail(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
                LOG.error("no further URL is accepted: {}", cause.getMessage());
            }
        } finally {
            lock.unlock();
        }
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
                    new IOException("no longer usable since an earlier failure: " + failure.getMessage(), failure));
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        log.close();
    }
}
