package dev.sieve.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepeatingThreadTest {
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofDays(1);

    @Test
    void theWorkIsDoneAgainUntilTheEnd() throws Exception {
        CountDownLatch times = new CountDownLatch(3);
        RepeatingThread thread = new RepeatingThread("test", PAUSE, times::countDown);
        thread.start();
        times.await();

        thread.close();

        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("test");
    }

    @Test
    void aPauseIsEndedAndAThreadThatNeverStartedToo() {
        RepeatingThread thread = new RepeatingThread("test", LONG, () -> {});
        thread.close();
        RepeatingThread started = new RepeatingThread("test", LONG, () -> {});
        started.start();
        started.close();

        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("test");
    }

    @Test
    void anInterruptEndsWhatTheWorkWaitsForAndNothingElse() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch later = new CountDownLatch(2);
        RepeatingThread thread = new RepeatingThread("test", PAUSE, () -> {
            begun.countDown();
            later.countDown();
            try {
                new CountDownLatch(interrupted.getCount() > 0 ? 1 : 0).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        thread.start();
        begun.await();
        thread.interrupt();
        interrupted.await();
        later.await();
        thread.close();
    }

    @Test
    void closingFromItsOwnThreadDoesNotWait() throws Exception {
        AtomicReference<RepeatingThread> itself = new AtomicReference<>();
        CountDownLatch isClosed = new CountDownLatch(1);
        itself.set(new RepeatingThread("test", PAUSE, () -> {
            itself.get().close();
            isClosed.countDown();
        }));
        itself.get().start();
        isClosed.await();

        Thread.currentThread().interrupt();
        itself.get().close();
        assertThat(Thread.interrupted()).isTrue();
    }
}
