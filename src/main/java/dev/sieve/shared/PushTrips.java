package dev.sieve.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Joins the pushes of several threads: those that come while earlier round trips are under way share the next one, so that the
 * cost of a call is spread over more URLs. One of the threads makes the round trip for all of them. Safe for use by many
 * threads.
 */
final class PushTrips {
    /** Round trips at a time: the engine works on one while a thread prepares the other. */
    private static final int LANES = 2;

    /** URLs of one round trip; a script takes a few thousand arguments. */
    static final int MAX_URLS = 2048;

    /** Bytes of the URLs of one round trip, from which on the next one goes into another. */
    static final int ENOUGH_BYTES = 1 << 18;

    private final Worker worker;
    /** The names under which the engine stores its last response, of the lanes that are free. */
    private final BlockingQueue<String> lanes = new ArrayBlockingQueue<>(LANES);

    private final AtomicLong numbers = new AtomicLong();
    /** The trip that others may join. */
    private Trip next = new Trip();

    PushTrips(Worker worker) {
        this.worker = worker;
        for (int i = 0; i < LANES; i++) {
            lanes.add(worker.name() + "." + i);
        }
    }

    private enum State {
        /** One of its threads has to make it. */
        WAITING,
        UNDER_WAY,
        OVER
    }

    /** What some threads push together. Guarded by its monitor; the thread that makes it needs none for the other fields. */
    private static final class Trip {
        private final List<PushPart> parts = new ArrayList<>();
        private int urls;
        private int bytes;
        private boolean isClosed;
        private State state = State.WAITING;
        /** How many threads have not left it. */
        private int threads;

        @Nullable
        String lane;

        @Nullable
        PushTrip call;

        @Nullable
        Run run;

        @Nullable
        RuntimeException failure;

        /** Adds a part, with its thread; returns false when it does not fit. */
        synchronized boolean add(PushPart part) {
            boolean hasRoom = urls + part.size() <= MAX_URLS && bytes + part.bytes() <= ENOUGH_BYTES;
            if (isClosed || (urls > 0 && !hasRoom)) {
                return false;
            }
            parts.add(part);
            urls += part.size();
            bytes += part.bytes();
            threads++;
            return true;
        }

        synchronized List<PushPart> close() {
            isClosed = true;
            return parts;
        }

        /** Waits until it is over, or this thread has to make it; returns true in this case. */
        synchronized boolean awaitTurn() throws InterruptedException {
            while (state == State.UNDER_WAY) {
                wait();
            }
            boolean isTurn = state == State.WAITING;
            state = isTurn ? State.UNDER_WAY : state;
            return isTurn;
        }

        synchronized void end(State after) {
            state = after;
            notifyAll();
        }

        /** Returns whether no thread is left to make it. */
        synchronized boolean leave() {
            threads--;
            return threads == 0 && state == State.WAITING;
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
     *     part may be accepted
     */
    Run send(PushPart part) {
        Trip trip = join(part);
        try {
            if (trip.awaitTurn()) {
                make(trip);
            }
            return trip.result();
        } catch (InterruptedException e) {
            throw Engine.interrupted();
        } finally {
            if (trip.leave()) {
                freeLane(trip);
            }
        }
    }

    private synchronized Trip join(PushPart part) {
        while (!next.add(part)) {
            next = new Trip();
        }
        return next;
    }

    /** Makes a trip. When this thread is interrupted, another one repeats it with the same lane and number. */
    private void make(Trip trip) throws InterruptedException {
        State after = State.WAITING;
        try {
            if (trip.lane == null) {
                trip.lane = lanes.take();
            }
            if (trip.call == null) {
                trip.call = new PushTrip(trip.close(), trip.lane, numbers.incrementAndGet());
            }
            try {
                trip.run = trip.call.run(worker);
            } catch (RuntimeException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                trip.failure = e;
            }
            freeLane(trip);
            after = State.OVER;
        } finally {
            trip.end(after);
        }
    }

    private void freeLane(Trip trip) {
        if (trip.lane != null) {
            lanes.add(trip.lane);
            trip.lane = null;
        }
    }
}
