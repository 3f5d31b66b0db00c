package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.Frontier;
import dev.sieve.UrlBatch;

/**
 * The links of some pages, made anew for each call of a benchmark. A page has 64 links; link n is always the same one, on
 * page n / 64. Of five links of a page four lead to its own host, or none where hosts are mixed.
 */
final class Links {
    /** Links of a page, which are pushed as one batch. */
    static final int PAGE = 64;

    /** Links in all. */
    static final int COUNT = 64 * PAGE;

    private static final byte[] START = "https://".getBytes(ISO_8859_1);

    private final boolean mixed;
    private final byte[] bytes = new byte[COUNT * 2 * Urls.MAX_LENGTH];
    private final byte[] page = new byte[Urls.MAX_LENGTH];
    /** Link i lies from offsets[i] to offsets[i + 1]. */
    private final int[] offsets = new int[COUNT + 1];

    private final String[] referrers = new String[COUNT / PAGE];
    private final UrlBatch batch = new UrlBatch();

    /** Room for links; {@code mixed}: every one leads to another host. */
    Links(boolean mixed) {
        this.mixed = mixed;
    }

    /** Takes all links from a number on, a multiple of 64. */
    void drawNew(long first) {
        for (int i = 0; i < COUNT; i++) {
            set(i, first + i);
        }
        refer(first / PAGE);
    }

    /** Takes any links below a number. */
    void drawSeen(long below, long dice) {
        for (int i = 0; i < COUNT; i++) {
            set(i, Math.floorMod(Urls.mix(dice * COUNT + i), below));
        }
        refer(dice);
    }

    private void refer(long firstPage) {
        for (int i = 0; i < referrers.length; i++) {
            referrers[i] = pageUrl(firstPage + i);
        }
    }

    private void set(int index, long number) {
        int from = offsets[index];
        int end = Urls.write(number, bytes, from);
        if (!mixed && Long.remainderUnsigned(Urls.mix(~number), 5) != 0) {
            end = moveToHost(number / PAGE, from, end);
        }
        offsets[index + 1] = end;
    }

    /** Puts the host of a page in the place of the host of a link. */
    private int moveToHost(long pageNumber, int from, int end) {
        writePage(pageNumber);
        int path = hostEnd(bytes, from);
        int host = hostEnd(page, 0);
        System.arraycopy(bytes, path, bytes, from + host, end - path);
        System.arraycopy(page, 0, bytes, from, host);
        return end + from + host - path;
    }

    /** Its number is that of no link. */
    private int writePage(long pageNumber) {
        return Urls.write(Long.MAX_VALUE - pageNumber, page, 0);
    }

    private String pageUrl(long pageNumber) {
        return new String(page, 0, writePage(pageNumber), ISO_8859_1);
    }

    private static int hostEnd(byte[] url, int from) {
        int at = from + START.length;
        while (url[at] != '/') {
            at++;
        }
        return at;
    }

    /** Pushes all links, a page at a time; answers how many were new. */
    long push(Frontier frontier) {
        long isNew = 0;
        for (int first = 0; first < COUNT; first += PAGE) {
            batch.clear(1, 0, referrers[first / PAGE]);
            for (int i = first; i < first + PAGE; i++) {
                batch.add(bytes, offsets[i], offsets[i + 1]);
            }
            isNew += frontier.pushAll(batch);
        }
        return isNew;
    }

    /** The length of all links, in bytes. */
    long length() {
        return offsets[COUNT];
    }
}
