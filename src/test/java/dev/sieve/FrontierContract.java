package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every frontier keeps; extended once for each of them. */
public abstract class FrontierContract {
    static final long SECOND = 1_000_000_000L;

    /** A frontier made for 200,000 URLs that takes no new URL for a seen one; leases never expire where it is 0. */
    protected abstract Frontier open(long leaseTimeoutNanos) throws Exception;

    private final List<Frontier> opened = new ArrayList<>();

    private Frontier frontier() throws Exception {
        return frontier(0);
    }

    private Frontier frontier(long leaseTimeoutNanos) throws Exception {
        Frontier frontier = open(leaseTimeoutNanos);
        opened.add(frontier);
        return frontier;
    }

    @AfterEach
    void close() {
        opened.forEach(Frontier::close);
    }

    @Test
    void pushOfNewUrlReturnsTrueAndOfSeenUrlFalse() throws Exception {
        Frontier frontier = frontier();

        assertThat(frontier.push("http://a/")).isTrue();
        assertThat(frontier.push("http://a/")).isFalse();
        frontier.done(frontier.take(0));
        assertThat(frontier.push("http://a/")).isFalse();
    }

    @Test
    protected void urlsComeOutInTheOrderInWhichTheyWerePushed() throws Exception {
        Frontier frontier = frontier();
        List<String> urls = urls(1000);

        assertThat(frontier.pushAll(urls.subList(0, 500))).isEqualTo(500);
        assertThat(frontier.pushAll(urls.subList(400, 900))).isEqualTo(400);
        urls.subList(900, 1000).forEach(frontier::push);

        assertThat(takeAll(frontier, 0)).extracting(Lease::url).isEqualTo(urls);
        assertThat(frontier.take(0)).isNull();
    }

    @Test
    void dataThatIsNotPartOfTheKeyComesWithTheUrl() throws Exception {
        Frontier frontier = frontier();
        UrlBatch batch = new UrlBatch();
        batch.add("http://h/a\t{\"data\": \"ü\"}", "http://h/a");
        batch.add("http://h/a\tother data", "http://h/a");

        assertThat(frontier.pushAll(batch)).isEqualTo(1);
        assertThat(takeAll(frontier, 0)).extracting(Lease::url).containsExactly("http://h/a\t{\"data\": \"ü\"}");
    }

    @Test
    void aLeaseSaysWhereTheUrlWasFound() throws Exception {
        Frontier frontier = frontier();
        UrlBatch batch = new UrlBatch(3, 2, "http://page/ü");
        batch.add("http://h/%7Ea", "http://h/~a");
        batch.add("http://h/~a");
        batch.add("http://h/ü?b");

        assertThat(frontier.pushAll(batch)).isEqualTo(2);
        frontier.push("http://seed/");

        assertThat(IntStream.range(0, 3).mapToObj(batch::isNew)).containsExactly(true, false, true);
        assertThat(takeAll(frontier, 0))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("id")
                .containsExactly(
                        new Lease(0, "http://h/%7Ea", 3, 2, "http://page/ü", 0, 0),
                        new Lease(1, "http://h/ü?b", 3, 2, "http://page/ü", 0, 0),
                        new Lease(2, "http://seed/", 0, 0, null, 0, 0));
    }

    @Test
    void aLeaseCarriesTheLabelOfItsBatch() throws Exception {
        Frontier frontier = frontier();
        UrlBatch batch = new UrlBatch(1, 0, "http://page/", 255);
        batch.add("http://h/a");
        frontier.pushAll(batch);
        batch.clear(1, 0, "http://page/", 7);
        batch.add("http://h/b", "another key");
        batch.add("http://h/a");
        frontier.pushAll(batch);
        batch.clear(1, 0, "http://page/");
        batch.add("http://h/c");
        frontier.pushAll(batch);

        assertThat(takeAll(frontier, 0))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("id")
                .containsExactly(
                        new Lease(0, "http://h/a", 1, 0, "http://page/", 255, 0),
                        new Lease(1, "http://h/b", 1, 0, "http://page/", 7, 0),
                        new Lease(2, "http://h/c", 1, 0, "http://page/", 0, 0));
    }

    @Test
    void aRetriedLeaseKeepsItsLabel() throws Exception {
        Frontier frontier = frontier();
        UrlBatch batch = new UrlBatch(0, 0, null, 3);
        batch.add("http://h/a");
        frontier.pushAll(batch);

        Lease first = frontier.take(0);
        frontier.retry(first, 0);

        assertThat(frontier.take(0)).isEqualTo(new Lease(first.id(), "http://h/a", 0, 0, null, 3, 1));
    }

    @Test
    void aLabelIsFrom0To255() {
        assertThatThrownBy(() -> new UrlBatch(0, 0, null, 256))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("256");
        assertThatThrownBy(() -> new UrlBatch().clear(0, 0, null, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(new UrlBatch(1, 1, null, 255).label()).isEqualTo(255);
        assertThat(new UrlBatch(1, 1, null).label()).isZero();
    }

    @Test
    void aBatchOfAnySizeMarksWhatWasNew() throws Exception {
        Frontier frontier = frontier();
        List<String> urls = urls(300);
        urls.stream().filter(url -> url.endsWith("7")).forEach(frontier::push);
        UrlBatch batch = new UrlBatch(1, 0, "http://page/");
        urls.forEach(batch::add);

        assertThat(frontier.pushAll(batch)).isEqualTo(270);

        for (int i = 0; i < 300; i++) {
            assertThat(batch.isNew(i)).isEqualTo(i % 10 != 7);
        }
        assertThat(frontier.pushAll(batch)).isZero();
        batch.clear();
        assertThat(frontier.pushAll(batch)).isZero();
    }

    @Test
    void theSameUrlTwiceInOneBatchIsNewOnce() throws Exception {
        Frontier frontier = frontier();
        UrlBatch batch = new UrlBatch();
        batch.add("http://a/");
        batch.add("http://a/");

        assertThat(frontier.pushAll(batch)).isEqualTo(1);
        assertThat(batch.isNew(0)).isTrue();
        assertThat(batch.isNew(1)).isFalse();
    }

    @Test
    void doneIsTrueOnceAndTheUrlNeverComesBack() throws Exception {
        Frontier frontier = frontier();
        frontier.push("http://a/");
        Lease lease = frontier.take(0);

        assertThat(frontier.done(lease)).isTrue();
        assertThat(frontier.done(lease)).isFalse();
        assertThat(frontier.retry(lease, 0)).isFalse();
        assertThat(frontier.take(Long.MAX_VALUE / 2)).isNull();
        assertThat(frontier.pending() + frontier.inFlight()).isZero();
    }

    @Test
    void doneOfWhatWasNeverHandedOutIsFalse() throws Exception {
        Frontier frontier = frontier();
        frontier.push("http://a/");

        assertThat(frontier.done(new Lease(0, "http://a/", 0, 0, null, 0, 0))).isFalse();
        assertThat(frontier.done(new Lease(77, "http://b/", 0, 0, null, 0, 0))).isFalse();
        assertThat(frontier.pending()).isEqualTo(1);
    }

    @Test
    void aUrlGivenBackComesOutInTimeWithAHigherAttempt() throws Exception {
        Frontier frontier = frontier();
        frontier.push("http://a/");
        frontier.push("http://b/");
        Lease first = frontier.take(0);

        assertThat(frontier.retry(first, 10 * SECOND)).isTrue();

        assertThat(frontier.pending()).isEqualTo(2);
        assertThat(frontier.inFlight()).isZero();
        assertThat(frontier.waitNanos(0)).isZero();
        assertThat(frontier.done(frontier.take(SECOND))).isTrue();
        assertThat(frontier.take(10 * SECOND - 1)).isNull();
        assertThat(frontier.waitNanos(4 * SECOND)).isEqualTo(6 * SECOND);
        Lease again = frontier.take(10 * SECOND);
        assertThat(again).isEqualTo(new Lease(first.id(), "http://a/", 0, 0, null, 0, 1));
        assertThat(frontier.done(first)).isFalse();
        assertThat(frontier.retry(first, 0)).isFalse();
        assertThat(frontier.done(again)).isTrue();
    }

    @Test
    protected void whatIsDueComesOutBeforeTheQueueInTheOrderOfItsTime() throws Exception {
        Frontier frontier = frontier();
        frontier.pushAll(urls(300));
        List<Lease> leases =
                IntStream.range(0, 200).mapToObj(i -> frontier.take(0)).collect(Collectors.toList());
        for (Lease lease : leases) {
            frontier.retry(lease, SECOND + (200 - lease.id()));
        }

        assertThat(frontier.take(SECOND).url()).isEqualTo(urls(201).get(200));
        List<Lease> due = takeAll(frontier, 2 * SECOND);
        assertThat(due.subList(0, 200)).extracting(Lease::url).isEqualTo(reversed(urls(200)));
        assertThat(due.subList(0, 200)).extracting(Lease::attempt).containsOnly(1);
        assertThat(due.subList(200, 299))
                .extracting(Lease::url)
                .isEqualTo(urls(300).subList(201, 300));
    }

    @Test
    void timeMayPassItsLargestNumber() throws Exception {
        Frontier frontier = frontier(10 * SECOND);
        long start = Long.MAX_VALUE - SECOND;
        frontier.push("http://a/");
        frontier.retry(frontier.take(start), start + 2 * SECOND);

        assertThat(frontier.take(start + SECOND)).isNull();
        assertThat(frontier.waitNanos(start + SECOND)).isEqualTo(SECOND);
        Lease lease = frontier.take(start + 2 * SECOND);
        assertThat(lease.attempt()).isEqualTo(1);
        assertThat(frontier.take(start + 11 * SECOND)).isNull();
        assertThat(frontier.take(start + 12 * SECOND).attempt()).isEqualTo(2);
    }

    @Test
    void anExpiredLeaseIsHandedOutAgainAndItsHolderLate() throws Exception {
        Frontier frontier = frontier(30 * SECOND);
        frontier.push("http://a/");
        Lease first = frontier.take(0);

        assertThat(frontier.take(30 * SECOND - 1)).isNull();
        assertThat(frontier.waitNanos(10 * SECOND)).isEqualTo(20 * SECOND);
        Lease second = frontier.take(30 * SECOND);

        assertThat(second).isEqualTo(new Lease(first.id(), "http://a/", 0, 0, null, 0, 1));
        assertThat(frontier.done(first)).isFalse();
        assertThat(frontier.inFlight()).isEqualTo(1);
        assertThat(frontier.done(second)).isTrue();
        assertThat(frontier.take(1000 * SECOND)).isNull();
    }

    @Test
    void countsSayWhatIsLeft() throws Exception {
        Frontier frontier = frontier();
        assertThat(frontier.waitNanos(0)).isEqualTo(Long.MAX_VALUE);
        frontier.pushAll(List.of("a", "b", "c", "d", "a", "b"));
        frontier.done(frontier.take(0));
        frontier.take(0);
        frontier.retry(frontier.take(0), SECOND);

        SieveStats stats = frontier.stats();

        assertThat(stats.accepted()).isEqualTo(4);
        assertThat(stats.seen()).isEqualTo(2);
        assertThat(stats.done()).isEqualTo(1);
        assertThat(stats.inFlight()).isEqualTo(frontier.inFlight()).isEqualTo(1);
        assertThat(stats.pending()).isEqualTo(frontier.pending()).isEqualTo(2);
        assertThat(stats.memoryBytes()).isPositive();
        assertThat(frontier.waitNanos(0)).isZero();
    }

    @Test
    void anyStringIsAUrl() throws Exception {
        Frontier frontier = frontier();
        List<String> odd = List.of("", " ", "\0", "\n", "é", "\ud83d\ude00", "x".repeat(100_000), "a\0b", "%");

        assertThat(frontier.pushAll(odd)).isEqualTo(odd.size());
        assertThat(frontier.push("")).isFalse();

        assertThat(takeAll(frontier, 0)).extracting(Lease::url).isEqualTo(odd);
    }

    @Test
    void halfASurrogatePairIsNoFailure() throws Exception {
        Frontier frontier = frontier();

        assertThat(frontier.push("http://h/\ud800")).isTrue();
        assertThat(frontier.push("http://h/\ud800")).isFalse();
        assertThat(frontier.take(0).url()).startsWith("http://h/");
    }

    @Test
    void aQueueThatWasEmptyGoesOn() throws Exception {
        Frontier frontier = frontier();
        for (int round = 0; round < 100; round++) {
            assertThat(frontier.take(0)).isNull();
            frontier.push("http://h/" + round);
            assertThat(frontier.take(0).url()).isEqualTo("http://h/" + round);
        }
        assertThat(frontier.inFlight()).isEqualTo(100);
    }

    @Test
    void racingPushesAndTakesHandOutEachUrlOnce() throws Exception {
        Frontier frontier = frontier();
        List<String> urls = urls(20_000);
        Map<String, Integer> told = new ConcurrentHashMap<>();
        Map<String, Integer> taken = new ConcurrentHashMap<>();
        ExecutorService pool = Executors.newFixedThreadPool(16);
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            boolean single = i % 4 == 0;
            work.add(pool.submit(() -> race(frontier, urls, single, told, taken)));
        }
        for (Future<?> each : work) {
            each.get();
        }
        pool.shutdown();
        takeAll(frontier, 0).forEach(lease -> taken.merge(lease.url(), 1, Integer::sum));

        assertThat(told.values()).containsOnly(1);
        assertThat(taken.values()).containsOnly(1);
        Set<String> all = new HashSet<>(urls);
        assertThat(told.keySet().equals(all)).isTrue();
        assertThat(taken.keySet().equals(all)).isTrue();
    }

    private static void race(
            Frontier frontier,
            List<String> urls,
            boolean single,
            Map<String, Integer> told,
            Map<String, Integer> taken) {
        UrlBatch batch = new UrlBatch();
        for (int from = 0; from < urls.size(); from += 100) {
            List<String> some = urls.subList(from, from + 100);
            if (single) {
                some.stream().filter(frontier::push).forEach(url -> told.merge(url, 1, Integer::sum));
            } else {
                batch.clear();
                some.forEach(batch::add);
                frontier.pushAll(batch);
                IntStream.range(0, 100).filter(batch::isNew).forEach(i -> told.merge(batch.url(i), 1, Integer::sum));
            }
            for (Lease lease = frontier.take(0); lease != null; lease = frontier.take(0)) {
                taken.merge(lease.url(), 1, Integer::sum);
                frontier.done(lease);
            }
        }
    }

    public static List<Lease> takeAll(Frontier frontier, long nowNanos) {
        List<Lease> leases = new ArrayList<>();
        for (Lease lease = frontier.take(nowNanos); lease != null; lease = frontier.take(nowNanos)) {
            leases.add(lease);
        }
        return leases;
    }

    public static List<String> urls(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "http://host" + i / 8 % 97 + ".example/path/" + i)
                .collect(Collectors.toList());
    }

    private static List<String> reversed(List<String> urls) {
        List<String> reversed = new ArrayList<>();
        urls.forEach(url -> reversed.add(0, url));
        return reversed;
    }
}
