package dev.sieve.polite;

import static dev.sieve.polite.HostTable.GIVEN_UP;
import static dev.sieve.polite.HostTable.GROUP;
import static dev.sieve.polite.HostTable.IN_LINE;
import static dev.sieve.polite.HostTable.NONE;
import static dev.sieve.polite.HostTable.OPEN;
import static dev.sieve.polite.HostTable.PROVEN;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * Whose turn it is: one first-in-first-out queue a host, and the rule when a host may be asked.
 *
 * <p>Between the starts of two requests to one host lies at least its delay, and no more than a set number of them are
 * under way at a time: one, while the host fails. A request starts when it is handed out, or when it was {@link #sent}.
 * Hosts may share a further limit. Of the hosts that may be asked, the one that has been free the longest has every
 * other turn, so that no host starves another, however much is queued for it. The turns between are those of the hosts
 * that have the most work left, since these decide when a crawl is over.
 *
 * <p>A request begins when {@link #poll} hands out its item, and ends in exactly one of three ways: {@link #finished},
 * {@link #failed}, which makes the host back off, or {@link #skipped}, when it was not made at all.
 *
 * <p>Time is passed in: any clock that never runs backwards will do, {@link System#nanoTime()} for one; moments are
 * compared by their difference.
 *
 * <p>Not safe for use by many threads: call it under one lock. Adding, handing out and ending cost O(log n) of the number
 * of hosts that wait for their delay, and O(1) work on the disk where items are spilled; hosts without work cost nothing.
 * A host takes some hundred bytes and its name while it has work; once it has none and its delay is over, it may be
 * forgotten when its memory is wanted for another one.
 *
 * <p>Where items are spilled, any method may throw {@link java.io.UncheckedIOException}, which names the file and the
 * offset. When {@link #add} does, the item was not added; when {@link #poll} does, the schedule is of no more use.
 *
 * @param <T> the items
 */
public final class HostSchedule<T> implements Closeable {
    private static final int FIRST_CAPACITY = 64;

    private final ScheduleLimits limits;
    private final HostTable hosts = new HostTable();
    private final HostQueues<T> queues;
    private final HostTurns turns;
    private final WaitMeter meter = new WaitMeter(hosts);

    private long queued;
    private int underWay;
    private int hostsWithWork;

    HostSchedule(ScheduleLimits limits, HostQueues<T> queues, long startNanos) {
        this.limits = limits;
        this.queues = queues;
        turns = new HostTurns(hosts, limits, startNanos);
    }

    /** The options of a schedule: unless told otherwise, a second of delay and one request to a host at a time. */
    public static <T> ScheduleBuilder<T> builder() {
        return new ScheduleBuilder<>();
    }

    /**
     * Queues an item behind those that wait for its host.
     *
     * @return false when the budget of the host or of its group is used up; the item is then not queued
     */
    public boolean add(String host, T item) {
        Objects.requireNonNull(item, "item");
        int number = intern(host);
        int group = hosts.group[number];
        if (hosts.accepted[number] >= limits.budget()
                || (group != NONE && hosts.accepted[group] >= limits.groupBudget())) {
            return false;
        }
        queues.addLast(number, item);
        hosts.accepted[number]++;
        if (group != NONE) {
            hosts.accepted[group]++;
        }
        queued(number, 1);
        return true;
    }

    /** Queues an item that was handed out before behind those that wait for its host; no budget counts it. */
    public void addAgain(String host, T item) {
        Objects.requireNonNull(item, "item");
        int number = intern(host);
        queues.addLast(number, item);
        queued(number, 1);
    }

    /** Queues an item that was handed out in front of those that wait for its host; no budget counts it. */
    public void putBack(String host, T item) {
        Objects.requireNonNull(item, "item");
        int number = intern(host);
        queues.addFirst(number, item);
        queued(number, 1);
    }

    /**
     * The next item whose host may be asked now; its request counts as started at this moment.
     *
     * @return null when there is none; {@link #waitNanos} says for how long
     */
    public T poll(long nowNanos) {
        return poll(nowNanos, true);
    }

    /**
     * The same, or only of those hosts that have proven that they answer, see {@link #prove}.
     *
     * @param unprovenToo whether the others are wanted as well
     */
    public T poll(long nowNanos, boolean unprovenToo) {
        turns.advance(nowNanos);
        int host = turns.next(nowNanos, unprovenToo);
        if (host == NONE) {
            if (turns.waiting() > 0) {
                meter.starved(nowNanos);
            }
            return null;
        }
        T item = queues.removeFirst(host);
        meter.served(nowNanos, host);
        queued(host, -1);
        underWay++;
        turns.start(host, nowNanos);
        return item;
    }

    /**
     * How long it is worth waiting before {@link #poll} is called again, if nothing else happens: 0 when it has an item
     * now, {@link Long#MAX_VALUE} when nothing is queued, or only for hosts whose requests have to end first.
     */
    public long waitNanos(long nowNanos) {
        return waitNanos(nowNanos, true);
    }

    /** The same for {@link #poll(long, boolean)}. */
    public long waitNanos(long nowNanos, boolean unprovenToo) {
        turns.advance(nowNanos);
        return turns.next(nowNanos, unprovenToo) == NONE ? turns.waitNanos(nowNanos, unprovenToo) : 0;
    }

    /**
     * Says that a host has answered the request for an item, and whether soon enough to be trusted with further ones:
     * then it is proven until it answers late or fails. To be said before the request is {@link #finished}.
     */
    public void prove(String host, boolean isProven) {
        turns.prove(asked(host), isProven);
    }

    /** Whether a host is proven; true where they are not told apart. */
    public boolean isProven(String host) {
        int number = hosts.names.find(HostNames.bytes(host));
        return number == NONE ? !limits.tellsProven() : turns.isProven(number);
    }

    /** How many proven hosts have items that wait, or requests under way. */
    public int provenAtWork() {
        return turns.provenAtWork();
    }

    /** Whether there may be hosts that could be asked if those that are not proven were wanted. */
    public boolean holdsUnproven() {
        return turns.holdsUnproven();
    }

    /**
     * Says that a request to a host is sent at this moment: the delay counts from here, for the look-up of a name and a
     * new connection may have taken longer than that. The host need not be one that {@link #poll} has named.
     */
    public void sent(String host, long nowNanos) {
        turns.advance(nowNanos);
        turns.sent(intern(host), nowNanos);
    }

    /** Says that a request is over and that the host is well. */
    public void finished(String host, long nowNanos) {
        turns.advance(nowNanos);
        int number = asked(host);
        hosts.failures[number] = 0;
        end(number);
    }

    /**
     * Says that a request is over and that the host is not well: it answered 429 or 503, or did not answer. It is left
     * alone for as long as it wants, and at least for a pause that doubles with every failure in a row; then one request
     * at a time is made until one is {@link #finished}. Of requests that were under way together, the failures count as
     * one, but for the last.
     *
     * @param retryAfter what the host asked for, see {@link RetryAfter}; zero when it said nothing
     * @return how many requests to the host have failed in a row, up to 127
     */
    public int failed(String host, Duration retryAfter, long nowNanos) {
        turns.advance(nowNanos);
        int number = asked(host);
        boolean isInARow = hosts.failures[number] == 0 || hosts.underWay[number] == 1;
        int failures = Math.min(Byte.MAX_VALUE, hosts.failures[number] + (isInARow ? 1 : 0));
        hosts.failures[number] = (byte) failures;
        turns.prove(number, false);
        turns.leaveAlone(
                number,
                nowNanos + ScheduleBuilder.nanos("pause", limits.backOff().pause(failures, retryAfter)));
        end(number);
        return failures;
    }

    /**
     * Says that the request for an item was not made, as when robots.txt forbids it: no delay is owed for it.
     *
     * @param polledNanos the moment at which {@link #poll} handed out the item
     */
    public void skipped(String host, long polledNanos, long nowNanos) {
        turns.advance(nowNanos);
        int number = asked(host);
        turns.forgive(number, polledNanos);
        end(number);
    }

    /**
     * Says that the host's robots.txt is known: as many requests as set may be under way from now on. Where hosts do not
     * begin with a probe this changes nothing.
     */
    public void open(String host) {
        int number = intern(host);
        hosts.set(number, OPEN, true);
        turns.settle(number);
    }

    /**
     * Sets the host's own delay, as robots.txt may ask for one; it holds where it is longer than the delay of all hosts,
     * from the last request on. Rounded up to milliseconds, at most 24 days.
     */
    public void delay(String host, Duration delay) {
        long nanos = ScheduleBuilder.nanos("delay", delay);
        turns.setDelay(intern(host), (int) Math.min(Integer.MAX_VALUE, (nanos + 999_999) / 1_000_000));
    }

    /** Leaves a host alone until a moment, or longer if its delay or another reason wants so. */
    public void backOff(String host, long untilNanos) {
        turns.leaveAlone(intern(host), untilNanos);
    }

    /**
     * Gives a host up: its items are handed out as soon as they can be, without delay or back-off, and so are those that
     * are still to come, for no request is to be made for them.
     */
    public void giveUp(String host) {
        turns.giveUp(intern(host));
    }

    /** Whether a host was given up. */
    public boolean isGivenUp(String host) {
        int number = hosts.names.find(HostNames.bytes(host));
        return number != NONE && hosts.is(number, GIVEN_UP);
    }

    /** How many items wait. */
    public long size() {
        return queued;
    }

    /** The numbers of this moment. Hosts whose time has come count as waiting until a {@link #poll} comes upon them. */
    public ScheduleStats stats() {
        return new ScheduleStats(
                queued,
                underWay,
                hostsWithWork,
                turns.waiting(),
                turns.backingOff(),
                hosts.names.size(),
                meter.waited(),
                meter.slowestHost(),
                meter.slowestWaited());
    }

    /** Lets go of all items, and deletes the spill file. */
    @Override
    public void close() throws IOException {
        queues.close();
    }

    private void queued(int host, int change) {
        boolean firstOrLast = hosts.queued[host] == (change > 0 ? 0 : 1);
        hostsWithWork += firstOrLast ? change : 0;
        hosts.queued[host] += change;
        queued += change;
        turns.count(host);
        turns.settle(host);
    }

    private void end(int host) {
        underWay--;
        turns.end(host);
    }

    private int asked(String host) {
        int number = hosts.names.find(HostNames.bytes(host));
        if (number == NONE || hosts.underWay[number] == 0) {
            throw new IllegalStateException("no request is under way to host: " + host);
        }
        return number;
    }

    private int intern(String host) {
        byte[] name = HostNames.bytes(host);
        int known = hosts.names.find(name);
        return known == NONE
                ? takeIn(
                        name, limits.groupOf() == null ? null : limits.groupOf().apply(host))
                : known;
    }

    private int takeIn(byte[] name, String groupName) {
        if (hosts.names.room() < 2) {
            makeRoom();
        }
        int host = hosts.add(name, turns.clock());
        if (groupName != null) {
            int group = internGroup(groupName);
            hosts.group[host] = group;
            hosts.queued[group]++;
        }
        return host;
    }

    /** The row of a group; no name of a host begins with the control character that keeps the two apart. */
    private int internGroup(String groupName) {
        byte[] name = HostNames.bytes('\0' + groupName);
        int known = hosts.names.find(name);
        if (known != NONE) {
            return known;
        }
        int group = hosts.add(name, turns.clock());
        hosts.set(group, GROUP, true);
        return group;
    }

    /**
     * Forgets idle hosts, and grows when that leaves less than a quarter free. Of idle hosts that have shown whether they
     * answer this is remembered while the busy ones fill a quarter, so that hosts which come in great numbers do not push
     * it out; when something has to go, those that failed go first. There is room for at most six times the busy hosts.
     * O(1) for each host that comes.
     */
    private void makeRoom() {
        forgetIdle(host -> !hosts.is(host, PROVEN) && hosts.failures[host] == 0);
        if (hasRoom()) {
            return;
        }
        int busy = hosts.names.count(host -> !isIdle(host) && !hosts.is(host, GROUP));
        if (busy <= hosts.capacity() / 4) {
            forgetIdle(host -> !hosts.is(host, PROVEN));
            if (!hasRoom()) {
                forgetIdle(host -> true);
            }
        }
        if (!hasRoom()) {
            grow(Math.max(FIRST_CAPACITY, hosts.capacity() + (hosts.capacity() >> 1)));
        }
    }

    private boolean hasRoom() {
        return hosts.names.room() > hosts.capacity() / 4;
    }

    private void grow(int capacity) {
        hosts.grow(capacity);
        queues.grow(capacity);
        turns.grow(capacity);
    }

    private void forgetIdle(IntPredicate kind) {
        hosts.names.removeIf(host -> isIdle(host) && kind.test(host), this::leaveGroup);
        if (limits.groupOf() != null) {
            // Those of whose hosts none is left.
            hosts.names.removeIf(host -> hosts.is(host, GROUP) && isIdle(host), group -> {});
        }
    }

    private void leaveGroup(int host) {
        if (hosts.group[host] != NONE) {
            hosts.queued[hosts.group[host]]--;
        }
    }

    private boolean isIdle(int host) {
        return hosts.queued[host] == 0
                && hosts.underWay[host] == 0
                && hosts.freeAt[host] - turns.clock() <= 0
                && !hosts.is(host, IN_LINE)
                && !hasMemory(host);
    }

    /** A delay that was set stays, unless the host would be opened, and given its delay, once more. */
    private boolean hasMemory(int host) {
        int budget = hosts.is(host, GROUP) ? limits.groupBudget() : limits.budget();
        boolean counts = budget != Integer.MAX_VALUE && hosts.accepted[host] > 0;
        return counts || hosts.is(host, GIVEN_UP) || (hosts.delayMillis[host] > 0 && !limits.probeFirst());
    }
}
