package dev.sieve.shared;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Writes that come from no page, so that this worker repeats them when the engine has lost them: seeds and shared lines. Links come
 * again with their page.
 *
 * <p>Their texts are kept until the engine cannot lose them any more, in a limited number of bytes. A thread that writes faster
 * than the engine synchronizes its log waits. Safe for use by many threads.
 */
final class RepeatableWrites {
    private static final long MOST_BYTES = 32 << 20;
    /** The memory of a write in addition to its texts, and of a text in addition to its bytes. */
    private static final long WRITE_BYTES = 200;

    private static final long TEXT_BYTES = 24;

    private final Worker worker;
    private final LongSupplier clock;
    private final Runnable requireUsable;
    private final int mostBytes;
    /** A permit per free byte; fair, so that large writes have their turn. */
    private final Semaphore room;

    private final RecentWrites recent;

    RepeatableWrites(Worker worker, LongSupplier clock, Runnable requireUsable) {
        this.worker = worker;
        this.clock = clock;
        this.requireUsable = requireUsable;
        mostBytes = (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / 8);
        room = new Semaphore(mostBytes, true);
        recent = new RecentWrites(room);
    }

    /** Returns those that the engine may still lose. */
    RecentWrites recent() {
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
        Run run = worker.engine().run();
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
                recent.add(() -> again.accept(texts), permits, run, clock.getAsLong());
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
