package dev.sieve.polite;

import java.util.Arrays;

/**
 * The hosts that wait for a moment, in the order of these moments: a heap with four children per node, in which the
 * moment of a host can be changed in O(log n). Moments are compared by their difference, so that they may overflow.
 */
final class WaitingHosts {
    private static final int CHILDREN = 4;

    private Host[] hosts = new Host[16];
    private long[] times = new long[16];
    private int size;

    int size() {
        return size;
    }

    boolean contains(Host host) {
        return host.heapIndex >= 0;
    }

    /** The host with the earliest moment; there must be one. */
    Host first() {
        return hosts[0];
    }

    long firstTime() {
        return times[0];
    }

    /** Adds a host with its moment, or changes its moment. */
    void put(Host host, long time) {
        if (contains(host)) {
            place(host.heapIndex, host, time);
            return;
        }
        if (size == hosts.length) {
            int capacity = size + (size >> 1);
            hosts = Arrays.copyOf(hosts, capacity);
            times = Arrays.copyOf(times, capacity);
        }
        size++;
        place(size - 1, host, time);
    }

    void remove(Host host) {
        if (!contains(host)) {
            return;
        }
        size--;
        Host last = hosts[size];
        hosts[size] = null;
        if (last != host) {
            place(host.heapIndex, last, times[size]);
        }
        host.heapIndex = Host.NONE;
    }

    /** Puts a host at a free position, or above or below it, and moves the others out of its way. */
    private void place(int start, Host host, long time) {
        int at = start;
        for (int parent = (at - 1) / CHILDREN; at > 0 && time - times[parent] < 0; parent = (at - 1) / CHILDREN) {
            set(at, hosts[parent], times[parent]);
            at = parent;
        }
        for (int child = earliestChild(at); child > 0 && times[child] - time < 0; child = earliestChild(at)) {
            set(at, hosts[child], times[child]);
            at = child;
        }
        set(at, host, time);
    }

    /** The child with the earliest moment; 0 without children. */
    private int earliestChild(int parent) {
        int child = CHILDREN * parent + 1;
        if (child >= size) {
            return 0;
        }
        int end = Math.min(size, child + CHILDREN);
        for (int other = child + 1; other < end; other++) {
            if (times[other] - times[child] < 0) {
                child = other;
            }
        }
        return child;
    }

    private void set(int at, Host host, long time) {
        hosts[at] = host;
        times[at] = time;
        host.heapIndex = at;
    }
}
