package dev.sieve.shared;

import dev.sieve.Frontier;
import dev.sieve.FrontierContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of a frontier, with one slice, which keeps the order of all URLs. */
class SharedSieveContractTest extends FrontierContract {
    private static TestEngine engine;
    private static int crawls;

    @BeforeAll
    static void start() {
        engine = TestEngine.start();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    EngineAddress address(String name) {
        return engine.address(name);
    }

    int slices() {
        return 1;
    }

    long seed() {
        return 1;
    }

    @Override
    protected Frontier open(long leaseTimeoutNanos) throws Exception {
        SharedSieve.Builder builder = SharedSieve.builder(address("contract" + crawls++))
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
