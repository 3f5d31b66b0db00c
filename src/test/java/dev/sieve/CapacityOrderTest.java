package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.sieve.bloom.SplitBlockFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CapacityOrderTest {
    private static final int CAPACITY = 1000;

    private final List<Double> thresholds = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger pushed = new AtomicInteger();
    private final CountDownLatch isAt80 = new CountDownLatch(1);
    private final CountDownLatch isAt100 = new CountDownLatch(1);
    private final Deduplicator deduplicator = new Deduplicator(
            SplitBlockFilter.create(CAPACITY, 1e-4, 7),
            CAPACITY,
            OnFull.WARN,
            event -> thresholds.add(event.threshold()));

    private long size() {
        deduplicator.lock().lock();
        try {
            return deduplicator.stats(0, 0, 0, 0).estimatedSize();
        } finally {
            deduplicator.lock().unlock();
        }
    }

    private void pushUpTo(int size, Deduplicator.Store store) {
        while (size() < size) {
            byte[] url = ("http://h.test/" + pushed.getAndIncrement()).getBytes(StandardCharsets.UTF_8);
            deduplicator.push(url, store);
        }
    }

    /** Holds the thread that passes 80 %, after its push and before its event, until another one has passed 100 %. */
    private final class Holding implements Deduplicator.Store {
        @Override
        public void append(UrlBatch batch, int from, long mask) {}

        @Override
        public void appended() {
            if (size() >= 0.8 * CAPACITY) {
                isAt80.countDown();
                assertThatCode(() -> isAt100.await(60, TimeUnit.SECONDS)).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void eventsOfTwoThreadsComeInTheirOrder() throws Exception {
        Thread first = new Thread(() -> pushUpTo((int) (0.8 * CAPACITY), new Holding()));
        first.start();
        assertThat(isAt80.await(60, TimeUnit.SECONDS)).isTrue();
        pushUpTo(CAPACITY, (batch, from, mask) -> {});
        isAt100.countDown();
        first.join();

        assertThat(thresholds).containsExactly(0.8, 1.0);
    }
}
