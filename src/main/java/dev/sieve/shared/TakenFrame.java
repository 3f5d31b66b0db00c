package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.Lease;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A frame that this worker has taken, whose URLs have the ids from {@link #firstId} on. Its text is kept until all URLs
 * were handed out. Guarded by the lock of {@link Holdings}.
 */
final class TakenFrame {
    final int slice;
    final long number;
    final long firstId;
    private final int count;

    private @Nullable Frame text;
    private int next;
    private final BitSet done;
    private final BitSet begun = new BitSet();
    private int newlyDone;
    private int newPages;
    private Map<String, Integer> newHosts = Map.of();

    TakenFrame(int slice, long number, long firstId, Frame text, BitSet done) {
        this.slice = slice;
        this.number = number;
        this.firstId = firstId;
        this.text = text;
        this.done = done;
        count = text.count();
        next = done.nextClearBit(0);
    }

    boolean contains(long id) {
        return id - firstId < count;
    }

    /** Returns whether a URL was not handed out yet. */
    boolean hasNext() {
        return next < count;
    }

    Lease next() {
        Lease lease = Objects.requireNonNull(text).lease(firstId + next, next, 0);
        next = done.nextClearBit(next + 1);
        text = hasNext() ? text : null;
        return lease;
    }

    /** Begins work on a URL; returns false when that was done before. */
    boolean begin(long id) {
        int index = (int) (id - firstId);
        boolean isFirst = !begun.get(index);
        begun.set(index);
        return isFirst;
    }

    /** Ends work on a URL; returns whether it was begun. */
    boolean end(long id) {
        int index = (int) (id - firstId);
        boolean wasBegun = begun.get(index);
        begun.clear(index);
        return wasBegun;
    }

    /** Notes that a URL is done; its host is null where URLs per host are not counted. */
    void done(long id, boolean isPage, @Nullable String host) {
        done.set((int) (id - firstId));
        newlyDone++;
        newPages += isPage ? 1 : 0;
        if (host != null) {
            newHosts = newHosts.isEmpty() ? new HashMap<>() : newHosts;
            newHosts.merge(host, 1, Integer::sum);
        }
    }

    boolean isDone() {
        return done.cardinality() == count;
    }

    int newlyDone() {
        return newlyDone;
    }

    /** Returns how many of the {@link #newlyDone} are pages. */
    int newPages() {
        return newPages;
    }

    /**
     * A call that stores which URLs of a slice are done. It is sent unchanged until the engine has responded, under one
     * number, so that the engine counts it once.
     *
     * @param seal the number of the seal with which it was made
     * @param count how many URLs became done
     * @param pages how many of them are pages
     */
    record DoneCall(List<byte[]> args, long seal, int count, int pages) {
        /** A script takes a few thousand arguments. */
        private static final int MAX_FRAMES = 1000;

        private static final byte[] ALL = {};

        /** Moves frames into a call; URLs per host are counted to a run, unless it is null. */
        static DoneCall of(long number, long seal, Set<TakenFrame> changed, @Nullable String run) {
            List<byte[]> args = new ArrayList<>();
            Map<String, Integer> hosts = new TreeMap<>();
            int sum = 0;
            int pages = 0;
            Iterator<TakenFrame> frames = changed.iterator();
            for (int i = 0; i < MAX_FRAMES && frames.hasNext(); i++) {
                TakenFrame frame = frames.next();
                frames.remove();
                args.add(utf8(frame.number));
                args.add(frame.isDone() ? ALL : frame.done.toByteArray());
                args.add(utf8(frame.newlyDone));
                sum += frame.newlyDone;
                pages += frame.newPages;
                frame.newHosts.forEach((host, count) -> hosts.merge(host, count, Integer::sum));
                frame.newlyDone = 0;
                frame.newPages = 0;
                frame.newHosts = Map.of();
            }
            List<byte[]> all = new ArrayList<>(List.of(utf8(number), utf8(pages), utf8(hosts.size())));
            if (!hosts.isEmpty()) {
                all.add(utf8(Objects.requireNonNull(run)));
            }
            hosts.forEach((host, count) -> all.addAll(List.of(utf8(host), utf8(count))));
            all.addAll(args);
            return new DoneCall(all, seal, sum, pages);
        }
    }
}
