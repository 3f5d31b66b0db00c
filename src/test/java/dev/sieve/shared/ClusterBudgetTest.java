package dev.sieve.shared;

import org.junit.jupiter.api.BeforeAll;

/** The pages that several workers visit together, when the nodes of a cluster count them. */
class ClusterBudgetTest extends SharedBudgetTest {
    @BeforeAll
    static void startCluster() {
        nodes.close();
        nodes = TestCluster.start(TestEngine.program(), 3, 0, "--appendfsync", "always");
    }
}
