package dev.sieve.durable;

import dev.sieve.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a frontier that misses nothing has to answer, by a plain set and a plain list; and what a frontier on the disk has
 * to know again after its process was killed.
 */
final class FrontierModel {

    enum State {
        WAITING,
        HELD,
        DELAYED,
        DONE
    }

    /** A URL that was accepted. */
    static final class Entry {
        final long id;
        final String url;
        final int depth;
        final String referrer;
        State state = State.WAITING;
        int attempt;
        /** When it is due, or when its lease expires. */
        long nanos;
        /** What is written of it. */
        int writtenAttempt;

        boolean writtenDone;

        Entry(long id, String url, int depth, String referrer) {
            this.id = id;
            this.url = url;
            this.depth = depth;
            this.referrer = referrer;
        }

        Lease lease() {
            return new Lease(id, url, depth, 0, referrer, 0, attempt);
        }
    }

    private static final Comparator<Entry> BY_TIME =
            Comparator.<Entry>comparingLong(entry -> entry.nanos).thenComparingLong(entry -> entry.id);

    private final long leaseTimeoutNanos;
    private final Set<String> keys = new HashSet<>();
    final List<Entry> entries = new ArrayList<>();
    private final TreeSet<Entry> waiting = new TreeSet<>(Comparator.comparingLong((Entry entry) -> entry.id));
    private final TreeSet<Entry> delayed = new TreeSet<>(BY_TIME);
    private final TreeSet<Entry> expiring = new TreeSet<>(BY_TIME);
    final List<Entry> held = new ArrayList<>();
    private final List<Entry> answered = new ArrayList<>();
    private long open;

    FrontierModel(long leaseTimeoutNanos) {
        this.leaseTimeoutNanos = leaseTimeoutNanos;
    }

    boolean push(String url, String key, int depth, String referrer) {
        if (!keys.add(key)) {
            return false;
        }
        Entry entry = new Entry(entries.size(), url, depth, referrer);
        entries.add(entry);
        waiting.add(entry);
        open++;
        return true;
    }

    /** Accepts a URL that is done at once. */
    boolean pushDone(String url, String key, int depth, String referrer) {
        if (!keys.add(key)) {
            return false;
        }
        Entry entry = new Entry(entries.size(), url, depth, referrer);
        entry.state = State.DONE;
        entry.writtenDone = true;
        entries.add(entry);
        return true;
    }

    /** Queues a URL whether it is new or not, and ends a lease, if there is one. Returns whether the URL is new. */
    boolean pushAgain(Entry ended, String url, String key, int depth, String referrer) {
        boolean isNew = keys.add(key);
        Entry entry = new Entry(entries.size(), url, depth, referrer);
        entries.add(entry);
        waiting.add(entry);
        open++;
        flush();
        if (ended != null) {
            expiring.remove(ended);
            held.remove(ended);
            ended.state = State.DONE;
            ended.writtenDone = true;
            open--;
        }
        return isNew;
    }

    boolean contains(String key) {
        return keys.contains(key);
    }

    /** The lease that has to be handed out; null when there is none. */
    Lease take(long nowNanos) {
        while (!expiring.isEmpty() && expiring.first().nanos <= nowNanos) {
            Entry entry = expiring.pollFirst();
            held.remove(entry);
            delay(entry, entry.nanos);
        }
        Entry next;
        if (!delayed.isEmpty() && delayed.first().nanos <= nowNanos) {
            next = delayed.pollFirst();
        } else if (!waiting.isEmpty()) {
            next = waiting.pollFirst();
        } else {
            return null;
        }
        next.state = State.HELD;
        next.nanos = nowNanos + leaseTimeoutNanos;
        held.add(next);
        expiring.add(next);
        return next.lease();
    }

    private void delay(Entry entry, long nanos) {
        entry.state = State.DELAYED;
        entry.attempt++;
        entry.nanos = nanos;
        delayed.add(entry);
    }

    void done(Entry entry) {
        expiring.remove(entry);
        held.remove(entry);
        entry.state = State.DONE;
        open--;
        answer(entry);
    }

    void retry(Entry entry, long readyNanos) {
        expiring.remove(entry);
        held.remove(entry);
        delay(entry, readyNanos);
        answer(entry);
    }

    private void answer(Entry entry) {
        answered.add(entry);
        if (answered.size() == PendingResults.LIMIT) {
            flush();
        }
    }

    /** All answers are written. */
    void flush() {
        for (Entry entry : answered) {
            if (entry.state == State.DONE) {
                entry.writtenDone = true;
            } else {
                entry.writtenAttempt = Math.max(entry.writtenAttempt, entry.attempt);
            }
        }
        answered.clear();
    }

    /** Everything is written, expired leases included. */
    void checkpoint() {
        flush();
        for (Entry entry : entries) {
            entry.writtenAttempt = entry.attempt;
        }
    }

    /** The process was killed: answers that were not written are forgotten, and nothing is handed out any more. */
    void kill() {
        answered.clear();
        held.clear();
        expiring.clear();
        delayed.clear();
        waiting.clear();
        open = 0;
        for (Entry entry : entries) {
            if (!entry.writtenDone) {
                entry.state = State.WAITING;
                entry.attempt = entry.writtenAttempt;
                waiting.add(entry);
                open++;
            }
        }
    }

    long inFlight() {
        return held.size();
    }

    long pending() {
        return open - held.size();
    }
}
