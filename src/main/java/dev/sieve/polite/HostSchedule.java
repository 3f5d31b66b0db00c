package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a crawl: one first-in, first-out queue per host, or per {@linkplain ScheduleOptions#lanes lane} of a
 * host, and the rules when a host may be requested.
 *
 * <p>The starts of two requests to a host are at least its delay apart, and a limited number of requests to it are
 * under way at a time; one, while the host fails. Hosts may share a further limit, as a group, and another one with the
 * hosts that have the same {@linkplain #usesServer server}. Of the hosts that may be requested, every other request
 * goes to the one that has been ready the longest, so that no host starves. The requests between go to the hosts with
 * the most work left, because these determine when a crawl ends.
 *
 * <p>A request begins when {@link #poll(long) poll} returns its item, and ends in exactly one of five ways: {@link
 * #finished}; {@link #hold}, which blocks its slot; {@link #failed}, which makes the host back off; {@link #skipped},
 * when it was not made at all; or {@link #dropped}, when its item does not count. While it is under way, {@link
 * #pollMore} returns further items for it.
 *
 * <p>Time is passed in, from any clock that never runs backwards, such as {@link System#nanoTime()}.
 *
 * <p>Not safe for use by many threads: call it under one lock. Adding, polling and ending take O(log n) for the number
 * n of hosts that wait for their delay, and O(1) disk accesses for items that are spilled. A host takes about 120 bytes
 * while it has work; after that, and after its delay, it may be forgotten when its memory is needed for another host.
 *
 * <p>If items are spilled, every method may throw {@link UncheckedIOException}, which names the file and the offset. If
 * {@link #add} throws it, the item was not added. If a poll or {@link #clear} throws it, the schedule must not be used
 * any more.
 *
 * @param <T> the items
 */
public final class HostSchedule<T> implements Closeable {
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

    HostSchedule(
            Host.Limit hostLimit,
            Host.Limit groupLimit,
            BackOff backOff,
            boolean tellsTrust,
            HostTable hosts,
            HostSelector selector,
            ItemQueues<T> queues) {
        this.hostLimit = hostLimit;
        this.groupLimit = groupLimit;
        this.backOff = backOff;
        this.tellsTrust = tellsTrust;
        this.hosts = hosts;
        this.selector = selector;
        this.queues = queues;
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
     * Returns the next item of one host, out of turn, if the host may be requested now; its request counts as started
     * at this moment. Whether the host is proven does not matter.
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
     * Returns a further item of a host for the request that was started last, for a request that takes several items:
     * no further request counts as started.
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
     * Returns how long a host had to wait for its delay or a back-off before the request that was started last,
     * although it had items and could have been requested otherwise; in milliseconds. The wait for a request that was
     * {@link #skipped} counts for the next one. The delay of a group is not included.
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
     * Returns how long a request to a host has to wait that a page of another site needs; 0 if it may be made now,
     * which is then counted. Without a wait, a host receives a number of them, and then one per turn; it has fewer
     * turns while it has work, and none before the end of a back-off.
     *
     * @param isWithin whether it is one of the first ones of the page; others wait until all before them have had their
     *     turn
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
     * Returns the server of a host, for which a request counts from its poll until {@link #leftServer}; null if not
     * known.
     */
    public @Nullable String server(String hostName) {
        Host host = hosts.find(hostName);
        return host == null ? null : HostTable.serverName(host);
    }

    /**
     * Notes which server a request uses that is under way, before anything is sent there. From now on, it is the server
     * of the host.
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
     * Ends a request that succeeded, but keeps its slot of the host taken until it is {@link #release released}. The
     * group of the host is free.
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
     * Ends a request that failed: the host responded that it is overloaded, or not at all. The host is not requested
     * for the pause that it requested, and at least for one that doubles with every consecutive failure; then one
     * request at a time is made until one is {@link #finished}. It is not proven any more. Of requests that were under
     * way together, the failures count as one, except for the last.
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
        selector.backOff(host, nowNanos + Host.Limit.nanos("pause", backOff.pause(failures, retryAfter)));
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
     * Ends a request that was not made, since its item is not wanted any more, at the moment at which a poll returned
     * it: as if the item had not been added.
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

    /** Ends the probe of a host, see {@link ScheduleOptions#probeFirst}. */
    public void open(String hostName) {
        Host host = get(hostName);
        host.isOpen = true;
        selector.settle(host);
    }

    /**
     * Sets the delay of one host, such as the Crawl-delay of its robots.txt, from its last request on; it applies where
     * it is longer than the delay of all hosts. Rounded up to milliseconds, at most 24 days.
     */
    public void delay(String hostName, Duration delay) {
        long millis = (Host.Limit.nanos("delay", delay) + 999_999) / 1_000_000;
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
     * Gives a host up: its items, present and future, are returned without delay or back-off, because no request is
     * made for them.
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
}
