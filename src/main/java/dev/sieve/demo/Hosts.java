package dev.sieve.demo;

import java.net.IDN;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The hosts of a demo web and the pages of each. Pages are numbered through. A host owns a run of them, the h-th (from
 * 0) in proportion to 1 / (h + 1), but one at least; the first of a run is the host's start page.
 *
 * <p>The pages of a host are a tree, {@value #FAN} children a page, and so are the hosts. Whoever follows the links
 * from each page to its {@link #children} finds every page from page 0. Immutable, so safe for use by many threads.
 */
final class Hosts {
    static final int FAN = 8;
    static final int MAX_HOSTS = 1_000_000;

    private final String[] names;
    private final Map<String, Integer> byName;
    /** Host h owns the pages from firstPage[h] on and before firstPage[h + 1]. */
    private final int[] firstPage;

    Hosts(int hosts, int pages) {
        if (hosts < 1 || hosts > MAX_HOSTS) {
            throw new IllegalArgumentException("hosts must be 1 to " + MAX_HOSTS + ": " + hosts);
        }
        if (pages < hosts) {
            throw new IllegalArgumentException("pages must be at least " + hosts + ", the number of hosts: " + pages);
        }
        names = new String[hosts];
        byName = new HashMap<>(2 * hosts);
        for (int host = 0; host < hosts; host++) {
            names[host] = IDN.toASCII(unicodeName(host));
            byName.put(names[host], host);
        }
        firstPage = shares(hosts, pages);
    }

    private static int[] shares(int hosts, int pages) {
        double[] weightBefore = new double[hosts + 1];
        for (int host = 0; host < hosts; host++) {
            weightBefore[host + 1] = weightBefore[host] + 1.0 / (host + 1);
        }
        int[] first = new int[hosts + 1];
        for (int host = 0; host <= hosts; host++) {
            first[host] = host + (int) ((pages - hosts) * (weightBefore[host] / weightBefore[hosts]));
        }
        return first;
    }

    int hosts() {
        return names.length;
    }

    int pages() {
        return firstPage[names.length];
    }

    /** The name of a host as it stands in a URL that is fetched. */
    String name(int host) {
        return names[host];
    }

    /** The name as people write it; here and there it is not ASCII, or shares its domain with another host. */
    static String unicodeName(int host) {
        return switch (host % 16) {
            case 5, 13 -> "blog.h" + (host - 1) + ".test";
            case 9 -> "www.b\u00fccher" + host + ".test";
            default -> "www.h" + host + ".test";
        };
    }

    /** The host of a name in lower case; null when there is none. */
    Integer find(String name) {
        return byName.get(name);
    }

    int hostOf(int page) {
        int index = Arrays.binarySearch(firstPage, page);
        return index >= 0 ? index : -index - 2;
    }

    int startPage(int host) {
        return firstPage[host];
    }

    int pagesOf(int host) {
        return firstPage[host + 1] - firstPage[host];
    }

    boolean isStartPage(int page) {
        return page == startPage(hostOf(page));
    }

    /** Whether no page of the same host hangs on this one. */
    boolean isLeaf(int page) {
        int host = hostOf(page);
        return (long) FAN * (page - startPage(host)) + 1 >= pagesOf(host);
    }

    /** The pages that hang on this one: on a start page those of other hosts, too. */
    List<Integer> children(int page) {
        int host = hostOf(page);
        int start = startPage(host);
        Stream<Integer> children = childrenOf(page - start, pagesOf(host)).mapToObj(child -> start + child);
        if (page == start) {
            children = Stream.concat(children, childrenOf(host, hosts()).mapToObj(this::startPage));
        }
        return children.toList();
    }

    private static IntStream childrenOf(int parent, int count) {
        long first = (long) FAN * parent + 1;
        return first >= count ? IntStream.empty() : IntStream.range((int) first, (int) Math.min(count, first + FAN));
    }

    /** The page of the same host that this one hangs on; a start page itself. */
    int parent(int page) {
        int start = startPage(hostOf(page));
        return page == start ? start : start + (page - start - 1) / FAN;
    }
}
