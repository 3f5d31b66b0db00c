package dev.sieve.polite;

import java.util.Arrays;

/**
 * What is known of each host, as columns by the number of the host: some sixty bytes a host, and no object. A group of
 * hosts that share a limit has a row as well.
 */
final class HostTable {
    static final int NONE = HostNames.NONE;

    /** Whether more than one request at a time is allowed. */
    static final int OPEN = 1;

    /** Whether a request was ever started. */
    static final int ASKED = 2;

    /** Whether it is more than the delay that keeps the host from being asked. */
    static final int BACKING_OFF = 4;

    /** Whether the host stands in a line. */
    static final int IN_LINE = 8;

    /** Whether this is a group of hosts. */
    static final int GROUP = 16;

    /** Whether the host is not asked any more, so that its items owe no delay. */
    static final int GIVEN_UP = 32;

    /** Whether the last request for an item was answered soon. */
    static final int PROVEN = 64;

    /** Whether the host counts as a proven one that has something to do. */
    static final int COUNTED = 128;

    final HostNames names = new HostNames();

    /** When the host may be asked again. */
    long[] freeAt = new long[0];

    /** Since when the host could have been asked, if it stands in a line. */
    long[] freeSince = new long[0];

    /** The row of the host's group; {@link #NONE} without one. */
    int[] group = new int[0];

    int[] nextInLine = new int[0];

    /** Items that wait; of a group, the hosts in it that are known. */
    int[] queued = new int[0];

    /** Items that were taken so far. */
    int[] accepted = new int[0];

    int[] delayMillis = new int[0];
    int[] waitedMillis = new int[0];
    short[] underWay = new short[0];
    byte[] failures = new byte[0];
    private short[] flags = new short[0];

    int capacity() {
        return flags.length;
    }

    boolean is(int host, int flag) {
        return (flags[host] & flag) != 0;
    }

    void set(int host, int flag, boolean value) {
        flags[host] = (short) (value ? flags[host] | flag : flags[host] & ~flag);
    }

    /** Takes in a host of which nothing is known but when it may be asked; there must be room. */
    int add(byte[] name, long mayBeAskedAt) {
        int host = names.add(name);
        flags[host] = 0;
        freeAt[host] = mayBeAskedAt;
        group[host] = NONE;
        queued[host] = 0;
        accepted[host] = 0;
        delayMillis[host] = 0;
        waitedMillis[host] = 0;
        underWay[host] = 0;
        failures[host] = 0;
        return host;
    }

    void grow(int capacity) {
        names.grow(capacity);
        freeAt = Arrays.copyOf(freeAt, capacity);
        freeSince = Arrays.copyOf(freeSince, capacity);
        group = Arrays.copyOf(group, capacity);
        nextInLine = Arrays.copyOf(nextInLine, capacity);
        queued = Arrays.copyOf(queued, capacity);
        accepted = Arrays.copyOf(accepted, capacity);
        delayMillis = Arrays.copyOf(delayMillis, capacity);
        waitedMillis = Arrays.copyOf(waitedMillis, capacity);
        underWay = Arrays.copyOf(underWay, capacity);
        failures = Arrays.copyOf(failures, capacity);
        flags = Arrays.copyOf(flags, capacity);
    }
}
