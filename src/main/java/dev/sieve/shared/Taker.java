package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes frames from the queues of the slices that this worker owns. One thread at a time uses it, except {@link
 * #waitNanos}.
 */
final class Taker {
    /** Frames that are taken in one round trip, unless these slices have fewer. */
    private static final int FRAMES_AT_ONCE = 128;

    private static final int LEFT_AT_ONCE = 16;

    /** A script takes no more frames once these have so many bytes. */
    private static final long ENOUGH_BYTES = 1 << 20;

    private static final int SLICES_AT_ONCE = 8;

    private static final long SHORTEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Engine engine;
    private final Holdings holdings;
    private int nextSlice;

    /** When slices that seem to be empty are asked again, on the clock of the caller; null before the first time. */
    private volatile @Nullable Long pollNanos;

    private long pollPause = SHORTEST_POLL_NANOS;

    Taker(Engine engine, Holdings holdings) {
        this.engine = engine;
        this.holdings = holdings;
    }

    /** A request for frames of one slice: those that an earlier owner took first, or else queued ones. */
    private static final class Request {
        final Slice slice;
        final int limit;
        final List<Long> left = new ArrayList<>();
        Object reply = -1L;

        Request(Slice slice, int limit) {
            this.slice = slice;
            this.limit = limit;
            slice.leftFrames.stream().limit(Math.min(limit, LEFT_AT_ONCE)).forEach(left::add);
        }

        boolean isSent(Session session) {
            return slice.run == session.run();
        }

        void send(Session session) {
            CrawlKeys.OfSlice keys = slice.keys;
            if (left.isEmpty()) {
                session.send(
                        Script.TAKE,
                        new byte[][] {keys.queue, keys.taken, keys.counters, keys.owner},
                        slice.prove(CrawlKeys.utf8(slice.takeCall), CrawlKeys.utf8(limit)));
                return;
            }
            byte[][] args = new byte[left.size() + 1][];
            args[0] = keys.taken;
            for (int i = 0; i < left.size(); i++) {
                args[i + 1] = CrawlKeys.utf8(left.get(i));
            }
            session.send("HMGET", args);
        }
    }

    /** Takes more frames into the holdings, in one round trip; with a poll also from slices that seem to be empty. */
    void refill(boolean polls, long nowNanos, long clock) {
        boolean isPoll = polls && waitNanos(nowNanos) == 0;
        List<Request> requests = requests(isPoll, clock);
        if (requests.isEmpty()) {
            return;
        }
        Boolean isHere = engine.tryCall((session, number) -> {
            requests.stream().filter(request -> request.isSent(session)).forEach(request -> request.send(session));
            for (Request request : requests) {
                request.reply = request.isSent(session) ? session.receive() : Replies.REFUSED;
            }
            return true;
        });
        boolean found = false;
        for (Request request : requests) {
            if (isHere == null) {
                holdings.mayHaveFrames(request.slice.index);
            } else {
                found |= add(request);
            }
        }
        if (isPoll) {
            pollPause = found ? SHORTEST_POLL_NANOS : Math.min(2 * pollPause, LONGEST_POLL_NANOS);
            pollNanos = nowNanos + pollPause;
        }
    }

    private List<Request> requests(boolean isPoll, long clock) {
        List<Slice> slices = new ArrayList<>(holdings.slices());
        slices.removeIf(slice -> slice.isLeaving()
                || slice.restNanos(clock) > 0
                || slice.hasEnded(clock)
                || (!isPoll && !slice.hasWork()));
        int count = isPoll ? slices.size() : Math.min(slices.size(), SLICES_AT_ONCE);
        List<Request> requests = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Slice slice = slices.get((nextSlice + i) % slices.size());
            requests.add(new Request(slice, Math.max(4, FRAMES_AT_ONCE / count)));
            holdings.taking(slice);
        }
        nextSlice = slices.isEmpty() ? 0 : (nextSlice + count) % slices.size();
        return requests;
    }

    /** Adds the frames of an answer; returns whether there were any. */
    private boolean add(Request request) {
        Slice slice = request.slice;
        if (Replies.isRefused(request.reply)) {
            holdings.drop(slice);
            return false;
        }
        List<?> reply = Replies.list(request.reply);
        if (!request.left.isEmpty()) {
            for (int i = 0; i < request.left.size(); i++) {
                long number = request.left.get(i);
                add(slice, number, reply.get(i), slice.leftDone.getOrDefault(number, new BitSet()));
            }
            holdings.removeLeft(slice, request.left);
            return true;
        }
        slice.takeCall++;
        long first = Replies.number(reply.get(0));
        long bytes = 0;
        for (int i = 1; i < reply.size(); i++) {
            bytes += ((byte[]) reply.get(i)).length;
            add(slice, first + i - 1, reply.get(i), new BitSet());
        }
        if (reply.size() - 1 == request.limit || bytes >= ENOUGH_BYTES) {
            holdings.mayHaveFrames(slice.index);
        }
        return reply.size() > 1;
    }

    private void add(Slice slice, long number, Object frame, BitSet done) {
        if (frame != null) {
            holdings.add(slice, number, frame(slice, number, (byte[]) frame), done);
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
    @Nullable
    Frame reread(TakenFrame frame) {
        Slice slice = holdings.slice(frame);
        if (slice == null) {
            return null;
        }
        Object reply = engine.tryCall((session, number) -> {
            if (slice.run != session.run()) {
                return -1L;
            }
            session.send("HGET", slice.keys.taken, CrawlKeys.utf8(frame.number));
            Object bytes = session.receive();
            return bytes == null ? -1L : bytes;
        });
        if (Replies.isRefused(reply)) {
            holdings.drop(slice);
        }
        return reply instanceof byte[] bytes ? frame(slice, frame.number, bytes) : null;
    }

    /** Returns how long until slices that seem to be empty are asked again. */
    long waitNanos(long nowNanos) {
        Long next = pollNanos;
        return next == null ? 0 : Math.max(0, next - nowNanos);
    }
}
