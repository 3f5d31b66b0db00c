package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.sieve.FrontierSettings;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class CheckpointerTest {
    /** A lock for which a thread that has to wait finds no memory. */
    private static final class Starved extends ReentrantLock {
        @Override
        public void lock() {
            throw new OutOfMemoryError("test");
        }
    }

    @Test
    void aWaitingThreadOutOfMemoryBlocksNoOther() throws IOException {
        FakeDisk disk = new FakeDisk();
        ScriptedRun.open(disk, Durability.PROCESS).close();
        Settings settings = Settings.read(disk);
        Recovery.Found found = new Recovery(disk, settings).run(FrontierSettings.DEFAULTS);
        Checkpointer checkpointer = new Checkpointer(disk, settings, false, 1, found, null, null, new Starved());

        for (Executable call : List.<Executable>of(
                checkpointer::isDue, checkpointer::isCurrent, () -> checkpointer.write(() -> null))) {
            assertThatThrownBy(call::execute).isInstanceOf(OutOfMemoryError.class);
            // In a thread of its own.
            assertTimeoutPreemptively(
                    Duration.ofSeconds(20),
                    () -> assertThatThrownBy(checkpointer::isCurrent).isInstanceOf(OutOfMemoryError.class));
        }
    }
}
