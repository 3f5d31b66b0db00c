package dev.sieve.polite;

import static dev.sieve.polite.HostTable.ASKED;
import static dev.sieve.polite.HostTable.BACKING_OFF;
import static dev.sieve.polite.HostTable.COUNTED;
import static dev.sieve.polite.HostTable.GIVEN_UP;
import static dev.sieve.polite.HostTable.GROUP;
import static dev.sieve.polite.HostTable.IN_LINE;
import static dev.sieve.polite.HostTable.NONE;
import static dev.sieve.polite.HostTable.OPEN;
import static dev.sieve.polite.HostTable.PROVEN;

/**
 * Whose turn it is among the hosts of a table.
 *
 * <p>A host that has work and room for another request stands in the heap until it is free, and then among the free ones;
 * any other host stands nowhere. Hosts of a group stand in the line of their group instead of among the free ones, and
 * the group itself stands in the heap or among these as a host does, for all of them.
 *
 * <p>Nobody is taken out of the middle of a line: what has become of a host since it joined shows when its turn comes.
 */
final class HostTurns {
    /** How many hosts are looked at in each turn to see whether they have become free, if there are as many. */
    private static final int LOOKED_AT = 4;

    private final HostTable hosts;
    private final ScheduleLimits limits;
    private final TimeHeap waiting = new TimeHeap();
    private final FreeHosts free;

    /** Those of the free ones that had not proven that they answer when they joined. */
    private final FreeHosts unproven;

    /** The line out of which the last host was named. */
    private FreeHosts named;

    /** The members of each group that may be asked when the group may be, by the row of the group. */
    private final HostLines members;

    /** The latest moment that was passed in. */
    private long clock;

    private int backingOff;
    private int provenAtWork;

    HostTurns(HostTable hosts, ScheduleLimits limits, long startNanos) {
        this.hosts = hosts;
        this.limits = limits;
        free = new FreeHosts(hosts);
        unproven = new FreeHosts(hosts);
        named = free;
        members = new HostLines(hosts);
        clock = startNanos;
    }

    /** Makes room for hosts with numbers below the capacity. */
    void grow(int capacity) {
        waiting.grow(capacity);
        if (limits.groupOf() != null) {
            members.grow(capacity);
        }
    }

    long clock() {
        return clock;
    }

    void advance(long nowNanos) {
        if (nowNanos - clock > 0) {
            clock = nowNanos;
        }
    }

    int waiting() {
        return waiting.size();
    }

    int backingOff() {
        return backingOff;
    }

    /** The proven hosts that have items, or requests under way. */
    int provenAtWork() {
        return provenAtWork;
    }

    /** The host whose turn it is; {@link HostTable#NONE} when none may be asked, or only such as are not wanted. */
    int next(long nowNanos, boolean unprovenToo) {
        for (int i = 0; i < LOOKED_AT && isHeapDue(nowNanos); i++) {
            leaveHeapFree();
        }
        for (FreeHosts line = line(unprovenToo); line != null || isHeapDue(nowNanos); line = line(unprovenToo)) {
            if (line == null) {
                leaveHeapFree();
                continue;
            }
            int first = line.first();
            int host = hosts.is(first, GROUP) ? members.first(first) : first;
            if (!canBeAsked(first)) {
                line.removeFirst();
                settle(first);
            } else if (hosts.freeAt[first] - nowNanos > 0) {
                return NONE;
            } else if (!canBeAsked(host)) {
                members.removeFirst(first);
                settle(host);
            } else if (!unprovenToo && !isProven(host)) {
                line.removeFirst();
                unproven.add(first, workMicros(host));
            } else {
                named = line;
                return host;
            }
        }
        return NONE;
    }

    /** The line that is next; of both, the one whose first host has been free for longer. Null when nobody stands there. */
    private FreeHosts line(boolean unprovenToo) {
        if (!unprovenToo || unproven.isEmpty()) {
            return free.isEmpty() ? null : free;
        }
        boolean isLonger = free.isEmpty() || hosts.freeSince[unproven.first()] - hosts.freeSince[free.first()] < 0;
        return isLonger ? unproven : free;
    }

    /** How long until a host becomes free by time alone; {@link Long#MAX_VALUE} when none will. */
    long waitNanos(long nowNanos, boolean unprovenToo) {
        long wait = waiting.size() == 0 ? Long.MAX_VALUE : Math.max(0, waiting.firstTime() - nowNanos);
        FreeHosts line = line(unprovenToo);
        return line == null ? wait : Math.min(wait, Math.max(0, hosts.freeAt[line.first()] - nowNanos));
    }

    /** Whether somebody stands in line who has not proven that he answers. */
    boolean holdsUnproven() {
        return !unproven.isEmpty();
    }

    boolean isProven(int host) {
        return !limits.tellsProven() || hosts.is(host, PROVEN) || hosts.is(host, GIVEN_UP);
    }

    /** Notes what a request has shown of a host; to be followed by {@link #end}. */
    void prove(int host, boolean isProven) {
        hosts.set(host, PROVEN, isProven);
        count(host);
    }

    /** Keeps up the number of proven hosts with something to do. */
    void count(int host) {
        boolean counts = hosts.is(host, PROVEN) && (hosts.queued[host] > 0 || hosts.underWay[host] > 0);
        if (counts != hosts.is(host, COUNTED)) {
            hosts.set(host, COUNTED, counts);
            provenAtWork += counts ? 1 : -1;
        }
    }

    /** Begins a request to the host that {@link #next} has just named. */
    void start(int host, long nowNanos) {
        int group = hosts.group[host];
        named.removeFirst();
        named.endTurn();
        if (group != NONE) {
            members.removeFirst(group);
            begin(group, nowNanos);
        }
        begin(host, nowNanos);
    }

    private void begin(int host, long nowNanos) {
        hosts.underWay[host]++;
        hosts.set(host, ASKED, true);
        count(host);
        hosts.freeAt[host] = nowNanos + delayOf(host);
        settle(host);
    }

    /** Counts the delay from this moment on, that of the host and that of its group. */
    void sent(int host, long nowNanos) {
        hosts.set(host, ASKED, true);
        if (nowNanos + delayOf(host) - hosts.freeAt[host] > 0) {
            hosts.freeAt[host] = nowNanos + delayOf(host);
            settle(host);
        }
        if (hosts.group[host] != NONE) {
            sent(hosts.group[host], nowNanos);
        }
    }

    void end(int host) {
        hosts.underWay[host]--;
        count(host);
        settle(host);
        int group = hosts.group[host];
        if (group != NONE) {
            hosts.underWay[group]--;
            settle(group);
        }
    }

    /** Forgives the delay after a request that was started at a moment and not made; to be followed by {@link #end}. */
    void forgive(int host, long startedNanos) {
        if (hosts.freeAt[host] == startedNanos + delayOf(host)) {
            hosts.freeAt[host] = startedNanos;
        }
        if (hosts.group[host] != NONE) {
            forgive(hosts.group[host], startedNanos);
        }
    }

    void leaveAlone(int host, long untilNanos) {
        if (!hosts.is(host, GIVEN_UP) && untilNanos - hosts.freeAt[host] > 0) {
            leaveHeap(host);
            hosts.set(host, BACKING_OFF, true);
            hosts.freeAt[host] = untilNanos;
            settle(host);
        }
    }

    void giveUp(int host) {
        leaveHeap(host);
        hosts.set(host, BACKING_OFF, false);
        hosts.set(host, GIVEN_UP, true);
        hosts.freeAt[host] = clock;
        settle(host);
    }

    /** Sets the delay of one host, from its last request on. */
    void setDelay(int host, int millis) {
        long before = delayOf(host);
        hosts.delayMillis[host] = millis;
        long longer = delayOf(host) - before;
        if (longer > 0 && hosts.is(host, ASKED)) {
            hosts.freeAt[host] += longer;
            settle(host);
        }
    }

    /** Puts a host where it belongs after a change. */
    void settle(int host) {
        if (hosts.is(host, IN_LINE)) {
            return;
        }
        boolean wantsTurn = wantsTurn(host);
        if (wantsTurn && hosts.freeAt[host] - clock > 0) {
            joinHeap(host);
            return;
        }
        leaveHeap(host);
        if (wantsTurn) {
            joinFree(host, clock);
        }
    }

    private boolean wantsTurn(int host) {
        if (hosts.is(host, GROUP)) {
            return !members.isEmpty(host) && hosts.underWay[host] < limits.perGroup();
        }
        boolean oneAtATime = !hosts.is(host, GIVEN_UP) && isAskedOneAtATime(host);
        return hosts.queued[host] > 0 && hosts.underWay[host] < (oneAtATime ? 1 : limits.perHost());
    }

    private boolean isAskedOneAtATime(int host) {
        return hosts.failures[host] > 0 || (limits.probeFirst() && !hosts.is(host, OPEN)) || !isProven(host);
    }

    private boolean canBeAsked(int host) {
        return wantsTurn(host) && hosts.freeAt[host] - clock <= 0;
    }

    private boolean isHeapDue(long nowNanos) {
        return waiting.size() > 0 && waiting.firstTime() - nowNanos <= 0;
    }

    private long delayOf(int host) {
        if (hosts.is(host, GIVEN_UP)) {
            return 0;
        }
        long common = hosts.is(host, GROUP) ? limits.groupDelayNanos() : limits.delayNanos();
        return Math.max(common, hosts.delayMillis[host] * 1_000_000L);
    }

    private void leaveHeapFree() {
        int host = waiting.first();
        leaveHeap(host);
        joinFree(host, hosts.freeAt[host]);
    }

    private void joinFree(int host, long since) {
        hosts.set(host, BACKING_OFF, false);
        hosts.freeSince[host] = since;
        int group = hosts.group[host];
        if (group == NONE) {
            int next = hosts.is(host, GROUP) ? members.first(host) : host;
            (isProven(next) ? free : unproven).add(host, workMicros(next));
        } else {
            members.addLast(group, host);
            settle(group);
        }
    }

    /** How long the items of a host will take by its delay. */
    private double workMicros(int host) {
        return (double) hosts.queued[host] * Math.max(1, delayOf(host) / 1000);
    }

    private void joinHeap(int host) {
        if (!waiting.contains(host) && hosts.is(host, BACKING_OFF)) {
            backingOff++;
        }
        waiting.put(host, hosts.freeAt[host]);
    }

    private void leaveHeap(int host) {
        if (waiting.contains(host) && hosts.is(host, BACKING_OFF)) {
            backingOff--;
        }
        waiting.remove(host);
    }
}
