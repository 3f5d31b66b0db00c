package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.durable.DurableSieve;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeasesTest {
    @Test
    void aTimeoutBeyondAllClocksIsNoTimeout(@TempDir Path folder) throws Exception {
        Duration forever = ChronoUnit.FOREVER.getDuration();

        assertThat(Leases.timeoutNanos(forever)).isEqualTo(Long.MAX_VALUE);
        assertThat(Leases.timeoutNanos(Duration.ofNanos(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE - 1);
        try (Frontier memory = Sieve.builder(100).leaseTimeout(forever).build();
                Frontier disk = DurableSieve.builder(folder)
                        .expectedUrls(100)
                        .leaseTimeout(forever)
                        .open()) {
            for (Frontier frontier : new Frontier[] {memory, disk}) {
                frontier.push("http://h.test/");
                frontier.take(0);

                assertThat(frontier.take(Long.MAX_VALUE)).isNull();
                assertThat(frontier.waitNanos(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
            }
        }
    }
}
