package dev.sieve.shared;

import dev.sieve.shared.TakenFrame.DoneCall;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores on the engine which URLs are done, once their links are safe. Until then a worker that dies leaves them to be
 * done again. Used with the lock of the round trips, but {@link #confirm}.
 */
final class Results {
    private static final Logger LOG = LoggerFactory.getLogger(Results.class);

    /** How often replicas or logs that are behind are waited for at the end. */
    private static final int ATTEMPTS = 4;

    private final Worker worker;
    private final Barrier barrier;
    private final boolean hasConfirmer;

    /** Creates them; {@code hasConfirmer}: another thread calls {@link #confirm} on a cluster. */
    Results(Worker worker, Barrier barrier, boolean hasConfirmer) {
        this.worker = worker;
        this.hasConfirmer = hasConfirmer && barrier.isNeeded();
        this.barrier = barrier;
    }

    /** Makes sure that the links of what is done until now are safe, and all else; returns whether they are. */
    boolean confirm() {
        long seal = worker.holdings().seal();
        boolean isSafe = barrier.isStored();
        if (isSafe) {
            worker.holdings().confirm(seal);
        }
        return isSafe;
    }

    /** Stores all that is done; returns false when the engine is away, or links are not safe yet. */
    boolean flushAll() {
        return hasConfirmer ? flush() && !worker.holdings().hasUnsent() : settle();
    }

    private boolean settle() {
        return flush() && (!worker.holdings().hasUnsent() || (confirm() && flush()));
    }

    /**
     * Stores all that is done before the end, unless links do not become safe: then it is left to be done again. Renews
     * the slices meanwhile, since each attempt may take seconds.
     */
    boolean flushLast(Runnable renewal) {
        for (int i = 0; i < ATTEMPTS; i++) {
            renewal.run();
            if (settle()) {
                return true;
            }
            if (worker.engine().isAway()) {
                return false;
            }
        }
        LOG.warn(
                "{} finished URLs are not stored as finished, since replicas are behind: they will be crawled again",
                worker.holdings().unsentDone());
        return true;
    }

    /** Stores what is done and safe, in one round trip per thousand frames of a slice; returns false when the engine is away. */
    boolean flush() {
        assert worker.isInTrip();
        if (!barrier.isNeeded()) {
            worker.holdings().confirm(worker.holdings().seal());
        }
        for (List<Call> calls = calls(); !calls.isEmpty(); calls = calls()) {
            List<Object> replies = worker.ask(calls, Call::slice, (session, number, call) -> call.send(session));
            if (replies == null) {
                return false;
            }
            for (int i = 0; i < replies.size(); i++) {
                Call call = calls.get(i);
                if (Replies.isRefused(replies.get(i))) {
                    worker.holdings().drop(List.of(call.slice));
                } else {
                    worker.holdings().stored(call.slice, call.done);
                    worker.totals().storedDone(call.done.count());
                }
            }
        }
        return true;
    }

    private record Call(Slice slice, DoneCall done) {
        void send(Session session) {
            CrawlKeys.OfSlice keys = slice.keys;
            session.send(
                    Script.DONE,
                    new byte[][] {keys.taken, keys.done, keys.counters, keys.owner, keys.hosts},
                    slice.prove(done.args().toArray(byte[][]::new)));
        }
    }

    private List<Call> calls() {
        List<Call> calls = new ArrayList<>();
        for (Slice slice : worker.holdings().slices()) {
            DoneCall done = worker.holdings().doneCall(slice);
            if (done != null) {
                calls.add(new Call(slice, done));
            }
        }
        return calls;
    }
}
