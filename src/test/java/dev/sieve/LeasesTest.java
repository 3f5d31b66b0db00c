package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.durable.DurableSieve;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeasesTest {
    @Test
    void aTimeoutBeyondAllClocksIsNoTimeout(@TempDir Path folder) throws Exception {
        Duration forever = ChronoUnit.FOREVER.getDuration();

        assertThat(Leases.timeoutNanos(forever)).isEqualTo(Long.MAX_VALUE);
        assertThat(Leases.timeoutNanos(Duration.ofNanos(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE - 1);
        try (Frontier memory =
                        Sieve.builder().capacity(100).leaseTimeout(forever).build();
                Frontier disk = DurableSieve.builder(folder)
                        .capacity(100)
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

    @Test
    void urlsThatAreRemovedAreNeitherHeldNorDueAgain() {
        Leases leases = new Leases(100, new HashMap<>());
        for (long id = 0; id < 10_000; id++) {
            leases.hold(lease(id, 0), 0);
            if (id % 5 == 0) {
                leases.delay(lease(id, 0), 50);
            }
        }

        leases.removeIf(id -> id % 2 == 0);

        assertThat(leases.held()).isEqualTo(4000);
        assertThat(leases.delayed()).isEqualTo(1000);
        assertThat(leases.holds(lease(8192, 0))).isFalse();
        assertThat(leases.holds(lease(8193, 0))).isTrue();
        assertThat(leases.holds(lease(8193, 1))).isFalse();
        assertThat(leases.release(lease(8192, 0))).isFalse();
        assertThat(leases.pollDue(50)).hasValue(5);
        leases.hold(lease(5, 1), 50);
        assertThat(leases.holds(lease(5, 1))).isTrue();
        int expired = 0;
        for (OptionalLong id = leases.pollDue(150); id.isPresent(); id = leases.pollDue(150)) {
            assertThat(id.getAsLong() % 2).isEqualTo(1);
            expired++;
        }
        assertThat(expired).isEqualTo(5000);
    }

    private static Lease lease(long id, int attempt) {
        return new Lease(id, "http://h/" + id, 0, 0, null, 0, attempt);
    }
}
