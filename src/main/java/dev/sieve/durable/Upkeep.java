package dev.sieve.durable;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a frontier on the disk does beside its calls, in two threads of its own: answers do not wait for longer than a
 * second, and a checkpoint is written when the log has grown enough. It ends by itself when the log is no longer usable.
 */
final class Upkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DurableSieve.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Durability durability;
    private final LogWriter writer;
    private final BooleanSupplier isCheckpointDue;
    private final Runnable checkpoint;
    private final Keeper flusher;
    private final Keeper checkpointer;

    Upkeep(Durability durability, LogWriter writer, BooleanSupplier isCheckpointDue, Runnable checkpoint) {
        this.durability = durability;
        this.writer = writer;
        this.isCheckpointDue = isCheckpointDue;
        this.checkpoint = checkpoint;
        flusher = new Keeper("sieve-flush", PAUSE_NANOS, this::flush);
        checkpointer = new Keeper("sieve-checkpoint", PAUSE_NANOS, this::checkpoint);
    }

    private boolean flush() {
        try {
            if (durability == Durability.PROCESS) {
                writer.handOver();
            } else {
                writer.force(null);
            }
            return true;
        } catch (RuntimeException e) {
            LOG.debug("nothing is flushed any more", e);
            return false;
        }
    }

    private boolean checkpoint() {
        try {
            if (isCheckpointDue.getAsBoolean()) {
                checkpoint.run();
            }
        } catch (UncheckedIOException e) {
            LOG.warn("no checkpoint could be written: {}", e.getMessage());
        }
        return writer.isUsable();
    }

    /** Ends both threads and waits for what is under way. */
    @Override
    public void close() {
        flusher.close();
        checkpointer.close();
    }
}
