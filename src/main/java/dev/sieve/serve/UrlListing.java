package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.DurableSieve.RecordVisitor;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The URLs of a crawl, read from its log: the last record of each.
 *
 * <p>When records replace earlier ones, the log is read twice per 200,000 of these, so that memory is bounded. Not safe
 * for use by many threads.
 */
final class UrlListing {
    private static final long IN_MEMORY = 200_000;

    enum State {
        /** Removed with its queue. */
        DELETED,
        COMPLETED,
        ACTIVE
    }

    /** Returns the state of the URL of a record. */
    @FunctionalInterface
    interface States {
        State of(Lease record, RecordInfo info, boolean isDone);
    }

    @FunctionalInterface
    interface Receiver {
        /** Receives a URL; false when no more are wanted. */
        boolean accept(String url, RecordInfo info, boolean isCompleted);
    }

    private final DurableSieve frontier;
    private final long parts;
    private final long end;
    private final States states;
    private final long seed = Memberships.randomSeed();
    private final RecordInfo.Reader infos = new RecordInfo.Reader();

    /** Prepares a listing of records with lower ids, of which so many replace an earlier one. */
    UrlListing(DurableSieve frontier, long again, long end, States states) {
        this.frontier = frontier;
        parts = (again + IN_MEMORY - 1) / IN_MEMORY;
        this.end = end;
        this.states = states;
    }

    /**
     * Passes on the URLs that meet a condition, of a queue or of all (null), in no particular order. Reads all of the
     * log.
     */
    void forEach(@Nullable String queue, Predicate<String> condition, Receiver receiver) {
        boolean hasEnough = false;
        for (long part = 0; part < Math.max(1, parts) && !hasEnough; part++) {
            hasEnough = pass(part, queue, condition, receiver);
        }
    }

    /** Passes on the URLs of one part; returns whether the receiver has enough. */
    private boolean pass(long part, @Nullable String queue, Predicate<String> condition, Receiver receiver) {
        Map<Long, Long> last = new HashMap<>();
        if (parts > 0) {
            frontier.forEach((record, isDone) -> {
                if (record.label() == RecordInfo.AGAIN && record.id() < end && condition.test(record.url())) {
                    long hash = hash(record);
                    if (isIn(part, hash)) {
                        last.put(hash, record.id());
                    }
                }
            });
        }
        boolean[] hasEnough = new boolean[1];
        RecordVisitor visitor = (record, isDone) -> {
            if (record.id() < end && condition.test(record.url()) && isLast(record, part, last)) {
                RecordInfo info = infos.of(record);
                State state = queue == null || queue.equals(info.queueOf(record.url()))
                        ? states.of(record, info, isDone)
                        : State.DELETED;
                hasEnough[0] = state != State.DELETED && !receiver.accept(record.url(), info, state == State.COMPLETED);
            }
        };
        frontier.forEach(visitor, () -> hasEnough[0]);
        return hasEnough[0];
    }

    private boolean isLast(Lease record, long part, Map<Long, Long> last) {
        if (parts == 0) {
            return true;
        }
        long hash = hash(record);
        return isIn(part, hash) && last.getOrDefault(hash, record.id()) == record.id();
    }

    private boolean isIn(long part, long hash) {
        return Math.floorMod(hash, parts) == part;
    }

    private long hash(Lease record) {
        RecordInfo info = infos.of(record);
        return Murmur3.hash(UrlKeys.key(record.url(), info.queue(), info.generation()), seed)[0];
    }
}
