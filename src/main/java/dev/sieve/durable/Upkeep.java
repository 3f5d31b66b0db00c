package dev.sieve.durable;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background work of a frontier on disk: regular flushes, and a checkpoint when the log has grown enough.
 *
 * <p>It has two threads, so that a checkpoint does not delay a flush. They end when this is closed or the log has
 * failed. Work that fails for any other reason is logged and tried again.
 */
final class Upkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    private final LogWriter writer;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor executor;

    Upkeep(
            Durability durability,
            LogWriter writer,
            BooleanSupplier isCheckpointDue,
            Runnable checkpoint,
            Duration pause) {
        this.writer = writer;
        executor = new ScheduledThreadPoolExecutor(2, this::thread);
        try {
            start(durability, isCheckpointDue, checkpoint, pause);
        } catch (RuntimeException | Error e) {
            executor.shutdownNow(); // no memory for the second thread
            throw e;
        }
    }

    private void start(Durability durability, BooleanSupplier isCheckpointDue, Runnable checkpoint, Duration pause) {
        repeat(pause, "flush", () -> {
            if (durability.forces()) {
                writer.force(null);
            } else {
                writer.handOver();
            }
        });
        repeat(pause, "checkpoint", () -> {
            if (!isCheckpointDue.getAsBoolean()) {
                return;
            }
            try {
                checkpoint.run();
            } catch (UncheckedIOException e) {
                LOG.warn("cannot write a checkpoint: {}", e.getMessage());
            }
        });
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "sieve-upkeep");
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    private void repeat(Duration pause, String what, Runnable work) {
        Runnable guarded = () -> {
            // An executor silently drops a task that throws.
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                if (writer.isUsable()) {
                    LOG.error("the background {} failed unexpectedly and will be tried again", what, e);
                }
            }
            if (!writer.isUsable()) {
                executor.shutdown();
            }
        };
        ScheduledFuture<?> unused =
                executor.scheduleWithFixedDelay(guarded, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Ends both threads and waits for the work in progress, also when interrupted; on one of these threads, where a
     * capacity listener may close the frontier, it does not wait.
     */
    @Override
    public void close() {
        executor.shutdown();
        boolean interrupted = false;
        while (!threads.contains(Thread.currentThread()) && !executor.isTerminated()) {
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
