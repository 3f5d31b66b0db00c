package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A power cut at any moment of many runs; with {@code sieve.proof} of more. */
class PowerCutTest {
    private static final int STATES = Boolean.getBoolean("sieve.proof") ? 33_400 : 1_000;

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aPowerCutCostsNothingThatWasPromised(Durability durability) {
        int states = 0;
        long seed = 0;
        while (states < STATES) {
            states += new PowerCutRun(durability, seed++).run();
            log.clear();
        }
        assertThat(states).isGreaterThanOrEqualTo(STATES);
        if (Boolean.getBoolean("sieve.proof")) {
            System.out.println(durability + ": " + states + " states of " + seed + " runs, violations 0");
        }
    }
}
