package dev.sieve.shared;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The pages that several workers visit together, when the nodes of a cluster count them. */
class ClusterBudgetTest extends SharedBudgetTest {
    private static TestCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(TestEngine.program(), 3, 0, "--appendfsync", "always");
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Override
    EngineAddress address(String name) {
        return cluster.address(name);
    }

    @Override
    TestEngine nodeOf(String key) {
        return cluster.nodeOf(key);
    }

    @Override
    String slice(int index) {
        return "{" + crawl + ":" + index + "}" + index;
    }
}
