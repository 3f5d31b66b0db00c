package dev.sieve.polite;

import java.util.Arrays;

/**
 * Lines of hosts, first in, first out, linked through a column of the table: joining and leaving take O(1) and no memory.
 * A host stands in one line at most.
 */
final class HostLines {
    private static final int NONE = HostTable.NONE;

    private final HostTable hosts;
    private int[] firsts = new int[0];
    private int[] lasts = new int[0];

    HostLines(HostTable hosts) {
        this.hosts = hosts;
    }

    /** Makes room for lines with numbers below the capacity. */
    void grow(int capacity) {
        int old = firsts.length;
        firsts = Arrays.copyOf(firsts, capacity);
        lasts = Arrays.copyOf(lasts, capacity);
        Arrays.fill(firsts, old, capacity, NONE);
        Arrays.fill(lasts, old, capacity, NONE);
    }

    boolean isEmpty(int line) {
        return firsts[line] == NONE;
    }

    /** The host in front of a line; {@link HostTable#NONE} when nobody stands in it. */
    int first(int line) {
        return firsts[line];
    }

    void addLast(int line, int host) {
        hosts.set(host, HostTable.IN_LINE, true);
        hosts.nextInLine[host] = NONE;
        if (lasts[line] == NONE) {
            firsts[line] = host;
        } else {
            hosts.nextInLine[lasts[line]] = host;
        }
        lasts[line] = host;
    }

    /** Takes the host in front out of a line, in which somebody must stand. */
    void removeFirst(int line) {
        int host = firsts[line];
        hosts.set(host, HostTable.IN_LINE, false);
        firsts[line] = hosts.nextInLine[host];
        if (firsts[line] == NONE) {
            lasts[line] = NONE;
        }
    }
}
