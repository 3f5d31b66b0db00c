package dev.sieve.polite;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The hosts of a schedule by name: a hash table whose buckets are linked through the hosts. A {@link java.util.HashMap}
 * would take 60 bytes more per host.
 *
 * <p>The hash is a polynomial over a prime field at a secret random point (Carter and Wegman, "Universal classes of hash
 * functions", JCSS 18, 1979): two names of n bytes collide with probability n / 2^61 whatever the names are, so that
 * chosen names cannot slow the table down.
 */
final class HostTable {
    private static final long PRIME = (1L << 61) - 1;

    private final long point = new SecureRandom().nextLong() >>> 4;
    private Host[] buckets = new Host[64];
    private int size;

    int size() {
        return size;
    }

    /** The host with a name; null when it is not stored. */
    Host find(byte[] name) {
        Host host = buckets[bucket(name)];
        while (host != null && !Arrays.equals(host.name, name)) {
            host = host.nextInBucket;
        }
        return host;
    }

    /** Adds a host whose name is not stored yet. */
    void add(Host host) {
        if (size == buckets.length) {
            grow();
        }
        link(host);
        size++;
    }

    private void grow() {
        Host[] old = buckets;
        buckets = new Host[2 * old.length];
        for (Host first : old) {
            for (Host host = first; host != null; ) {
                Host next = host.nextInBucket;
                link(host);
                host = next;
            }
        }
    }

    private void link(Host host) {
        int bucket = bucket(host.name);
        host.nextInBucket = buckets[bucket];
        buckets[bucket] = host;
    }

    int count(Predicate<Host> condition) {
        int count = 0;
        for (Host first : buckets) {
            for (Host host = first; host != null; host = host.nextInBucket) {
                count += condition.test(host) ? 1 : 0;
            }
        }
        return count;
    }

    void removeIf(Predicate<Host> condition) {
        for (int i = 0; i < buckets.length; i++) {
            Host kept = null;
            for (Host host = buckets[i]; host != null; ) {
                Host next = host.nextInBucket;
                if (condition.test(host)) {
                    size--;
                } else {
                    host.nextInBucket = kept;
                    kept = host;
                }
                host = next;
            }
            buckets[i] = kept;
        }
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
