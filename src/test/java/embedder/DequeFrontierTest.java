package embedder;

import dev.sieve.Frontier;
import dev.sieve.FrontierContract;

/** A frontier can be written outside the library. */
class DequeFrontierTest extends FrontierContract {
    @Override
    protected Frontier open(long leaseTimeoutNanos) {
        return new DequeFrontier(200_000, leaseTimeoutNanos);
    }
}
