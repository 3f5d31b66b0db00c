package dev.sieve.polite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * The options of a {@link HostSchedule}.
 *
 * @param <T> the items
 */
public final class ScheduleBuilder<T> {
    /** Longer durations count as this one, far below where the difference of two moments overflows. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private long delayNanos = Duration.ofSeconds(1).toNanos();
    private int perHost = 1;
    private boolean probeFirst;
    private BackOff backOff = new BackOff(Duration.ofSeconds(10), Duration.ofMinutes(30));
    private int budget = Integer.MAX_VALUE;
    private Function<String, String> groupOf;
    private long groupDelayNanos;
    private int perGroup = 1;
    private int groupBudget = Integer.MAX_VALUE;
    private boolean tellsProven;
    private Path spillDirectory;
    private Codec<T> codec;
    private int itemsInMemory;

    ScheduleBuilder() {}

    /** The least time between the starts of two requests to one host; a second unless set, at least zero. */
    public ScheduleBuilder<T> delay(Duration delay) {
        delayNanos = nanos("delay", delay);
        return this;
    }

    /** How many requests to one host may be under way at a time; one unless set, at most 32,767. */
    public ScheduleBuilder<T> perHost(int requests) {
        perHost = atOnce("requests to a host at a time", requests);
        return this;
    }

    /**
     * Whether only one request to a host may be under way until {@link HostSchedule#open} is called, so that its
     * robots.txt can be fetched first; false unless set. A host that was forgotten begins anew.
     */
    public ScheduleBuilder<T> probeFirst(boolean probeFirst) {
        this.probeFirst = probeFirst;
        return this;
    }

    /** The pause after failures in a row; from ten seconds to half an hour unless set. */
    public ScheduleBuilder<T> backOff(BackOff backOff) {
        this.backOff = Objects.requireNonNull(backOff, "backOff");
        return this;
    }

    /**
     * How many items are taken for one host; without bound unless set, at least one. Hosts that items were taken for are
     * then never forgotten.
     */
    public ScheduleBuilder<T> budget(int items) {
        budget = atLeastOne("items for a host", items);
        return this;
    }

    /**
     * A further limit that hosts share: those of one registrable domain, say, or of one address. Delay, requests at a
     * time and budget of the group hold beside those of each host.
     *
     * @param groupOf the group of a host, asked once when the host is first heard of; null for none
     * @param delay the least time between the starts of two requests to the group; at least zero
     * @param requests how many requests to the group may be under way at a time; 1 to 32,767
     * @param items how many items are taken for the group; at least one
     */
    public ScheduleBuilder<T> groups(Function<String, String> groupOf, Duration delay, int requests, int items) {
        this.groupOf = Objects.requireNonNull(groupOf, "groupOf");
        groupDelayNanos = nanos("delay of a group", delay);
        perGroup = atOnce("requests to a group at a time", requests);
        groupBudget = atLeastOne("items for a group", items);
        return this;
    }

    /**
     * Whether hosts that have proven that they answer are told from the others, see {@link HostSchedule#prove}; false
     * unless set. Then one request at a time is made to the others.
     */
    public ScheduleBuilder<T> tellProven(boolean choice) {
        tellsProven = choice;
        return this;
    }

    /**
     * Keeps items that memory has no room for in a temporary file; all are kept in memory unless this is set. The file is
     * deleted when the schedule is closed: it is no record of what waits.
     *
     * @param directory where the file is made; must exist
     * @param codec how items are written and read
     * @param itemsInMemory about how many items are kept in memory; at least one
     */
    public ScheduleBuilder<T> spill(Path directory, Codec<T> codec, int itemsInMemory) {
        spillDirectory = Objects.requireNonNull(directory, "directory");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.itemsInMemory = atLeastOne("items in memory", itemsInMemory);
        return this;
    }

    /**
     * An empty schedule.
     *
     * @param startNanos the moment before which no host is asked: the present or, for a crawl that goes on after a
     *     restart, the present and a delay, since any host may have been asked just before
     * @throws UncheckedIOException when the spill file cannot be made
     */
    public HostSchedule<T> build(long startNanos) {
        ScheduleLimits limits = new ScheduleLimits(
                delayNanos,
                perHost,
                probeFirst,
                backOff,
                budget,
                groupOf,
                groupDelayNanos,
                perGroup,
                groupBudget,
                tellsProven);
        return new HostSchedule<>(limits, queues(), startNanos);
    }

    private HostQueues<T> queues() {
        try {
            SpillQueues spill = spillDirectory == null ? null : new SpillQueues(new BlockFile(spillDirectory));
            return new HostQueues<>(spill, codec, itemsInMemory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long nanos(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    private static int atOnce(String name, int value) {
        if (value < 1 || value > Short.MAX_VALUE) {
            throw new IllegalArgumentException(name + " must be 1 to " + Short.MAX_VALUE + ": " + value);
        }
        return value;
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + value);
        }
        return value;
    }
}
