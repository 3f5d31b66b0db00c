package dev.sieve.durable;

import dev.sieve.CapacityEvent;
import dev.sieve.CapacityWatch;
import dev.sieve.FilterKind;
import dev.sieve.OnFull;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** The choices that a frontier on the disk is opened with. Not safe for use by many threads. */
public final class DurableSieveBuilder {
    private static final long DEFAULT_SEGMENT_BYTES = 64 << 20;

    private final Path directory;
    private Long expectedUrls;
    private Double falsePositiveRate;
    private FilterKind kind;
    private Long seed;
    private OnFull onFull;
    private Consumer<CapacityEvent> listener = event -> {};
    Durability durability = Durability.PROCESS;
    boolean keepLog;
    long leaseTimeoutNanos = Long.MAX_VALUE;
    long segmentBytes = DEFAULT_SEGMENT_BYTES;
    long checkpointBytes = DEFAULT_SEGMENT_BYTES;
    boolean hasKeepers = true;

    DurableSieveBuilder(Path directory) {
        this.directory = directory;
    }

    /** How many distinct URLs it is made for, at least 1. */
    public DurableSieveBuilder expectedUrls(long count) {
        if (count < 1) {
            throw new IllegalArgumentException("expectedUrls < 1: " + count);
        }
        expectedUrls = count;
        return this;
    }

    /** The share of new URLs that may be taken for seen ones when it is full, above 0, below 1; 0.0001. */
    public DurableSieveBuilder falsePositiveRate(double rate) {
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("falsePositiveRate must be above 0 and below 1: " + rate);
        }
        falsePositiveRate = rate;
        return this;
    }

    /** The filter. Default: {@link FilterKind#SPLIT_BLOCKS}, or {@link FilterKind#GROWING} for a frontier that grows. */
    public DurableSieveBuilder filter(FilterKind choice) {
        kind = Objects.requireNonNull(choice, "filter");
        return this;
    }

    /** What happens once it is full. Default: {@link OnFull#WARN}, or what the filter is made for. */
    public DurableSieveBuilder onFull(OnFull choice) {
        onFull = Objects.requireNonNull(choice, "onFull");
        return this;
    }

    /** Who is told of each {@link CapacityEvent}, by the thread whose push caused it, outside of any lock; nobody. */
    public DurableSieveBuilder onCapacity(Consumer<CapacityEvent> callback) {
        listener = Objects.requireNonNull(callback, "onCapacity");
        return this;
    }

    /** The seed of the hash; a secret random one. Give one only where runs have to be repeatable. */
    public DurableSieveBuilder seed(long value) {
        seed = value;
        return this;
    }

    /** What accepted URLs survive; {@link Durability#PROCESS}. */
    public DurableSieveBuilder durability(Durability level) {
        durability = Objects.requireNonNull(level, "durability");
        return this;
    }

    /**
     * Keeps all of the log; parts of which all is done are removed. Whoever keeps all of it can export what is done,
     * and may open the frontier with another filter, which is then made from the log.
     */
    public DurableSieveBuilder keepLog(boolean choice) {
        keepLog = choice;
        return this;
    }

    /** How long a URL may be handed out before it is handed out again, above 0; for ever. */
    public DurableSieveBuilder leaseTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("leaseTimeout must be above 0: " + timeout);
        }
        leaseTimeoutNanos = timeout.toNanos();
        return this;
    }

    /** The bytes at which a file of the log is followed by the next one, at least 1; 64 MiB. */
    public DurableSieveBuilder segmentBytes(long bytes) {
        segmentBytes = requirePositive("segmentBytes", bytes);
        return this;
    }

    /**
     * The bytes of the log after which a checkpoint is written, at least 1; 64 MiB. It is never done more often than
     * the log has grown by the size of the filter.
     */
    public DurableSieveBuilder checkpointBytes(long bytes) {
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
    DurableSieveBuilder withoutKeepers() {
        hasKeepers = false;
        return this;
    }

    /**
     * Opens the frontier, or makes one where the folder is empty or not there. What an existing one was made with stays
     * as it was unless it is told here; if it is told otherwise, the filter is made again from the log.
     *
     * @throws IllegalArgumentException when there is none and {@link #expectedUrls} was not told, or needs more memory
     *     than an array can have; when something was told otherwise and the log is not there as a whole; or when fewer URLs
     *     are expected than it was made for, and than it holds. Nothing is made or changed
     * @throws IOException when the disk fails; when another process has the folder, which the message names; when a
     *     file is damaged that had been safe on the disk, was written by a later version, or belongs to another
     *     frontier
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
                .run(loaded ->
                        new CapacityWatch(loaded.filter(), settings.capacity(), full, listener, loaded.missed()));
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
