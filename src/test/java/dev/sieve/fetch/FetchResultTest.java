package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import org.junit.jupiter.api.Test;

class FetchResultTest {
    @Test
    void aFailureSaysEverythingOnce() {
        assertThat(new Failed(0, Reason.DNS, "unknown host").description()).isEqualTo("unknown host");
        assertThat(new Failed(0, Reason.TIMEOUT, "timeout").description()).isEqualTo("timeout");
        assertThat(new Failed(0, Reason.ROBOTS, "timeout").description()).isEqualTo("robots.txt unavailable: timeout");
        assertThat(new Failed(0, Reason.BROKEN, "unexpected end of stream").description())
                .isEqualTo("broken off: unexpected end of stream");
    }

    @Test
    void detailOfRobotsTxtIsNoPartOfTheKeyThatIsCounted() {
        Failed failed = new Failed(0, Reason.ROBOTS, "tls: no name: a.test");
        assertThat(failed.error()).isEqualTo("robots.txt unavailable: tls");
        assertThat(failed.description()).isEqualTo("robots.txt unavailable: tls: no name: a.test");
    }
}
