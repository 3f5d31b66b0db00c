package dev.sieve.shared;

import org.junit.jupiter.api.Tag;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The model on three nodes whose logs lose nothing: a node that is killed and comes back, and slots that move, make no page
 * new twice, and what is stored as done is not handed out again.
 */
@Tag("slow")
class ClusterModelTest extends SharedModelTest {
    private TestCluster cluster;

    @Override
    int steps() {
        return super.steps() / 20;
    }

    @Override
    int pages() {
        return 150;
    }

    @Override
    TestNodes start() {
        cluster = TestCluster.start(TestEngine.program(), 3, 0, "--appendfsync", "always");
        return cluster;
    }

    @Override
    void failEngine() {
        int slot = JedisClusterCRC16.getSlot(cluster.slice(crawl, random.nextInt(SLICES)));
        int owner = cluster.owner(slot);
        if (random.nextInt(3) > 0) {
            note("move slot " + slot);
            cluster.moveSlot(slot, owner, (owner + 1 + random.nextInt(2)) % 3);
        } else {
            note("kill node " + owner);
            cluster.kill(owner);
            cluster.restart(owner);
            cluster.awaitOk();
            disturbances++;
            removeDeadWorkers();
            noteNewRun();
        }
    }

    @Override
    void noteFloor() {}
}
