package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Seeds that a node of a simulated cluster loses, since it restarts from its log right after they were pushed. */
class LostSeedsTest {
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

    @BeforeEach
    void pushTheSeedRightAfterTheLogWasSynchronized() throws IOException {
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
        frontier = SharedSieve.builder(EngineAddress.parse("valkey://n0:7000/" + CRAWL))
                .capacity(1000)
                .slices(SLICES)
                .clock(time::now)
                .withoutKeeper()
                .simulated("w", network, time::now)
                .open();
        frontier.beat();
        time.sleepUntil((time.now() / SECOND + 1) * SECOND + 1);
        assertThat(frontier.push(SEED)).isTrue();
    }

    @AfterEach
    void close() {
        frontier.close();
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
    void theyArePushedAgainAlsoWhenTheFirstBarrierFails() {
        restart();
        assertThat(lost).isEqualTo(1);
        time.sleepUntil(time.now() + 6 * SECOND);
        node.lag(60 * SECOND);

        frontier.beat();
        assertThat(frontier.owned()).as("slices that are safe").isZero();
        node.lag(1);

        assertThat(takeAfterABeat()).isEqualTo(SEED);
    }

    @Test
    void aBarrierThatPassesInALaterRunDoesNotMakeThemSafe() {
        time.at(time.now() + SECOND / 2, this::restart);

        frontier.beat();
        assertThat(lost).isEqualTo(1);

        assertThat(takeAfterABeat()).isEqualTo(SEED);
    }
}
