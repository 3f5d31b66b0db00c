package dev.sieve.polite;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of a schedule by name, and their groups; forgets idle hosts.
 *
 * <p>A hash table whose buckets are linked through the hosts; a {@link HashMap} would take some 60 bytes more per host.
 * The hash is a polynomial over a prime field at a secret random point (Carter and Wegman, "Universal classes of hash
 * functions", JCSS 18, 1979): two names of n bytes collide with probability n / 2^61 whatever the names are, so that
 * chosen names cannot slow the table down.
 */
final class HostTable {
    private static final int FIRST_CAPACITY = 64;
    private static final long PRIME = (1L << 61) - 1;
    /** The beginning of the names of servers among those of groups. */
    private static final String SERVER = "server ";

    private final Host.Limit hostLimit;
    private final Host.Limit groupLimit;
    private final Host.@Nullable Limit serverLimit; // null without servers
    private final @Nullable Function<String, String> groupOf; // null without groups
    private final int lanes;
    private final boolean keepsDelays; // hosts with a delay of their own are never forgotten

    private final long point = new SecureRandom().nextLong() >>> 4;
    private Host[] buckets = new Host[2 * FIRST_CAPACITY];
    private int hosts;
    private final Map<String, Host.Group> groups = new HashMap<>();
    private int capacity = FIRST_CAPACITY; // how many hosts and groups are stored before idle ones are forgotten

    HostTable(
            Host.Limit hostLimit,
            Host.Limit groupLimit,
            Host.@Nullable Limit serverLimit,
            @Nullable Function<String, String> groupOf,
            int lanes,
            boolean keepsDelays) {
        this.hostLimit = hostLimit;
        this.groupLimit = groupLimit;
        this.serverLimit = serverLimit;
        this.groupOf = groupOf;
        this.lanes = lanes;
        this.keepsDelays = keepsDelays;
    }

    /** How many hosts, groups and servers are stored. */
    int size() {
        return hosts + groups.size();
    }

    /** Returns the host with a name; null when it is not stored. */
    @Nullable
    Host find(String name) {
        return find(Host.nameBytes(name));
    }

    private @Nullable Host find(byte[] name) {
        Host host = buckets[bucket(name)];
        while (host != null && !Arrays.equals(host.name, name)) {
            host = host.nextInBucket;
        }
        return host;
    }

    /** Returns the host with a name. A new host is added and may be requested from the present on. */
    Host get(String name, long nowNanos) {
        byte[] bytes = Host.nameBytes(name);
        Host known = find(bytes);
        if (known != null) {
            return known;
        }
        String groupName = groupOf == null ? null : groupOf.apply(name);
        if (capacity - size() < 2) {
            makeRoom(nowNanos);
        }
        Host.Group group = groupName == null ? null : group(groupName, groupLimit, nowNanos);
        boolean isLarge = lanes > 0 || serverLimit != null;
        Host host = isLarge ? new Host.Large(bytes, group, nowNanos, lanes) : new Host(bytes, group, nowNanos);
        if (group != null) {
            group.hosts++;
        }
        link(host);
        return host;
    }

    private Host.Group group(String name, Host.Limit limit, long nowNanos) {
        return groups.computeIfAbsent(name, key -> new Host.Group(key, nowNanos, limit));
    }

    /** Returns the server with a name; null when it is not stored. */
    Host.@Nullable Group findServer(String name) {
        return groups.get(SERVER + name);
    }

    /** Returns the name of the server of a host; null when it is not known. */
    static @Nullable String serverName(Host host) {
        Host.Group server = host.server();
        return server == null ? null : server.name().substring(SERVER.length());
    }

    /** Sets the server of a host by its name. A new server is added and may be requested from the present on. */
    void setServer(Host host, @Nullable String name, long nowNanos) {
        if (name != null && capacity - size() < 1) {
            makeRoom(nowNanos);
        }
        removeMember(host.server());
        Host.Group server = name == null ? null : group(SERVER + name, Objects.requireNonNull(serverLimit), nowNanos);
        ((Host.Large) host).server = server;
        if (server != null) {
            server.hosts++;
        }
    }

    /**
     * Forgets idle hosts, and increases the capacity if less than a quarter of it is free after that. Idle hosts that have
     * responded or failed are kept while busy hosts fill more than a quarter, so that a flood of new hosts does not
     * displace them; the proven ones are forgotten last. The capacity is at most six times the number of busy hosts. Takes
     * O(1) per host that is added.
     */
    private void makeRoom(long nowNanos) {
        int busy = forget(nowNanos, host -> host.trust == 0 && host.failures == 0);
        if (!hasRoom() && busy <= capacity / 4) {
            forget(nowNanos, host -> Trust.of(host.trust) != Trust.PROVEN);
            if (!hasRoom()) {
                forget(nowNanos, host -> true);
            }
        }
        if (!hasRoom()) {
            capacity += capacity >> 1;
        }
    }

    private boolean hasRoom() {
        return capacity - size() > capacity / 4;
    }

    /** Removes idle hosts that meet a condition and groups without hosts; returns the number of hosts that are not idle. */
    private int forget(long nowNanos, Predicate<Host> condition) {
        Host[] old = buckets;
        buckets = new Host[Integer.highestOneBit(2 * capacity)];
        hosts = 0;
        int busy = 0;
        for (Host first : old) {
            Host next;
            for (Host host = first; host != null; host = next) {
                next = host.nextInBucket;
                boolean isIdle = mayForget(host, hostLimit, nowNanos);
                busy += isIdle ? 0 : 1;
                if (!isIdle || !condition.test(host)) {
                    link(host);
                } else {
                    removeMember(host.group);
                    removeMember(host.server());
                }
            }
        }
        groups.values().removeIf(group -> mayForget(group, groupLimit, nowNanos));
        return busy;
    }

    private static void removeMember(Host.@Nullable Group group) {
        if (group != null) {
            group.hosts--;
        }
    }

    /** Whether a host is idle, and no count or setting is lost with it. */
    private boolean mayForget(Host host, Host.Limit limit, long nowNanos) {
        boolean hasBudget = limit.budget() != Integer.MAX_VALUE && host.accepted > 0;
        boolean hasDelay = host.delayMillis > 0 && keepsDelays;
        return host.isIdle(nowNanos) && !hasBudget && !hasDelay && !host.isGivenUp;
    }

    private void link(Host host) {
        int bucket = bucket(host.name);
        host.nextInBucket = buckets[bucket];
        buckets[bucket] = host;
        hosts++;
    }

    private int bucket(byte[] name) {
        long hash = name.length;
        for (byte b : name) {
            hash = timesPoint(hash + (b & 0xff) + 1);
        }
        return (int) (hash ^ (hash >>> 29)) & (buckets.length - 1);
    }

    /** Multiplies modulo 2^61 - 1; factors and result are below 2^62. */
    private long timesPoint(long factor) {
        long low = factor * point;
        long high = Math.multiplyHigh(factor, point);
        long sum = (low & PRIME) + ((low >>> 61) | (high << 3));
        return (sum & PRIME) + (sum >>> 61);
    }
}
