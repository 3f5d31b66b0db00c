package dev.sieve.shared;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract of a frontier on three primaries with a replica each; the order holds within a slice. */
@Tag("cluster")
class ClusterContractTest extends ManySlicesContractTest {
    @BeforeAll
    static void startCluster() {
        nodes.close();
        nodes = TestCluster.start(TestEngine.program(), 3, 1, "--appendfsync", "always");
    }
}
