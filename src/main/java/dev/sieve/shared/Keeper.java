package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that keeps the part of a worker in the crawl, by one beat per second. A beat that throws is the last one. */
final class Keeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final long PAUSE_MILLIS = 1000;

    private final String crawl;
    private final Runnable beat;
    private final ScheduledExecutorService executor;
    private volatile @Nullable Thread thread;
    private volatile @Nullable Throwable failure;
    private volatile boolean isStarted;
    private volatile boolean isClosing;

    Keeper(String crawl, Runnable beat) {
        this.crawl = crawl;
        this.beat = beat;
        executor = Executors.newSingleThreadScheduledExecutor(work -> {
            thread = new Thread(work, "sieve-keeper");
            thread.setDaemon(true);
            return thread;
        });
    }

    void start() {
        isStarted = true;
        ScheduledFuture<?> unused =
                executor.scheduleWithFixedDelay(this::run, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    boolean isStarted() {
        return isStarted;
    }

    private void run() {
        try {
            if (failure == null) {
                beat.run();
            }
        } catch (RuntimeException | Error e) {
            // An executor silently drops work that throws.
            if (!isClosing) {
                failure = e;
                LOG.error("the shared frontier {} stops: {}", crawl, reason(e));
                LOG.debug("the cause", e);
            }
        }
    }

    private static @Nullable String reason(Throwable e) {
        return e instanceof UncheckedIOException io
                ? Objects.requireNonNull(io.getCause()).getMessage()
                : e.toString();
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Throws when a beat has failed. */
    void requireUsable() {
        Throwable cause = failure;
        if (cause != null) {
            throw new UncheckedIOException(new IOException("the frontier has stopped: " + reason(cause), cause));
        }
    }

    /** Interrupts the thread, which may wait for the engine, and waits for its end, unless this is the thread itself. */
    @Override
    public void close() {
        isClosing = true;
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
