package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes frames from the queues of this worker's slices, with the lock of the round trips but in {@link #waitNanos}. */
final class Taker {
    /** Frames that are taken in one round trip, unless these slices have fewer. */
    private static final int FRAMES_AT_ONCE = 128;

    private static final int LEFT_AT_ONCE = 16;

    /** A script takes no more frames once these have so many bytes. */
    private static final long ENOUGH_BYTES = 1 << 20;

    private static final int SLICES_AT_ONCE = 8;

    private static final long SHORTEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Worker worker;
    private int nextSlice;

    /** When slices that seem to be empty are asked again, on the clock of the caller; null before the first time. */
    private volatile @Nullable Long pollNanos;

    private long pollPause = SHORTEST_POLL_NANOS;

    Taker(Worker worker) {
        this.worker = worker;
    }

    /** A request for frames of one slice: those that an earlier owner took first, or else queued ones. */
    private record Call(Slice slice, Holdings.Request request, int limit) {
        void send(Session session) {
            CrawlKeys.OfSlice keys = slice.keys;
            if (request.left().isEmpty()) {
                session.send(
                        Script.TAKE,
                        new byte[][] {keys.queue, keys.taken, keys.counters, keys.owner},
                        slice.prove(utf8(request.call()), utf8(limit)));
            } else {
                session.send(
                        "HMGET",
                        CrawlKeys.with(
                                keys.taken, request.left().keySet().stream().map(CrawlKeys::utf8)));
            }
        }
    }

    /**
     * Hands out a URL: one that is due again, or the next one; null when there is none, or the engine is away. If it
     * polls, slices that seem to be empty are read again.
     */
    @Nullable
    Lease take(boolean polls, long nowNanos, long clock) {
        TakenFrame due = worker.holdings().due(nowNanos, clock);
        if (due != null) {
            Frame text = reread(due);
            return text == null ? null : worker.holdings().handOutDue(due, text, nowNanos);
        }
        Lease next = worker.holdings().next(nowNanos, clock);
        if (next == null) {
            refill(polls, nowNanos, clock);
            next = worker.holdings().next(nowNanos, clock);
        }
        return next;
    }

    /** Takes more frames into the holdings, in one round trip; with a poll also from slices that seem to be empty. */
    private void refill(boolean polls, long nowNanos, long clock) {
        assert worker.isInTrip();
        boolean isPoll = polls && waitNanos(nowNanos) == 0;
        List<Call> calls = calls(isPoll, clock);
        boolean found = take(calls);
        if (isPoll) {
            pollPause = found ? SHORTEST_POLL_NANOS : Math.min(2 * pollPause, LONGEST_POLL_NANOS);
            pollNanos = nowNanos + pollPause;
        }
    }

    /** Returns whether there were frames. */
    private boolean take(List<Call> calls) {
        List<Object> replies = worker.ask(calls, Call::slice, (session, number, call) -> call.send(session));
        if (replies == null) {
            calls.forEach(call -> worker.holdings().mayHaveFrames(call.slice.index));
            return false;
        }
        boolean found = false;
        for (int i = 0; i < replies.size(); i++) {
            found |= add(calls.get(i), replies.get(i));
        }
        return found;
    }

    private List<Call> calls(boolean isPoll, long clock) {
        List<Slice> slices = worker.holdings().takeable(isPoll, clock);
        int count = isPoll ? slices.size() : Math.min(slices.size(), SLICES_AT_ONCE);
        List<Call> calls = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Slice slice = slices.get((nextSlice + i) % slices.size());
            int limit = Math.max(4, FRAMES_AT_ONCE / count);
            Holdings.Request request = worker.holdings().request(slice, Math.min(limit, LEFT_AT_ONCE));
            if (request != null) {
                calls.add(new Call(slice, request, limit));
            }
        }
        nextSlice = slices.isEmpty() ? 0 : (nextSlice + count) % slices.size();
        return calls;
    }

    /** Adds the frames of an answer; returns whether there were any. */
    private boolean add(Call call, Object reply) {
        Slice slice = call.slice;
        if (Replies.isRefused(reply)) {
            worker.holdings().drop(List.of(slice));
            return false;
        }
        Iterator<?> frames = Replies.list(reply).iterator();
        if (!call.request.left().isEmpty()) {
            call.request.left().forEach((number, done) -> add(slice, number, frames.next(), done));
            worker.holdings().taken(slice, call.request);
            return true;
        }
        worker.holdings().taken(slice, call.request);
        long next = Replies.number(frames.next());
        boolean found = frames.hasNext();
        int count = 0;
        long bytes = 0;
        for (; frames.hasNext(); count++) {
            byte[] frame = (byte[]) frames.next();
            bytes += frame.length;
            add(slice, next++, frame, new BitSet());
        }
        if (count == call.limit || bytes >= ENOUGH_BYTES) {
            worker.holdings().mayHaveFrames(slice.index);
        }
        return found;
    }

    private void add(Slice slice, long number, Object frame, BitSet done) {
        if (frame != null) {
            worker.holdings().add(slice, number, frame(slice, number, (byte[]) frame), done);
        }
    }

    private static Frame frame(Slice slice, long number, byte[] bytes) {
        try {
            return new Frame(bytes);
        } catch (IllegalArgumentException e) {
            throw new UncheckedIOException(new IOException(
                    "frame " + number + " of slice " + slice.index + " on the engine is " + e.getMessage()
                            + ": repair the crawl",
                    e));
        }
    }

    /** Reads a frame again; null when the engine is away, or the slice was lost. */
    private @Nullable Frame reread(TakenFrame frame) {
        Slice slice = worker.holdings().slice(frame);
        if (slice == null) {
            return null;
        }
        Object reply = worker.engine().tryCall((session, number) -> {
            if (slice.run != session.run()) {
                return Replies.REFUSED;
            }
            Object bytes = session.ask("HGET", slice.keys.taken, utf8(frame.number));
            return bytes == null ? Replies.REFUSED : bytes;
        });
        if (Replies.isRefused(reply)) {
            worker.holdings().drop(List.of(slice));
        }
        return reply instanceof byte[] bytes ? frame(slice, frame.number, bytes) : null;
    }

    /** Returns how long until slices that seem to be empty are asked again. */
    long waitNanos(long nowNanos) {
        Long next = pollNanos;
        return next == null ? 0 : Math.max(0, next - nowNanos);
    }
}
