package dev.sieve.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Joins the pushes of several threads: those that come while earlier round trips are under way share the next one, so that the
 * cost of a call is spread over more URLs. One of the threads makes the round trip for all of them. Safe for use by many
 * threads.
 */
final class PushTrips {
    /** Round trips at a time: the engine works on one while a thread prepares the other. */
    private static final int LANES = 2;

    /** The maximum number of URLs per round trip; Lua limits the values that {@code unpack} returns. */
    static final int MAX_URLS = 2048;

    /** The bytes of a round trip of several parts, at most; a single part may exceed it by one URL. */
    static final int ENOUGH_BYTES = 1 << 18;

    private final Worker worker;
    /** The free lanes: names under which the engine stores the response to their last call. */
    private final BlockingQueue<String> lanes = new ArrayBlockingQueue<>(LANES, true);

    private final AtomicLong numbers = new AtomicLong();
    /** The trip that threads join. */
    private Trip next = new Trip();

    PushTrips(Worker worker) {
        this.worker = worker;
        for (int i = 0; i < LANES; i++) {
            lanes.add(worker.name() + "." + i);
        }
    }

    /** The parts that several threads push in one round trip. */
    private static final class Trip {
        /** Held by the thread that makes the trip; the others wait for it, and then find that the trip is over. */
        final ReentrantLock turn = new ReentrantLock();

        // Guarded by the monitor of the trips.
        final List<PushPart> parts = new ArrayList<>();
        /** How many threads have not left it. */
        int threads;

        boolean isClosed;

        // Used by the thread whose turn it is.
        @Nullable
        PushTrip call;

        @Nullable
        Run run;

        @Nullable
        RuntimeException failure;

        /** Used by the thread whose turn it is, and by the last thread that leaves. */
        @Nullable
        String lane;

        boolean hasRoom(PushPart part) {
            int urls = parts.stream().mapToInt(PushPart::size).sum();
            int bytes = parts.stream().mapToInt(PushPart::bytes).sum();
            return parts.isEmpty() || (urls + part.size() <= MAX_URLS && bytes + part.bytes() <= ENOUGH_BYTES);
        }

        boolean isOver() {
            return run != null || failure != null;
        }

        Run result() {
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(run);
        }
    }

    /**
     * Sends a part, and waits for the response.
     *
     * @return the run of the engine that has responded
     * @throws java.io.UncheckedIOException when the engine was away for too long, or this thread is interrupted; URLs of the
     *     part may be accepted, also later, while a thread that shares the round trip waits for the engine
     */
    Run send(PushPart part) {
        Trip trip = join(part);
        try {
            trip.turn.lockInterruptibly();
            try {
                if (!trip.isOver()) {
                    make(trip);
                }
                return trip.result();
            } finally {
                trip.turn.unlock();
            }
        } catch (InterruptedException e) {
            throw Engine.interrupted();
        } finally {
            leave(trip, part);
        }
    }

    private synchronized Trip join(PushPart part) {
        if (!next.hasRoom(part)) {
            next = new Trip();
        }
        next.parts.add(part);
        next.threads++;
        return next;
    }

    /** Removes a part whose trip has not begun; the last thread to leave a trip that is not over frees its lane. */
    private synchronized void leave(Trip trip, PushPart part) {
        trip.threads--;
        if (!trip.isClosed) {
            trip.parts.remove(part);
        } else if (trip.threads == 0) {
            freeLane(trip);
        }
    }

    private synchronized List<PushPart> close(Trip trip) {
        trip.isClosed = true;
        if (next == trip) {
            next = new Trip();
        }
        return trip.parts;
    }

    /** Makes a trip. When this thread is interrupted, the next one repeats the trip with the same lane and number. */
    private void make(Trip trip) throws InterruptedException {
        if (trip.lane == null) {
            trip.lane = lanes.take();
        }
        if (trip.call == null) {
            trip.call = new PushTrip(worker, close(trip), trip.lane, numbers.incrementAndGet());
        }
        try {
            trip.run = trip.call.run();
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            trip.failure = e;
        }
        freeLane(trip);
    }

    private void freeLane(Trip trip) {
        if (trip.lane != null) {
            lanes.add(trip.lane);
            trip.lane = null;
        }
    }
}
