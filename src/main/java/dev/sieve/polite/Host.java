package dev.sieve.polite;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A host of a schedule: what is queued and under way, when it may be requested next, and its links to other hosts.
 */
class Host {
    static final int NONE = -1;

    final long hash; // of the name, see HostTable
    long readyAt; // when the next request may start
    long readySince; // since when it could have been requested, if it is chained; since when it waits, otherwise
    int delayMillis;
    short underWay;
    byte failures; // consecutive ones
    int waitedMillis; // how long the schedule was idle until this host was ready, see WaitMeter
    int waitMillis; // how long it waited since its last request was started
    int lastWaitMillis; // how long it waited before that
    boolean isStarted; // a request was started before
    boolean isLent; // a request for another site has delayed it since its last request was started
    long lentAt; // when all requests for other sites have their turn, see HostSelector
    boolean isBackingOff; // readyAt is due to a back-off and not to the delay
    boolean hasBackedOff; // so it was when the host became ready
    boolean isOpen; // more than one request at a time is allowed
    byte trust; // see Trust
    byte countedAs; // with what trust it counts as at work; 0 if it does not count
    boolean isGivenUp; // no more requests are made, so that items owe no delay

    private @Nullable Chain chain; // the one that it is in
    private @Nullable Host nextInChain;
    private @Nullable Host previousInChain;

    int heapIndex = NONE; // among the hosts that wait, see WaitingHosts

    @Nullable
    Item lastItem; // in memory, a ring: the last item links to the first, see ItemQueues

    int itemsInMemory;
    int itemsSpilled; // see SpillQueues
    int firstBlock;
    int lastBlock = NONE;
    short firstOffset;
    short lastOffset;

    Host(long hash, long readyAt) {
        this.hash = hash;
        this.readyAt = readyAt;
        lentAt = readyAt;
    }

    int items() {
        return itemsInMemory + itemsSpilled;
    }

    boolean hasWork() {
        return items() > 0;
    }

    /** Returns how many items were accepted, for the budget; zero where there is none. */
    int accepted() {
        return 0;
    }

    /** Adds to the accepted items; no effect where there is no budget. */
    void accept(int items) {}

    /** Returns the group whose limit applies as well; null for none. */
    @Nullable
    Group group() {
        return null;
    }

    /** Returns the group of the hosts with the same server, whose limit applies as well; null if it is not known. */
    @Nullable
    Group server() {
        return null;
    }

    /** Returns where the items of a lane are queued. */
    Host place(int lane) {
        return this;
    }

    /** Returns where the first item is queued, if there is one. */
    Host firstPlace() {
        return this;
    }

    void addWait(long nanos) {
        waitMillis = (int) Math.min(Integer.MAX_VALUE, waitMillis + (nanos + 500_000) / 1_000_000);
    }

    /** Returns the host to request when this one is selected. */
    Host candidate() {
        return this;
    }

    /** Whether nothing is queued or under way, and no delay or back-off is left. */
    boolean isIdle(long nowNanos) {
        return items() == 0 && underWay == 0 && readyAt - nowNanos <= 0 && lentAt - nowNanos <= 0 && !isChained();
    }

    boolean isChained() {
        return chain != null;
    }

    /**
     * A host with what only some schedules need: a budget, its group, its server, and lanes. It has its ordinary items
     * itself, and those of the lanes before them in places of their own.
     */
    static final class Large extends Host {
        private final @Nullable Group group;
        private final @Nullable Host[] lanes;
        private int accepted;

        @Nullable
        Group server;

        Large(long hash, @Nullable Group group, long readyAt, int lanes) {
            super(hash, readyAt);
            this.group = group;
            this.lanes = new Host[lanes];
        }

        @Override
        int accepted() {
            return accepted;
        }

        @Override
        void accept(int items) {
            accepted += items;
            if (group != null) {
                group.accept(items);
            }
        }

        @Override
        @Nullable
        Group group() {
            return group;
        }

        @Override
        @Nullable
        Group server() {
            return server;
        }

        @Override
        int items() {
            int items = super.items();
            for (Host lane : lanes) {
                items += lane == null ? 0 : lane.items();
            }
            return items;
        }

        @Override
        Host place(int lane) {
            if (lane == lanes.length) {
                return this;
            }
            Host place = lanes[lane];
            if (place == null) {
                place = new Host(hash, 0);
                lanes[lane] = place;
            }
            return place;
        }

        @Override
        Host firstPlace() {
            for (Host lane : lanes) {
                if (lane != null && lane.hasWork()) {
                    return lane;
                }
            }
            return this;
        }
    }

    /** Hosts that share a limit. A group waits and is selected like a host, in place of its members. */
    static final class Group extends Host {
        final Chain members = new Chain(); // the ones that are ready themselves
        final String name;
        final Limit limit;
        int hosts; // how many hosts of the group are stored
        private int accepted;

        Group(String name, long readyAt, Limit limit) {
            super(0, readyAt);
            this.name = name;
            this.limit = limit;
        }

        @Override
        int accepted() {
            return accepted;
        }

        @Override
        void accept(int items) {
            accepted += items;
        }

        @Override
        boolean hasWork() {
            return !members.isEmpty();
        }

        @Override
        Host candidate() {
            return members.first();
        }

        @Override
        boolean isIdle(long nowNanos) {
            return hosts == 0 && super.isIdle(nowNanos);
        }
    }

    /** Hosts in first-in, first-out order, linked through the hosts. A host is in one chain at most. */
    static final class Chain {
        private @Nullable Host first;
        private @Nullable Host last;

        boolean isEmpty() {
            return first == null;
        }

        /** Returns the host that joined first; the chain must not be empty. */
        Host first() {
            return Objects.requireNonNull(first);
        }

        void addLast(Host host) {
            host.chain = this;
            host.previousInChain = last;
            if (last == null) {
                first = host;
            } else {
                last.nextInChain = host;
            }
            last = host;
        }

        /** Removes the first host; the chain must not be empty. */
        void removeFirst() {
            remove(first());
        }

        /** Removes a host, if the chain has it. */
        void remove(Host host) {
            if (host.chain != this) {
                return;
            }
            Host previous = host.previousInChain;
            Host next = host.nextInChain;
            if (previous == null) {
                first = next;
            } else {
                previous.nextInChain = next;
            }
            if (next == null) {
                last = previous;
            } else {
                next.previousInChain = previous;
            }
            host.chain = null;
            host.nextInChain = null;
            host.previousInChain = null;
        }
    }

    /** An item in memory. */
    static final class Item {
        final Object value;
        Item next;

        Item(Object value) {
            this.value = value;
            next = this;
        }
    }

    /** The limits of each host, of each group, or of each server. */
    record Limit(long delayNanos, int requests, int budget) {
        /** Longer durations are reduced to this, so that differences of moments do not overflow. */
        private static final Duration LONGEST = Duration.ofDays(3650);

        static long nanos(String name, Duration duration) {
            if (duration.isNegative()) {
                throw new IllegalArgumentException(name + " must not be negative: " + duration);
            }
            return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
        }
    }
}
