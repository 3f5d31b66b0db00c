package dev.sieve.shared;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The pages that several workers visit together, when the nodes of a cluster count them. */
@Tag("slow")
class ClusterBudgetTest extends SharedBudgetTest {
    @BeforeAll
    static void startCluster() {
        nodes.close();
        nodes = TestCluster.start(TestEngine.program(), 3, 0, "--appendfsync", "always");
    }
}
