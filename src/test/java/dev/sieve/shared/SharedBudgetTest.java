package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages that several workers visit together. Time passes only where a test says so, and on the engine. */
@Tag("engine")
class SharedBudgetTest {
    /** A class with another engine replaces it. */
    static TestNodes nodes;

    private static int crawls;

    private final String crawl = "budget" + crawls++;
    private final List<SharedSieve> opened = new ArrayList<>();
    private long clock;
    /** Runs whenever a frontier asks for the time. */
    private Runnable onClock = () -> {};

    @BeforeAll
    static void start() {
        nodes = TestEngine.start();
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    @AfterEach
    void close() {
        opened.forEach(SharedSieve::close);
    }

    private SharedSieve.Builder builder() {
        return SharedSieve.builder(nodes.address(crawl))
                .capacity(1000)
                .slices(4)
                .ownership(Duration.ofSeconds(10))
                .clock(() -> {
                    onClock.run();
                    return clock;
                })
                .withoutKeeper();
    }

    private SharedSieve open(SharedSieve.Builder builder) throws IOException {
        SharedSieve frontier = builder.open();
        opened.add(frontier);
        return frontier;
    }

    private void abandon(SharedSieve frontier) {
        frontier.abandon();
        opened.remove(frontier);
    }

    private SharedSieve open() throws IOException {
        return open(builder().ownership(Duration.ofHours(1)));
    }

    private SharedBudget join(SharedSieve frontier, long most) {
        frontier.budget().join(most);
        return frontier.budget();
    }

    /** Takes a URL and marks it as a page that is done; the engine learns it with the next beat. */
    private static void visit(SharedSieve frontier) {
        Lease lease = Objects.requireNonNull(frontier.take(0));
        assertThat(frontier.begin(lease)).isTrue();
        frontier.budget().page(lease);
        assertThat(frontier.done(lease)).isTrue();
        frontier.budget().end();
    }

    private static void push(SharedSieve frontier, int urls) {
        for (int i = 0; i < urls; i++) {
            frontier.push("http://h" + i + ".test/");
        }
    }

    @Test
    void workersBeginNoMorePagesThanPermitted() throws Exception {
        SharedBudget first = join(open(), 3);
        SharedBudget second = join(open(), 3);

        assertThat(first.begin()).isTrue();
        assertThat(second.begin()).isTrue();
        assertThat(first.begin()).isTrue();
        assertThat(second.begin()).isFalse();
        assertThat(first.begin()).isFalse();
        assertThat(first.isSpent()).isFalse();
    }

    @Test
    void whatIsNoPageIsFreeAgain() throws Exception {
        SharedSieve first = open();
        SharedBudget begun = join(first, 1);
        SharedBudget second = join(open(), 1);
        assertThat(begun.begin()).isTrue();

        begun.end();
        assertThat(second.begin()).as("before the engine has learnt it").isFalse();
        first.beat();

        assertThat(second.begin()).isTrue();
    }

    @Test
    void pagesThatAreDoneCountForAllWorkersAndOnlyForTheRun() throws Exception {
        SharedSieve first = open();
        push(first, 3);
        SharedSieve second = open();
        join(first, 2);
        SharedBudget other = join(second, 2);
        assertThat(first.budget().begin()).isTrue();
        visit(first);
        assertThat(other.begin()).isTrue();
        assertThat(other.begin()).isFalse();
        other.end();

        assertThat(first.budget().begin())
                .as("before the other has reported it")
                .isFalse();
        second.beat();
        assertThat(first.budget().begin()).isTrue();
        visit(first);
        first.beat();
        // On a cluster, the first beat stores at its end what is done.
        first.beat();
        second.beat();
        assertThat(first.budget().isSpent()).isTrue();
        assertThat(other.isSpent()).isTrue();
        assertThat(join(open(), 2).isSpent()).as("a worker that joins").isTrue();

        opened.forEach(SharedSieve::close);
        SharedBudget next = join(open(), 2);
        assertThat(next.isSpent()).as("the next run").isFalse();
        assertThat(next.begin()).isTrue();
    }

    @Test
    void onlyUnfinishedBudgetOfADeadWorkerIsFree() throws Exception {
        SharedSieve dies = open();
        push(dies, 4);
        join(dies, 3);
        assertThat(dies.budget().begin()).isTrue();
        visit(dies);
        dies.beat();
        assertThat(dies.budget().begin()).isTrue();
        assertThat(dies.budget().begin()).isTrue();
        SharedSieve other = open();
        SharedBudget budget = join(other, 3);
        assertThat(budget.begin()).isFalse();

        dies.abandon();
        opened.remove(dies);
        nodes.nodeOf("{" + crawl + "}")
                .command("ZREM", "{" + crawl + "}w", dies.self().name());

        assertThat(budget.begin()).isTrue();
        assertThat(budget.begin()).isTrue();
        assertThat(budget.begin()).isFalse();
    }

    @Test
    void aPageCountsWhileItIsMarkedAsDone() throws Exception {
        SharedSieve frontier = open();
        push(frontier, 1);
        SharedBudget budget = join(frontier, 1);
        assertThat(budget.begin()).isTrue();
        Lease lease = Objects.requireNonNull(frontier.take(0));
        assertThat(frontier.begin(lease)).isTrue();
        budget.page(lease);
        budget.end();
        List<Boolean> begun = new ArrayList<>();
        onClock = () -> begun.add(budget.begin());

        assertThat(frontier.done(lease)).isTrue();
        onClock = () -> {};

        assertThat(begun).isNotEmpty().containsOnly(false);
        assertThat(budget.begin()).isFalse();
    }

    @Test
    void aPageWhoseSliceIsLostDoesNotCount() throws Exception {
        SharedSieve loses = open();
        push(loses, 1);
        join(loses, 1);
        assertThat(loses.budget().begin()).isTrue();
        Lease lease = Objects.requireNonNull(loses.take(0));
        loses.begin(lease);
        loses.budget().page(lease);

        for (int i = 0; i < 4; i++) {
            String slice = nodes.slice(crawl, i);
            nodes.nodeOf(slice).text("HSET", slice + "o", "token", "999", "worker", "another");
        }
        loses.beat();
        assertThat(loses.done(lease)).isFalse();
        loses.budget().end();

        assertThat(loses.budget().begin()).isTrue();
    }

    @Test
    void aRunBeginsWithItsFirstWorker() throws Exception {
        SharedSieve first = open();
        assertThat(first.budget().join(Long.MAX_VALUE)).isZero();
        nodes.nodeOf("{" + crawl + "}").text("HINCRBY", "{" + crawl + "}b", "start", "-5000");

        assertThat(open().budget().join(Long.MAX_VALUE)).isBetween(Duration.ofSeconds(5), Duration.ofMinutes(10));

        opened.forEach(SharedSieve::close);
        assertThat(open().budget().join(Long.MAX_VALUE)).isZero();
    }

    @Test
    void withoutALimitNothingIsAsked() throws Exception {
        SharedSieve frontier = open();
        SharedBudget budget = join(frontier, Long.MAX_VALUE);
        abandon(frontier);

        assertThat(budget.begin()).isTrue();
        assertThat(budget.isSpent()).isFalse();
    }

    // URLs per host

    private static void push(SharedSieve frontier, int hosts, int urlsPerHost) {
        for (int i = 0; i < urlsPerHost; i++) {
            for (int host = 0; host < hosts; host++) {
                frontier.push("http://user@h" + host + ".test:8080/" + i);
            }
        }
    }

    /** Visits up to {@code most} URLs and leaves those beyond the limit of their host; returns how many are left. */
    private static int visit(SharedSieve frontier, int most, Set<String> visited) {
        int left = 0;
        int count = 0;
        for (Lease lease = count < most ? frontier.take(0) : null;
                lease != null;
                lease = count < most ? frontier.take(0) : null) {
            if (!frontier.budget().admit(lease)) {
                frontier.leave(lease);
                left++;
            } else if (frontier.begin(lease)) {
                visited.add(lease.url());
                frontier.done(lease);
                count++;
            }
        }
        return left;
    }

    private static Map<String, Integer> perHost(Set<String> urls) {
        Map<String, Integer> counts = new TreeMap<>();
        urls.forEach(url -> counts.merge(HostSlices.host(url), 1, Integer::sum));
        return counts;
    }

    private List<String> stored(String... command) {
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String slice = nodes.slice(crawl, i);
            List<String> all = new ArrayList<>(List.of(command));
            all.add(1, slice + "h");
            replies.add(String.valueOf(nodes.nodeOf(slice).text(all.toArray(String[]::new))));
        }
        return replies;
    }

    /** Has another worker own all slices for a moment. */
    private void loseSlices(SharedSieve frontier) {
        for (String owner : List.of("another", "")) {
            for (int i = 0; i < 4; i++) {
                String slice = nodes.slice(crawl, i);
                nodes.nodeOf(slice).text("HSET", slice + "o", "token", "999", "worker", owner);
                nodes.nodeOf(slice).text("HSET", slice + "m", "token", "999");
            }
            frontier.beat();
        }
    }

    @Test
    @Tag("slow")
    void budgetsHoldWhenWorkersDieAndSlicesMove() throws Exception {
        int most = 5;
        List<SharedSieve> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            workers.add(open(builder().perHost(most)));
        }
        while (workers.stream().anyMatch(worker -> worker.self().holdings().owned() != 1)) {
            workers.forEach(SharedSieve::beat);
        }
        push(workers.get(0), 12, 8);
        Set<String> visited = new HashSet<>();
        int[] left = new int[4];
        for (int i = 0; i < 4; i++) {
            left[i] += visit(workers.get(i), 5, visited);
            workers.get(i).beat();
            left[i] += visit(workers.get(i), 5, visited);
        }

        workers.subList(0, 2).forEach(this::abandon);
        long start = System.nanoTime();
        for (boolean isOver = false; !isOver; ) {
            // With the clock of the engine, so that slices are renewed.
            clock = System.nanoTime() - start;
            isOver = true;
            for (int i = 2; i < 4; i++) {
                SharedSieve worker = workers.get(i);
                worker.beat();
                left[i] += visit(worker, Integer.MAX_VALUE, visited);
                isOver &= worker.isOver(left[i]);
            }
        }

        assertThat(perHost(visited))
                .hasSize(12)
                .allSatisfy((host, urls) -> assertThat(urls).as(host).isEqualTo(most));
        assertThat(workers.get(2).stats().done()).isEqualTo(12L * most);
        for (int i = 0; i < 12; i++) {
            assertThat(stored("HGET", "h" + i + ".test")).contains("" + most);
        }
    }

    @Test
    void urlsOfALostSliceAreCountedOnceWhenItIsRegained() throws Exception {
        SharedSieve frontier = open(builder().perHost(2));
        push(frontier, 1, 4);
        Set<String> visited = new HashSet<>();
        visit(frontier, 1, visited);
        frontier.beat();
        frontier.beat();
        Lease lost = Objects.requireNonNull(frontier.take(0));
        assertThat(frontier.budget().admit(lost)).isTrue();
        assertThat(frontier.begin(lost)).isTrue();

        loseSlices(frontier);
        assertThat(frontier.done(lost)).isFalse();

        assertThat(visit(frontier, 9, visited)).isEqualTo(2);
        assertThat(visited).hasSize(2).contains(lost.url());
    }

    @Test
    void urlsPerHostCountFromTheBeginningOfTheRun() throws Exception {
        Set<String> visited = new HashSet<>();
        for (int run = 1; run <= 3; run++) {
            SharedSieve frontier = open(builder().perHost(2));
            push(frontier, 3, 5);
            assertThat(visit(frontier, 99, visited)).isEqualTo(run == 3 ? 0 : 3 * (5 - 2 * run));
            assertThat(perHost(visited)).containsOnlyKeys("h0.test", "h1.test", "h2.test");
            assertThat(perHost(visited).values()).containsOnly(Math.min(5, 2 * run));
            assertThat(visit(open(builder().perHost(2)), 99, visited))
                    .as("a worker without slices")
                    .isZero();
            opened.forEach(SharedSieve::close);
        }
    }

    // Counts that move with a slice

    private SharedSieve openWith(Map<Long, Integer> counts) throws IOException {
        return open(builder()
                .ownership(Duration.ofHours(1))
                .onClaim((pauses, claimed) -> claimed.forEach((key, count) -> counts.merge(key, count, Math::max))));
    }

    /** Ends what a worker owns by the clock of the engine. */
    private void kill(SharedSieve worker) {
        abandon(worker);
        nodes.nodeOf("{" + crawl + "}")
                .command("ZREM", "{" + crawl + "}w", worker.self().name());
        for (int i = 0; i < 4; i++) {
            String slice = nodes.slice(crawl, i);
            nodes.nodeOf(slice).text("HSET", slice + "o", "until", "0");
        }
    }

    @Test
    void countsMoveWithTheSliceOfAHost() throws Exception {
        SharedSieve one = open();
        assertThat(one.notes().seed()).isNotZero();
        one.notes().count("h0.test", -7, 500);
        one.notes().count("h0.test", -7, 1000);
        one.notes().count("h1.test", Long.MAX_VALUE, 3);
        one.close();
        Map<Long, Integer> ofTwo = new HashMap<>();
        SharedSieve two = openWith(ofTwo);
        assertThat(ofTwo).isEqualTo(Map.of(-7L, 1000, Long.MAX_VALUE, 3));
        assertThat(two.notes().seed()).isEqualTo(one.notes().seed());

        two.notes().count("h0.test", -7, 1500);
        kill(two);

        Map<Long, Integer> ofThree = new HashMap<>();
        openWith(ofThree);
        assertThat(ofThree).isEqualTo(Map.of(-7L, 1500, Long.MAX_VALUE, 3));
    }

    @Test
    void aCountIsReadByTheWorkerThatOwnsTheHostAlone() throws Exception {
        Map<Long, Integer> ofOne = new HashMap<>();
        Map<Long, Integer> ofTwo = new HashMap<>();
        SharedSieve one = openWith(ofOne);
        for (int i = 0; i < 40; i++) {
            one.notes().count("h" + i + ".test", i, i + 1);
        }
        SharedSieve two = openWith(ofTwo);
        while (two.self().holdings().owned() < 2) {
            one.beat();
            two.beat();
        }
        assertThat(ofOne).isEmpty();
        assertThat(ofTwo)
                .hasSizeBetween(1, 39)
                .allSatisfy((key, count) -> assertThat(count).isEqualTo(key + 1));

        kill(one);
        while (two.self().holdings().owned() < 4) {
            two.beat();
        }
        assertThat(ofTwo).hasSize(40);
    }

    @Test
    void aWorkerThatHasLostAHostDoesNotLowerItsCount() throws Exception {
        SharedSieve stale = open();
        stale.notes().count("h0.test", 1, 500);
        SharedSieve owner = open();
        owner.notes().count("h0.test", 1, 1500);

        stale.notes().count("h0.test", 1, 1000);

        opened.forEach(SharedSieve::close);
        Map<Long, Integer> counts = new HashMap<>();
        openWith(counts);
        assertThat(counts).isEqualTo(Map.of(1L, 1500));
    }

    @Test
    void damagedCountsAreNamed() throws Exception {
        open().close();
        String slice = nodes.slice(crawl, 2);
        nodes.nodeOf(slice).text("HSET", slice + "t", "1y2p", "many");

        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(slice + "t")
                .hasMessageContaining("many");
    }

    @Test
    void urlsPerHostAreNotStoredWithoutALimit() throws Exception {
        SharedSieve frontier = open();
        push(frontier, 3, 5);
        assertThat(visit(frontier, 99, new HashSet<>())).isZero();

        frontier.close();

        assertThat(stored("EXISTS")).containsOnly("0");
    }
}
