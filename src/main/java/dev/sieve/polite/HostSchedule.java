package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a crawl: one first-in, first-out queue per host, or per {@linkplain Builder#lanes lane} of a host, and the
 * rules when a host may be requested.
 *
 * <p>The starts of two requests to a host are at least its delay apart, and a limited number of requests to it are under
 * way at a time; one, while the host fails. Hosts may share a further limit, as a group, and another one with the hosts that
 * have the same {@linkplain #usesServer server}. Of the hosts that may be
 * requested, every other request goes to the one that has been ready the longest, so that no host starves. The requests
 * between go to the hosts with the most work left, because these determine when a crawl ends.
 *
 * <p>A request begins when {@link #poll(long) poll} returns its item, and ends in exactly one of five ways:
 * {@link #finished}; {@link #hold}, which blocks its slot; {@link #failed}, which makes the host back off;
 * {@link #skipped}, when it was not made at all; or {@link #dropped}, when its item does not count. While it is under way, {@link #pollMore} returns further items for it.
 *
 * <p>Time is passed in, from any clock that never runs backwards, such as {@link System#nanoTime()}.
 *
 * <p>Not safe for use by many threads: call it under one lock. Adding, polling and ending take O(log n) for the number n
 * of hosts that wait for their delay, and O(1) disk accesses for items that are spilled. A host takes about 120 bytes while
 * it has work; after that, and after its delay, it may be forgotten when its memory is needed for another host.
 *
 * <p>If items are spilled, every method may throw {@link UncheckedIOException}, which names the file and the offset. If
 * {@link #add} throws it, the item was not added. If a poll or {@link #clear} throws it, the schedule must not be used any
 * more.
 *
 * @param <T> the items
 */
public final class HostSchedule<T> implements Closeable {
    /** Longer durations are reduced to this, so that differences of moments do not overflow. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final Host.Limit hostLimit;
    private final Host.Limit groupLimit;
    private final boolean tellsTrust;
    private final BackOff backOff;

    private final HostTable hosts;
    private final HostSelector selector;
    private final ItemQueues<T> queues;
    private final WaitMeter meter = new WaitMeter();

    private long queued;
    private int underWay;
    private int hostsWithWork;

    private HostSchedule(Builder<T> options, ItemQueues<T> queues, long startNanos) {
        hostLimit = new Host.Limit(options.delayNanos, options.perHost, options.budget);
        groupLimit = options.groupLimit;
        tellsTrust = options.tellsTrust;
        backOff = options.backOff;
        // Hosts that are probed may be given their delay again.
        hosts = new HostTable(
                hostLimit, groupLimit, options.serverLimit, options.groupOf, options.lanes, !options.probeFirst);
        selector = new HostSelector(hostLimit, options.probeFirst, tellsTrust, startNanos);
        this.queues = queues;
    }

    /** Returns the default options. */
    public static <T> Builder<T> builder() {
        return new Builder<>();
    }

    /**
     * Queues an item after the others of its host.
     *
     * @return false when the budget of the host or of its group is used up, so that the item is not queued
     */
    public boolean add(String hostName, T item) {
        Host host = get(hostName);
        Host.Group group = host.group();
        if (host.accepted() >= hostLimit.budget() || (group != null && group.accepted() >= groupLimit.budget())) {
            return false;
        }
        add(host, item, false);
        host.accept(1);
        return true;
    }

    /** Queues an item as {@link #add}, but without counting it in a budget, because it was returned before. */
    public void addAgain(String hostName, T item) {
        add(get(hostName), item, false);
    }

    /** Queues an item that was returned before ahead of the others of its host and lane, without counting it in a budget. */
    public void putBack(String hostName, T item) {
        add(get(hostName), item, true);
    }

    private void add(Host host, T item, boolean isFirst) {
        boolean hadWork = host.hasWork();
        queues.add(host, Objects.requireNonNull(item, "item"), isFirst);
        hostsWithWork += hadWork ? 0 : 1;
        queued++;
        selector.settle(host);
    }

    /**
     * Returns the next item whose host may be requested now; its request counts as started at this moment.
     *
     * @return null without an item; {@link #waitNanos} returns for how long
     */
    public @Nullable T poll(long nowNanos) {
        return poll(nowNanos, Trust.UNKNOWN);
    }

    /**
     * Returns the next item whose host may be requested now, of the hosts that are trusted enough.
     *
     * @return null without an item; {@link #waitNanos} returns for how long
     */
    public @Nullable T poll(long nowNanos, Trust least) {
        selector.advance(nowNanos);
        Host host = selector.next(nowNanos, least);
        if (host == null) {
            boolean waits = selector.waiting.size() > 0;
            if (waits || (queued > 0 && !selector.holdsUnproven())) {
                meter.starved(nowNanos, !waits);
            }
            return null;
        }
        T item = removeFirst(host);
        meter.served(nowNanos, host);
        underWay++;
        selector.start(host, nowNanos);
        return item;
    }

    /**
     * Returns the next item of one host, out of turn, if the host may be requested now; its request counts as started at
     * this moment. Whether the host is proven does not matter.
     *
     * @return null when the host has no item or must not be requested now
     */
    public @Nullable T poll(String hostName, long nowNanos) {
        selector.advance(nowNanos);
        Host host = hosts.find(hostName);
        if (host == null || !selector.takeOutOfTurn(host, nowNanos)) {
            return null;
        }
        T item = removeFirst(host);
        meter.served(nowNanos, host);
        underWay++;
        selector.startOutOfTurn(host, nowNanos);
        return item;
    }

    /**
     * Returns a further item of a host for the request that was started last, for a request that takes several items: no
     * further request counts as started.
     *
     * @return null when the host has no further item
     * @throws IllegalStateException when no request to the host is under way
     */
    public @Nullable T pollMore(String hostName) {
        Host host = requested(hostName);
        if (!host.hasWork()) {
            return null;
        }
        T item = removeFirst(host);
        selector.settle(host);
        return item;
    }

    private T removeFirst(Host host) {
        T item = queues.removeFirst(host);
        queued--;
        hostsWithWork -= host.hasWork() ? 0 : 1;
        return item;
    }

    /**
     * Removes all queued items of a host; requests that are under way are not affected. The items remain counted in the
     * budget of the host.
     *
     * @return how many items were removed
     */
    public int clear(String hostName) {
        Host host = hosts.find(hostName);
        if (host == null || !host.hasWork()) {
            return 0;
        }
        int removed = host.items();
        queues.clear(host);
        queued -= removed;
        hostsWithWork--;
        selector.settle(host);
        return removed;
    }

    /**
     * Returns how long a host had to wait for its delay or a back-off before the request that was started last, although it
     * had items and could have been requested otherwise; in milliseconds. The wait for a request that was {@link #skipped}
     * counts for the next one. The delay of a group is not included.
     */
    public Duration waited(String hostName) {
        return Duration.ofMillis(requested(hostName).lastWaitMillis);
    }

    /**
     * Returns how long to wait before the next poll of any host, if nothing else happens: 0 when it has an item now,
     * {@link Long#MAX_VALUE} when nothing is queued, or only for hosts whose requests have to end first.
     */
    public long waitNanos(long nowNanos) {
        return waitNanos(nowNanos, Trust.UNKNOWN);
    }

    /** Returns how long to wait before the next poll of the hosts that are trusted enough. */
    public long waitNanos(long nowNanos, Trust least) {
        selector.advance(nowNanos);
        return selector.next(nowNanos, least) == null ? selector.waitNanos(nowNanos, least) : 0;
    }

    /** Sets whether a host has shown that it responds; no effect on a host that is not stored. */
    public void trust(String hostName, Trust trust) {
        Host host = hosts.find(hostName);
        if (host != null) {
            host.trust = trust.toByte();
            selector.settle(host);
        }
    }

    /** Returns whether a host has shown that it responds; {@link Trust#PROVEN} where hosts are not distinguished by that. */
    public Trust trust(String hostName) {
        Host host = hosts.find(hostName);
        return host != null ? selector.trust(host) : tellsTrust ? Trust.UNKNOWN : Trust.PROVEN;
    }

    /** Returns how many hosts of a trust above {@link Trust#UNKNOWN} have queued items, without a back-off, or requests under way. */
    public int atWork(Trust trust) {
        return selector.atWork(trust);
    }

    /** Returns whether hosts may be ready that are not proven. */
    public boolean holdsUnproven() {
        return selector.holdsUnproven();
    }

    /**
     * Records that a request to a host is sent at this moment: the delay counts from here, because the name lookup and
     * the connection may have taken longer than that. Also applies to hosts that no poll has returned.
     */
    public void sent(String hostName, long nowNanos) {
        sent(hostName, false, nowNanos);
    }

    /** Does the same, also for a further request for the same item: its delay is added to that of the others. */
    public void sent(String hostName, boolean isFurther, long nowNanos) {
        selector.advance(nowNanos);
        selector.sent(get(hostName), isFurther, nowNanos);
    }

    /**
     * Returns how long a request to a host has to wait that a page of another site needs; 0 if it may be made now, which is then
     * counted. Without a wait, a host receives a number of them, and then one per turn, of which it has fewer while it has work;
     * none before the end of a back-off.
     *
     * @param isWithin whether it is one of the first ones of the page; others wait until all before them have had their turn
     */
    public long lend(String hostName, boolean isWithin, long nowNanos) {
        selector.advance(nowNanos);
        return selector.lend(get(hostName), isWithin, nowNanos);
    }

    /** Records that such a request is sent at this moment: between two requests of its own, a host waits one delay for all of them. */
    public void lent(String hostName, long nowNanos) {
        selector.advance(nowNanos);
        selector.lent(get(hostName), nowNanos);
    }

    /**
     * Returns the server of a host, for which a request counts from its poll until {@link #leftServer}; null if not known.
     */
    public @Nullable String server(String hostName) {
        Host host = hosts.find(hostName);
        return host == null ? null : HostTable.serverName(host);
    }

    /**
     * Notes which server a request uses that is under way, before anything is sent there. From now on, it is the server of
     * the host.
     *
     * @param before the server for which the request counts so far; null for none
     * @param name the server for which it counts from now on; null for none
     * @return whether it may be requested now; if not, the request counts for no server, and is to be {@link #skipped}
     */
    public boolean usesServer(String hostName, @Nullable String before, @Nullable String name, long nowNanos) {
        selector.advance(nowNanos);
        Host host = requested(hostName);
        if (!Objects.equals(HostTable.serverName(host), name)) {
            setServer(host, name);
        }
        if (Objects.equals(before, name)) {
            return true;
        }
        leftServer(before, nowNanos);
        boolean mayStart = selector.isFree(host.server());
        selector.begin(mayStart ? host.server() : null, nowNanos);
        return mayStart;
    }

    private void setServer(Host host, @Nullable String name) {
        Host.Group before = host.server();
        if (before != null) {
            before.members.remove(host);
            selector.settle(before);
        }
        hosts.setServer(host, name, selector.clock);
        selector.settle(host);
    }

    /** Ends a request to a server, besides that to its host; no effect without one. */
    public void leftServer(@Nullable String name, long nowNanos) {
        selector.advance(nowNanos);
        Host.Group server = name == null ? null : hosts.findServer(name);
        if (server != null) {
            server.underWay--;
            selector.settle(server);
        }
    }

    /** Ends a request that succeeded. */
    public void finished(String hostName, long nowNanos) {
        selector.advance(nowNanos);
        Host host = requested(hostName);
        host.failures = 0;
        end(hostName, host);
    }

    /**
     * Ends a request that succeeded, but keeps its slot of the host taken until it is {@link #release released}. The group
     * of the host is free.
     */
    public void hold(String hostName) {
        underWay--;
        selector.hold(requested(hostName));
    }

    /** Frees a slot that is {@link #hold held}. */
    public void release(String hostName, long nowNanos) {
        underWay++;
        selector.unhold(requested(hostName));
        finished(hostName, nowNanos);
    }

    /**
     * Ends a request that failed: the host responded that it is overloaded, or not at all. The host is not requested for the
     * pause that it requested, and at least for one that doubles with every consecutive failure; then one request at a time
     * is made until one is {@link #finished}. It is not proven any more. Of requests that were under way together, the failures count as one, except
     * for the last.
     *
     * @param retryAfter the pause that the host requested, see {@link RetryAfter}; zero for none
     * @return how many consecutive requests to the host have failed, up to 127
     */
    public int failed(String hostName, Duration retryAfter, long nowNanos) {
        selector.advance(nowNanos);
        Host host = requested(hostName);
        boolean isConsecutive = host.failures == 0 || host.underWay == 1;
        int failures = Math.min(Byte.MAX_VALUE, host.failures + (isConsecutive ? 1 : 0));
        host.failures = (byte) failures;
        host.trust = (byte) Math.min(host.trust, Trust.RESPONDED.toByte());
        selector.backOff(host, nowNanos + nanos("pause", backOff.pause(failures, retryAfter)));
        end(hostName, host);
        return failures;
    }

    /**
     * Ends a request that was not made, as when robots.txt forbids it: no delay follows.
     *
     * @param polledNanos the moment at which a poll returned the item
     */
    public void skipped(String hostName, long polledNanos, long nowNanos) {
        selector.advance(nowNanos);
        Host host = requested(hostName);
        selector.forgive(host, polledNanos);
        end(hostName, host);
    }

    /**
     * Ends a request that was not made, since its item is not wanted any more, at the moment at which a poll returned it:
     * as if the item had not been added.
     *
     * @param isAgain whether the item was added without being counted in a budget
     */
    public void dropped(String hostName, boolean isAgain, long nowNanos) {
        skipped(hostName, nowNanos, nowNanos);
        leftServer(server(hostName), nowNanos);
        get(hostName).accept(isAgain ? 0 : -1);
    }

    private void end(String hostName, Host host) {
        meter.ended(hostName, host);
        underWay--;
        selector.end(host);
    }

    /** Ends the probe of a host, see {@link Builder#probeFirst}. */
    public void open(String hostName) {
        Host host = get(hostName);
        host.isOpen = true;
        selector.settle(host);
    }

    /**
     * Sets the delay of one host, such as the Crawl-delay of its robots.txt, from its last request on; it applies where it
     * is longer than the delay of all hosts. Rounded up to milliseconds, at most 24 days.
     */
    public void delay(String hostName, Duration delay) {
        long millis = (nanos("delay", delay) + 999_999) / 1_000_000;
        selector.setDelay(get(hostName), (int) Math.min(Integer.MAX_VALUE, millis));
    }

    /** Returns the present delay of a host; null when the host is not known, or not any more. */
    public @Nullable Duration delay(String hostName) {
        Host host = hosts.find(hostName);
        return host == null ? null : Duration.ofNanos(selector.delayOf(host));
    }

    /** Makes no request to a host until a moment, or until its delay or another back-off ends if that is later. */
    public void backOff(String hostName, long untilNanos) {
        selector.backOff(get(hostName), untilNanos);
    }

    /**
     * Gives a host up: its items, present and future, are returned without delay or back-off, because no request is made
     * for them.
     */
    public void giveUp(String hostName) {
        Host host = get(hostName);
        if (host.server() != null) {
            setServer(host, null);
        }
        selector.giveUp(host);
    }

    /** Returns whether a host was given up. */
    public boolean isGivenUp(String hostName) {
        Host host = hosts.find(hostName);
        return host != null && host.isGivenUp;
    }

    /** Returns an empty queue of items that are not scheduled yet. */
    public ItemQueue<T> newQueue() {
        return new ItemQueue<>(queues);
    }

    /** Returns how many items are queued. */
    public long size() {
        return queued;
    }

    /** Returns how many items of one host are queued. */
    public int size(String hostName) {
        Host host = hosts.find(hostName);
        return host == null ? 0 : host.items();
    }

    /** Returns the present numbers. Hosts whose delay is over count as waiting until a poll reaches them. */
    public ScheduleStats stats() {
        return new ScheduleStats(
                queued,
                underWay,
                hostsWithWork,
                selector.waiting.size(),
                selector.backingOff,
                hosts.size(),
                Duration.ofNanos(meter.waitedNanos),
                Duration.ofNanos(meter.backedOffNanos),
                Duration.ofNanos(meter.limitedNanos),
                meter.slowest());
    }

    /** Drops all items and deletes the spill file. */
    @Override
    public void close() throws IOException {
        queues.close();
    }

    private Host requested(String hostName) {
        Host host = hosts.find(hostName);
        if (host == null || host.underWay == 0) {
            throw new IllegalStateException("no request is under way to host: " + hostName);
        }
        return host;
    }

    private Host get(String hostName) {
        return hosts.get(hostName, selector.clock);
    }

    private static long nanos(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    /**
     * The options of a schedule.
     *
     * @param <T> the items
     */
    public static final class Builder<T> {
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

        private Builder() {}

        /** Sets the least time between the starts of two requests to a host, at least zero. Default: one second. */
        public Builder<T> delay(Duration delay) {
            delayNanos = nanos("delay", delay);
            return this;
        }

        /** Sets how many requests to a host may be under way at a time, 1 to 32,767. Default: 1. */
        public Builder<T> perHost(int requests) {
            perHost = check("requests to a host at a time", requests, Short.MAX_VALUE);
            return this;
        }

        /**
         * Sets whether only one request to a host, for its robots.txt, may be under way until {@link HostSchedule#open} is
         * called. Default: false. A host that was forgotten is probed again.
         */
        public Builder<T> probeFirst(boolean probeFirst) {
            this.probeFirst = probeFirst;
            return this;
        }

        /** Sets the pause after consecutive failures. Default: from ten seconds to half an hour. */
        public Builder<T> backOff(BackOff backOff) {
            this.backOff = Objects.requireNonNull(backOff, "backOff");
            return this;
        }

        /**
         * Sets how many items are accepted per host, at least one. Default: no limit. With a limit, hosts with accepted
         * items are never forgotten.
         */
        public Builder<T> budget(int items) {
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
        public Builder<T> groups(Function<String, @Nullable String> groupOf, Duration delay, int requests, int items) {
            this.groupOf = Objects.requireNonNull(groupOf, "groupOf");
            groupLimit = new Host.Limit(
                    nanos("delay of a group", delay),
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
        public Builder<T> servers(Duration delay, int requests) {
            serverLimit = new Host.Limit(
                    nanos("delay of a server", delay),
                    check("requests to a server at a time", requests, Short.MAX_VALUE),
                    Integer.MAX_VALUE);
            return this;
        }

        /**
         * Requests some items of a host before its others: those of a lane before those of the next lane, and in the order in
         * which they were added within it. Default: one lane. A host takes about 100 bytes more per lane that it uses.
         *
         * @param lanes how many lanes there are before that of the other items; at least one
         * @param laneOf returns the lane of an item, from 0 to {@code lanes}; always the same for an item
         */
        public Builder<T> lanes(int lanes, ToIntFunction<T> laneOf) {
            this.lanes = check("lanes", lanes, Byte.MAX_VALUE);
            this.laneOf = Objects.requireNonNull(laneOf, "laneOf");
            return this;
        }

        /**
         * Sets whether hosts are distinguished by their {@link Trust}; to those that are not proven, one request at a time is
         * made then. Default: false.
         */
        public Builder<T> tellTrust(boolean choice) {
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
        public Builder<T> spill(Path directory, Codec<T> codec, int itemsInMemory) {
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
            try {
                SpillQueues spill = spillDirectory == null ? null : new SpillQueues(new BlockFile(spillDirectory));
                return new HostSchedule<>(this, new ItemQueues<>(spill, codec, itemsInMemory, laneOf), startNanos);
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
}
