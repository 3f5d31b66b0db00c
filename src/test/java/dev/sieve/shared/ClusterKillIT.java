package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Tier;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Workers and nodes of a cluster are killed by SIGKILL, the logs of nodes lose a part of their ends, and primaries are cut off
 * from the other nodes: no page of a tree is lost, no two workers own a host, and the crawl ends. With the system property
 * {@code sieve.proof}: 100 kills of workers, 60 of nodes and 10 partitions, on every engine that is found; else a few.
 */
@Tag("process")
@Tag("cluster")
@Tag("slow")
@Timeout(7200)
class ClusterKillIT {
    private static final int PAGES = Tier.of(2000, 30_000);
    private static final long SEED = Long.getLong("sieve.seed", 20261123);
    private static final String OWNERSHIP_SECONDS = "10";
    /** So long that the failures end before the crawl. */
    private static final String REQUEST_MILLIS = Tier.IS_PROOF ? "100" : "30";

    /** How long a worker keeps what is done: until its next barrier, which takes three seconds, and a little. */
    private static final long UNSAFE_NANOS = TimeUnit.MILLISECONDS.toNanos(5500);
    /** After that, each worker has noticed that a node is back, or was replaced. */
    private static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** The pages that the workers request at a time. */
    private static final int IN_FLIGHT = 3 * 2;

    /** From the first page that a failure may have caused to be read again until the last one. */
    private record Time(long from, long to) {}

    private enum Failure {
        WORKER,
        NODE,
        PARTITION
    }

    private static final Map<Failure, Integer> FEW = Map.of(Failure.WORKER, 1, Failure.NODE, 2, Failure.PARTITION, 1);

    private final Random random = new Random(SEED);
    private long cut;

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void noFailureLosesAPageOrGivesAHostTwoOwners(File program) throws Exception {
        crawl(
                program,
                PAGES,
                Tier.IS_PROOF ? Map.of(Failure.WORKER, 100, Failure.NODE, 60, Failure.PARTITION, 10) : FEW);
    }

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void noSlotThatMovesLosesAPageOrGivesAHostTwoOwners(File program) throws Exception {
        int moved = 0;
        int pages = Tier.of(PAGES / 2, PAGES);
        try (TestCluster cluster = TestCluster.start(program, 3, 0);
                TreeCrawl crawl = new TreeCrawl(
                        cluster.address("tree"),
                        pages,
                        random,
                        OWNERSHIP_SECONDS,
                        Tier.IS_PROOF ? "20" : REQUEST_MILLIS)) {
            for (int i = 0; i < 3; i++) {
                crawl.startWorker();
            }
            for (int percent = 10; percent <= 90; percent += Tier.of(20, 1)) {
                crawl.await(pages / 100 * percent);
                for (int i = 0; i < 2; i++, moved++) {
                    int slot = JedisClusterCRC16.getSlot(cluster.slice("tree", random.nextInt(16)));
                    int owner = cluster.owner(slot);
                    cluster.moveSlot(slot, owner, (owner + 1 + random.nextInt(2)) % 3);
                }
            }
            assertThat(crawl.awaitEnd()).isTrue();
            System.out.printf(
                    "%s: %d slots moved, %d pages, %d lost, %d hosts with two owners, %d read again, %d told new again%n",
                    program.getName(),
                    moved,
                    pages,
                    crawl.lost().cardinality(),
                    crawl.doubleOwners().size(),
                    crawl.readAgain(),
                    crawl.toldNewAgain());
            assertThat(crawl.doubleOwners()).isEmpty();
            assertThat(crawl.toldNewAgain()).isZero();
            crawl.verifyEnd();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void noKillLosesASeedThatIsBeingLoaded(File program) throws Exception {
        try (TestCluster cluster = TestCluster.start(program, 3, 1)) {
            new SeedLoad(cluster.address("seeds"), 1)
                    .run(() -> killAndRestart(cluster, cluster.primaries().get(random.nextInt(3))));
        }
    }

    /** Without the rule, links are lost: the test notices that. */
    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    @EnabledIfSystemProperty(named = "sieve.proof", matches = "true")
    void withoutTheBarrierPagesAreLost(File program) {
        assertThatThrownBy(() -> crawl(program, 8000, Map.of(Failure.NODE, 10, Failure.PARTITION, 3), "off"))
                .isInstanceOf(AssertionError.class);
    }

    private void crawl(File program, int pages, Map<Failure, Integer> counts, String... more) throws Exception {
        long start = System.nanoTime();
        List<Failure> failures = new ArrayList<>();
        List<Time> times = new ArrayList<>();
        counts.forEach((failure, count) -> failures.addAll(Collections.nCopies(count, failure)));
        Collections.sort(failures);
        Collections.shuffle(failures, random);
        List<String> args = new ArrayList<>(List.of(OWNERSHIP_SECONDS, REQUEST_MILLIS));
        args.addAll(List.of(more));
        try (TestCluster cluster = TestCluster.start(program, 3, 1);
                TreeCrawl crawl = new TreeCrawl(cluster.address("tree"), pages, random, args.toArray(String[]::new))) {
            for (int i = 0; i < 3; i++) {
                crawl.startWorker();
            }
            for (int i = 0; i < failures.size(); i++) {
                crawl.await((i + 1) * (pages / (failures.size() + 1)));
                assertThat(crawl.isRunning()).as("the crawl goes on").isTrue();
                long from = System.nanoTime() - UNSAFE_NANOS;
                fail(failures.get(i), cluster, crawl);
                times.add(new Time(from, System.nanoTime() + NOTICED_NANOS));
            }
            boolean isOver = crawl.awaitEnd();
            int atMostAgain = times.stream()
                            .mapToInt(time -> crawl.reads(time.from, time.to) + IN_FLIGHT)
                            .sum()
                    + crawl.late();
            List<String> doubles = crawl.doubleOwners();
            System.out.printf(
                    "seed %d, %s%s: failures %s, %,d bytes of logs cut: %d pages, %d lost,"
                            + " %d hosts with two owners, %d read again (at most %d), %d results refused,"
                            + " %d told new again, %.1f s%n",
                    SEED,
                    program.getName(),
                    List.of(more),
                    counts,
                    cut,
                    pages,
                    crawl.lost().cardinality(),
                    doubles.size(),
                    crawl.readAgain(),
                    atMostAgain,
                    crawl.late(),
                    crawl.toldNewAgain(),
                    (System.nanoTime() - start) / 1e9);
            assertThat(isOver).isTrue();
            assertThat(doubles).isEmpty();
            assertThat(crawl.readAgain()).isLessThanOrEqualTo(atMostAgain);
            crawl.verifyEnd();
        }
    }

    /** Kills a node and starts it again, before a replica takes its place or after that; returns how much its log has lost. */
    private long killAndRestart(TestCluster cluster, int node) {
        boolean waits = cluster.isPrimary(node) && random.nextBoolean();
        long bytes = cluster.killAndCut(node, random).bytes();
        if (waits) {
            cluster.await(
                    "election",
                    () -> cluster.primaries().size() == 3
                            && !cluster.primaries().contains(node));
        }
        cluster.restart(node);
        cluster.awaitOk();
        return bytes;
    }

    private void fail(Failure failure, TestCluster cluster, TreeCrawl crawl) throws Exception {
        switch (failure) {
            case WORKER -> crawl.replaceWorker();
            case NODE -> cut += killAndRestart(cluster, random.nextInt(6));
            case PARTITION -> {
                cluster.partition(Set.of(cluster.primaries().get(random.nextInt(3))));
                long end =
                        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2000 + random.nextInt(Tier.of(3000, 38_000)));
                cluster.await("end of the partition", () -> System.nanoTime() - end > 0);
                cluster.heal();
                cluster.awaitOk();
            }
        }
    }
}
