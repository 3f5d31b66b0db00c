package dev.sieve.polite;

/**
 * The hosts that may be asked at once, in an order that is fair and soon done.
 *
 * <p>They stand in a line for each size of the work that they have left, in powers of two, and in each line in the order
 * in which they became free. Every other turn is that of the host that has been free the longest, so that none starves;
 * the turns between are those of the hosts with the most work left, since a crawl is not over before they are, and they
 * can only be asked one request a delay.
 */
final class FreeHosts {
    private static final int SIZES = Long.SIZE;

    private final HostTable hosts;
    private final HostLines lines;

    /** The lines in which somebody stands, one bit each. */
    private long used;

    private boolean mostWorkFirst;

    FreeHosts(HostTable hosts) {
        this.hosts = hosts;
        lines = new HostLines(hosts);
        lines.grow(SIZES);
    }

    boolean isEmpty() {
        return used == 0;
    }

    /**
     * Takes in a host; since when it is free stands in the table.
     *
     * @param work how much it has left, in any unit of at least one
     */
    void add(int host, double work) {
        int size = Math.min(SIZES - 1, Math.max(0, Math.getExponent(work)));
        lines.addLast(size, host);
        used |= 1L << size;
    }

    /** The host whose turn it is; there must be one. */
    int first() {
        return lines.first(nextLine());
    }

    /** Takes out the host whose turn it is. */
    void removeFirst() {
        int line = nextLine();
        lines.removeFirst(line);
        if (lines.isEmpty(line)) {
            used ^= 1L << line;
        }
    }

    /** Says that a host was asked, so that the other order decides who is next. */
    void endTurn() {
        mostWorkFirst = !mostWorkFirst;
    }

    private int nextLine() {
        int line = SIZES - 1 - Long.numberOfLeadingZeros(used);
        if (mostWorkFirst) {
            return line;
        }
        for (long others = used ^ (1L << line); others != 0; others &= others - 1) {
            int other = Long.numberOfTrailingZeros(others);
            if (hosts.freeSince[lines.first(other)] - hosts.freeSince[lines.first(line)] <= 0) {
                line = other;
            }
        }
        return line;
    }
}
