package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(1200)
class UpkeepTest {
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final CapturedLog log = new CapturedLog();
    private final ReentrantLock lock = new ReentrantLock();
    private final LogState state = new LogState();
    private final FakeDisk disk = new FakeDisk();
    private LogWriter writer;

    @BeforeEach
    void open() throws IOException {
        SegmentLog segments = new SegmentLog(disk, 1, 1000, new TreeMap<>(), null, null);
        writer = new LogWriter(segments, state, lock, Durability.PROCESS);
    }

    @AfterEach
    void close() {
        log.close();
    }

    private Upkeep start(Runnable checkpoint) {
        return new Upkeep(writer, () -> true, checkpoint, PAUSE);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(600, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCheckpointIsTriedAgainAfterAnyError() throws Exception {
        CountDownLatch tries = new CountDownLatch(4);
        Upkeep upkeep = start(() -> {
            tries.countDown();
            if (tries.getCount() == 3) {
                throw new UncheckedIOException(new IOException("disk full"));
            }
            if (tries.getCount() == 2) {
                throw new IllegalStateException("unexpected state");
            }
            if (tries.getCount() == 1) {
                throw new StackOverflowError("too deep");
            }
        });
        await(tries);
        upkeep.close();

        assertThat(log.lines()).hasSize(3);
        assertThat(log.lines().get(0)).contains("cannot write a checkpoint").contains("disk full");
        assertThat(log.lines().get(1)).contains("the background checkpoint failed unexpectedly");
        assertThat(log.lines().get(2)).contains("the background checkpoint failed unexpectedly");
    }

    @Test
    void aCheckpointDoesNotDelayAFlush() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        CountDownLatch flushed = new CountDownLatch(1);
        Upkeep upkeep = start(() -> {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await(started);
        lock.lock();
        try {
            state.added(1);
            writer.done(0);
        } finally {
            lock.unlock();
        }
        Thread observer = new Thread(() -> {
            Await.until(() -> written() > 0);
            flushed.countDown();
        });
        observer.setDaemon(true);
        observer.start();
        await(flushed);
        finish.countDown();
        upkeep.close();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void howFarTheLogIsWrittenIsStored() throws IOException {
        Upkeep upkeep = start(() -> {});
        LogEnd first = LogEnd.NONE;
        while (first.equals(LogEnd.NONE)) {
            first = LogEnd.read(disk);
        }
        lock.lock();
        try {
            state.added(1);
            writer.done(0);
        } finally {
            lock.unlock();
        }
        LogEnd next = first;
        while (next.equals(first)) {
            next = LogEnd.read(disk);
        }
        upkeep.close();

        assertThat(next.nextId()).isEqualTo(1);
        assertThat(next.position().offset())
                .isEqualTo(disk.size(FrontierFiles.segment(1)))
                .isGreaterThan(first.position().offset());
        assertThat(log.lines()).isEmpty();
    }

    private long written() {
        lock.lock();
        try {
            return writer.written();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void closeOnOneOfItsThreadsDoesNotWaitForItself() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        AtomicReference<Upkeep> upkeep = new AtomicReference<>();
        CountDownLatch isSet = new CountDownLatch(1);
        upkeep.set(start(() -> {
            try {
                isSet.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            upkeep.get().close();
            closed.countDown();
        }));
        isSet.countDown();

        await(closed);

        upkeep.get().close();
    }

    @Test
    void theThreadsEndWithTheLogOrWithClose() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        Runnable noteThread = () -> {
            thread.set(Thread.currentThread());
            ran.countDown();
        };
        Upkeep first = start(noteThread);
        await(ran);
        first.close();
        thread.get().join();

        Upkeep second = start(noteThread);
        lock.lock();
        try {
            writer.close();
        } finally {
            lock.unlock();
        }
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().equals("sieve-upkeep")) {
                each.join();
            }
        }
        second.close();
        assertThat(log.lines()).isEmpty();
    }
}
