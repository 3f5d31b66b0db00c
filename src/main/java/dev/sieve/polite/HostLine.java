package dev.sieve.polite;

/** Hosts that stand in line, linked through a column of the table, so that joining and leaving cost O(1) and no memory. */
final class HostLine {
    private final HostTable hosts;
    private int first = HostTable.NONE;
    private int last = HostTable.NONE;

    HostLine(HostTable hosts) {
        this.hosts = hosts;
    }

    boolean isEmpty() {
        return first == HostTable.NONE;
    }

    /** The host in front; the line must not be empty. */
    int first() {
        return first;
    }

    void addFirst(int host) {
        hosts.set(host, HostTable.IN_LINE, true);
        hosts.nextInLine[host] = first;
        first = host;
        if (last == HostTable.NONE) {
            last = host;
        }
    }

    void addLast(int host) {
        hosts.set(host, HostTable.IN_LINE, true);
        hosts.nextInLine[host] = HostTable.NONE;
        if (last == HostTable.NONE) {
            first = host;
        } else {
            hosts.nextInLine[last] = host;
        }
        last = host;
    }

    void removeFirst() {
        hosts.set(first, HostTable.IN_LINE, false);
        first = hosts.nextInLine[first];
        if (first == HostTable.NONE) {
            last = HostTable.NONE;
        }
    }
}
