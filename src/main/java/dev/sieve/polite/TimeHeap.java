package dev.sieve.polite;

import java.util.Arrays;

/**
 * Hosts in the order of a moment each, the earliest on top. A heap of four children a node, in which the moment of a
 * host can be changed: O(log n). Moments are compared by their difference, so that they may overflow.
 */
final class TimeHeap {
    private static final int CHILDREN = 4;

    private long[] times = new long[16];
    private int[] hosts = new int[16];

    /** Where a host stands, from 1; 0 when it is not in the heap. */
    private int[] positions = new int[0];

    private int size;

    int size() {
        return size;
    }

    /** Makes room for hosts with numbers below the capacity. */
    void grow(int capacity) {
        positions = Arrays.copyOf(positions, capacity);
    }

    boolean contains(int host) {
        return positions[host] > 0;
    }

    /** The earliest host; the heap must not be empty. */
    int first() {
        return hosts[0];
    }

    long firstTime() {
        return times[0];
    }

    /** Puts a host in at its moment, or moves it there. */
    void put(int host, long time) {
        int at = positions[host] - 1;
        if (at < 0) {
            if (size == hosts.length) {
                int room = size + (size >> 1);
                times = Arrays.copyOf(times, room);
                hosts = Arrays.copyOf(hosts, room);
            }
            at = size++;
            up(at, host, time);
        } else if (time - times[at] < 0) {
            up(at, host, time);
        } else {
            down(at, host, time);
        }
    }

    /** Takes a host out; nothing happens when it is not in. */
    void remove(int host) {
        int at = positions[host] - 1;
        if (at < 0) {
            return;
        }
        positions[host] = 0;
        size--;
        if (at < size) {
            int last = hosts[size];
            long time = times[size];
            if (at > 0 && time - times[(at - 1) / CHILDREN] < 0) {
                up(at, last, time);
            } else {
                down(at, last, time);
            }
        }
    }

    private void up(int start, int host, long time) {
        int at = start;
        while (at > 0) {
            int parent = (at - 1) / CHILDREN;
            if (time - times[parent] >= 0) {
                break;
            }
            set(at, hosts[parent], times[parent]);
            at = parent;
        }
        set(at, host, time);
    }

    private void down(int start, int host, long time) {
        int at = start;
        for (int child = CHILDREN * at + 1; child < size; child = CHILDREN * at + 1) {
            int earliest = child;
            int end = Math.min(size, child + CHILDREN);
            for (int other = child + 1; other < end; other++) {
                if (times[other] - times[earliest] < 0) {
                    earliest = other;
                }
            }
            if (times[earliest] - time >= 0) {
                break;
            }
            set(at, hosts[earliest], times[earliest]);
            at = earliest;
        }
        set(at, host, time);
    }

    private void set(int at, int host, long time) {
        hosts[at] = host;
        times[at] = time;
        positions[host] = at + 1;
    }
}
