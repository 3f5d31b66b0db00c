package dev.sieve.polite;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of a schedule by name, and their groups; forgets idle hosts.
 *
 * <p>A hash table with open addressing; a {@link HashMap} would take some 100 bytes more per host. A host is known by
 * the hash of its name only, a polynomial over a prime field at a secret random point (Carter and Wegman, "Universal
 * classes of hash functions", JCSS 18, 1979): two names of up to n characters have the same hash with probability n /
 * 2^60 whatever the names are, so an attacker cannot choose two such names. Two hosts with the same hash share a queue and its
 * limits.
 */
final class HostTable {
    private static final int FIRST_CAPACITY = 64;
    private static final int MAX_NAME = 1024;
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
    private @Nullable Host[] slots = new Host[slots(FIRST_CAPACITY)];
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

    @Nullable
    Host find(String name) {
        return slots[slot(hash(name))];
    }

    /** Returns the host with a name. A new host is added and may be requested from the present on. */
    Host get(String name, long nowNanos) {
        long hash = hash(name);
        Host known = slots[slot(hash)];
        if (known != null) {
            return known;
        }
        String groupName = groupOf == null ? null : groupOf.apply(name);
        if (capacity - size() < 2) {
            makeRoom(nowNanos);
        }
        Host.Group group = groupName == null ? null : group(groupName, groupLimit, nowNanos);
        boolean isLarge = lanes > 0 || serverLimit != null || group != null || hostLimit.budget() != Integer.MAX_VALUE;
        Host host = isLarge ? new Host.Large(hash, group, nowNanos, lanes) : new Host(hash, nowNanos);
        if (group != null) {
            group.hosts++;
        }
        put(host);
        return host;
    }

    private Host.Group group(String name, Host.Limit limit, long nowNanos) {
        return groups.computeIfAbsent(name, key -> new Host.Group(key, nowNanos, limit));
    }

    Host.@Nullable Group findServer(String name) {
        return groups.get(SERVER + name);
    }

    static @Nullable String serverName(Host host) {
        Host.Group server = host.server();
        return server == null ? null : server.name.substring(SERVER.length());
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
     * Forgets idle hosts, and increases the capacity if less than a quarter of it is free after that. Idle hosts that
     * have responded or failed are kept while busy hosts fill more than a quarter, so that a flood of new hosts does
     * not displace them; the proven ones are forgotten last. The capacity is at most six times the number of busy
     * hosts. Takes O(1) per host that is added.
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
            forget(nowNanos, host -> false); // for more slots
        }
    }

    private boolean hasRoom() {
        return capacity - size() > capacity / 4;
    }

    /** Removes idle hosts that meet a condition and groups without hosts; returns the number of hosts that are not idle. */
    private int forget(long nowNanos, Predicate<Host> condition) {
        @Nullable Host[] old = slots;
        slots = new Host[slots(capacity)];
        hosts = 0;
        int busy = 0;
        for (Host host : old) {
            boolean isIdle = host == null || mayForget(host, hostLimit, nowNanos);
            busy += isIdle ? 0 : 1;
            if (host != null && (!isIdle || !condition.test(host))) {
                put(host);
            } else if (host != null) {
                removeMember(host.group());
                removeMember(host.server());
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
        boolean hasBudget = limit.budget() != Integer.MAX_VALUE && host.accepted() > 0;
        boolean hasDelay = host.delayMillis > 0 && keepsDelays;
        return host.isIdle(nowNanos) && !hasBudget && !hasDelay && !host.isGivenUp;
    }

    private void put(Host host) {
        slots[slot(host.hash)] = host;
        hosts++;
    }

    /** Returns how many slots there are for a number of hosts, so that at least a third is free. */
    private static int slots(int capacity) {
        return capacity + (capacity >> 1);
    }

    /** Returns the slot of the host with a hash, or else the free one for it. */
    private int slot(long hash) {
        // Names that differ in one character have hashes at equal distances; the factor scatters them.
        long scattered = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        int slot = (int) Math.multiplyHigh(scattered >>> 1, 2L * slots.length);
        for (Host host = slots[slot]; host != null && host.hash != hash; host = slots[slot]) {
            slot = slot == slots.length - 1 ? 0 : slot + 1;
        }
        return slot;
    }

    private long hash(String name) {
        if (name.length() > MAX_NAME) {
            throw new IllegalArgumentException("name of a host is longer than " + MAX_NAME + " characters: " + name);
        }
        long hash = name.length();
        for (int i = 0; i < name.length(); i++) {
            hash = timesPoint(hash + name.charAt(i) + 1);
        }
        return hash;
    }

    /** Multiplies modulo 2^61 - 1; factors and result are below 2^62. */
    private long timesPoint(long factor) {
        long low = factor * point;
        long high = Math.multiplyHigh(factor, point);
        long sum = (low & PRIME) + ((low >>> 61) | (high << 3));
        return (sum & PRIME) + (sum >>> 61);
    }
}
