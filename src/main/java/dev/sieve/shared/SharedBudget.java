package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many pages, and how many URLs of each host, the workers of a crawl visit in a run, all together: a run begins
 * with the first worker that opens the crawl, and ends with the last one. Obtained from {@link SharedSieve#budget}.
 *
 * <p>The engine counts the pages that are done, and knows how many others each worker has begun; so no more than
 * permitted are ever begun, and those of a worker that dies are free again when the engine counts it as dead. Each page
 * costs a round trip, and three on a cluster. The URLs of a host cost no round trip: the worker that owns the host
 * counts them.
 *
 * <p>Safe for use by many threads.
 */
public final class SharedBudget {
    /** Lua's numbers are exact up to 2<sup>53</sup>. */
    private static final long UNLIMITED = 1L << 52;

    /** The field with the identity of the run. */
    static final byte[] START = utf8("start");

    private static final byte[] VERSION = utf8("version");
    private static final byte[] PAGES = utf8("pages");

    private final Worker worker;
    private final byte[][] keys;
    private final boolean isOfHosts;
    /** The run when this worker has joined. */
    private final Answer joined;

    private volatile long most = UNLIMITED;

    private volatile boolean isSpent;
    private int active;
    /** The ids of the leases of pages that are not marked as done. */
    private final Set<Long> pages = new HashSet<>();

    /** Joins the run, or begins one. Must come before the first claim of a slice, whose counts are those of a run. */
    SharedBudget(Worker worker, boolean isOfHosts) {
        this.isOfHosts = isOfHosts;
        this.worker = worker;
        int slices = worker.keys().isSpread() ? 0 : worker.keys().sliceCount();
        keys = new byte[3 + slices][];
        keys[0] = worker.keys().budget();
        keys[1] = worker.keys().workers();
        keys[2] = worker.keys().settings();
        for (int i = 0; i < slices; i++) {
            keys[3 + i] = worker.keys().slice(i).counters;
        }
        joined = worker.engine().call((session, number) -> ask(session, 0, 0, true));
    }

    /**
     * Limits the pages of the run, which all workers of a crawl have to do alike; {@link Long#MAX_VALUE}: any number.
     * Returns how long ago the run had begun when this worker joined it.
     */
    public Duration join(long mostPages) {
        most = Math.min(mostPages, UNLIMITED);
        isSpent = joined.done >= most;
        return Duration.ofMillis(joined.ageMillis);
    }

    /**
     * Counts a URL for the limit of its host; called once, when it was handed out with attempt 0. Returns false when it
     * is beyond the limit, and has to be {@linkplain SharedSieve#leave left}.
     *
     * @see SharedSieve.Builder#perHost
     */
    public boolean admit(Lease lease) {
        return worker.holdings().admit(lease);
    }

    /** Begins what may turn out to be a page; returns false if the budget, or the engine, does not permit one now. */
    public boolean begin() {
        if (most == UNLIMITED) {
            return activate();
        }
        if (!worker.tryTrip()) {
            return false;
        }
        try {
            int begun = begun();
            Answer answer = tryAsk(begun, 1);
            boolean mayBegin = answer != null && answer.allowed > begun;
            return mayBegin && activate();
        } finally {
            worker.trip().unlock();
        }
    }

    private synchronized boolean activate() {
        active++;
        return true;
    }

    /** Notes that what was begun is a page, before it is marked as done. A page that is never marked stays begun. */
    public synchronized void page(Lease lease) {
        pages.add(lease.id());
    }

    public synchronized void end() {
        active--;
    }

    /** Returns whether all pages of the run are done. */
    public boolean isSpent() {
        return isSpent;
    }

    /** Returns whether a lease that is about to be marked as done is that of a page. */
    synchronized boolean isPage(Lease lease) {
        return pages.contains(lease.id());
    }

    /** Notes that a lease was marked as done; not before, so that its page counts at each moment. */
    synchronized void done(Lease lease) {
        pages.remove(lease.id());
    }

    /**
     * Reports what this worker has begun, and reads whether the budget is spent. With a limit per host, this returns a
     * worker to the run that was counted as dead for a while.
     */
    void beat() {
        if (most < UNLIMITED || isOfHosts) {
            tryAsk(most < UNLIMITED ? begun() : 0, 0);
        }
    }

    private synchronized int begun() {
        return active + pages.size() + worker.holdings().unsentPages();
    }

    private @Nullable Answer tryAsk(int begun, int wanted) {
        assert worker.isInTrip();
        Answer answer = worker.engine().tryCall((session, number) -> ask(session, begun, wanted, false));
        isSpent |= answer != null && answer.done >= most;
        return answer;
    }

    private long donePages(Session session) {
        for (int i = 0; i < worker.keys().sliceCount(); i++) {
            session.send("HGET", worker.keys().slice(i).counters, PAGES);
        }
        long sum = 0;
        for (int i = 0; i < worker.keys().sliceCount(); i++) {
            sum += Replies.count(session.receive());
        }
        return sum;
    }

    private record Answer(long allowed, long done, long ageMillis) {}

    private Answer ask(Session session, int begun, int wanted, boolean joins) {
        List<byte[]> args = List.of(
                utf8(worker.settings().id()),
                utf8(worker.name()),
                utf8(most),
                utf8(begun),
                utf8(wanted),
                utf8(joins ? 1 : 0));
        Object reply = Replies.REFUSED;
        while (Replies.isRefused(reply)) {
            List<byte[]> all = new ArrayList<>(args);
            if (worker.keys().isSpread()) {
                Object version = session.ask("HGET", keys[0], VERSION);
                all.add(utf8(joins || most < UNLIMITED ? donePages(session) : 0));
                all.add(version == null ? utf8(0) : (byte[]) version);
            }
            reply = session.ask(Script.BUDGET, keys, all.toArray(byte[][]::new));
        }
        worker.requireStored(reply);
        List<?> answer = Replies.list(reply);
        return new Answer(Replies.number(answer.get(0)), Replies.number(answer.get(1)), Replies.number(answer.get(2)));
    }
}
