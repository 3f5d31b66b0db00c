package dev.sieve.shared;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sees each request and each answer of a simulated crawl, and fails when a promise is broken. */
final class SimPromises {
    static final long DELAY_NANOS = 1_000_000_000L;
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final SimTime time;
    private final SimWeb web;
    private final byte[] requested;
    private final byte[] done;
    private final byte[] toldNew;
    /** How often a push of the page was lost with the last writes of a node, which permits to be told new again. */
    private final byte[] takenBack;

    private final long[] lastStart;
    private final long[] lastEnd;
    private final SimWorker[] lastWorker;

    /** When the worker that had the slice, or the page, died. */
    private final Map<Integer, Long> orphanedSlices = new HashMap<>();

    private final Map<Integer, Long> orphanedPages = new HashMap<>();
    final List<Long> untilOwned = new ArrayList<>();
    final List<Long> untilRequested = new ArrayList<>();

    long requests;
    long gaps;
    long ownerChanges;
    long toldAgain;
    long finished;
    long retries;

    SimPromises(SimTime time, SimWeb web) {
        this.time = time;
        this.web = web;
        requested = new byte[web.pages()];
        done = new byte[web.pages()];
        toldNew = new byte[web.pages()];
        takenBack = new byte[web.pages()];
        lastStart = new long[web.hosts];
        lastEnd = new long[web.hosts];
        Arrays.fill(lastStart, NEVER);
        Arrays.fill(lastEnd, NEVER);
        lastWorker = new SimWorker[web.hosts];
    }

    /** A worker starts a request, which ends at a moment. */
    void requests(SimWorker worker, String url, long endNanos) {
        long now = time.now();
        int host = SimWeb.hostOf(url);
        SimWorker before = lastWorker[host];
        check(lastEnd[host] <= now, "two requests to one host", url, before, worker);
        check(
                now - lastStart[host] >= DELAY_NANOS,
                "the delay was " + (now - lastStart[host]) + " ns",
                url,
                before,
                worker);
        gaps += before == null ? 0 : 1;
        ownerChanges += before == null || before == worker ? 0 : 1;
        lastStart[host] = now;
        lastEnd[host] = endNanos;
        lastWorker[host] = worker;
        int page = web.index(url);
        requested[page]++;
        requests++;
        Long death = orphanedPages.remove(page);
        if (death != null) {
            untilRequested.add(now - death);
        }
    }

    private void check(boolean holds, String what, String url, @Nullable SimWorker before, SimWorker worker) {
        if (!holds) {
            throw new AssertionError(what + ": " + url + " by " + before + ", then " + worker + " at " + time.now());
        }
    }

    /** A page was reported as new. */
    void toldNew(SimWorker worker, String url) {
        int page = web.index(url);
        toldNew[page]++;
        toldAgain += toldNew[page] > 1 ? 1 : 0;
        check(toldNew[page] <= 1 + takenBack[page], "told new again", url, null, worker);
    }

    /** A node has lost a push. */
    void takenBack(Frame frame) {
        for (int i = 0; i < frame.count(); i++) {
            takenBack[web.index(frame.lease(0, i, 0).url())]++;
        }
    }

    void done(String url) {
        finished += done[web.index(url)]++ == 0 ? 1 : 0;
    }

    /** A worker has died. */
    void died(List<Integer> slices, List<String> pages, List<String> underWay) {
        slices.forEach(slice -> orphanedSlices.put(slice, time.now()));
        pages.forEach(url -> orphanedPages.put(web.index(url), time.now()));
        underWay.forEach(url -> lastEnd[SimWeb.hostOf(url)] = Math.min(lastEnd[SimWeb.hostOf(url)], time.now()));
    }

    void claimed(int slice) {
        Long death = orphanedSlices.remove(slice);
        if (death != null) {
            untilOwned.add(time.now() - death);
        }
    }

    /** Returns how many pages were requested more than once. */
    long repeated() {
        long sum = 0;
        for (byte times : requested) {
            sum += Math.max(0, times - 1);
        }
        return sum;
    }

    /** The crawl is over for all workers. */
    void end() {
        for (int i = 0; i < done.length; i++) {
            if (done[i] == 0) {
                throw new AssertionError("page " + i + " was lost: requested " + requested[i] + " times, told new "
                        + toldNew[i] + " times; " + (web.pages() - finished) + " of " + web.pages() + " were not done");
            }
        }
    }
}
