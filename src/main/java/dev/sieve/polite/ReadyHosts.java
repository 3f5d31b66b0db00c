package dev.sieve.polite;

import java.util.stream.Stream;

/**
 * The hosts that may be requested at once, in an order that is fair and ends a crawl soon.
 *
 * <p>Hosts are sorted into chains by the amount of work left, in powers of two; each chain is in the order in which its
 * hosts became ready. Every other request goes to the host that has been ready the longest, so that no host starves.
 * The requests between go to a host with the most work left, because these determine when the crawl ends.
 */
final class ReadyHosts {
    private static final int SIZES = Long.SIZE;

    private final Host.Chain[] chains =
            Stream.generate(Host.Chain::new).limit(SIZES).toArray(Host.Chain[]::new);
    private long used; // the chains that are not empty, one bit each
    private boolean mostWorkFirst;

    boolean isEmpty() {
        return used == 0;
    }

    /** Adds a host whose {@link Host#readySince} is set, with the amount of work it has left, in any unit. */
    void add(Host host, double work) {
        int size = Math.min(SIZES - 1, Math.max(0, Math.getExponent(work)));
        chains[size].addLast(host);
        used |= 1L << size;
    }

    /** Returns the host that is next; there must be one. */
    Host first() {
        return chains[firstChain()].first();
    }

    void removeFirst() {
        int size = firstChain();
        chains[size].removeFirst();
        if (chains[size].isEmpty()) {
            used ^= 1L << size;
        }
    }

    /** Changes to the other order, after a request. */
    void alternate() {
        mostWorkFirst = !mostWorkFirst;
    }

    private int firstChain() {
        int chain = SIZES - 1 - Long.numberOfLeadingZeros(used);
        if (mostWorkFirst) {
            return chain;
        }
        for (long others = used ^ (1L << chain); others != 0; others &= others - 1) {
            int other = Long.numberOfTrailingZeros(others);
            if (chains[other].first().readySince - chains[chain].first().readySince <= 0) {
                chain = other;
            }
        }
        return chain;
    }
}
