package dev.sieve.shared;

import dev.sieve.Frontier;
import dev.sieve.FrontierContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract of a frontier, with one slice, which keeps the order of all URLs. */
@Tag("engine")
class SharedSieveContractTest extends FrontierContract {
    /** A class with another engine replaces it. */
    static TestNodes nodes;

    private static int crawls;

    @BeforeAll
    static void start() {
        nodes = TestEngine.start();
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    int slices() {
        return 1;
    }

    long seed() {
        return 1;
    }

    @Override
    protected Frontier open(long leaseTimeoutNanos) throws Exception {
        SharedSieve.Builder builder = SharedSieve.builder(nodes.address("contract" + crawls++))
                .capacity(200_000)
                .slices(slices())
                .seed(seed())
                .withoutKeeper();
        if (leaseTimeoutNanos > 0) {
            builder.leaseTimeout(Duration.ofNanos(leaseTimeoutNanos));
        }
        return builder.open();
    }
}
