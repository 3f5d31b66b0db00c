package dev.sieve.polite;

import org.jspecify.annotations.Nullable;

/**
 * Selects the host that is requested next.
 *
 * <p>A host that has items and may have another request under way is waiting until its moment comes, and ready after
 * that; every other host is in neither place. Hosts of a group, or of a server, become ready in their group, and the
 * group itself waits and is ready like a host, on behalf of them all. Of a group and a server, a host is in one that
 * may not be requested now, if there is one.
 *
 * <p>Hosts are removed from the front of a chain only: a host that has changed since it became ready, for example
 * because it was requested out of turn, is put in its right place when it comes to the front.
 */
final class HostSelector {
    /** How many hosts whose delay is over are moved to the ready ones per selection. */
    private static final int MOVED_AT_ONCE = 4;

    /** How many requests for other sites a host receives without a delay between them. */
    private static final int LENT_AT_ONCE = 20;

    /** How many requests for other sites have their turn per delay; with work of its own, a host gives them one turn in as many. */
    private static final int LENT_SHARE = 4;

    private final Host.Limit hostLimit;
    private final boolean probeFirst;
    private final boolean tellsTrust;

    final WaitingHosts waiting = new WaitingHosts();
    private final ReadyHosts[] ready = {new ReadyHosts(), new ReadyHosts(), new ReadyHosts()}; // by Trust
    private ReadyHosts selectedFrom = ready[0]; // for the last host

    long clock; // the latest moment that was passed in
    int backingOff;
    private final int[] atWork = new int[ready.length]; // hosts that have items or requests under way, by Trust

    HostSelector(Host.Limit hostLimit, boolean probeFirst, boolean tellsTrust, long startNanos) {
        this.hostLimit = hostLimit;
        this.probeFirst = probeFirst;
        this.tellsTrust = tellsTrust;
        clock = startNanos;
    }

    void advance(long nowNanos) {
        if (nowNanos - clock > 0) {
            clock = nowNanos;
        }
    }

    /** Returns the host to request next; null when no host may be requested that is trusted enough. */
    @Nullable
    Host next(long nowNanos, Trust least) {
        for (int i = 0; i < MOVED_AT_ONCE && isWaitOver(nowNanos); i++) {
            makeFirstReady();
        }
        while (true) {
            ReadyHosts hosts = ready(least);
            if (hosts == null) {
                if (!isWaitOver(nowNanos)) {
                    return null;
                }
                makeFirstReady();
                continue;
            }
            Host first = hosts.first();
            if (!mayStart(first)) {
                hosts.removeFirst();
                settle(first);
                continue;
            }
            if (first.readyAt - nowNanos > 0) {
                return null;
            }
            Host host = first.candidate();
            if (!mayStart(host) || !areGroupsFree(host)) {
                if (first instanceof Host.Group group) {
                    group.members.removeFirst();
                } else {
                    hosts.removeFirst();
                }
                settle(host);
            } else if (trust(host).compareTo(least) < 0) {
                hosts.removeFirst();
                ready[trust(host).toByte()].add(first, workMicros(host));
            } else {
                selectedFrom = hosts;
                return host;
            }
        }
    }

    /** Returns the ready hosts to select from, those whose first host has been ready for longer; null without any. */
    private @Nullable ReadyHosts ready(Trust least) {
        ReadyHosts longest = null;
        for (int i = Trust.PROVEN.toByte(); i >= least.toByte(); i--) {
            ReadyHosts each = ready[i];
            if (!each.isEmpty() && (longest == null || each.first().readySince - longest.first().readySince < 0)) {
                longest = each;
            }
        }
        return longest;
    }

    /** Returns whether hosts may be ready that are not proven. */
    boolean holdsUnproven() {
        return !ready[Trust.UNKNOWN.toByte()].isEmpty() || !ready[Trust.RESPONDED.toByte()].isEmpty();
    }

    /** Returns how long until a host becomes ready by time alone; {@link Long#MAX_VALUE} if none does. */
    long waitNanos(long nowNanos, Trust least) {
        long wait = waiting.size() == 0 ? Long.MAX_VALUE : Math.max(0, waiting.firstTime() - nowNanos);
        ReadyHosts hosts = ready(least);
        return hosts == null ? wait : Math.min(wait, Math.max(0, hosts.first().readyAt - nowNanos));
    }

    Trust trust(Host host) {
        return tellsTrust && !host.isGivenUp ? Trust.of(host.trust) : Trust.PROVEN;
    }

    /** Returns how many hosts of a trust above {@link Trust#UNKNOWN} have items or requests under way, and do not back off. */
    int atWork(Trust trust) {
        return atWork[trust.toByte()];
    }

    /** Starts a request to the host that {@link #next} has just returned. */
    void start(Host host, long nowNanos) {
        Host first = selectedFrom.first();
        selectedFrom.removeFirst();
        selectedFrom.alternate();
        if (first instanceof Host.Group group) {
            group.members.removeFirst();
        }
        startOutOfTurn(host, nowNanos);
        if (first != host) {
            settle(first);
        }
    }

    private boolean areGroupsFree(Host host) {
        return isFree(host.group()) && isFree(host.server());
    }

    /** Returns whether another request to a group may start; true without one. */
    boolean isFree(Host.@Nullable Group group) {
        return group == null || (group.underWay < group.limit.requests() && group.readyAt - clock <= 0);
    }

    /** Returns whether a host may be requested now, whichever is next; if so, it does not wait any more. */
    boolean takeOutOfTurn(Host host, long nowNanos) {
        next(
                nowNanos,
                Trust.UNKNOWN); // moves hosts that were requested out of turn before, so that they can be forgotten
        if (!areGroupsFree(host) || !mayStart(host)) {
            return false;
        }
        if (waiting.contains(host)) {
            stopWaiting(host);
            endBackOff(host);
        }
        return true;
    }

    /** Starts a request to a host that {@link #takeOutOfTurn} has just taken. */
    void startOutOfTurn(Host host, long nowNanos) {
        begin(host.group(), nowNanos);
        begin(host.server(), nowNanos);
        begin(host, nowNanos);
    }

    void begin(@Nullable Host host, long nowNanos) {
        if (host == null) {
            return;
        }
        host.underWay++;
        host.isStarted = true;
        host.isLent = false;
        host.lastWaitMillis = host.waitMillis;
        host.waitMillis = 0;
        host.readyAt = nowNanos + delayOf(host);
        settle(host);
    }

    /** Counts the delay from this moment on, or adds it for a further request: that of the host and those of its groups. */
    void sent(@Nullable Host host, boolean isFurther, long nowNanos) {
        if (host == null) {
            return;
        }
        host.isStarted = true;
        long from = isFurther && host.readyAt - nowNanos > 0 ? host.readyAt : nowNanos;
        if (from + delayOf(host) - host.readyAt > 0) {
            host.readyAt = from + delayOf(host);
            settle(host);
        }
        sent(host.group(), isFurther, nowNanos);
        sent(host.server(), isFurther, nowNanos);
    }

    /**
     * Returns how long until a host may receive a request for a page of another site; 0 if it is its turn, which it
     * then takes.
     *
     * @param isWithin whether the page has used little of the host, so that it does not wait while the host has turns
     *     to spare
     */
    long lend(Host host, boolean isWithin, long nowNanos) {
        if (host.isGivenUp || (host.isBackingOff && host.readyAt - nowNanos > 0)) {
            return host.isGivenUp ? Long.MAX_VALUE : host.readyAt - nowNanos;
        }
        long each = host.hasWork() ? delayOf(host) * LENT_SHARE : delayOf(host) / LENT_SHARE;
        long from = Math.max(0, host.lentAt - nowNanos);
        long wait = from - (isWithin ? each * (LENT_AT_ONCE - 1) : 0);
        if (wait <= 0) {
            host.lentAt = nowNanos + from + each;
        }
        return Math.max(0, wait);
    }

    /** Delays a host and its groups for requests for other sites: once, until the next request of its own. */
    void lent(@Nullable Host host, long nowNanos) {
        if (host == null) {
            return;
        }
        if (!host.isLent) {
            host.isLent = true;
            host.isStarted = true;
            host.readyAt = Math.max(0, host.readyAt - nowNanos) + nowNanos + delayOf(host);
            settle(host);
        }
        lent(host.group(), nowNanos);
        lent(host.server(), nowNanos);
    }

    void end(Host host) {
        host.underWay--;
        settle(host);
        hold(host);
    }

    /** Ends a request to the group of a host only. */
    void hold(Host host) {
        Host.Group group = host.group();
        if (group != null) {
            group.underWay--;
            settle(group);
        }
    }

    /** Reverses {@link #hold}, to be followed by {@link #end}. */
    void unhold(Host host) {
        Host.Group group = host.group();
        if (group != null) {
            group.underWay++;
        }
    }

    /**
     * Cancels the delay of a request that was started at a moment and not made, so that the wait for it counts for the
     * next one; to be followed by {@link #end}.
     */
    void forgive(Host host, long startedNanos) {
        if (host.readyAt == startedNanos + delayOf(host)) {
            host.readyAt = startedNanos;
            host.addWait(host.lastWaitMillis * 1_000_000L);
            host.lastWaitMillis = 0;
        }
        Host.Group group = host.group();
        if (group != null) {
            forgive(group, startedNanos);
        }
        Host.Group server = host.server();
        if (server != null) {
            forgive(server, startedNanos);
            settle(server);
        }
    }

    void backOff(Host host, long untilNanos) {
        if (!host.isGivenUp && untilNanos - host.readyAt > 0) {
            stopWaiting(host);
            host.isBackingOff = true;
            host.readyAt = untilNanos;
            settle(host);
        }
    }

    void giveUp(Host host) {
        stopWaiting(host);
        host.isBackingOff = false;
        host.isGivenUp = true;
        host.readyAt = clock;
        settle(host);
    }

    /** Sets the delay of one host, from its last request on. */
    void setDelay(Host host, int millis) {
        long before = delayOf(host);
        host.delayMillis = millis;
        long longer = delayOf(host) - before;
        if (longer > 0 && host.isStarted) {
            host.readyAt += longer;
            settle(host);
        }
    }

    /** Counts a host and puts it in its right place after a change. */
    void settle(Host host) {
        count(host);
        if (host.isChained()) {
            return;
        }
        boolean hasRoom = hasRoom(host);
        if (hasRoom && host.readyAt - clock > 0) {
            if (!waiting.contains(host)) {
                backingOff += host.isBackingOff ? 1 : 0;
                host.readySince = clock;
            }
            waiting.put(host, host.readyAt);
            return;
        }
        stopWaiting(host);
        if (hasRoom) {
            makeReady(host, clock);
        }
    }

    private void count(Host host) {
        boolean isAtWork = (host.hasWork() && !host.isBackingOff) || host.underWay > 0;
        byte countsAs = isAtWork ? host.trust : 0;
        atWork[host.countedAs]--;
        atWork[countsAs]++;
        host.countedAs = countsAs;
    }

    /** Whether a host has work and may have another request under way. */
    private boolean hasRoom(Host host) {
        return host.hasWork()
                && host.underWay < (isOneAtATime(host) ? 1 : limitOf(host).requests());
    }

    private boolean isOneAtATime(Host host) {
        boolean isTrusted = host.failures == 0 && (host.isOpen || !probeFirst) && trust(host) == Trust.PROVEN;
        return !isTrusted && !host.isGivenUp && !(host instanceof Host.Group);
    }

    private boolean mayStart(Host host) {
        return hasRoom(host) && host.readyAt - clock <= 0;
    }

    private boolean isWaitOver(long nowNanos) {
        return waiting.size() > 0 && waiting.firstTime() - nowNanos <= 0;
    }

    long delayOf(Host host) {
        return host.isGivenUp ? 0 : Math.max(limitOf(host).delayNanos(), host.delayMillis * 1_000_000L);
    }

    private Host.Limit limitOf(Host host) {
        return host instanceof Host.Group group ? group.limit : hostLimit;
    }

    private void makeFirstReady() {
        Host host = waiting.first();
        stopWaiting(host);
        makeReady(host, host.readyAt);
    }

    private void makeReady(Host host, long since) {
        endBackOff(host);
        host.readySince = since;
        Host.Group server = host.server();
        Host.Group own = host.group();
        Host.Group group = server != null && (own == null || !isFree(server)) ? server : own;
        if (group == null) {
            Host candidate = host.candidate();
            ready[trust(candidate).toByte()].add(host, workMicros(candidate));
        } else {
            group.members.addLast(host);
            settle(group);
        }
    }

    private void endBackOff(Host host) {
        host.hasBackedOff = host.isBackingOff;
        host.isBackingOff = false;
        count(host);
    }

    /** How long the items of a host take by its delay. */
    private double workMicros(Host host) {
        return (double) host.items() * Math.max(1, delayOf(host) / 1000);
    }

    private void stopWaiting(Host host) {
        if (waiting.contains(host)) {
            backingOff -= host.isBackingOff ? 1 : 0;
            host.addWait((clock - host.readyAt < 0 ? clock : host.readyAt) - host.readySince);
            waiting.remove(host);
        }
    }
}
