package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A worker that is started while an engine fails over. */
class FirstConnectionTest {
    private static final EngineAddress ADDRESS = EngineAddress.parse("redis://127.0.0.1:7000/a");

    /** What a connection finds. */
    private enum Finding {
        GOOD,
        LOADING,
        REPLICA,
        NO_QUORUM,
        DEAD_PRIMARY,
        ENDS,
        /** Not in a cluster. */
        REPLICA_ALONE,
        NOTHING
    }

    private final Deque<Finding> findings = new ArrayDeque<>();
    private long nanos;

    /** A connection to a node: the one that is asked has the port 7000, and stores everything unless it is a dead one. */
    private final class FakeLink extends Link {
        private final boolean isFirst;
        private final Finding finding;
        private final Deque<Object> replies = new ArrayDeque<>();

        FakeLink(EngineAddress address, Server node, Duration timeout) {
            super(address, node, timeout);
            isFirst = node.port() == 7000;
            finding = isFirst && findings.size() > 1 ? findings.remove() : findings.element();
        }

        @Override
        Map<String, String> connect() throws IOException {
            if (finding == Finding.NOTHING || !isFirst) {
                throw new IOException("connection refused", new JedisConnectionException("connection refused"));
            } else if (finding == Finding.LOADING) {
                throw new PassingException("it is loading its data", null);
            }
            boolean isReplica = finding == Finding.REPLICA || finding == Finding.REPLICA_ALONE;
            return new HashMap<>(Map.of(
                    "redis_version",
                    "7.0.0",
                    "run_id",
                    "1",
                    "cluster_enabled",
                    finding == Finding.REPLICA_ALONE ? "0" : "1",
                    "role",
                    isReplica ? "slave" : "master"));
        }

        @Override
        String setting(String name) {
            if (finding == Finding.ENDS) {
                throw new EngineException.Away("the connection was closed", false, null);
            }
            return "";
        }

        @Override
        void send(String command, byte[]... args) {
            int port = finding == Finding.DEAD_PRIMARY ? 7001 : 7000;
            switch (args.length == 0 ? command : new String(args[0], US_ASCII)) {
                case "INFO" -> replies.add(utf8("cluster_state:" + (finding == Finding.NO_QUORUM ? "fail" : "ok")));
                case "SLOTS" ->
                    replies.add(List.of(List.of(0L, 16_383L, List.of(utf8("127.0.0.1"), (long) port, utf8("id")))));
                case "NODES" -> replies.add(utf8(""));
                default -> replies.add(List.of(utf8("1000"), utf8("0")));
            }
        }

        @Override
        void flush() {}

        @Override
        Object receive() {
            return replies.remove();
        }
    }

    private Engine engine(Duration patience) throws IOException {
        Network network = new Network() {
            @Override
            public Link link(EngineAddress address, Server node, Duration timeout) {
                return new FakeLink(address, node, timeout);
            }

            @Override
            public boolean await(Object monitor, long time) {
                nanos += time;
                return true;
            }
        };
        return new Engine(network, ADDRESS, patience, Duration.ofSeconds(10), () -> nanos);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOADING", "REPLICA", "NO_QUORUM", "DEAD_PRIMARY", "ENDS"})
    void aWorkerThatStartsWaitsForTheEndOfAFailover(Finding finding) throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            findings.addAll(List.of(finding, finding, finding, Finding.GOOD));
            try (Engine engine = engine(Duration.ofMinutes(5))) {
                assertThat(engine.isAway()).isFalse();
            }
            assertThat(nanos).isPositive();
            assertThat(log.lines()).first().asString().contains("waiting up to 5 min");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOADING", "REPLICA", "NO_QUORUM", "DEAD_PRIMARY", "ENDS"})
    void aFailoverThatDoesNotEndEndsTheStart(Finding finding) {
        findings.add(finding);
        assertThatThrownBy(() -> engine(Duration.ofMinutes(5)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has not responded for 5 min");
        findings.add(finding);
        nanos = 0;
        assertThatThrownBy(() -> engine(Duration.ZERO)).isInstanceOf(IOException.class);
        assertThat(nanos).isZero();
    }

    @Test
    void anAddressThatMayBeWrongIsNotWaitedFor() {
        findings.add(Finding.REPLICA_ALONE);
        assertThatThrownBy(() -> engine(Duration.ofMinutes(5))).hasMessageContaining("it is a read-only replica");
        findings.clear();
        findings.add(Finding.NOTHING);
        assertThatThrownBy(() -> engine(Duration.ofMinutes(5))).hasMessageContaining("connection refused");
        assertThat(nanos).isZero();
    }
}
