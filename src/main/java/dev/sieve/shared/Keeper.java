package dev.sieve.shared;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The thread that keeps the part of a worker in the crawl, by one beat per second. */
final class Keeper implements AutoCloseable {
    private static final long PAUSE_MILLIS = 1000;

    private final ScheduledExecutorService executor;
    private volatile @Nullable Thread thread;

    Keeper(Runnable beat) {
        executor = Executors.newSingleThreadScheduledExecutor(work -> {
            thread = new Thread(work, "sieve-keeper");
            thread.setDaemon(true);
            return thread;
        });
        ScheduledFuture<?> unused =
                executor.scheduleWithFixedDelay(beat, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Interrupts the thread, which may wait for the engine, and waits for its end, unless this is the thread itself. */
    @Override
    public void close() {
        executor.shutdownNow();
        boolean interrupted = false;
        while (Thread.currentThread() != thread && !executor.isTerminated()) {
            try {
                executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
