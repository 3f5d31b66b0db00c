package dev.sieve.durable;

import dev.sieve.io.RepeatingThread;
import java.io.UncheckedIOException;
import java.time.Duration;
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
    private final RepeatingThread flush;
    private final RepeatingThread checkpoint;

    Upkeep(LogWriter writer, BooleanSupplier isCheckpointDue, Runnable checkpoint, Duration pause) {
        this.writer = writer;
        flush = thread(pause, "flush", () -> writer.settle(writer.durability().forces()));
        this.checkpoint = thread(pause, "checkpoint", () -> {
            if (!isCheckpointDue.getAsBoolean()) {
                return;
            }
            try {
                checkpoint.run();
            } catch (UncheckedIOException e) {
                LOG.warn("cannot write a checkpoint: {}", e.getMessage());
            }
        });
        try {
            flush.start();
            this.checkpoint.start();
        } catch (RuntimeException | Error e) {
            end(); // no memory for the second thread
            throw e;
        }
    }

    private RepeatingThread thread(Duration pause, String what, Runnable work) {
        return new RepeatingThread("sieve-upkeep", pause, () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failed(what, e);
            }
            if (!writer.isUsable()) {
                end();
            }
        });
    }

    private void failed(String what, Throwable cause) {
        if (!writer.isUsable()) {
            return;
        }
        try {
            LOG.error("the background {} failed unexpectedly and will be tried again", what, cause);
        } catch (OutOfMemoryError e) {
            // The next failure may find memory to be logged; the work goes on.
        }
    }

    private void end() {
        flush.end();
        checkpoint.end();
    }

    /**
     * Ends both threads and waits for the work in progress, also when interrupted; on one of these threads, where a
     * capacity listener may close the frontier, it does not wait.
     */
    @Override
    public void close() {
        end();
        if (!flush.isCurrent() && !checkpoint.isCurrent()) {
            flush.close();
            checkpoint.close();
        }
    }
}
