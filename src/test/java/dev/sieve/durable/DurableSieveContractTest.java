package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.Frontier;
import dev.sieve.FrontierContract;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class DurableSieveContractTest extends FrontierContract {
    @TempDir
    Path directory;

    @Override
    protected Frontier open(long leaseTimeoutNanos) throws IOException {
        DurableSieve.Builder builder = DurableSieve.builder(directory.resolve("frontier"))
                .capacity(200_000)
                .filter(FilterKind.EXACT)
                .segmentBytes(10_000);
        if (leaseTimeoutNanos > 0) {
            builder.leaseTimeout(Duration.ofNanos(leaseTimeoutNanos));
        }
        return builder.open();
    }
}
