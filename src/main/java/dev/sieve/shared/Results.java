package dev.sieve.shared;

import dev.sieve.shared.TakenFrame.DoneCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        for (Map<Slice, DoneCall> calls = calls(); !calls.isEmpty(); calls = calls()) {
            Map<Slice, DoneCall> sent = calls;
            Map<Slice, Object> replies = worker.engine().tryCall((session, number) -> store(session, sent));
            if (replies == null) {
                return false;
            }
            replies.forEach((slice, reply) -> {
                if (Replies.isRefused(reply)) {
                    worker.holdings().drop(List.of(slice));
                } else {
                    DoneCall call = Objects.requireNonNull(sent.get(slice));
                    worker.holdings().stored(slice, call);
                    worker.totals().storedDone(call.count());
                }
            });
        }
        return true;
    }

    private Map<Slice, DoneCall> calls() {
        Map<Slice, DoneCall> calls = new LinkedHashMap<>();
        for (Slice slice : worker.holdings().slices()) {
            DoneCall call = worker.holdings().doneCall(slice);
            if (call != null) {
                calls.put(slice, call);
            }
        }
        return calls;
    }

    private static Map<Slice, Object> store(Session session, Map<Slice, DoneCall> calls) {
        Map<Slice, Object> replies = new LinkedHashMap<>();
        calls.forEach((slice, call) -> {
            if (slice.run == session.run()) {
                CrawlKeys.OfSlice keys = slice.keys;
                session.send(
                        Script.DONE,
                        new byte[][] {keys.taken, keys.done, keys.counters, keys.owner, keys.hosts},
                        slice.prove(call.args().toArray(byte[][]::new)));
            }
        });
        for (Slice slice : calls.keySet()) {
            replies.put(slice, slice.run == session.run() ? session.receive() : Replies.REFUSED);
        }
        return replies;
    }
}
