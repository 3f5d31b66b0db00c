package dev.sieve;

import dev.sieve.bloom.ExactSet;
import java.time.Duration;

class SieveContractTest extends FrontierContract {
    @Override
    protected Frontier open(long leaseTimeoutNanos) {
        Sieve.Builder builder = Sieve.builder().capacity(200_000).membership(ExactSet.create(0));
        if (leaseTimeoutNanos > 0) {
            builder.leaseTimeout(Duration.ofNanos(leaseTimeoutNanos));
        }
        return builder.build();
    }
}
