package dev.sieve.fetch;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory for the bodies of all requests of a fetcher.
 *
 * <p>Each request has a share for which it never waits. A body that outgrows its share is given room for the most that
 * it can become before more of it is read; it never needs more than that, so bodies cannot wait for each other in a
 * circle. Room is given out first come, first served. While a body waits, the oldest one with room that is still being
 * read is cancelled unless it ends soon, so that slow servers cannot keep the room from others.
 *
 * <p>A body takes twice its length while it is read, and its length from then on until it is released. If its bytes are
 * also kept as they arrive, before they are decoded, these count like a second body of the same request. What a decoder
 * takes is added if it is large. Safe for use by many threads.
 */
final class BodyMemory {
    private static final long MIN_SHARE = 64 << 10;

    /** Up to this many bodies wait with full patience; more of them share it, so that all get their turn in time. */
    private static final int PATIENT = 8;

    private final long share;
    private final long patienceNanos;

    /** Bodies with room that are being read, the oldest first. Guarded by this, like all below. */
    private final Set<Body> reading = new LinkedHashSet<>();

    private final Queue<Waiter> waiting = new ArrayDeque<>();
    private final long size;
    private long free;

    /** Bodies that have been read and take more than their share, and how much more. */
    private final IdentityHashMap<byte[], Long> kept = new IdentityHashMap<>();

    private record Waiter(Body body, long bytes, CompletableFuture<Boolean> isGiven) {}

    /**
     * Creates an empty memory.
     *
     * @param bytes half of it is for the shares, at least 64 KiB each, the rest is the room for larger bodies, at least
     *     as much as one of them needs
     * @param requests how many requests there are at the same time
     * @param bodyLimit the length of the largest body, with its bytes as they arrive if these are kept
     * @param patienceNanos how long a body waits before it cancels another, while few are waiting
     */
    BodyMemory(long bytes, int requests, long bodyLimit, long patienceNanos) {
        share = Math.max(MIN_SHARE, bytes / 2 / requests);
        size = Math.max(bytes / 2, 2 * (bodyLimit + 1));
        free = size;
        this.patienceNanos = patienceNanos;
    }

    /** The memory of one body while it is read, by one thread. */
    final class Body implements AutoCloseable {
        private final Runnable cancel;
        private final BooleanSupplier isCancelled;
        private long most;
        private long length;
        private long rawLength;
        private long decoderLength;
        private long unusedShare = share;
        private long room;
        private volatile boolean isTooSlow;

        /** Creates the memory of a body of which nothing was read, and whose request may be cancelled. */
        Body(Runnable cancel, BooleanSupplier isCancelled) {
            this.cancel = cancel;
            this.isCancelled = isCancelled;
        }

        /** Adds to the length that the body, or its bytes as they arrive, will not exceed; before any of it is read. */
        void expect(long most) {
            this.most += most;
        }

        /** Waits until the body may have a length; returns at once when the request was cancelled. */
        void grow(long newLength) throws IOException {
            length = newLength;
            waitForRoom();
        }

        /** Does as {@link #grow} for the bytes that are kept as they arrive. */
        void growRaw(long newLength) throws IOException {
            rawLength = newLength;
            waitForRoom();
        }

        /** Waits until there is room for so many bytes of a decoder as well; before any of the body is read. */
        void decode(long bytes) throws IOException {
            decoderLength = bytes / 2;
            expect(decoderLength);
            waitForRoom();
        }

        private void waitForRoom() throws IOException {
            if (room == 0 && 2 * (length + rawLength + decoderLength) > share) {
                take(this, Math.min(size, 2 * most - share));
            }
        }

        /** Returns the failure that says why this was cancelled, if it was too slow; otherwise the failure itself. */
        IOException reason(IOException failure) {
            return isTooSlow ? new InterruptedIOException("too slow, and others wait for its memory") : failure;
        }

        /** Returns whether the request was cancelled, or will be. */
        boolean isCancelled() {
            return isTooSlow || isCancelled.getAsBoolean();
        }

        /** Notes that the body was read, and that it is kept until it is {@linkplain #release released}. */
        void keep(byte[] body) {
            long fromShare = Math.min(unusedShare, body.length);
            unusedShare -= fromShare;
            long more = Math.min(room, body.length - fromShare);
            if (more > 0) {
                synchronized (BodyMemory.this) {
                    kept.put(body, more);
                }
                room -= more;
            }
        }

        /** Gives back what is not kept. */
        @Override
        public void close() {
            synchronized (BodyMemory.this) {
                reading.remove(this);
            }
            giveBack(room);
            room = 0;
        }
    }

    /** Gives back the memory of a result and its exchange. */
    void release(FetchResult result) {
        Exchange exchange = result.exchange();
        if (exchange != null) {
            release(exchange.body());
        }
        if (result instanceof FetchResult.Page page) {
            release(page.body());
        }
    }

    /** Gives back the memory of a body that was kept, if it takes more than its share. */
    synchronized void release(byte[] body) {
        Long bytes = kept.remove(body);
        if (bytes != null) {
            giveBack(bytes);
        }
    }

    private void take(Body body, long bytes) throws IOException {
        Waiter waiter = new Waiter(body, bytes, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(waiter);
            giveOut();
        }
        try {
            Body oldest = oldest();
            while (!body.isCancelled.getAsBoolean() && !isGiven(waiter)) {
                cancel(oldest);
                oldest = oldest();
            }
        } finally {
            synchronized (this) {
                waiting.remove(waiter);
                giveOut();
            }
        }
    }

    private boolean isGiven(Waiter waiter) throws IOException {
        try {
            return waiter.isGiven.get(patienceNanos * PATIENT / Math.max(PATIENT, waiting()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized @Nullable Body oldest() {
        Iterator<Body> all = reading.iterator();
        return all.hasNext() ? all.next() : null;
    }

    private void cancel(@Nullable Body body) {
        synchronized (this) {
            if (body == null || !reading.contains(body)) {
                return;
            }
            body.isTooSlow = true;
        }
        body.cancel.run();
    }

    private synchronized void giveBack(long bytes) {
        free += bytes;
        giveOut();
    }

    /** Gives room to those that wait, in their order. Called with the lock held. */
    private void giveOut() {
        for (Waiter first = waiting.peek(); first != null && first.bytes <= free; first = waiting.peek()) {
            // First what needs memory: if there is none, nothing has changed.
            reading.add(first.body);
            waiting.remove();
            free -= first.bytes;
            first.body.room = first.bytes;
            first.isGiven.complete(true);
        }
    }

    /** Returns how many bytes of room are taken. */
    synchronized long taken() {
        return size - free;
    }

    /** Returns how many bodies wait for room. */
    synchronized int waiting() {
        return waiting.size();
    }
}
