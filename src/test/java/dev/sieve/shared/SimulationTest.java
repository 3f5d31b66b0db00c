package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import dev.sieve.shared.Simulation.Size;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a large shared crawl keeps, and where its limits are. With the property {@code sieve.proof}: 1,000 workers, 100 nodes,
 * and a distribution of 10,000,000 hosts (10 minutes, -Xmx5g); otherwise a tenth of that.
 */
class SimulationTest {
    /** Ten workers and two nodes, in which something fails all the time; most links lead to other hosts, so to other nodes. */
    private static Size small(long seed) {
        return new Size(10, 2, 40, 4000, 3, 8, 20, seed);
    }

    @Test
    @Tag("slow")
    void promisesHoldWhileWorkersDieAndNodesFail() {
        Size size = Tier.IS_PROOF
                ? new Size(1000, 100, 1024, 60_000, 10, 2, 40, 1)
                : new Size(100, 10, 256, 3000, 40, 3, 40, 1);

        Simulation run = run(size);

        assertThat(run.deaths()).isGreaterThan(10);
        assertThat(run.failures).containsKeys("a worker is suspended", "a slot moves", "writes that nodes lost");
        assertThat(run.promises.gaps).isGreaterThan(run.web.pages() / 3);
        assertThat(run.promises.ownerChanges).isPositive();
        assertThat(run.promises.untilOwned)
                .allMatch(nanos -> nanos < Duration.ofMinutes(1).toNanos());
        print(SimTables.measured(run));
        print(SimTables.limits(run));
        assertThat(SimTables.measured(run)).contains("| look |", "| push |");
        assertThat(SimTables.limits(run)).containsPattern("\\| 100 \\| [0-9,]+ \\|");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void promisesHoldInASmallCrawlThatFailsAllTheTime(long seed) {
        assertThat(run(small(seed)).deaths()).isPositive();
    }

    @Test
    void aCrawlWithoutFailuresRequestsEachPageOnce() {
        Simulation run = run(new Size(10, 2, 40, 2000, 60, 0, 0, 1));

        assertThat(run.promises.repeated()).isEqualTo(run.promises.retries);
        assertThat(run.promises.toldAgain).isZero();
    }

    @Test
    @Tag("slow")
    void aLostPageIsNoticed() {
        assertNoticed(".*lost.*", SharedSieve.Builder::withoutBarrier);
    }

    @Test
    @Tag("slow")
    void aHostThatIsRequestedTooSoonIsNoticed() {
        assertNoticed(
                ".*(the delay was|two requests to one host).*",
                builder -> builder.withoutBarrier().rest(Duration.ZERO));
    }

    /** Runs crawls in which nodes fail all the time, until a promise is broken. */
    private static void assertNoticed(String promise, UnaryOperator<SharedSieve.Builder> flaw) {
        List<String> broken = new ArrayList<>();
        for (long seed = 1; seed <= 10 && broken.stream().noneMatch(each -> each.matches(promise)); seed++) {
            try {
                new Simulation(new Size(10, 2, 40, 20_000, 3, 8, 10, seed), flaw).run();
            } catch (AssertionError e) {
                broken.add(e.getMessage());
            }
        }
        assertThat(broken).anyMatch(each -> each.matches(promise));
    }

    private static Simulation run(Size size) {
        try {
            return new Simulation(size, builder -> builder).run();
        } catch (AssertionError e) {
            throw new AssertionError(size + ": " + e.getMessage(), e);
        }
    }

    @Test
    void hostsAreDistributedEvenly() {
        String table = Tier.IS_PROOF
                ? SimTables.distribution(10_000_000, 4096, 100, 1000)
                : SimTables.distribution(1_000_000, 512, 10, 100);

        print(table);
        assertThat(table).contains("| URLs of a node |");
    }

    @Test
    void thePageOnSharedFrontiersHasTheTable() throws Exception {
        assertThat(Files.readString(Path.of("docs/shared.md"))).contains(SimTables.howLarge());
    }

    private static void print(String table) {
        System.out.println(table);
    }
}
