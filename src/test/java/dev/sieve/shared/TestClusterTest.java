package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** The cluster of the tests does what the tests of shared crawls rely on. */
@Tag("cluster")
@Tag("slow")
@Timeout(120)
class TestClusterTest {
    private static final int KEYS = 1000;

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void slotsMoveAndNodesAreReplaced(File program) {
        try (TestCluster cluster = TestCluster.start(program, 3, 1, "--cluster-node-timeout", "1000")) {
            assertThat(cluster.primaries()).containsExactly(0, 1, 2);
            movesASlot(cluster);
            cutsClients(cluster);
            replacesAKilledPrimary(cluster);
            replacesAPrimaryThatIsCut(cluster);
        }
    }

    private static void movesASlot(TestCluster cluster) {
        int slot = JedisClusterCRC16.getSlot("{tag}");
        int from = cluster.owner(slot);
        int to = (from + 1) % 3;
        List<String> command = new ArrayList<>(List.of("MSET"));
        IntStream.range(0, KEYS).forEach(i -> command.addAll(List.of("{tag}" + i, "value")));
        cluster.node(from).command(command.toArray(String[]::new));

        cluster.moveSlot(slot, from, to);

        assertThat(cluster.owner(slot)).isEqualTo(to);
        command.set(0, "EXISTS");
        command.removeIf("value"::equals);
        assertThat(cluster.node(to).command(command.toArray(String[]::new))).isEqualTo((long) KEYS);
    }

    private static void replacesAKilledPrimary(TestCluster cluster) {
        cluster.kill(1);
        cluster.awaitOk();
        assertThat(cluster.primaries()).containsExactly(0, 2, 4);
        cluster.restart(1);
        cluster.awaitOk();
        assertThat(cluster.primaries()).containsExactly(0, 2, 4);
        assertThat(cluster.node(1).info("role")).isEqualTo("slave");
    }

    private static void replacesAPrimaryThatIsCut(TestCluster cluster) {
        cluster.partition(Set.of(0));
        cluster.await("replica instead of node 0", () -> !cluster.isPrimary(0));
        assertThat(cluster.primaries()).containsExactly(2, 3, 4);
        assertThat(cluster.node(0).info("role")).isEqualTo("master");
        cluster.heal();
        cluster.awaitOk();
        assertThat(cluster.primaries()).containsExactly(2, 3, 4);
        assertThat(cluster.node(0).info("role")).isEqualTo("slave");
    }

    private static void cutsClients(TestCluster cluster) {
        assertThat(isReached(cluster.ports().get(2))).isTrue();
        cluster.cutClients(2);
        assertThat(isReached(cluster.ports().get(2))).isFalse();
        assertThat(isReached(cluster.ports().get(0))).isTrue();
        cluster.awaitOk();
        cluster.heal();
        assertThat(isReached(cluster.ports().get(2))).isTrue();
    }

    private static boolean isReached(int port) {
        try (Connection connection = new Connection("127.0.0.1", port)) {
            return connection.ping();
        } catch (JedisException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void aCutLosesNothingThatIsOlder(File program) throws InterruptedException {
        try (TestCluster cluster = TestCluster.start(program, 1, 0)) {
            NavigableMap<Long, Long> written = new ConcurrentSkipListMap<>();
            Thread writer = new Thread(() -> write(cluster.ports().get(0), written));
            writer.start();
            TestCluster.Cut cut = cluster.killAndCut(0, new Random());
            writer.join();
            cluster.restart(0);
            cluster.awaitOk();
            long kept = Long.parseLong(cluster.node(0).text("GET", "count"));
            assertThat(written.headMap(cut.sinceNanos()).values()).allMatch(count -> count <= kept);
        }
    }

    /** Counts until the engine is killed, and notes when each count was written. */
    private static void write(int port, Map<Long, Long> written) {
        try (Connection connection = new Connection("127.0.0.1", port)) {
            while (true) {
                connection.sendCommand(Protocol.Command.INCR, "count");
                Long count = connection.getIntegerReply();
                written.put(System.nanoTime(), count);
            }
        } catch (JedisConnectionException e) {
            // It is killed.
        }
    }
}
