package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableSieve;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The URLs of a crawl, read from its log: the last record of each.
 *
 * <p>When records replace earlier ones, the log is read twice per 200,000 of these, so that memory is bounded. Not safe for
 * use by many threads.
 */
final class UrlListing {
    private static final long IN_MEMORY = 200_000;

    /** The state of a URL. */
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

    /** Receives URLs. */
    @FunctionalInterface
    interface Receiver {
        /** Receives a URL; false when no more are wanted. */
        boolean accept(String url, RecordInfo info, boolean isCompleted);
    }

    /** Ends a pass. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super(null, null, false, false);
        }
    }

    private final DurableSieve frontier;
    private final long parts;
    private final long end;
    private final States states;
    private final long seed = Memberships.randomSeed();
    private final RecordInfo.Reader infos = new RecordInfo.Reader();

    /**
     * Prepares a listing.
     *
     * @param again how many records replace an earlier one
     * @param end records from this id on are left out
     */
    UrlListing(DurableSieve frontier, long again, long end, States states) {
        this.frontier = frontier;
        parts = (again + IN_MEMORY - 1) / IN_MEMORY;
        this.end = end;
        this.states = states;
    }

    /**
     * Passes on the URLs that meet a condition, in no particular order. Reads all of the log.
     *
     * @param queue null for all queues
     * @throws UncheckedIOException when the disk fails, or the log is damaged
     */
    void forEach(@Nullable String queue, Predicate<String> condition, Receiver receiver) {
        try {
            for (long part = 0; part < Math.max(1, parts); part++) {
                pass(part, queue, condition, receiver);
            }
        } catch (Enough e) {
            // The receiver has what it needs.
        }
    }

    private void pass(long part, @Nullable String queue, Predicate<String> condition, Receiver receiver) {
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
        frontier.forEach((record, isDone) -> {
            if (record.id() < end && condition.test(record.url()) && isLast(record, part, last)) {
                RecordInfo info = infos.of(record);
                State state = queue == null || queue.equals(info.queueOf(record.url()))
                        ? states.of(record, info, isDone)
                        : State.DELETED;
                if (state != State.DELETED && !receiver.accept(record.url(), info, state == State.COMPLETED)) {
                    throw new Enough();
                }
            }
        });
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
