package dev.sieve.shared;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A call that stores which URLs of a slice are done. It is sent unchanged until the engine has answered, under one number, so
 * that the engine counts it once.
 */
final class DoneCall {
    /** A script takes a few thousand arguments. */
    private static final int MAX_FRAMES = 1000;

    private static final byte[] ALL = {};

    private final byte[][] args;
    private final long seal;
    private final int count;
    private final int pages;

    private DoneCall(byte[][] args, long seal, int count, int pages) {
        this.args = args;
        this.seal = seal;
        this.count = count;
        this.pages = pages;
    }

    byte[][] args() {
        return args;
    }

    /** Returns the number of the seal with which it was made. */
    long seal() {
        return seal;
    }

    /** Returns how many URLs became done. */
    int count() {
        return count;
    }

    /** Returns how many of them are pages. */
    int pages() {
        return pages;
    }

    /**
     * Moves frames into a call.
     *
     * @param run to which URLs per host are counted; null where they are not
     */
    static DoneCall of(long number, long seal, Set<TakenFrame> changed, @Nullable String run) {
        List<byte[]> args = new ArrayList<>();
        Map<String, Integer> hosts = new TreeMap<>();
        int sum = 0;
        int pages = 0;
        Iterator<TakenFrame> frames = changed.iterator();
        for (int i = 0; i < MAX_FRAMES && frames.hasNext(); i++) {
            TakenFrame frame = frames.next();
            frames.remove();
            int count = frame.countNewlyDone();
            args.add(CrawlKeys.utf8(frame.number));
            args.add(frame.isDone() ? ALL : frame.doneBits());
            args.add(CrawlKeys.utf8(count));
            sum += count;
            pages += frame.countNewPages();
            frame.countNewHosts(hosts);
        }
        List<byte[]> all = new ArrayList<>(List.of(CrawlKeys.utf8(number), CrawlKeys.utf8(pages)));
        all.add(CrawlKeys.utf8(hosts.size()));
        if (!hosts.isEmpty()) {
            all.add(CrawlKeys.utf8(Objects.requireNonNull(run)));
        }
        hosts.forEach((host, count) -> all.addAll(List.of(CrawlKeys.utf8(host), CrawlKeys.utf8(count))));
        all.addAll(args);
        return new DoneCall(all.toArray(byte[][]::new), seal, sum, pages);
    }
}
