package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.LocalServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node says about its cluster. */
class TopologyTest {
    private static final String SLOTS = "*2\r\n" + range(0, 8191, "10.0.0.1", "a") + range(8192, 16_383, "", "b");
    private static final String NODES = """
            a 10.0.0.1:7000@17000 master - 0 0 1 connected 0-8191
            b 10.0.0.2:7000@17000 myself,master - 0 0 1 connected 8192-16383
            c 10.0.0.3:7000@17000 slave a 0 1000000 1 connected
            d 10.0.0.4:7000@17000 slave,fail a 0 900000 1 disconnected
            e 10.0.0.5:7000@17000 slave,fail a 0 700000 1 disconnected
            f 10.0.0.6:7000@17000 slave,fail? b 0 700000 1 disconnected
            g 10.0.0.7:7000@17000 master - 0 0 1 connected
            """;

    private static String range(int from, int to, String host, String id) {
        return "*3\r\n:" + from + "\r\n:" + to + "\r\n*3\r\n" + bulk(host) + ":7000\r\n" + bulk(id);
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private static Topology read(String state, String slots, String nodes) throws IOException {
        String info = "redis_version:7.0.0\r\nrun_id:1\r\ncluster_enabled:1\r\n";
        String responses = bulk(info) + "+OK\r\n".repeat(Script.values().length) + "*0\r\n"
                + bulk("cluster_state:" + state + "\r\n") + slots + bulk(nodes) + "*2\r\n$4\r\n1000\r\n$1\r\n0\r\n";
        try (LocalServer server = new LocalServer(client -> {
            client.getOutputStream().write(responses.getBytes(StandardCharsets.US_ASCII));
            client.getInputStream().readAllBytes();
        })) {
            EngineAddress address = EngineAddress.parse("redis://127.0.0.1:" + server.port() + "/a");
            Link link = new Link(address, address.servers().get(0), Duration.ofSeconds(10));
            try {
                link.connect();
                return Topology.read(link);
            } finally {
                link.disconnect();
            }
        }
    }

    @Test
    void aKeyIsOnTheNodeOfItsSlot() throws IOException {
        Topology topology = read("ok", SLOTS, NODES);
        EngineAddress.Server first = new EngineAddress.Server("10.0.0.1", 7000);
        // The one that was asked leaves out its host.
        EngineAddress.Server second = new EngineAddress.Server("127.0.0.1", 7000);
        assertThat(topology.isCluster()).isTrue();
        assertThat(topology.primaries()).containsExactlyInAnyOrder(first, second);
        // The slots are those of the specification: CLUSTER KEYSLOT.
        assertThat(topology.of(CrawlKeys.utf8("{user1000}.following"))).isEqualTo(first);
        assertThat(topology.of(CrawlKeys.utf8("123456789"))).isEqualTo(second);
        assertThat(topology.replicas(first)).isEqualTo(new Topology.Replicas(1, 2));
        assertThat(topology.replicas(second)).isEqualTo(new Topology.Replicas(1, 1));
    }

    @Test
    void aSlotWithoutANodeMeansThatTheEngineIsAway() throws IOException {
        Topology topology = read("ok", "*1\r\n" + range(0, 8191, "10.0.0.1", "a"), NODES);
        assertThatThrownBy(() -> topology.of(CrawlKeys.utf8("123456789")))
                .isInstanceOf(EngineException.Away.class)
                .hasMessage("no node of the cluster stores slot 12739");
    }

    @Test
    void aNodeThatIsCutOffIsNotBelieved() {
        assertThatThrownBy(() -> read(
                        "fail",
                        SLOTS,
                        NODES.replace("a 10.0.0.1:7000@17000 master", "a 10.0.0.1:7000@17000 master,fail")))
                .isInstanceOf(IOException.class)
                .hasMessage("the state of the cluster is 'fail'; away: 10.0.0.1:7000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*1\r\n*3\r\n:0\r\n:16384\r\n*3\r\n$1\r\nh\r\n:7000\r\n$1\r\na\r\n",
                "*1\r\n*3\r\n:-1\r\n:1\r\n*3\r\n$1\r\nh\r\n:7000\r\n$1\r\na\r\n",
                "*1\r\n*3\r\n:9\r\n:1\r\n*3\r\n$1\r\nh\r\n:7000\r\n$1\r\na\r\n",
                "*1\r\n*3\r\n:0\r\n:1\r\n*3\r\n$1\r\nh\r\n:70000\r\n$1\r\na\r\n",
                "*1\r\n*3\r\n:0\r\n:1\r\n*3\r\n$3\r\na b\r\n:7000\r\n$1\r\na\r\n",
                "*1\r\n*2\r\n:0\r\n:1\r\n",
                "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n",
                ":1\r\n",
                "*1\r\n:1\r\n",
            })
    void aDamagedAnswerIsRefused(String slots) {
        assertThatThrownBy(() -> read("ok", slots, NODES))
                .isInstanceOf(IOException.class)
                .hasMessage("its answer to CLUSTER SLOTS is damaged");
    }
}
