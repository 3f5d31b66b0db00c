package dev.sieve.durable;

import dev.sieve.Deduplicator;
import dev.sieve.Frontier;
import dev.sieve.FrontierBuilder;
import dev.sieve.Lease;
import dev.sieve.Leases;
import dev.sieve.Sieve;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.io.Disk;
import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A URL frontier on the disk that hands out each URL once and loses none of them.
 *
 * <p>A URL that was reported as new is handed out at least once, whatever happens: the process is killed, the disk is
 * full, the power fails. The {@link Durability} says exactly what it survives. After a crash, the URLs in flight are
 * handed out first, then the rest in its order; so are URLs that were finished in the last second, at most 512. No
 * other URL is handed out twice, unless its lease expires or {@link #pushAgain} queues it for another visit.
 *
 * <p>It lives in one folder, which belongs to one process at a time. All events are written to one log in their order;
 * the filter and the counters are derived from it. The filter is saved from time to time, while work continues, so that
 * an open reads only the newer part of the log. The package documentation draws the files.
 *
 * <p>Memory: the filter, a few bits per URL in flight, about 100 bytes per URL that was given back, and less than a
 * megabyte in addition, however long the queue is. With a lease timeout, another 100 bytes per lease. A URL that was
 * seen costs the same as in a {@link Sieve}; the new URLs of a batch add one call of the operating system.
 *
 * <p>When the disk fails or is full, the call that notices throws {@link UncheckedIOException}, and so does every later
 * call, including {@link #close}: nothing more is accepted, and no accepted URL is lost. Open the folder again when
 * there is room. A checkpoint that cannot be written only causes a warning.
 *
 * <p>Safe for use by many threads. Duplicates are detected without a lock, so push may return false for a URL that
 * another thread is still writing; call {@link #sync} before recording that result elsewhere. Two background threads
 * write to the disk until it is closed. {@link DurableFolder} has the tools for a folder that is not open.
 */
public final class DurableSieve implements Frontier {
    private final Closeable folderLock;
    private final Deduplicator deduplicator;

    /** Guards all below. */
    private final ReentrantLock lock;

    private final LogState state;
    private final SegmentLog log;
    private final LogWriter writer;
    private final LogQueue queue;
    private final Leases leases;

    /** Held while the frontier is closed; taken before all other locks. */
    private final ReentrantLock closing = new ReentrantLock();

    private boolean isClosed; // guarded by closing

    /** Has its own locks. */
    private final Checkpointer checkpointer;

    /** The background threads; null if there are none. */
    private final @Nullable Upkeep upkeep;

    /**
     * Opens the frontier in a folder, or makes one for a number of distinct URLs at the rate
     * {@link Sieve#DEFAULT_FALSE_POSITIVE_RATE}.
     *
     * @throws IOException as in {@link Builder#open}
     */
    public static DurableSieve open(Path directory, long capacity) throws IOException {
        return builder(directory).capacity(capacity).open();
    }

    /** Returns whether the URL with an id is done. */
    public boolean isDone(long id) {
        return locked(() -> state.done().contains(id));
    }

    /** Returns a builder, which opens the frontier in a folder or makes one. */
    public static Builder builder(Path directory) {
        return new Builder(Objects.requireNonNull(directory, "directory"));
    }

    private DurableSieve(
            Builder builder, Disk disk, Closeable folderLock, Settings settings, Recovery.Found found, SegmentLog log) {
        this.folderLock = folderLock;
        deduplicator = found.deduplicator();
        lock = deduplicator.lock();
        state = found.checkpoint().state();
        this.log = log;
        leases = new Leases(builder.leaseTimeoutNanos(), state.attempts());
        writer = new LogWriter(log, state, lock, builder.durability);
        queue = new LogQueue(log, state);
        checkpointer =
                new Checkpointer(disk, settings, builder.keepLog, builder.checkpointBytes, found, log, writer, lock);
        upkeep = builder.hasKeepers
                ? new Upkeep(writer, this::isCheckpointDue, this::checkpoint, Duration.ofSeconds(1))
                : null;
        // The capacity events that the last run missed.
        if (deduplicator.announceDueEvents()) {
            checkpointer.makeDue();
        }
        deduplicator.publish();
    }

    @Override
    public boolean forces() {
        return writer.durability().forces();
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the frontier is full and refuses new URLs, and the URL is new
     * @throws IllegalArgumentException when the URL is longer than 1,048,576 bytes
     * @throws UncheckedIOException when the disk fails, or has failed; the URL is not accepted
     */
    @Override
    public boolean push(String url) {
        byte[] utf8 = UrlBatch.utf8(url);
        UrlBatch.requireLength("URL", utf8.length);
        return deduplicator.push(utf8, writer);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the frontier is full and refuses new URLs, and one of the next 64 is new; those
     *     before them were pushed
     * @throws IllegalArgumentException when a URL, a key or the referrer is longer than 1,048,576 bytes; no URL of the
     *     batch was accepted
     * @throws UncheckedIOException when the disk fails, or has failed; URLs marked as new in the batch may be accepted
     */
    @Override
    public int pushAll(UrlBatch batch) {
        batch.requireLengths();
        return deduplicator.pushAll(batch, writer);
    }

    /**
     * Records URLs that were visited elsewhere: those that are new are accepted and done at once, so they are not
     * handed out. Afterwards {@link UrlBatch#isNew} returns which were new. After a crash during this call, or a power
     * cut, some may be accepted but not done.
     *
     * @return how many were new
     * @throws SieveFullException as {@link #pushAll(UrlBatch)}
     * @throws IllegalArgumentException as {@link #pushAll(UrlBatch)}
     * @throws UncheckedIOException as {@link #pushAll(UrlBatch)}
     */
    public int pushDone(UrlBatch batch) {
        batch.requireLengths();
        return deduplicator.pushAll(batch, writer.ofDone());
    }

    /**
     * Queues up to 64 URLs for another visit, although they were pushed before, and ends a lease in the same step. So
     * after a crash either the lease is still open, or the URLs are queued, or both. URLs that were not pushed before
     * are accepted as well; {@link UrlBatch#isNew} returns which. Every URL has a new id, and counts as accepted once
     * more.
     *
     * @param ended null for none
     * @return false when the lease had ended or expired before; then nothing is queued
     * @throws SieveFullException when the frontier is full and refuses new URLs, and a URL is new; nothing has changed
     * @throws IllegalArgumentException when the batch is empty or has more than 64 URLs, or a text in it is longer than
     *     1,048,576 bytes; nothing has changed
     * @throws UncheckedIOException when the disk fails, or has failed
     */
    public boolean pushAgain(@Nullable Lease ended, UrlBatch batch) {
        batch.requireLengths();
        boolean isQueued = locked(() -> {
            writer.requireUsable();
            if (ended == null) {
                deduplicator.appendAgain(batch, writer);
                return true;
            }
            if (leases.holds(ended)) {
                deduplicator.appendAgain(batch, writer.ending(ended.id()));
            }
            return leases.release(ended);
        });
        if (isQueued) {
            writer.appended();
            deduplicator.publish();
        }
        return isQueued;
    }

    /**
     * Returns whether a key was pushed before, up to the false-positive rate of the filter. False is always right: the
     * key was not accepted, unless a repair has lost it.
     */
    public boolean mightContain(String key) {
        writer.requireUsable();
        return deduplicator.mightContain(key);
    }

    /** Returns the id of the next record: earlier ones, also of URLs that were queued again, have lower ids. */
    public long nextId() {
        return locked(state::nextId);
    }

    /** Receives the URLs of a frontier; see {@link #forEach}. */
    @FunctionalInterface
    public interface RecordVisitor {
        /**
         * Receives a URL.
         *
         * @param url its id, text, depth, redirects, referrer and label. It is not a lease that is held: its attempt is
         *     0
         * @param isDone whether it was done
         */
        void visit(Lease url, boolean isDone);
    }

    /**
     * Passes on all URLs in the order in which they were accepted, whatever their label, and whether they were done: as
     * of one moment, that of the call. A URL that was queued again is passed on once for each time. Done URLs are
     * passed on as far as the log was kept; also left out are URLs that were done since then and deleted before they
     * were read. Reads all of the log; other threads continue to work, and the visitor may call any method. Takes a bit
     * of memory per URL that is done.
     *
     * @throws UncheckedIOException when the disk fails, or the log is damaged: the URLs before the damage were passed
     *     on, and the frontier remains usable; or when the disk has failed
     * @throws IllegalStateException when the frontier is closed, also during the call
     */
    public void forEach(RecordVisitor visitor) {
        forEach(visitor, () -> false);
    }

    /** Passes on URLs in the same way until no more are needed, which is read after each. */
    public void forEach(RecordVisitor visitor, BooleanSupplier hasEnough) {
        // One whose URLs are all done by now may have been deleted.
        Predicate<Segment> mayBeMissing = segment ->
                locked(() -> segment.number() < log.end().segment() && segment.isDone(log.segments(), state.done()));
        LogPass pass = locked(() -> {
            writer.requireUsable();
            writer.flush();
            return log.pass(state.done().copy(), mayBeMissing);
        });
        try {
            pass.run((url, isDone) -> {
                writer.requireUsable();
                visitor.visit(url, isDone);
                return !hasEnough.getAsBoolean();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Forces everything that was pushed and finished so far to the disk, whatever the durability.
     *
     * @throws UncheckedIOException when the disk fails, or has failed
     */
    public void sync() {
        writer.settle(true);
    }

    @Override
    public @Nullable Lease take(long nowNanos) {
        lock.lock();
        try {
            writer.requireUsable();
            OptionalLong due = leases.pollDue(nowNanos);
            Lease next = due.isPresent() ? queue.reread(due.getAsLong()) : queue.poll();
            if (next != null) {
                leases.hold(next, nowNanos);
            }
            return next;
        } catch (IOException e) {
            throw writer.fail(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long waitNanos(long nowNanos) {
        return locked(() -> queue.hasNext() ? 0 : leases.waitNanos(nowNanos));
    }

    @Override
    public boolean done(Lease lease) {
        return locked(() -> {
            writer.requireUsable();
            boolean isHeld = leases.release(lease);
            if (isHeld) {
                writer.done(lease.id());
            }
            return isHeld;
        });
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        return locked(() -> {
            writer.requireUsable();
            boolean isHeld = leases.delay(lease, readyNanos);
            if (isHeld) {
                writer.retry(lease.id(), lease.attempt() + 1);
            }
            return isHeld;
        });
    }

    @Override
    public long pending() {
        return locked(() -> state.open() - leases.held());
    }

    @Override
    public long inFlight() {
        return locked(leases::held);
    }

    @Override
    public SieveStats stats() {
        return locked(() -> {
            long held = leases.held();
            return deduplicator.stats(state.accepted(), state.open() - held, held, state.doneCount());
        });
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Saves the filter and everything else derived from the log, and deletes parts of the log that are done. Also runs
     * in the background and on {@link #close}; other threads continue to work.
     *
     * @throws UncheckedIOException when it cannot be written; the frontier remains usable if its log is intact
     */
    public void checkpoint() {
        try {
            checkpointer.write(() -> {
                deduplicator.announceDueEvents();
                return stats();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            deduplicator.publish();
        }
    }

    boolean isCheckpointDue() {
        return checkpointer.isDue();
    }

    /**
     * Writes what is not yet written and a checkpoint, and releases the folder. URLs in flight are handed out again
     * after the next open. Closing twice has no effect; when another thread is closing it, this waits until it is
     * closed.
     *
     * @throws UncheckedIOException when the disk fails, or has failed; the folder is released all the same
     */
    @Override
    public void close() {
        closing.lock();
        try {
            if (!isClosed) {
                isClosed = true;
                finish();
            }
        } finally {
            closing.unlock();
        }
    }

    private void finish() {
        if (upkeep != null) {
            upkeep.close();
        }
        try {
            writer.handOver();
            if (!checkpointer.isCurrent()) {
                checkpoint();
            }
            if (isCheckpointDue()) {
                checkpoint(); // deletes the segments that the one before still needed
            }
        } finally {
            release();
        }
    }

    private void release() {
        lock.lock();
        try (folderLock;
                writer;
                queue) {
            // Closed in reverse order, each of them even when another one fails.
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException("cannot close the files: " + e.getMessage(), e));
        } finally {
            lock.unlock();
        }
    }

    /** Opens or makes a frontier. Not safe for use by many threads. */
    public static final class Builder extends FrontierBuilder.Filtered<Builder> {
        private static final long DEFAULT_SEGMENT_BYTES = 64 << 20;

        private final Path directory;
        private Durability durability = Durability.PROCESS;
        private boolean keepLog;
        private long segmentBytes = DEFAULT_SEGMENT_BYTES;
        private long checkpointBytes = DEFAULT_SEGMENT_BYTES;
        private boolean hasKeepers = true;

        private Builder(Path directory) {
            this.directory = directory;
        }

        /** What accepted URLs survive. Default: {@link Durability#PROCESS}. */
        public Builder durability(Durability level) {
            durability = Objects.requireNonNull(level, "durability");
            return this;
        }

        /**
         * Keeps all of the log, so that URLs that are done can be exported, and the frontier can be opened with another
         * filter. Default: parts of the log whose URLs are all done are deleted.
         */
        public Builder keepLog(boolean choice) {
            keepLog = choice;
            return this;
        }

        /** The size in bytes from which on the next file of the log is started, at least 1. Default: 64 MiB. */
        public Builder segmentBytes(long bytes) {
            segmentBytes = atLeast("segmentBytes", 1, bytes);
            return this;
        }

        /**
         * The bytes of the log between two checkpoints, at least 1 and the size of the filter. Parts of the log whose
         * URLs are all done are only deleted at a checkpoint. Default: 64 MiB.
         */
        public Builder checkpointBytes(long bytes) {
            checkpointBytes = atLeast("checkpointBytes", 1, bytes);
            return this;
        }

        /** Does not start background threads. */
        Builder withoutKeepers() {
            hasKeepers = false;
            return this;
        }

        /**
         * Opens the frontier, or makes one if the folder is empty or missing. An existing frontier keeps its stored
         * settings unless others are set here; then its filter is made again from the log.
         *
         * @throws IllegalArgumentException when the folder holds none and {@link #capacity} is not set; when the filter
         *     needs more memory than an array can have, or does not go with {@link #onFull}; when settings are to be
         *     changed and part of the log was deleted, or the frontier contains more URLs than expected. Nothing is
         *     changed
         * @throws DamageException when a file that was on the disk is damaged or missing; see {@link
         *     DurableFolder#repair}
         * @throws IOException when the disk fails; when another process has the folder, which the message names; or
         *     when a file has a later version, or belongs to another frontier
         */
        public DurableSieve open() throws IOException {
            new RequestedSettings(settings()).check(directory);
            if (!Files.exists(directory.resolve(Settings.NAME))) {
                LocalDisk.makeFolder(directory);
            }
            DirectoryLock folderLock = DirectoryLock.acquire(directory);
            try {
                return open(new LocalDisk(directory, folderLock::requireHeld), folderLock);
            } catch (IOException | RuntimeException | Error e) {
                folderLock.close();
                throw e;
            }
        }

        /** Opens it on a disk that is not used by others. */
        DurableSieve open(Disk disk, Closeable folderLock) throws IOException {
            Settings stored = Settings.read(disk);
            RequestedSettings requested = new RequestedSettings(settings());
            Settings made = stored == null ? requested.make(disk) : requested.change(stored, disk);
            disk.delete(Checkpoint.TEMPORARY); // may fill the disk
            Recovery.Found found = new Recovery(disk, made).run(settings());
            if (stored != null && !made.equals(stored)) {
                made.write(disk);
            }
            SegmentLog log = new SegmentLog(
                    disk, made.frontierId(), segmentBytes, found.segments(), found.end(), found.forced());
            try {
                return new DurableSieve(this, disk, folderLock, made, found, log);
            } catch (RuntimeException | Error e) {
                try (log) {
                    throw e;
                }
            }
        }
    }
}
