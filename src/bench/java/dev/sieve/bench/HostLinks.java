package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.UrlBatch;
import java.util.Random;

/**
 * Pages of links, made up before they are pushed: four of five links of a page lead to its own host, and a share of all
 * links is new. The others are drawn evenly from what is known of their host. Pages are drawn by one thread, and read by
 * many.
 */
final class HostLinks {
    /** Links of a page. */
    static final int PAGE = 64;

    private static final int HOSTS = 1024;
    private static final int NEW_ONE_IN = 10;

    private final Random random = new Random(20261122);
    private final byte[][] hosts = new byte[HOSTS][];
    private final int[] known = new int[HOSTS];
    private final int pages;
    private final byte[] bytes;
    /** Link i lies from offsets[i] to offsets[i + 1]. */
    private final int[] offsets;
    /** Page i has the links from firsts[i] to firsts[i + 1]. */
    private final int[] firsts;

    private final String[] referrers;
    private final byte[] referrer = new byte[2 * Urls.MAX_LENGTH];

    /** Room for a number of pages. */
    HostLinks(int pages) {
        this.pages = pages;
        bytes = new byte[pages * PAGE * Urls.MAX_LENGTH];
        offsets = new int[pages * PAGE + 1];
        firsts = new int[pages + 1];
        referrers = new String[pages];
        for (int host = 0; host < HOSTS; host++) {
            byte[] url = new byte[Urls.MAX_LENGTH];
            Urls.write(host, url, 0);
            String name = new String(url, 0, pathOf(url, 0), ISO_8859_1);
            // Two hosts would have one name now and then.
            hosts[host] = name.replace("://", "://" + Integer.toString(host, 36) + ".")
                    .getBytes(ISO_8859_1);
        }
    }

    int pages() {
        return pages;
    }

    /** Draws pages of which one link in ten is new. */
    void draw() {
        draw(false);
    }

    /** Draws the new links of such pages alone. */
    void drawNew() {
        draw(true);
    }

    private void draw(boolean onlyNew) {
        int link = 0;
        for (int page = 0; page < pages; page++) {
            int home = random.nextInt(HOSTS);
            referrers[page] = new String(referrer, 0, write(home, Integer.MAX_VALUE - page, referrer, 0), ISO_8859_1);
            firsts[page] = link;
            for (int i = 0; i < PAGE; i++) {
                int host = random.nextInt(5) == 0 ? random.nextInt(HOSTS) : home;
                boolean isNew = random.nextInt(NEW_ONE_IN) == 0;
                if (isNew || !onlyNew) {
                    int number = isNew ? known[host]++ : random.nextInt(Math.max(1, known[host]));
                    offsets[link + 1] = write(host, number, bytes, offsets[link]);
                    link++;
                }
            }
        }
        firsts[pages] = link;
    }

    /** Returns how many links the pages have. */
    int size() {
        return firsts[pages];
    }

    /** Returns how many bytes the links have. */
    long length() {
        return offsets[size()];
    }

    /** Fills a batch with the links of a page. */
    void fill(UrlBatch batch, int page) {
        batch.clear(1, 0, referrers[page]);
        for (int i = firsts[page]; i < firsts[page + 1]; i++) {
            batch.add(bytes, offsets[i], offsets[i + 1]);
        }
    }

    private int write(int host, int number, byte[] out, int at) {
        byte[] name = hosts[host];
        int from = at + name.length;
        int end = Urls.write((long) host << 32 | number, out, from);
        int path = pathOf(out, from);
        System.arraycopy(name, 0, out, at, name.length);
        System.arraycopy(out, path, out, from, end - path);
        return from + end - path;
    }

    private static int pathOf(byte[] url, int from) {
        int at = from + "https://".length();
        while (url[at] != '/') {
            at++;
        }
        return at;
    }
}
