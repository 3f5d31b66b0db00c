package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.SplitBlockFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SieveTest {
    @Test
    void pushOfSeenUrlReturnsFalse() {
        Sieve sieve = new Sieve(1000);

        assertThat(sieve.push("http://a/")).isTrue();
        assertThat(sieve.push("http://a/")).isFalse();
        sieve.pop();
        assertThat(sieve.push("http://a/")).isFalse();
    }

    @Test
    void popGivesOutEachUrlOnceInTheOrderOfThePushes() {
        Sieve sieve = new Sieve(1000);

        int isNew = sieve.pushAll(List.of("http://a/", "http://b/", "http://a/", "http://ü/", "http://b/"));
        sieve.push("http://c/");

        assertThat(isNew).isEqualTo(3);
        assertThat(drain(sieve)).containsExactly("http://a/", "http://b/", "http://ü/", "http://c/");
        assertThat(sieve.pop()).isEmpty();
    }

    @Test
    void aBatchIsComparedByItsKeysAndHandsOutItsUrls() {
        Sieve sieve = new Sieve(1000);
        UrlBatch batch = new UrlBatch(3, 1, "http://page/");
        batch.add("http://h/%7Ea", "http://h/~a");
        batch.add("http://h/~a");
        batch.add("http://h/b");

        assertThat(sieve.pushAll(batch)).isEqualTo(2);

        assertThat(IntStream.range(0, 3).mapToObj(batch::isNew)).containsExactly(true, false, true);
        Lease lease = sieve.take(0);
        assertThat(lease).isEqualTo(new Lease(0, "http://h/%7Ea", 3, 1, "http://page/", 0, 0));
        assertThat(sieve.take(0).url()).isEqualTo("http://h/b");
    }

    @Test
    void aBatchOfAnySizeKeepsItsOrder() {
        Sieve sieve = Sieve.builder().capacity(10_000).seed(1).build();
        UrlBatch batch = new UrlBatch();
        List<String> urls = urls(1000);
        urls.forEach(batch::add);

        assertThat(sieve.pushAll(batch)).isEqualTo(1000);
        assertThat(sieve.pushAll(batch)).isZero();
        assertThat(IntStream.range(0, 1000).anyMatch(batch::isNew)).isFalse();
        assertThat(drain(sieve)).isEqualTo(urls);
    }

    @Test
    void nothingIsAddedToABatchWithoutItsKey() {
        UrlBatch batch = new UrlBatch();

        assertThatThrownBy(() -> batch.add("http://a/", null)).isInstanceOf(NullPointerException.class);
        assertThat(batch.size()).isZero();
    }

    @Test
    void statsAddUp() {
        Sieve sieve = new Sieve(1000);
        sieve.pushAll(List.of("a", "b", "c", "a"));
        sieve.pop();
        sieve.take(0);

        SieveStats stats = sieve.stats();

        assertThat(stats.accepted()).isEqualTo(3);
        assertThat(stats.seen()).isEqualTo(1);
        assertThat(stats.done()).isEqualTo(1);
        assertThat(stats.inFlight()).isEqualTo(1);
        assertThat(stats.pending()).isEqualTo(1).isEqualTo(sieve.pending());
        assertThat(stats.estimatedSize()).isEqualTo(3);
        assertThat(stats.capacity()).isEqualTo(1000);
        assertThat(stats.memoryBytes()).isPositive();
    }

    @Test
    void ofRacingPushesOfOneUrlExactlyOneIsTold() throws Exception {
        int threads = 64;
        List<String> urls = urls(100_000);
        // No false positives, so that every number below has to be exact.
        Sieve sieve = Sieve.builder()
                .capacity(urls.size())
                .membership(ExactSet.create(0))
                .build();
        Map<String, Integer> told = new ConcurrentHashMap<>();
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> pushes = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            boolean inBatches = i % 2 == 0;
            pushes.add(pool.submit(() -> {
                start.await();
                pushAll(sieve, urls, inBatches, told);
                return null;
            }));
        }
        start.countDown();
        for (Future<?> push : pushes) {
            push.get();
        }
        pool.shutdown();

        assertThat(told).hasSize(urls.size());
        assertThat(told.values()).containsOnly(1);
        List<String> popped = drain(sieve);
        assertThat(popped).hasSize(urls.size());
        assertThat(new HashSet<>(popped).equals(new HashSet<>(urls))).isTrue();
    }

    private static void pushAll(Sieve sieve, List<String> urls, boolean inBatches, Map<String, Integer> told) {
        if (!inBatches) {
            urls.stream().filter(sieve::push).forEach(url -> told.merge(url, 1, Integer::sum));
            return;
        }
        UrlBatch batch = new UrlBatch();
        for (String url : urls) {
            batch.add(url);
            if (batch.size() == 100) {
                sieve.pushAll(batch);
                IntStream.range(0, 100).filter(batch::isNew).forEach(i -> told.merge(batch.url(i), 1, Integer::sum));
                batch.clear();
            }
        }
    }

    @Test
    void racingPushesAcceptOnceAndMissNoMoreThanTheRate() throws Exception {
        List<String> urls = urls(100_000);
        Sieve sieve = Sieve.builder().capacity(urls.size()).seed(7).build();
        Map<String, Integer> told = new ConcurrentHashMap<>();
        ExecutorService pool = Executors.newFixedThreadPool(64);
        List<Future<?>> pushes = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            boolean inBatches = i % 2 == 0;
            pushes.add(pool.submit(() -> pushAll(sieve, urls, inBatches, told)));
        }
        for (Future<?> push : pushes) {
            push.get();
        }
        pool.shutdown();

        assertThat(told.values()).containsOnly(1);
        assertThat(told.keySet()).hasSizeGreaterThan(urls.size() - 10);
        List<String> popped = drain(sieve);
        assertThat(popped).hasSize(told.size());
        assertThat(new HashSet<>(popped).equals(told.keySet())).isTrue();
    }

    @Test
    void aFullSieveThatFailsStillKnowsWhatItHasSeen() {
        Sieve sieve = Sieve.builder().capacity(100).onFull(OnFull.FAIL).seed(1).build();
        int pushed = 0;
        while (pushed < 1000 && sieve.stats().estimatedSize() < 100) {
            sieve.push("http://h/" + pushed++);
        }
        long accepted = sieve.stats().accepted();

        assertThatThrownBy(() -> sieve.push("http://new/"))
                .isInstanceOf(SieveFullException.class)
                .hasMessageContaining("made for 100");
        assertThatThrownBy(() -> sieve.pushAll(List.of("http://h/0", "http://new/")))
                .isInstanceOf(SieveFullException.class);
        assertThat(sieve.push("http://h/0")).isFalse();
        assertThat(sieve.stats().accepted()).isEqualTo(accepted);
        assertThat(sieve.pop()).isEqualTo(Optional.of("http://h/0"));
    }

    @Test
    void aSieveThatGrowsKeepsItsRate() {
        Sieve sieve = Sieve.builder()
                .capacity(1000)
                .falsePositiveRate(0.001)
                .onFull(OnFull.GROW)
                .seed(1)
                .build();

        int isNew = sieve.pushAll(urls(20_000));

        assertThat(20_000 - isNew).isLessThanOrEqualTo(20);
        assertThat(sieve.stats().falsePositiveRate()).isLessThan(0.001);
    }

    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void everyFilterTellsNewUrlsFromSeenOnes(FilterKind kind) {
        Sieve sieve = Sieve.builder().capacity(1000).filter(kind).seed(1).build();

        assertThat(sieve.pushAll(urls(1000))).isGreaterThanOrEqualTo(999);
        assertThat(sieve.pushAll(urls(1000))).isZero();
    }

    @Test
    void filtersAreChosenByTheirNames() {
        assertThat(FilterKind.SPLIT_BLOCKS.create(10, 1e-4, 1)).isInstanceOf(SplitBlockFilter.class);
        assertThat(FilterKind.SPLIT_BLOCKS.create(10, 1e-7, 1)).isInstanceOf(BloomFilter.class);
        assertThat(FilterKind.CLASSIC.create(10, 1e-4, 1)).isInstanceOf(BloomFilter.class);
        assertThat(FilterKind.GROWING.create(10, 1e-4, 1)).isInstanceOf(GrowingBloomFilter.class);
        assertThat(FilterKind.EXACT.create(10, 1e-4, 1)).isInstanceOf(ExactSet.class);
    }

    @Test
    void onlyAGrowingFilterGrowsAndItDoesNothingElse() {
        Sieve growing = Sieve.builder().capacity(10).filter(FilterKind.GROWING).build();

        growing.pushAll(urls(1000));

        assertThat(growing.stats().falsePositiveRate()).isLessThan(1e-4);
        assertThatThrownBy(() -> Sieve.builder()
                        .capacity(10)
                        .filter(FilterKind.CLASSIC)
                        .onFull(OnFull.GROW)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("CLASSIC");
        assertThatThrownBy(() -> Sieve.builder()
                        .capacity(10)
                        .filter(FilterKind.GROWING)
                        .onFull(OnFull.FAIL)
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void popLeavesUrlsThatWereGivenBackToTake() {
        Sieve sieve = new Sieve(1000);
        sieve.push("http://a/");
        sieve.retry(sieve.take(0), 0);

        assertThat(sieve.pop()).isEmpty();
        assertThat(sieve.pending()).isEqualTo(1);
        assertThat(sieve.take(0).url()).isEqualTo("http://a/");
    }

    @Test
    void capacityIsRequired() {
        assertThatThrownBy(() -> Sieve.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("capacity is required to make a frontier");
    }

    @Test
    void rateThatNoFilterHasIsRefusedWhereItIsSet() {
        assertThatThrownBy(() -> Sieve.builder().capacity(10).falsePositiveRate(0.9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.9")
                .hasMessageContaining("0.5");
    }

    @Test
    void badChoicesAreNamed() {
        assertThatThrownBy(() -> new Sieve(0)).hasMessageContaining("capacity < 1: 0");
        assertThatThrownBy(() -> new Sieve(10, 1.5)).hasMessageContaining("1.5");
        assertThatThrownBy(() -> new Sieve(10, Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> Sieve.builder()
                        .capacity(10)
                        .seed(1)
                        .membership(ExactSet.create(0))
                        .build())
                .isInstanceOf(IllegalStateException.class);
    }

    static List<String> urls(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "http://host" + i % 97 + ".example/path/" + i)
                .collect(Collectors.toList());
    }

    private static List<String> drain(Sieve sieve) {
        List<String> urls = new ArrayList<>();
        for (Optional<String> next = sieve.pop(); next.isPresent(); next = sieve.pop()) {
            urls.add(next.get());
        }
        return urls;
    }
}
