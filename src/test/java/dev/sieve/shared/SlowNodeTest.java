package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker on a simulated node that restarts from its log without the last second, or whose replica is behind. */
class SlowNodeTest {
    private static final String CRAWL = "a";
    private static final String SEED = "http://seed.test/";
    private static final int SLICES = 4;
    private static final long SECOND = 1_000_000_000L;

    private final SimTime time = new SimTime();
    private final SimNode.Observer observer = new SimNode.Observer() {
        @Override
        public void claimed(int slice, String worker) {}

        @Override
        public void lost(Frame frame) {
            lost += frame.count();
        }
    };
    private final SimCluster cluster = new SimCluster(time, new Random(1), observer, 1, CRAWL, SLICES, 0);
    private final SimNode node = cluster.nodes.get(0);
    private SharedSieve frontier;
    private int lost;

    private SharedSieve open(String worker) throws IOException {
        Network network = new Network() {
            @Override
            public Link link(EngineAddress address, EngineAddress.Server server, Duration timeout) {
                return new SimLink(cluster, address, server, timeout, () -> {});
            }

            @Override
            public boolean await(Object monitor, long nanos) throws InterruptedException {
                time.await(monitor, nanos);
                return true;
            }
        };
        return SharedSieve.builder(EngineAddress.parse("valkey://n0:7000/" + CRAWL))
                .capacity(1000)
                .slices(SLICES)
                .clock(time::now)
                .withoutKeeper()
                .simulated(worker, network, time::now)
                .open();
    }

    @BeforeEach
    void pushASeedRightAfterTheLogWasSynchronized() throws IOException {
        frontier = open("w1");
        frontier.beat();
        awaitLog();
        assertThat(frontier.push(SEED)).isTrue();
    }

    @AfterEach
    void close() {
        frontier.close();
    }

    private void awaitLog() {
        time.sleepUntil((time.now() / SECOND + 1) * SECOND + 1);
    }

    private void restart() {
        node.stop();
        node.restart(false);
    }

    private String takeAfterABeat() {
        frontier.beat();
        return Objects.requireNonNull(frontier.take(time.now())).url();
    }

    @Test
    void aLostSeedIsPushedAgainAlsoWhenTheFirstBarrierFails() {
        restart();
        assertThat(lost).isEqualTo(1);
        time.sleepUntil(time.now() + 6 * SECOND);
        node.lag(60 * SECOND);

        frontier.beat();
        assertThat(frontier.self().holdings().owned())
                .as("slices that are safe")
                .isZero();
        node.lag(1);

        assertThat(takeAfterABeat()).isEqualTo(SEED);
    }

    @Test
    void aBarrierThatPassesInALaterRunDoesNotMakeASeedSafe() {
        time.at(time.now() + SECOND / 2, this::restart);

        frontier.beat();
        assertThat(lost).isEqualTo(1);

        assertThat(takeAfterABeat()).isEqualTo(SEED);
    }

    @Test
    void aClaimThatTheLogHasLostDoesNotCount() throws IOException {
        awaitLog();
        frontier.close();
        awaitLog();
        time.at(time.now() + SECOND / 2, this::restart);

        frontier = open("w2");

        assertThat(frontier.take(time.now())).isNull();
        assertThat(takeAfterABeat()).isEqualTo(SEED);
    }

    @Test
    void slicesAreKeptWhileTheirWorkerClosesSlowly() {
        frontier.beat();
        Lease lease = Objects.requireNonNull(frontier.take(time.now()));
        assertThat(frontier.begin(lease) && frontier.done(lease)).isTrue();
        node.lag(60 * SECOND);
        List<Boolean> areFree = new ArrayList<>();
        time.at(
                time.now() + 20 * SECOND,
                () -> node.slices.values().forEach(slice -> {
                    List<?> look = (List<?>) slice.look(node, new byte[][] {utf8("")});
                    areFree.add(look.get(look.size() - 1).equals(1L));
                }));

        frontier.close();

        assertThat(areFree).hasSize(SLICES).containsOnly(false);
    }
}
