package dev.sieve.polite;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * What is known of each host, as columns by the number of the host: some sixty bytes a host, and no object.
 *
 * <p>When the table is full, the hosts that the caller can do without are forgotten, and only if these are few does the
 * table grow; so it takes memory for the hosts that matter at a time, not for all that were ever heard of, and forgetting
 * costs O(1) for each host that comes.
 */
final class HostTable {
    static final int NONE = HostNames.NONE;

    /** Whether more than one request at a time is allowed. */
    static final int OPEN = 1;

    /** Whether a request was ever started. */
    static final int ASKED = 2;

    /** Whether the host may not be asked because of something else than its delay. */
    static final int BACKING_OFF = 4;

    /** Whether the host stands in the line of those that are free. */
    static final int IN_LINE = 8;

    final HostNames names = new HostNames();

    /** When the host may be asked again; once it stands in the line, since when it could have been. */
    long[] freeAt = new long[0];

    int[] nextInLine = new int[0];
    int[] queued = new int[0];
    short[] underWay = new short[0];
    byte[] failures = new byte[0];
    int[] delayMillis = new int[0];
    int[] waitedMillis = new int[0];
    private byte[] flags = new byte[0];

    int capacity() {
        return flags.length;
    }

    boolean is(int host, int flag) {
        return (flags[host] & flag) != 0;
    }

    void set(int host, int flag, boolean value) {
        flags[host] = (byte) (value ? flags[host] | flag : flags[host] & ~flag);
    }

    /** Takes in a host with nothing known of it; there must be room. */
    int add(byte[] name) {
        int host = names.add(name);
        flags[host] = 0;
        queued[host] = 0;
        underWay[host] = 0;
        failures[host] = 0;
        delayMillis[host] = 0;
        waitedMillis[host] = 0;
        return host;
    }

    /** Forgets hosts; true when a quarter of the table has become free. */
    boolean forget(IntPredicate needless) {
        names.removeIf(needless);
        return names.size() < capacity() / 4 * 3;
    }

    void grow(int capacity) {
        names.grow(capacity);
        freeAt = Arrays.copyOf(freeAt, capacity);
        nextInLine = Arrays.copyOf(nextInLine, capacity);
        queued = Arrays.copyOf(queued, capacity);
        underWay = Arrays.copyOf(underWay, capacity);
        failures = Arrays.copyOf(failures, capacity);
        delayMillis = Arrays.copyOf(delayMillis, capacity);
        waitedMillis = Arrays.copyOf(waitedMillis, capacity);
        flags = Arrays.copyOf(flags, capacity);
    }
}
