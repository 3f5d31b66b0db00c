package dev.sieve.polite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The options of a schedule.
 *
 * @param <T> the items
 */
public final class ScheduleOptions<T> {
    private long delayNanos = Duration.ofSeconds(1).toNanos();
    private int perHost = 1;
    private int budget = Integer.MAX_VALUE;

    private @Nullable Function<String, @Nullable String> groupOf;

    private Host.Limit groupLimit = new Host.Limit(0, 1, Integer.MAX_VALUE);
    private Host.@Nullable Limit serverLimit;
    private boolean probeFirst;
    private BackOff backOff = new BackOff(Duration.ofSeconds(10), Duration.ofMinutes(30));
    private boolean tellsTrust;
    private @Nullable Path spillDirectory;
    private @Nullable Codec<T> codec;
    private int itemsInMemory;
    private int lanes;
    private @Nullable ToIntFunction<T> laneOf;

    /** Creates the default options. */
    public ScheduleOptions() {}

    /** Sets the least time between the starts of two requests to a host, at least zero. Default: one second. */
    public ScheduleOptions<T> delay(Duration delay) {
        delayNanos = Host.Limit.nanos("delay", delay);
        return this;
    }

    /** Sets how many requests to a host may be under way at a time, 1 to 32,767. Default: 1. */
    public ScheduleOptions<T> perHost(int requests) {
        perHost = check("requests to a host at a time", requests, Short.MAX_VALUE);
        return this;
    }

    /**
     * Sets whether only one request to a host, for its robots.txt, may be under way until {@link HostSchedule#open} is
     * called. Default: false. A host that was forgotten is probed again.
     */
    public ScheduleOptions<T> probeFirst(boolean probeFirst) {
        this.probeFirst = probeFirst;
        return this;
    }

    /** Sets the pause after consecutive failures. Default: from ten seconds to half an hour. */
    public ScheduleOptions<T> backOff(BackOff backOff) {
        this.backOff = Objects.requireNonNull(backOff, "backOff");
        return this;
    }

    /**
     * Sets how many items are accepted per host, at least one. Default: no limit. With a limit, hosts with accepted
     * items are never forgotten.
     */
    public ScheduleOptions<T> budget(int items) {
        budget = check("items for a host", items, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets additional limits that hosts share, such as those of one registrable domain. Default: no groups.
     *
     * @param groupOf returns the group of a host, null for none; called once when a host is first seen
     * @param delay the least time between the starts of two requests to the group; at least zero
     * @param requests how many requests to the group may be under way at a time; 1 to 32,767
     * @param items how many items are accepted for the group; at least one
     */
    public ScheduleOptions<T> groups(
            Function<String, @Nullable String> groupOf, Duration delay, int requests, int items) {
        this.groupOf = Objects.requireNonNull(groupOf, "groupOf");
        groupLimit = new Host.Limit(
                Host.Limit.nanos("delay of a group", delay),
                check("requests to a group at a time", requests, Short.MAX_VALUE),
                check("items for a group", items, Integer.MAX_VALUE));
        return this;
    }

    /**
     * Sets limits that hosts with the same {@linkplain HostSchedule#usesServer server} share, in addition to those of
     * their group. Default: none.
     *
     * @param delay the least time between the starts of two requests to a server; at least zero
     * @param requests how many requests to a server may be under way at a time; 1 to 32,767
     */
    public ScheduleOptions<T> servers(Duration delay, int requests) {
        serverLimit = new Host.Limit(
                Host.Limit.nanos("delay of a server", delay),
                check("requests to a server at a time", requests, Short.MAX_VALUE),
                Integer.MAX_VALUE);
        return this;
    }

    /**
     * Requests some items of a host before its others: those of a lane before those of the next lane, and in the order
     * in which they were added within it. Default: one lane. A host takes about 100 bytes more per lane that it uses.
     *
     * @param lanes how many lanes there are before that of the other items; at least one
     * @param laneOf returns the lane of an item, from 0 to {@code lanes}; always the same for an item
     */
    public ScheduleOptions<T> lanes(int lanes, ToIntFunction<T> laneOf) {
        this.lanes = check("lanes", lanes, Byte.MAX_VALUE);
        this.laneOf = Objects.requireNonNull(laneOf, "laneOf");
        return this;
    }

    /**
     * Sets whether hosts are distinguished by their {@link Trust}; to those that are not proven, one request at a time
     * is made then. Default: false.
     */
    public ScheduleOptions<T> tellTrust(boolean choice) {
        tellsTrust = choice;
        return this;
    }

    /**
     * Keeps further items in a temporary file, which is deleted when the schedule is closed. Default: all items are
     * kept in memory.
     *
     * @param directory where the file is created; must exist
     * @param itemsInMemory about how many items are kept in memory, by their {@link Codec#size}; at least one
     */
    public ScheduleOptions<T> spill(Path directory, Codec<T> codec, int itemsInMemory) {
        spillDirectory = Objects.requireNonNull(directory, "directory");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.itemsInMemory = check("items in memory", itemsInMemory, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Returns an empty schedule.
     *
     * @param startNanos the moment before which no host is requested: the present or, for a crawl that continues
     *     after a restart, the present and a delay, since any host may have been requested just before
     * @throws UncheckedIOException when the spill file cannot be created
     */
    public HostSchedule<T> build(long startNanos) {
        Host.Limit hostLimit = new Host.Limit(delayNanos, perHost, budget);
        try {
            SpillQueues spill = spillDirectory == null ? null : new SpillQueues(new BlockFile(spillDirectory));
            return new HostSchedule<>(
                    hostLimit,
                    groupLimit,
                    backOff,
                    tellsTrust,
                    // Hosts that are probed may be given their delay again.
                    new HostTable(hostLimit, groupLimit, serverLimit, groupOf, lanes, !probeFirst),
                    new HostSelector(hostLimit, probeFirst, tellsTrust, startNanos),
                    new ItemQueues<>(spill, codec, itemsInMemory, laneOf));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int check(String name, int value, int max) {
        if (value < 1 || value > max) {
            String limit = value < 1 ? "at least 1" : "at most " + max;
            throw new IllegalArgumentException(name + " must be " + limit + ": " + value);
        }
        return value;
    }
}
