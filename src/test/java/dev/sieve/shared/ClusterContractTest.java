package dev.sieve.shared;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of a frontier on three primaries with a replica each; the order holds within a slice. */
class ClusterContractTest extends ManySlicesContractTest {
    private static TestCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(TestEngine.program(), 3, 1, "--appendfsync", "always");
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Override
    EngineAddress address(String name) {
        return cluster.address(name);
    }
}
