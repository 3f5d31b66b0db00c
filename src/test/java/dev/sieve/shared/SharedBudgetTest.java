package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pages that several workers visit together. Time passes only where a test says so, and on the engine. */
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

    private SharedSieve open() throws IOException {
        SharedSieve frontier = SharedSieve.builder(nodes.address(crawl))
                .capacity(1000)
                .slices(4)
                .ownership(Duration.ofHours(1))
                .clock(() -> {
                    onClock.run();
                    return clock;
                })
                .withoutKeeper()
                .open();
        opened.add(frontier);
        return frontier;
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
    void whatADeadWorkerHadBegunIsFreeAgainAndWhatItHadDoneIsNot() throws Exception {
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
        nodes.nodeOf("{" + crawl + "}").command("ZREM", "{" + crawl + "}w", dies.worker());

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
        frontier.abandon();
        opened.remove(frontier);

        assertThat(budget.begin()).isTrue();
        assertThat(budget.isSpent()).isFalse();
    }
}
