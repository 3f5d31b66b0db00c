package dev.sieve.shared;

import dev.sieve.UrlBatch;

/**
 * A web whose hosts have sizes of a heavy-tailed distribution, P(size &gt;= x) = x^-1.1. The pages of a host form a tree, and
 * so do the first pages of the hosts: each page is found on one page only, so nothing makes good for a link that is lost.
 * Each page also links to pages that were seen before.
 */
final class SimWeb {
    private static final double EXPONENT = 1.1;
    private static final int HOST_CHILDREN = 4;

    final int hosts;
    private final int[] first;

    /** Makes a web whose largest hosts are cut to a size. */
    SimWeb(int hosts, int largest) {
        this.hosts = hosts;
        first = new int[hosts + 1];
        for (int i = 0; i < hosts; i++) {
            first[i + 1] = first[i] + (int) size(i, largest);
        }
    }

    /** Returns the number of pages of a host. */
    static long size(int host, long largest) {
        long mixed = (host + 1) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
        mixed ^= mixed >>> 32;
        double uniform = (double) ((mixed >>> 11) + 1) * 0x1p-53;
        return (long) Math.min((double) largest, Math.pow(uniform, -1 / EXPONENT));
    }

    int pages() {
        return first[hosts];
    }

    static String host(int host) {
        return "h" + host + ".test";
    }

    private static String url(int host, int page) {
        return "http://" + host(host) + "/" + page;
    }

    static String seed() {
        return url(0, 0);
    }

    static int hostOf(String url) {
        return Integer.parseInt(url.substring(8, url.indexOf('.')));
    }

    /** Returns the index of a page among all pages. */
    int index(String url) {
        return first[hostOf(url)] + Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }

    /** Adds the links of a page. */
    void links(String url, UrlBatch batch) {
        int host = hostOf(url);
        int page = index(url) - first[host];
        int pages = first[host + 1] - first[host];
        for (int child = 2 * page + 1; child <= 2 * page + 2 && child < pages; child++) {
            batch.add(url(host, child));
        }
        // Spread over the pages, so that the crawl finds other hosts until its end.
        for (int i = 0; i < HOST_CHILDREN; i++) {
            long child = (long) HOST_CHILDREN * host + 1 + i;
            if (child < hosts && page == Math.min(3 * i, pages - 1)) {
                batch.add(url((int) child, 0));
            }
        }
        batch.add(url(host, 0));
        batch.add(url(Math.max(0, host - 1) / HOST_CHILDREN, 0));
    }
}
