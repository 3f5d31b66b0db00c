package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Membership;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeduplicatorTest {
    private final List<String> stored = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private boolean isBroken;

    private final Deduplicator.Store store = new Deduplicator.Store() {
        @Override
        public void append(UrlBatch batch, int from, long mask) {
            calls.add("append " + deduplicator.lock().isHeldByCurrentThread());
            IntStream.range(0, 64)
                    .filter(i -> (mask >>> i & 1) != 0)
                    .mapToObj(i -> batch.url(from + i))
                    .forEach(stored::add);
        }

        @Override
        public void requireUsable() {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public void appended() {
            calls.add("appended " + deduplicator.lock().isHeldByCurrentThread());
        }

        @Override
        public void stop(Throwable cause) {
            calls.add("stop " + deduplicator.lock().isHeldByCurrentThread());
        }
    };

    private Deduplicator deduplicator = deduplicator(1000, OnFull.WARN);

    private static Deduplicator deduplicator(long capacity, OnFull onFull) {
        return new Deduplicator(FilterKind.SPLIT_BLOCKS.create(capacity, 1e-4, 1), capacity, onFull, event -> {});
    }

    private boolean push(String url) {
        return deduplicator.push(url.getBytes(StandardCharsets.UTF_8), store);
    }

    private static UrlBatch batch(int from, int to) {
        UrlBatch batch = new UrlBatch();
        SieveTest.urls(to).subList(from, to).forEach(batch::add);
        return batch;
    }

    @Test
    void theStoreAppendsUnderTheLockAndFinishesOutsideIt() {
        push("http://a/");
        push("http://a/");

        assertThat(stored).containsExactly("http://a/");
        assertThat(calls).containsExactly("append true", "appended false");
    }

    @Test
    void aStoreThatFailedAnswersNothingNotEvenForSeenUrls() {
        push("http://a/");
        isBroken = true;

        assertThatThrownBy(() -> push("http://a/")).hasMessage("broken");
        assertThatThrownBy(() -> push("http://b/")).hasMessage("broken");
        assertThatThrownBy(() -> deduplicator.pushAll(batch(0, 10), store)).hasMessage("broken");
        isBroken = false;
        assertThat(push("http://b/")).isTrue();
    }

    @Test
    void anErrorInABatchAcceptsNothingAndCallsNothingSeen() {
        Membership small = new Membership() {
            private final ExactSet keys = ExactSet.create(0);

            @Override
            public boolean add(long h1, long h2) {
                if (keys.estimatedSize() == 5) {
                    throw new OutOfMemoryError("the filter cannot grow");
                }
                return keys.add(h1, h2);
            }

            @Override
            public boolean mightContain(long h1, long h2) {
                return keys.mightContain(h1, h2);
            }

            @Override
            public long absent(long[] hashes, int count) {
                return keys.absent(hashes, count);
            }

            @Override
            public long seed() {
                return 0;
            }

            @Override
            public long capacity() {
                return Long.MAX_VALUE;
            }

            @Override
            public long estimatedSize() {
                return keys.estimatedSize();
            }

            @Override
            public double falsePositiveRate() {
                return 0;
            }

            @Override
            public long memoryBytes() {
                return 0;
            }

            @Override
            public void writeTo(OutputStream out) {}
        };
        deduplicator = new Deduplicator(small, 1000, OnFull.WARN, event -> {});
        UrlBatch batch = batch(0, 10);

        assertThatThrownBy(() -> deduplicator.pushAll(batch, store)).isInstanceOf(OutOfMemoryError.class);

        assertThat(stored).isEmpty();
        assertThat(calls).containsExactly("stop true");
        assertThatThrownBy(() -> deduplicator.pushAll(batch, store))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the filter cannot grow");
        assertThatThrownBy(() -> push(batch.url(0))).hasMessageContaining("the filter cannot grow");
        assertThatThrownBy(() -> push("http://new/")).hasMessageContaining("the filter cannot grow");
    }

    @Test
    void whatIsRestoredIsSeenAndNotStored() {
        deduplicator.restore(batch(0, 200));
        deduplicator.restore(5, 0.5, 0);

        assertThat(deduplicator.pushAll(batch(0, 201), store)).isEqualTo(1);

        assertThat(stored).hasSize(1);
        SieveStats stats = stats();
        assertThat(stats.seen()).isEqualTo(205);
        assertThat(stats.estimatedMissed()).isBetween(0.5, 0.6);
    }

    @Test
    void whatIsAppendedAgainIsNotSeenAndTheRestIsNewOnce() {
        deduplicator.pushAll(batch(0, 3), store);
        calls.clear();
        stored.clear();
        UrlBatch batch = batch(0, 64);

        appendAgain(batch);

        assertThat(calls).containsExactly("append true");
        assertThat(stored).isEqualTo(SieveTest.urls(64));
        assertThat(IntStream.range(0, 64).filter(batch::isNew).boxed().toList())
                .isEqualTo(IntStream.range(3, 64).boxed().toList());
        assertThat(stats().seen()).isZero();
        assertThat(stats().estimatedSize()).isBetween(62L, 66L);
        assertThat(deduplicator.pushAll(batch(0, 65), store)).isEqualTo(1);
        assertThat(SieveTest.urls(65)).allMatch(deduplicator::mightContain);
        assertThat(deduplicator.mightContain("http://new/")).isFalse();
        assertThatThrownBy(() -> appendAgain(batch(0, 65))).isInstanceOf(IllegalArgumentException.class);
        isBroken = true;
        assertThatThrownBy(() -> appendAgain(batch)).hasMessage("broken");
    }

    private void appendAgain(UrlBatch batch) {
        deduplicator.lock().lock();
        try {
            deduplicator.appendAgain(batch, store);
        } finally {
            deduplicator.lock().unlock();
        }
    }

    @Test
    void onlyWhatIsNewCountsForTheEstimateOfMissedPages() {
        deduplicator = new Deduplicator(FilterKind.SPLIT_BLOCKS.create(1000, 0.1, 1), 1000, OnFull.WARN, event -> {});
        deduplicator.restore(batch(0, 1000));
        double missed = stats().estimatedMissed();
        for (int i = 0; i < 100; i++) {
            deduplicator.restore(batch(0, 1000));
            appendAgain(batch(0, 64));
        }
        assertThat(missed).isBetween(5.0, 100.0);
        assertThat(stats().estimatedMissed()).isBetween(missed, missed * 1.01);
    }

    private SieveStats stats() {
        deduplicator.lock().lock();
        try {
            return deduplicator.stats(1, 1, 0, 0);
        } finally {
            deduplicator.lock().unlock();
        }
    }

    @Test
    void aBatchRefusedInTheMiddleNamesItsNewUrls() {
        deduplicator = deduplicator(100, OnFull.FAIL);
        UrlBatch batch = batch(0, 300);

        assertThatThrownBy(() -> deduplicator.pushAll(batch, store))
                .isInstanceOf(SieveFullException.class)
                .hasMessageContaining("made for 100");

        List<String> isNew = IntStream.range(0, 300)
                .filter(batch::isNew)
                .mapToObj(batch::url)
                .toList();
        assertThat(isNew).isEqualTo(stored).hasSizeBetween(120, 130);
        assertThatThrownBy(() -> deduplicator.pushAll(batch, store)).isInstanceOf(SieveFullException.class);
        assertThat(IntStream.range(0, 300).noneMatch(batch::isNew)).isTrue();
    }
}
