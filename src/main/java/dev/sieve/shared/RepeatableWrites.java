package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes that come from no page, so that this worker repeats them when the engine has lost them: seeds and shared
 * lines. Links come again with their page.
 *
 * <p>Their texts are kept until the engine cannot lose them any more, in a limited number of bytes. A thread that
 * writes faster than the engine synchronizes its log waits. Safe for use by many threads.
 */
final class RepeatableWrites {
    private static final long MOST_BYTES = 32 << 20;
    /** The memory of a write in addition to its texts, and of a text in addition to its bytes. */
    private static final long WRITE_BYTES = 200;

    private static final long TEXT_BYTES = 24;

    private final Worker worker;
    private final Runnable requireUsable;
    private final int mostBytes;
    /** A permit per free byte; fair, so that large writes have their turn. */
    private final Semaphore room;

    private final Recent recent;

    /** The writes that the engine may still lose, with the end of its log: kept until they are safe. */
    static final class Recent {
        private final ArrayDeque<Write> writes = new ArrayDeque<>();
        /** Receives the permits of what is safe. */
        private final Semaphore room;

        Recent(Semaphore room) {
            this.room = room;
        }

        /** Adds a write that was made; {@code ofWrite} is the run of the engine before it. */
        private synchronized void add(Runnable repetition, int permits, Session.Run ofWrite, long now) {
            writes.add(new Write(repetition, permits, now, ofWrite));
        }

        /** Returns the writes that have to be repeated, since a run before the present one may have lost them. */
        synchronized List<Write> lost(Session.Run present) {
            return writes.stream().filter(write -> write.run != present).toList();
        }

        /** Notes that a write was repeated; parameters as those of {@link #add}. */
        synchronized void repeated(Write write, Session.Run ofWrite, long now) {
            write.run = ofWrite;
            write.nanos = now;
        }

        /** Forgets what was written before a time, in the present run: the engine cannot lose it any more. */
        synchronized void forget(Session.Run present, long until) {
            writes.removeIf(write -> {
                boolean isSafe = write.run == present && until - write.nanos > 0;
                room.release(isSafe ? write.permits : 0);
                return isSafe;
            });
        }

        synchronized boolean isEmpty() {
            return writes.isEmpty();
        }
    }

    /** A write. Guarded by the monitor of {@link Recent}, but what is final. */
    static final class Write {
        final Runnable repetition;
        private final int permits;
        /** When it was made last. */
        private long nanos;
        /** The run of the engine that may have it. */
        private Session.Run run;

        private Write(Runnable repetition, int permits, long nanos, Session.Run run) {
            this.repetition = repetition;
            this.permits = permits;
            this.nanos = nanos;
            this.run = run;
        }
    }

    RepeatableWrites(Worker worker, Runnable requireUsable) {
        this.worker = worker;
        this.requireUsable = requireUsable;
        mostBytes = (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / 8);
        room = new Semaphore(mostBytes, true);
        recent = new Recent(room);
    }

    /** Returns those that the engine may still lose. */
    Recent recent() {
        return recent;
    }

    /**
     * Makes a write, after waiting for room for its texts.
     *
     * @param most how many texts it may have, of this many bytes in all
     * @param written returns the texts that were written, also when the write has thrown
     * @param again writes such texts again
     */
    <T> T make(int most, long bytes, Supplier<T> write, Supplier<List<byte[]>> written, Consumer<List<byte[]>> again) {
        int reserved = (int) Math.min(mostBytes, WRITE_BYTES + most * TEXT_BYTES + bytes);
        awaitRoom(reserved);
        Session.Run run = worker.engine().run();
        try {
            return write.get();
        } finally {
            List<byte[]> texts = written.get();
            long taken =
                    texts.stream().mapToLong(text -> TEXT_BYTES + text.length).sum();
            int permits = texts.isEmpty() ? 0 : (int) Math.min(reserved, WRITE_BYTES + taken);
            room.release(reserved - permits);
            if (!texts.isEmpty()) {
                // Not before: a barrier that does not cover the write must not make it be forgotten.
                recent.add(() -> again.accept(texts), permits, run, worker.now());
            }
        }
    }

    private void awaitRoom(int permits) {
        try {
            // A worker that ends or fails does not free any.
            while (!room.tryAcquire(permits, 1, TimeUnit.SECONDS)) {
                requireUsable.run();
                worker.engine().requireOpen();
            }
        } catch (InterruptedException e) {
            throw Engine.interrupted();
        }
    }
}
