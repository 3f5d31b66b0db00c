package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.CapacityEvent;
import dev.sieve.CapacityWatch;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Leases;
import dev.sieve.Sieve;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A to-visit queue on the disk that gives out each URL once and loses none of them.
 *
 * <p>Each URL for which a push says that it was new is handed out at least once, whatever happens in between: the
 * process is killed, the disk is full, the power is cut. What exactly it survives is the {@link Durability} it was
 * opened with. After a crash, what was handed out and not answered for comes out again first, then the rest in its
 * order; so do URLs that were answered for in the last moment before the crash: those of the last second, and no more
 * than 512 of them. Nothing else is handed out twice, but for a lease that expires.
 *
 * <p>One folder holds it, which belongs to one process at a time. There is one log, in numbered files, into which
 * everything is written in the order in which it happens; the filter and all counters are derived from it. Now and then
 * the filter is saved beside the running work, so that an open reads only what was written to the log since. The package
 * documentation draws the files.
 *
 * <p>Memory is that of the filter, a few bits for each URL that is handed out and not answered for, some 100 bytes for
 * each that was given back for later, and less than a megabyte besides, however long the queue is. Where leases expire,
 * each of them takes another 100 bytes. A URL that was seen costs what it costs in a {@link Sieve}; the new URLs of a
 * batch cost one more call of the operating system together.
 *
 * <p>When the disk fails or is full, the call that notices throws {@link UncheckedIOException}, and so does every later
 * one, {@link #close} included: from then on nothing is accepted, and nothing that was said to be accepted is lost.
 * Open the folder again when there is room. A checkpoint that cannot be written is only a warning.
 *
 * <p>Safe for use by many threads; what a Bloom filter has seen it tells without a lock. That may be a URL which another
 * thread is only just pushing: whatever is answered for from then on stands behind it in the log, and who notes it
 * elsewhere calls {@link #sync} first. Two threads of its own write to the disk in the background until it is closed.
 */
public final class DurableSieve implements Frontier {
    private static final int BATCH = Membership.BATCH;

    private final AutoCloseable folderLock;
    private final Durability durability;
    private final long capacity;

    /** Counted without the lock, since most URLs that were seen never take it. */
    private final LongAdder seen = new LongAdder();

    /** Guards all below, but for {@link Membership#absent}: hashing and cache misses happen before it is taken. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Membership filter;
    private final CapacityWatch watch;
    private final LogState state;
    private final LogWriter writer;
    private final LogQueue queue;
    private final Leases leases;
    private boolean isReleased;

    /** Has locks of its own. */
    private final Checkpointer checkpointer;

    /** Null where nothing is done in the background. */
    private final Upkeep upkeep;

    /**
     * Opens the frontier in a folder, or makes one there, for so many distinct URLs at the rate of
     * {@link Sieve#DEFAULT_FALSE_POSITIVE_RATE}.
     *
     * @throws IOException as in {@link DurableSieveBuilder#open}
     */
    public static DurableSieve open(Path directory, long expectedUrls) throws IOException {
        return builder(directory).expectedUrls(expectedUrls).open();
    }

    /** Starts to open the frontier in a folder, or to make one there, with choices. */
    public static DurableSieveBuilder builder(Path directory) {
        return new DurableSieveBuilder(Objects.requireNonNull(directory, "directory"));
    }

    /** Whether there is a frontier in a folder, in whatever state. */
    public static boolean exists(Path directory) {
        return Files.exists(directory.resolve(Settings.NAME));
    }

    /**
     * Looks at the frontier in a folder, which may be open meanwhile, and changes nothing. It reads the last checkpoint
     * without its filter, and the log since then; older parts of the log are not read, so damage in them is not found.
     *
     * @throws IOException when the disk fails, or when there is no frontier
     */
    public static DurableState inspect(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        OptionalLong owner = DirectoryLock.owner(directory);
        return Inspection.of(disk).state(owner);
    }

    /**
     * Hands out the URLs of the frontier in a folder, in the order in which they were accepted. The frontier may be open
     * meanwhile: then it is the URLs of one moment. All of the log is read.
     *
     * @param urls takes one URL after the other
     * @return how many there were
     * @throws IOException when the disk fails, when there is no frontier, or when it is damaged; the URLs before the
     *     damaged place were handed out
     */
    public static long export(Path directory, Export which, Consumer<String> urls) throws IOException {
        return Inspection.of(new LocalDisk(directory)).export(which, urls);
    }

    /**
     * Makes the frontier in a folder one that can be opened, where {@link DurableSieveBuilder#open} refuses it as damaged:
     * keeps all that is whole, and counts what is lost. Files that it changes are kept beside as {@code .broken}.
     *
     * @throws IOException when the disk fails; when another process has the folder; when a file was written by a later
     *     version; or when the settings are gone and no checkpoint knows them
     */
    public static RepairReport repair(Path directory) throws IOException {
        LocalDisk disk = new LocalDisk(directory);
        DirectoryLock folderLock = DirectoryLock.acquire(directory);
        try {
            return new Repair(disk).run();
        } finally {
            folderLock.close();
        }
    }

    DurableSieve(
            DurableSieveBuilder builder, Disk disk, AutoCloseable folderLock, Settings settings, Recovery.Found found)
            throws IOException {
        this.folderLock = folderLock;
        durability = builder.durability;
        capacity = settings.capacity();
        filter = found.filter();
        watch = found.watch();
        state = found.state();
        seen.add(found.seen());
        leases = new Leases(builder.leaseTimeoutNanos, state.attempts());
        SegmentLog log = new SegmentLog(
                disk, settings.frontierId(), builder.segmentBytes, found.segments(), found.end(), found.forced());
        writer = new LogWriter(log, state, lock);
        queue = new LogQueue(log, state);
        checkpointer = new Checkpointer(disk, settings, builder.keepLog, found, log, writer, lock);
        long checkpointBytes = Math.max(builder.checkpointBytes, filter.memoryBytes());
        upkeep = builder.hasKeepers
                ? new Upkeep(durability, writer, () -> checkpointer.isDue(checkpointBytes), this::checkpoint)
                : null;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, fails then, and the URL is new
     * @throws IllegalArgumentException when the URL has more than 1,048,576 bytes
     * @throws UncheckedIOException when the disk fails, now or before; the URL is not accepted
     */
    @Override
    public boolean push(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        UrlFrameWriter.checkLength("URL", utf8.length);
        long[] hash = new long[2];
        Murmur3.hash(utf8, 0, utf8.length, filter.seed(), hash, 0);
        long absent = filter.absent(hash, 1);
        if (absent == 0) {
            writer.requireUsable();
            seen.increment();
            return false;
        }
        List<CapacityEvent> events;
        LogPosition end;
        lock.lock();
        try {
            writer.requireUsable();
            watch.refuseIfFull(hash, absent);
            if (filter.addAbsent(hash, absent) == 0) {
                seen.increment();
                return false;
            }
            writer.append(1, (frames, id) -> frames.write(id, utf8));
            end = writer.end();
            events = watch.accepted(1);
        } finally {
            lock.unlock();
        }
        forceIfAlways(end);
        watch.publish(events);
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, fails then, and there is a new URL among the next 64: those
     *     before it were accepted
     * @throws IllegalArgumentException when a URL, a key or the referrer has more than 1,048,576 bytes; nothing of the
     *     batch was accepted
     * @throws UncheckedIOException when the disk fails, now or before; what the batch says to be new may be accepted
     */
    @Override
    public int pushAll(UrlBatch batch) {
        byte[] referrer = UrlFrameWriter.utf8(batch.referrer());
        UrlFrameWriter.check(batch, referrer);
        int isNew = 0;
        for (int from = 0; from < batch.size(); from += BATCH) {
            isNew += push(batch, referrer, from, Math.min(BATCH, batch.size() - from));
        }
        return isNew;
    }

    private int push(UrlBatch batch, byte[] referrer, int from, int count) {
        long[] hashes = batch.hash(from, count, filter.seed());
        long absent = filter.absent(hashes, count);
        if (absent == 0) {
            writer.requireUsable();
            batch.noteNew(from, 0);
            seen.add(count);
            return 0;
        }
        int isNew;
        List<CapacityEvent> events;
        LogPosition end;
        lock.lock();
        try {
            writer.requireUsable();
            watch.refuseIfFull(hashes, absent);
            long mask = filter.addAbsent(hashes, absent);
            isNew = Long.bitCount(mask);
            if (isNew > 0) {
                writer.append(isNew, (frames, id) -> frames.write(id, batch, referrer, from, mask));
            }
            end = writer.end();
            batch.noteNew(from, mask);
            seen.add(count - isNew);
            events = watch.accepted(isNew);
        } finally {
            lock.unlock();
        }
        if (isNew > 0) {
            forceIfAlways(end);
        }
        watch.publish(events);
        return isNew;
    }

    private void forceIfAlways(LogPosition end) {
        if (durability == Durability.ALWAYS) {
            writer.force(end);
        }
    }

    /**
     * Brings to the disk itself all that was pushed and answered so far, whatever the durability.
     *
     * @throws UncheckedIOException when the disk fails, now or before
     */
    public void sync() {
        writer.force(null);
    }

    @Override
    public Lease take(long nowNanos) {
        lock.lock();
        try {
            writer.requireUsable();
            Lease due = leases.pollDue(nowNanos);
            Lease next = due == null ? queue.poll() : queue.reread(due.id());
            return next == null ? null : hold(next, nowNanos);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    private Lease hold(Lease lease, long nowNanos) {
        leases.hold(bare(lease), nowNanos);
        return lease;
    }

    /** A lease without its texts, which are in the log. */
    private static Lease bare(Lease lease) {
        return new Lease(lease.id(), "", 0, 0, null, 0, lease.attempt());
    }

    @Override
    public long waitNanos(long nowNanos) {
        lock.lock();
        try {
            return queue.hasNext() ? 0 : leases.waitNanos(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean done(Lease lease) {
        lock.lock();
        try {
            writer.requireUsable();
            if (!leases.release(lease)) {
                return false;
            }
            writer.done(lease.id());
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        lock.lock();
        try {
            writer.requireUsable();
            if (!leases.delay(bare(lease), readyNanos)) {
                return false;
            }
            writer.retry(lease.id(), lease.attempt() + 1);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long pending() {
        lock.lock();
        try {
            return state.open() - leases.held();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long inFlight() {
        lock.lock();
        try {
            return leases.held();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SieveStats stats() {
        lock.lock();
        try {
            return new SieveStats(
                    state.accepted(),
                    seen.sum(),
                    state.open() - leases.held(),
                    leases.held(),
                    state.doneCount(),
                    filter.estimatedSize(),
                    capacity,
                    filter.falsePositiveRate(),
                    watch.missed(),
                    filter.memoryBytes());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Saves the filter and all that is derived from the log, and removes files of the log that are done with. It is done
     * from time to time by itself and by {@link #close}; others go on with their work meanwhile.
     *
     * @throws UncheckedIOException when it cannot be written; the frontier goes on all the same if its log is sound
     */
    public void checkpoint() {
        try {
            checkpointer.write(this::stats);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes what is left to write and a checkpoint, and gives up the folder. Leases that are still out count as never
     * answered. Closing twice does nothing.
     *
     * @throws UncheckedIOException when something could not be written, now or before; the folder is given up all the
     *     same
     */
    @Override
    public void close() {
        if (upkeep != null) {
            upkeep.close();
        }
        try {
            if (!isReleased()) {
                writer.handOver();
                if (!checkpointer.isCurrent()) {
                    checkpoint();
                }
            }
        } finally {
            release();
        }
    }

    private boolean isReleased() {
        lock.lock();
        try {
            return isReleased;
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        lock.lock();
        try {
            if (isReleased) {
                return;
            }
            isReleased = true;
            queue.close();
            writer.close();
            folderLock.close();
        } catch (Exception e) {
            throw new UncheckedIOException(new IOException("the files could not be closed: " + e.getMessage(), e));
        } finally {
            lock.unlock();
        }
    }
}
