package dev.sieve.shared;

import dev.sieve.io.RepeatingThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that keeps the part of a worker in the crawl, by one beat per second. A beat that throws is the last one. */
final class Keeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String crawl;
    private final Runnable beat;
    private final RepeatingThread thread;
    private volatile @Nullable Throwable failure;
    private volatile boolean isStarted;
    private volatile boolean isClosing;

    Keeper(String name, String crawl, Runnable beat) {
        this.crawl = crawl;
        this.beat = beat;
        thread = new RepeatingThread(name, PAUSE, this::run);
    }

    void start() {
        isStarted = true;
        thread.start();
    }

    boolean isStarted() {
        return isStarted;
    }

    private void run() {
        try {
            beat.run();
        } catch (RuntimeException | Error e) {
            thread.end();
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
        thread.end();
        thread.interrupt();
        thread.close();
    }
}
