package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.Tier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A power cut at any moment of many runs; with {@code sieve.proof} of more. */
class PowerCutTest {
    private static final int STATES = Tier.of(200, 400, 33_400);

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @ParameterizedTest
    @CsvSource({
        "PROCESS, 25, 181", // a hole behind an earlier one that was mended
        "INTERVAL, 36, 544",
        "PROCESS, 170, 53" // while a torn tail of several segments is put aside
    })
    void statesThatWereOnceAViolation(Durability durability, long seed, int call) {
        assertThat(new PowerCutRun(durability, seed).only(call).run()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aPowerCutCostsNothingThatWasPromised(Durability durability) {
        int states = 0;
        long seed = 0;
        while (states < STATES) {
            states += new PowerCutRun(durability, seed)
                    .queuingAgain(seed % 4 >= 2)
                    .growing(seed % 8 < 5)
                    .run();
            seed++;
            log.clear();
        }
        assertThat(states).isGreaterThanOrEqualTo(STATES);
        if (Tier.IS_PROOF) {
            System.out.println(durability + ": " + states + " states of " + seed + " runs, violations 0");
        }
    }
}
