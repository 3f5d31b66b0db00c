package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.UrlBatch;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TargetTest {
    private static final String URL = "http://h.test/";

    private final Target.Codec codec = new Target.Codec();

    private static Lease lease(UrlBatch batch) {
        try (Sieve sieve = new Sieve(100)) {
            batch.add(URL);
            sieve.pushAll(batch);
            return Objects.requireNonNull(sieve.take(0));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ERRAND")
    void kindIsStoredInTheFrontier(Target.Kind kind) {
        Lease lease = lease(kind.batch(1, 2, "http://h.test/referrer"));

        assertThat(Target.of(lease)).isEqualTo(new Target(lease, kind, null, 0, false));
    }

    @Test
    void unknownLabelIsAPage() {
        assertThat(Target.of(lease(new UrlBatch(0, 0, null, 77))).kind()).isEqualTo(Target.Kind.PAGE);
    }

    @ParameterizedTest
    @CsvSource({",0,false", "true,1,false", "false,70000,true"})
    void spilledTargetKeepsWhatWasRequestedForIt(Boolean rule, int asked, boolean isRepeated) {
        Lease lease = lease(Target.Kind.CHECK.batch(3, 1, null));
        Target target = new Target(lease, Target.Kind.CHECK, rule, asked, isRepeated);

        assertThat(codec.decode(codec.encode(target))).isEqualTo(target);
    }
}
