package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * one, {@link #close} included: from then on nothing is accepted, and nothing that was said to be accepted is lost. Open the
 * folder again when there is room. A checkpoint that cannot be written is only a warning.
 *
 * <p>Safe for use by many threads. Two threads of its own write to the disk in the background until it is closed.
 */
public final class DurableSieve implements Frontier {
    private static final Logger LOG = LoggerFactory.getLogger(DurableSieve.class);
    private static final int BATCH = Membership.BATCH;
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final AutoCloseable folderLock;
    private final Durability durability;
    private final long capacity;
    private final long checkpointBytes;

    /** Guards all below. Hashing and cache misses happen before it is taken. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Membership filter;
    private final CapacityWatch watch;
    private final LogState state;
    private final LogWriter writer;
    private final LogQueue queue;
    private final Leases leases;
    private long seen;
    private boolean isReleased;

    /** Has locks of its own. */
    private final Checkpointer checkpointer;

    private final List<Keeper> keepers = new ArrayList<>();

    /** Takes the reads of {@link Membership#touch}, so that they are not optimised away. */
    @SuppressWarnings("unused")
    private long touched;

    /**
     * Opens the frontier in a folder, or makes one there, for so many distinct URLs at the rate of
     * {@link Sieve#DEFAULT_FALSE_POSITIVE_RATE}.
     *
     * @throws IOException as in {@link Builder#open}
     */
    public static DurableSieve open(Path directory, long expectedUrls) throws IOException {
        return builder(directory).expectedUrls(expectedUrls).open();
    }

    /** Starts to open the frontier in a folder, or to make one there, with choices. */
    public static Builder builder(Path directory) {
        return new Builder(Objects.requireNonNull(directory, "directory"));
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
     * Makes the frontier in a folder one that can be opened, where {@link Builder#open} refuses it as damaged: keeps all
     * that is whole, and counts what is lost. Files that it changes are kept beside as {@code .broken}.
     *
     * @throws IOException when the disk fails; when another process has the folder; when a file was written by a later
     *     version; or when the settings are gone and no checkpoint knows them
     */
    public static RepairReport repair(Path directory) throws IOException {
        DirectoryLock folderLock = DirectoryLock.acquire(directory);
        try {
            return new Repair(new LocalDisk(directory)).run();
        } finally {
            folderLock.close();
        }
    }

    private DurableSieve(Builder builder, Disk disk, AutoCloseable folderLock, Settings settings, Recovery recovery)
            throws IOException {
        this.folderLock = folderLock;
        durability = builder.durability;
        capacity = settings.capacity();
        OnFull onFull = builder.onFull(settings);
        Recovery.Found found = recovery.run(
                loaded -> new CapacityWatch(loaded.filter(), capacity, onFull, builder.listener, loaded.missed()));
        filter = found.filter();
        watch = found.watch();
        state = found.state();
        seen = found.seen();
        checkpointBytes = Math.max(builder.checkpointBytes, filter.memoryBytes());
        leases = new Leases(builder.leaseTimeoutNanos, state.attempts());
        SegmentLog log = new SegmentLog(
                disk, settings.frontierId(), builder.segmentBytes, found.segments(), found.end(), found.forced());
        writer = new LogWriter(log, state, lock);
        queue = new LogQueue(log, state);
        checkpointer = new Checkpointer(disk, settings, builder.keepLog, found, log, writer, lock);
        if (builder.hasKeepers) {
            keepers.add(new Keeper("sieve-flush", PAUSE_NANOS, this::flushQuietly));
            keepers.add(new Keeper("sieve-checkpoint", PAUSE_NANOS, this::checkpointQuietly));
        }
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
        List<CapacityEvent> events;
        LogPosition end;
        lock.lock();
        try {
            writer.requireUsable();
            watch.refuseIfFull(hash, 1);
            if (!filter.add(hash[0], hash[1])) {
                seen++;
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
     * @throws IllegalArgumentException when a URL has more than 1,048,576 bytes: those of the batches of 64 before it
     *     were accepted
     * @throws UncheckedIOException when the disk fails, now or before; batches of 64 before that were accepted
     */
    @Override
    public int pushAll(Collection<String> urls) {
        UrlBatch batch = new UrlBatch();
        int isNew = 0;
        for (String url : urls) {
            batch.add(url);
            if (batch.size() == BATCH) {
                isNew += pushAll(batch);
                batch.clear();
            }
        }
        return isNew + pushAll(batch);
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
        long touch = filter.touch(hashes, count);
        int isNew;
        List<CapacityEvent> events;
        LogPosition end;
        lock.lock();
        try {
            writer.requireUsable();
            touched = touch;
            watch.refuseIfFull(hashes, count);
            long mask = filter.addAll(hashes, count);
            isNew = Long.bitCount(mask);
            if (isNew > 0) {
                writer.append(isNew, (frames, id) -> frames.write(id, batch, referrer, from, mask));
            }
            end = writer.end();
            batch.noteNew(from, mask);
            seen += count - isNew;
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
        return new Lease(lease.id(), "", 0, 0, null, lease.attempt());
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
                    seen,
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

    private boolean flushQuietly() {
        try {
            if (durability == Durability.PROCESS) {
                flush();
            } else {
                sync();
            }
            return true;
        } catch (RuntimeException e) {
            LOG.debug("nothing is flushed any more", e);
            return false;
        }
    }

    private void flush() {
        lock.lock();
        try {
            writer.requireUsable();
            writer.flush();
        } finally {
            lock.unlock();
        }
    }

    private boolean checkpointQuietly() {
        if (!isCheckpointDue()) {
            return isUsable();
        }
        try {
            checkpoint();
            return true;
        } catch (UncheckedIOException e) {
            LOG.warn("no checkpoint could be written: {}", e.getMessage());
            return isUsable();
        }
    }

    private boolean isCheckpointDue() {
        lock.lock();
        try {
            return checkpointer.isDue(checkpointBytes);
        } finally {
            lock.unlock();
        }
    }

    private boolean isUsable() {
        lock.lock();
        try {
            return writer.isUsable();
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
        keepers.forEach(Keeper::close);
        try {
            if (!isReleased()) {
                flush();
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

    /** The choices that a frontier on the disk is opened with. */
    public static final class Builder {
        private static final long DEFAULT_SEGMENT_BYTES = 64 << 20;

        private final Path directory;
        private Long expectedUrls;
        private Double falsePositiveRate;
        private boolean exact;
        private Long seed;
        private OnFull onFull;
        private Consumer<CapacityEvent> listener = event -> {};
        private Durability durability = Durability.PROCESS;
        private boolean keepLog;
        private long leaseTimeoutNanos = Long.MAX_VALUE;
        private long segmentBytes = DEFAULT_SEGMENT_BYTES;
        private long checkpointBytes = DEFAULT_SEGMENT_BYTES;
        private boolean hasKeepers = true;

        private Builder(Path directory) {
            this.directory = directory;
        }

        /** How many distinct URLs it is made for, at least 1. */
        public Builder expectedUrls(long count) {
            if (count < 1) {
                throw new IllegalArgumentException("expectedUrls < 1: " + count);
            }
            expectedUrls = count;
            return this;
        }

        /** The share of new URLs that may be taken for seen ones when it is full, above 0, below 1; 0.0001. */
        public Builder falsePositiveRate(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException("falsePositiveRate must be above 0 and below 1: " + rate);
            }
            falsePositiveRate = rate;
            return this;
        }

        /** Remembers the whole hash of each URL, some 20 bytes, and never takes a new URL for a seen one; a filter. */
        public Builder exact() {
            exact = true;
            return this;
        }

        /** What happens once it is full; {@link OnFull#WARN}. */
        public Builder onFull(OnFull choice) {
            onFull = Objects.requireNonNull(choice, "onFull");
            return this;
        }

        /** Who is told of each {@link CapacityEvent}, by the thread whose push caused it, outside of any lock; nobody. */
        public Builder onCapacity(Consumer<CapacityEvent> callback) {
            listener = Objects.requireNonNull(callback, "onCapacity");
            return this;
        }

        /** The seed of the hash; a secret random one. Give one only where runs have to be repeatable. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** What accepted URLs survive; {@link Durability#PROCESS}. */
        public Builder durability(Durability level) {
            durability = Objects.requireNonNull(level, "durability");
            return this;
        }

        /**
         * Keeps all of the log; parts of which all is done are removed. Whoever keeps all of it can export what is done,
         * and may open the frontier with another filter, which is then made from the log.
         */
        public Builder keepLog(boolean choice) {
            keepLog = choice;
            return this;
        }

        /** How long a URL may be handed out before it is handed out again, above 0; for ever. */
        public Builder leaseTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("leaseTimeout must be above 0: " + timeout);
            }
            leaseTimeoutNanos = timeout.toNanos();
            return this;
        }

        /** The bytes at which a file of the log is followed by the next one, at least 1; 64 MiB. */
        public Builder segmentBytes(long bytes) {
            segmentBytes = requirePositive("segmentBytes", bytes);
            return this;
        }

        /**
         * The bytes of the log after which a checkpoint is written, at least 1; 64 MiB. It is never done more often than
         * the log has grown by the size of the filter.
         */
        public Builder checkpointBytes(long bytes) {
            checkpointBytes = requirePositive("checkpointBytes", bytes);
            return this;
        }

        private static long requirePositive(String name, long value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " < 1: " + value);
            }
            return value;
        }

        /** Does without threads of its own: nothing happens but in calls. */
        Builder withoutKeepers() {
            hasKeepers = false;
            return this;
        }

        /**
         * Opens the frontier, or makes one where the folder is empty or not there. What an existing one was made with
         * stays as it was unless it is told here; if it is told otherwise, the filter is made again from the log.
         *
         * @throws IllegalArgumentException when there is none and {@link #expectedUrls} was not told; or when something
         *     was told otherwise and the log is not there as a whole
         * @throws IOException when the disk fails; when another process has the folder, which the message names; when a
         *     file is damaged that had been safe on the disk, was written by a later version, or belongs to another
         *     frontier
         */
        public DurableSieve open() throws IOException {
            if (expectedUrls == null && !Files.exists(directory)) {
                throw SettingsWish.nothingThere();
            }
            LocalDisk.makeFolder(directory);
            DirectoryLock folderLock = DirectoryLock.acquire(directory);
            try {
                return open(new LocalDisk(directory), folderLock);
            } catch (IOException | RuntimeException | Error e) {
                folderLock.close();
                throw e;
            }
        }

        /** Opens it on any disk, which nobody else has. */
        DurableSieve open(Disk disk, AutoCloseable folderLock) throws IOException {
            SettingsWish wish = new SettingsWish(kind(), expectedUrls, falsePositiveRate, seed);
            Settings stored = Settings.read(disk);
            if (stored == null) {
                Settings made = wish.make(disk);
                return new DurableSieve(this, disk, folderLock, made, new Recovery(disk, made));
            }
            Settings settings = wish.change(stored);
            Recovery recovery = new Recovery(disk, settings);
            if (!settings.equals(stored)) {
                if (!recovery.isLogWhole()) {
                    throw new IllegalArgumentException("made for " + stored.capacity() + " URLs at "
                            + stored.falsePositiveRate() + " with a filter of the kind " + stored.kind()
                            + "; that can only be changed where all of the log was kept");
                }
                settings.write(disk);
            }
            return new DurableSieve(this, disk, folderLock, settings, recovery);
        }

        private Settings.Kind kind() {
            if (exact) {
                return Settings.Kind.EXACT;
            }
            if (onFull == null) {
                return null;
            }
            return onFull == OnFull.GROW ? Settings.Kind.GROWING : Settings.Kind.BLOOM;
        }

        private OnFull onFull(Settings settings) {
            if (onFull != null) {
                return onFull;
            }
            return settings.kind() == Settings.Kind.GROWING ? OnFull.GROW : OnFull.WARN;
        }
    }
}
