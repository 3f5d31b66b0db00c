package dev.sieve.shared;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Stores on the engine which URLs are done. Until then a worker that dies leaves them to be done again. Used with the
 * lock of the round trips.
 */
final class Results {
    private final Worker worker;

    Results(Worker worker) {
        this.worker = worker;
    }

    /** Stores what is done, in one round trip per thousand frames of a slice; returns false when the engine is away. */
    boolean flush() {
        assert worker.isInTrip();
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
                        new byte[][] {keys.taken, keys.done, keys.counters, keys.owner},
                        slice.prove(call.args()));
            }
        });
        for (Slice slice : calls.keySet()) {
            replies.put(slice, slice.run == session.run() ? session.receive() : Replies.REFUSED);
        }
        return replies;
    }
}
