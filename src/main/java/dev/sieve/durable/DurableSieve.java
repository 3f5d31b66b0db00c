package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.CapacityEvent;
import dev.sieve.Deduplicator;
import dev.sieve.FilterKind;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Leases;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.BloomSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
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
 * <p>Safe for use by many threads. Duplicates are detected without a lock, so push may return false for a URL that another
 * thread is still writing; call {@link #sync} before recording that result elsewhere. Two threads of its own write to the
 * disk in the background until it is closed. {@link DurableFolder} has the tools for a folder that is not open.
 */
public final class DurableSieve implements Frontier {
    private final AutoCloseable folderLock;
    private final Deduplicator deduplicator;

    /** Guards all below. */
    private final ReentrantLock lock;

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
     * @throws DamageException as in {@link Builder#open}
     * @throws IOException as in {@link Builder#open}
     */
    public static DurableSieve open(Path directory, long expectedUrls) throws IOException {
        return builder(directory).expectedUrls(expectedUrls).open();
    }

    /** Starts to open the frontier in a folder, or to make one there, with choices. */
    public static Builder builder(Path directory) {
        return new Builder(Objects.requireNonNull(directory, "directory"));
    }

    private DurableSieve(Builder builder, Disk disk, AutoCloseable folderLock, Settings settings, Recovery.Found found)
            throws IOException {
        this.folderLock = folderLock;
        deduplicator = found.deduplicator();
        lock = deduplicator.lock();
        state = found.state();
        leases = new Leases(builder.leaseTimeoutNanos, state.attempts());
        SegmentLog log = new SegmentLog(
                disk, settings.frontierId(), builder.segmentBytes, found.segments(), found.end(), found.forced());
        writer = new LogWriter(log, state, lock, builder.durability);
        queue = new LogQueue(log, state);
        checkpointer = new Checkpointer(disk, settings, builder.keepLog, found, log, writer, lock);
        long checkpointBytes = Math.max(builder.checkpointBytes, found.filter().memoryBytes());
        upkeep = builder.hasKeepers
                ? new Upkeep(builder.durability, writer, () -> checkpointer.isDue(checkpointBytes), this::checkpoint)
                : null;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, refuses new URLs then, and the URL is new
     * @throws IllegalArgumentException when the URL has more than 1,048,576 bytes
     * @throws UncheckedIOException when the disk fails, now or before; the URL is not accepted
     */
    @Override
    public boolean push(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        UrlFrameWriter.checkLength("URL", utf8.length);
        return deduplicator.push(utf8, writer);
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the sieve is full, refuses new URLs then, and there is one among the next 64: those
     *     before them were pushed
     * @throws IllegalArgumentException when a URL, a key or the referrer has more than 1,048,576 bytes; nothing of the
     *     batch was accepted
     * @throws UncheckedIOException when the disk fails, now or before; URLs that the batch says are new may be accepted
     */
    @Override
    public int pushAll(UrlBatch batch) {
        UrlFrameWriter.check(batch);
        return deduplicator.pushAll(batch, writer);
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
            OptionalLong due = leases.pollDue(nowNanos);
            Lease next = due.isPresent() ? queue.reread(due.getAsLong()) : queue.poll();
            if (next != null) {
                leases.hold(next, nowNanos);
            }
            return next;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
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
            if (!leases.delay(lease, readyNanos)) {
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
            return deduplicator.stats(state.accepted(), state.open() - leases.held(), leases.held(), state.doneCount());
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

    /** The choices that a frontier on the disk is opened with. Not safe for use by many threads. */
    public static final class Builder {
        private static final long DEFAULT_SEGMENT_BYTES = 64 << 20;

        private final Path directory;
        private Long expectedUrls;
        private Double falsePositiveRate;
        private FilterKind kind;
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

        /**
         * The share of new URLs that may be taken for seen ones when it is full. Default: 0.0001.
         *
         * @throws IllegalArgumentException when it is not from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
         */
        public Builder falsePositiveRate(double rate) {
            falsePositiveRate = BloomSize.checkRate(rate);
            return this;
        }

        /** The filter. Default: {@link FilterKind#SPLIT_BLOCKS}, or {@link FilterKind#GROWING} for a frontier that grows. */
        public Builder filter(FilterKind choice) {
            kind = Objects.requireNonNull(choice, "filter");
            return this;
        }

        /** What happens once it is full. Default: {@link OnFull#WARN}, or what the filter is made for. */
        public Builder onFull(OnFull choice) {
            onFull = Objects.requireNonNull(choice, "onFull");
            return this;
        }

        /**
         * Receives each {@link CapacityEvent}, on the thread whose push caused it, outside the lock. Default: no listener.
         */
        public Builder onCapacity(Consumer<CapacityEvent> callback) {
            listener = Objects.requireNonNull(callback, "onCapacity");
            return this;
        }

        /** The seed of the hash. Default: a secret random one. Give one only where runs have to be repeatable. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** What accepted URLs survive. Default: {@link Durability#PROCESS}. */
        public Builder durability(Durability level) {
            durability = Objects.requireNonNull(level, "durability");
            return this;
        }

        /**
         * Whether all of the log is kept. Then URLs that are done can be exported, and the frontier can be opened with another
         * filter, which is made from the log. Default: parts of which all is done are removed.
         */
        public Builder keepLog(boolean choice) {
            keepLog = choice;
            return this;
        }

        /** How long a URL may be handed out before it is handed out again, above 0. Default: leases do not expire. */
        public Builder leaseTimeout(Duration timeout) {
            leaseTimeoutNanos = Leases.timeoutNanos(timeout);
            return this;
        }

        /** The bytes at which a file of the log is followed by the next one, at least 1. Default: 64 MiB. */
        public Builder segmentBytes(long bytes) {
            segmentBytes = requirePositive("segmentBytes", bytes);
            return this;
        }

        /**
         * The bytes of the log after which a checkpoint is written, at least 1. Default: 64 MiB. The log also grows by at
         * least the size of the filter between two checkpoints.
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

        /** Starts no threads: nothing happens outside calls. */
        Builder withoutKeepers() {
            hasKeepers = false;
            return this;
        }

        /**
         * Opens the frontier, or makes one where the folder is empty or missing. An existing one keeps what it was made with
         * where nothing was chosen here; where something else was chosen, its filter is made again from the log.
         *
         * @throws IllegalArgumentException when there is no frontier and {@link #expectedUrls} was not given; when the filter
         *     would take more memory than an array can have, or cannot do what was chosen for a full frontier; when something
         *     else was chosen and part of the log was removed; or when fewer URLs are expected than the frontier holds.
         *     Nothing is made or changed
         * @throws DamageException when a file is damaged or missing that had been safe on the disk; see
         *     {@link DurableFolder#repair}
         * @throws IOException when the disk fails; when another process has the folder, which the message names; or when a
         *     file was written by a later version, or belongs to another frontier
         */
        public DurableSieve open() throws IOException {
            wish(null).tryOut(directory);
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
            Settings stored = Settings.read(disk);
            Settings settings =
                    stored == null ? wish(null).make(disk) : wish(stored).change(stored, disk);
            OnFull full = onFull(settings);
            Recovery.Found found = new Recovery(disk, settings)
                    .run(filter -> new Deduplicator(filter, settings.capacity(), full, listener));
            if (stored != null && !settings.equals(stored)) {
                settings.write(disk);
            }
            return new DurableSieve(this, disk, folderLock, settings, found);
        }

        /** What is wished for, given the settings of an existing frontier; null when there is none. */
        private SettingsWish wish(Settings stored) {
            FilterKind wished = kind(stored);
            return new SettingsWish(
                    wished == null ? null : Settings.Kind.of(wished), expectedUrls, falsePositiveRate, seed);
        }

        /** Null where the filter stays as it is. */
        private FilterKind kind(Settings stored) {
            if (kind != null) {
                kind.check(onFull == null ? kind.defaultOnFull() : onFull);
                return kind;
            }
            if (onFull == OnFull.GROW) {
                return FilterKind.GROWING;
            }
            boolean mustStopGrowing = onFull != null && stored != null && stored.kind() == Settings.Kind.GROWING;
            return mustStopGrowing ? FilterKind.SPLIT_BLOCKS : null;
        }

        private OnFull onFull(Settings settings) {
            return onFull != null ? onFull : settings.kind().filter.defaultOnFull();
        }
    }
}
