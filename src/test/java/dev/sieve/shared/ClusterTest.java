package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.durable.RepairReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A crawl on several nodes: how its slices are stored, and what its users are told. */
@Tag("cluster")
class ClusterTest {
    private static final int URLS = 600;

    private TestCluster cluster;

    @AfterEach
    void close() {
        cluster.close();
    }

    private void start(int primaries, int replicas, String... settings) {
        cluster = TestCluster.start(TestEngine.program(), primaries, replicas, settings);
    }

    /** Starts nodes with replicas that do not take each other for dead soon. */
    private void startPatient() {
        start(3, 1, "--appendfsync", "always");
        cluster.await(
                "nodes that have heard of all replicas",
                () -> IntStream.range(0, 6)
                        .allMatch(i -> cluster.node(i)
                                        .text("CLUSTER", "NODES")
                                        .lines()
                                        .filter(line -> line.contains("slave"))
                                        .count()
                                == 3));
        // Not from the start, since nodes send each other news more rarely then.
        IntStream.range(0, 6).forEach(i -> cluster.node(i).config("cluster-node-timeout", "20000"));
    }

    private SharedSieve open(Duration patience) throws IOException {
        return SharedSieve.builder(cluster.address("a"))
                .capacity(1000)
                .slices(16)
                .patience(patience)
                .withoutKeeper()
                .open();
    }

    private static UrlBatch urls() {
        UrlBatch urls = new UrlBatch();
        IntStream.range(0, URLS).forEach(i -> urls.add("http://h" + i % 300 + ".test/" + i));
        return urls;
    }

    private long keys() {
        return cluster.primaries().stream()
                .mapToLong(node -> (Long) cluster.node(node).command("DBSIZE"))
                .sum();
    }

    @Test
    void theSlicesAreOnAllNodesAndTheToolsFindThem() throws IOException {
        start(3, 0, "--appendfsync", "always");
        EngineAddress any = EngineAddress.parse("redis://127.0.0.1:1," + cluster.seeds() + "/a");
        try (SharedSieve frontier = open(Duration.ofMinutes(1))) {
            assertThat(frontier.pushAll(urls())).isEqualTo(URLS);
            assertThat(frontier.pushAll(urls())).isZero();
            assertThat(frontier.warnings()).hasSize(3).allMatch(warning -> warning.contains("has no replica"));

            SharedTools.State state = SharedTools.inspect(any);
            assertThat(state.problems()).isEmpty();
            assertThat(state.stats().accepted()).isEqualTo(URLS);
            assertThat(state.workers()).singleElement().matches(worker -> worker.slices() == 16);
            assertThat(state.queueBytes()).isPositive();
        }
        for (int node : cluster.primaries()) {
            assertThat((Long) cluster.node(node).command("DBSIZE")).isPositive();
        }
        List<String> exported = new ArrayList<>();
        assertThat(SharedTools.export(any, label -> true, exported::add)).isEqualTo(URLS);
        assertThat(exported).doesNotHaveDuplicates().contains("http://h59.test/59");
        assertThat(SharedTools.mightContain(any, "http://h59.test/59")).isTrue();
        assertThat(SharedTools.mightContain(any, "http://h59.test/60")).isFalse();
        RepairReport report = SharedTools.repair(any);
        assertThat(report.findings()).isEmpty();
        assertThat(report.urls()).isEqualTo(URLS);

        cluster.nodeOf("{ab}").command("SET", "{ab}", "of another crawl");
        assertThat(SharedTools.delete(any)).isPositive();
        assertThat(keys()).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void aNodeThatHasLostItsSlicesIsNoticed() throws IOException {
        start(3, 0, "--appendfsync", "always");
        try (SharedSieve frontier = open(Duration.ZERO)) {
            frontier.pushAll(urls());
            frontier.beat();
            TestEngine settings = cluster.nodeOf("{a}");
            cluster.primaries().stream()
                    .map(cluster::node)
                    .filter(node -> node != settings)
                    .limit(1)
                    .forEach(node -> node.command("FLUSHALL"));

            assertThatThrownBy(frontier::beat).hasMessageContaining("the cluster has lost");
            assertThatThrownBy(() -> open(Duration.ZERO))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("the cluster has lost \\d+ of the 16 slices of the crawl a, such as \\{a:\\d+}"
                            + " \\('sieve repair' keeps the others\\)");
            assertThat(SharedTools.inspect(cluster.address("a")).problems())
                    .isNotEmpty()
                    .allMatch(problem -> problem.matches("slice \\d+: the node 127\\.0\\.0\\.1:\\d+ has lost it"));
        }
        assertThat(SharedTools.repair(cluster.address("a")).findings())
                .isNotEmpty()
                .allMatch(finding -> finding.contains("has lost it, with all its URLs"));
        assertThat(SharedTools.inspect(cluster.address("a")).problems()).isEmpty();
        open(Duration.ZERO).close();
    }

    @Test
    void aSliceThatIsLostBeforeItWasSafeIsMadeAgain() throws IOException {
        start(3, 0, "--appendfsync", "always");
        try (SharedSieve frontier = open(Duration.ZERO)) {
            TestEngine node = cluster.nodeOf("{a:3}");
            node.command("DEL", "{a:3}");
            frontier.beat();
            assertThat(frontier.pushAll(urls())).isEqualTo(URLS);
            assertThat(SharedTools.inspect(cluster.address("a")).problems()).isEmpty();
        }
    }

    @Test
    void severalServersHaveToBeACluster() {
        start(1, 0);
        try (TestEngine alone = TestEngine.start()) {
            assertThatThrownBy(() -> SharedTools.inspect(
                            EngineAddress.parse("redis://127.0.0.1:" + alone.port() + "," + cluster.seeds() + "/a")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has no crawl of this name");
            assertThatThrownBy(() -> SharedTools.inspect(
                            EngineAddress.parse("redis://127.0.0.1:1,127.0.0.1:" + alone.port() + "/a")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is not a node of a cluster");
        }
    }

    @Test
    @Tag("slow")
    void aNodeThatIsAwayIsNamedAndWaitedFor() throws Exception {
        start(3, 0);
        try (SharedSieve frontier = open(Duration.ofMinutes(1))) {
            frontier.pushAll(urls());
            cluster.kill(1);
            assertThatThrownBy(() -> SharedTools.inspect(cluster.address("a")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + cluster.ports().get(1));
            assertThat(frontier.take(0)).isNull();
            cluster.restart(1);
            // Waits.
            assertThat(frontier.pushAll(urls())).isZero();
            assertThat(TimeUnit.NANOSECONDS.toSeconds(frontier.waitNanos(0))).isZero();
        }
    }

    @Test
    void anOwnershipThatWouldEndBeforeItIsSafeIsRefused() {
        start(1, 0);
        SharedSieve.Builder builder =
                SharedSieve.builder(cluster.address("a")).capacity(1000).ownership(Duration.ofSeconds(9));

        assertThatThrownBy(builder::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ownership must be at least PT10S on a cluster: PT9S");
    }

    @Test
    @Tag("slow")
    @Timeout(20)
    void aNodeThatRefusesWritesUsesUpThePatience() throws IOException {
        start(3, 0, "--appendfsync", "always");
        SharedSieve frontier = SharedSieve.builder(cluster.address("a"))
                .capacity(1000)
                .slices(16)
                .patience(Duration.ofSeconds(2))
                .open();
        try {
            TestEngine settings = cluster.nodeOf("{a}");
            cluster.primaries().stream()
                    .map(cluster::node)
                    .filter(node -> node != settings)
                    .limit(1)
                    .forEach(node -> node.config("min-replicas-to-write", "1"));

            assertThatThrownBy(() -> {
                        while (!Thread.interrupted()) {
                            assertThat(frontier.take(0)).isNull();
                        }
                    })
                    .hasMessageContaining("has not responded for 2")
                    .hasMessageContaining("NOREPLICAS");
        } finally {
            frontier.abandon();
        }
    }

    @Test
    void whatIsDoneIsStoredWhenTheReplicasHaveItsLinks() throws Exception {
        startPatient();
        try (SharedSieve frontier = open(Duration.ofMinutes(1))) {
            frontier.push("http://h.test/");
            Lease lease = Objects.requireNonNull(frontier.take(0));
            assertThat(frontier.begin(lease)).isTrue();
            assertThat(frontier.pushAll(urls())).isEqualTo(URLS);
            assertThat(frontier.done(lease)).isTrue();

            List<Integer> replicas = IntStream.range(0, 6)
                    .filter(i -> !cluster.isPrimary(i))
                    .boxed()
                    .toList();
            replicas.forEach(cluster::suspend);
            frontier.beat();
            assertThat(SharedTools.inspect(cluster.address("a")).stats().done()).isZero();
            assertThat(frontier.stats().done()).as("as this worker sees it").isEqualTo(1);

            replicas.forEach(cluster::resume);
            cluster.awaitOk();
            frontier.beat();
            assertThat(SharedTools.inspect(cluster.address("a")).stats().done()).isEqualTo(1);
        }
    }

    @Test
    @Tag("slow")
    void aReplicaThatIsAwayCostsTheSlicesOfItsNodeOnly() throws IOException {
        startPatient();
        AtomicLong clock = new AtomicLong();
        SharedSieve frontier = SharedSieve.builder(cluster.address("a"))
                .capacity(1000)
                .slices(16)
                .clock(clock::get)
                .withoutKeeper()
                .open();
        frontier.beat();
        assertThat(frontier.self().holdings().owned()).isEqualTo(16);
        int lost = (int) IntStream.range(0, 16)
                .filter(i -> cluster.nodeOf("{a:" + i + "}") == cluster.node(1))
                .count();
        // The first replica of node 1.
        cluster.suspend(4);
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 3; i++) {
                clock.addAndGet(TimeUnit.SECONDS.toNanos(6));
                frontier.beat();
            }
            assertThat(lost).isBetween(1, 15);
            assertThat(frontier.self().holdings().owned()).isEqualTo(16 - lost);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("are behind", ":" + cluster.ports().get(1), "the slices on this node are given up");
        } finally {
            cluster.resume(4);
            frontier.abandon();
        }
    }

    @Test
    @Tag("slow")
    void aSlotThatMovesIsWaitedForWithoutAWarning() throws Exception {
        start(2, 0);
        try (SharedSieve frontier = open(Duration.ofMinutes(1));
                CapturedLog log = new CapturedLog()) {
            String key = "{a:3}";
            int slot = JedisClusterCRC16.getSlot(key);
            int from = cluster.owner(slot);
            TestEngine source = cluster.node(from);
            TestEngine target = cluster.node(1 - from);
            target.command("CLUSTER", "SETSLOT", String.valueOf(slot), "IMPORTING", source.text("CLUSTER", "MYID"));
            source.command("CLUSTER", "SETSLOT", String.valueOf(slot), "MIGRATING", target.text("CLUSTER", "MYID"));
            Thread pusher = new Thread(() -> frontier.pushAll(urls()));
            pusher.start();
            // Its new buckets cannot be made there any more.
            while (frontier.waitNanos(0) != TimeUnit.MILLISECONDS.toNanos(100)) {
                assertThat(pusher.isAlive()).isTrue();
            }
            cluster.moveSlot(slot, from, 1 - from);
            pusher.join();

            assertThat(frontier.stats().accepted()).isEqualTo(URLS);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    @Tag("slow")
    void settingsThatMayLoseUrlsAreWarnedAbout() throws IOException {
        start(3, 1, "--cluster-replica-validity-factor", "0", "--cluster-require-full-coverage", "no");
        cluster.node(0).config("no-appendfsync-on-rewrite", "yes");
        try (SharedSieve frontier = open(Duration.ZERO)) {
            assertThat(frontier.warnings())
                    .anyMatch(warning -> warning.contains("cluster-replica-validity-factor 10"))
                    .anyMatch(warning -> warning.contains("cluster-require-full-coverage yes"))
                    .anyMatch(warning -> warning.contains("no-appendfsync-on-rewrite no"))
                    .noneMatch(warning -> warning.contains("not a node of the cluster"));
        }
        try (TestEngine outsider = TestEngine.start()) {
            outsider.command(
                    "REPLICAOF", "127.0.0.1", String.valueOf(cluster.ports().get(0)));
            cluster.await(
                    "further replica",
                    () -> cluster.node(0).info("connected_slaves").equals("2"));
            try (SharedSieve frontier = open(Duration.ZERO)) {
                assertThat(frontier.warnings())
                        .anyMatch(warning -> warning.contains("a replica that is not a node of the cluster"));
            }
        }
    }
}
