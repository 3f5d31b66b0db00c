package dev.sieve.demo;

import java.net.IDN;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of a demo web and their pages. Pages are numbered; each host owns a range of numbers, the h-th (from 0) in
 * proportion to 1 / (h + 1), but at least one; or all of them equally many. The first page of a range is the start page
 * of the host.
 *
 * <p>The pages of a host are a tree with {@value #FAN} children per page, and so are the hosts: following {@link
 * #children} from page 0 leads to every page. Immutable, so safe for use by many threads.
 */
final class Hosts {
    static final int FAN = 8;
    static final int MAX_HOSTS = 1_000_000;

    private final String[] names;
    private final Map<String, Integer> byName;
    /** Host h owns the pages from firstPage[h] to firstPage[h + 1] - 1. */
    private final int[] firstPage;

    Hosts(int hosts, int pages, boolean even) {
        if (pages < hosts) {
            throw new IllegalArgumentException("pages must be at least " + hosts + ", the number of hosts: " + pages);
        }
        names = new String[hosts];
        byName = new HashMap<>(2 * hosts);
        double[] weightBefore = new double[hosts + 1];
        for (int host = 0; host < hosts; host++) {
            names[host] = IDN.toASCII(unicodeName(host));
            byName.put(names[host], host);
            weightBefore[host + 1] = weightBefore[host] + (even ? 1.0 : 1.0 / (host + 1));
        }
        firstPage = new int[hosts + 1];
        for (int host = 0; host <= hosts; host++) {
            firstPage[host] = host + (int) ((pages - hosts) * (weightBefore[host] / weightBefore[hosts]));
        }
    }

    int hosts() {
        return names.length;
    }

    int pages() {
        return firstPage[names.length];
    }

    /** Returns the name of a host in ASCII. */
    String name(int host) {
        return names[host];
    }

    /** Returns the name as people write it; some are not ASCII, and some hosts share a domain. */
    static String unicodeName(int host) {
        return switch (host % 16) {
            case 5, 13 -> "blog.h" + (host - 1) + ".test";
            case 9 -> "www.b\u00fccher" + host + ".test";
            default -> "www.h" + host + ".test";
        };
    }

    /** Returns the host with this name in lower case; null if there is none. */
    @Nullable
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

    boolean isLeaf(int page) {
        int host = hostOf(page);
        return (long) FAN * (page - startPage(host)) + 1 >= pagesOf(host);
    }

    /** Returns the children of a page; those of a start page include start pages of other hosts. */
    List<Integer> children(int page) {
        int host = hostOf(page);
        int start = startPage(host);
        IntStream children = childrenOf(page - start, pagesOf(host)).map(child -> start + child);
        if (page == start) {
            children = IntStream.concat(children, childrenOf(host, hosts()).map(this::startPage));
        }
        return children.boxed().toList();
    }

    private static IntStream childrenOf(int parent, int count) {
        long first = (long) FAN * parent + 1;
        return first >= count ? IntStream.empty() : IntStream.range((int) first, (int) Math.min(count, first + FAN));
    }

    /** Returns the parent of a page on its host; a start page is its own parent. */
    int parent(int page) {
        int start = startPage(hostOf(page));
        return page == start ? start : start + (page - start - 1) / FAN;
    }
}
