package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A power cut at any moment while outputs are written; with {@code sieve.proof} at more. */
class OutputPowerCutTest {
    private static final int STATES = Tier.of(400, 100_000);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            longs = {45 // an archive that ends in part of a record and three zeros
            })
    void statesThatWereOnceAViolation(long seed) throws IOException {
        assertThat(new OutputPowerCutRun(folder, seed).run()).isPositive();
    }

    @Test
    @Tag("slow")
    void whatWasForcedIsKeptAndNothingHalfRemains() throws IOException {
        int states = 0;
        long seed = 0;
        try (CapturedLog log = new CapturedLog()) {
            while (states < STATES) {
                Path root = Files.createDirectory(folder.resolve("run"));
                states += new OutputPowerCutRun(root, seed++).run();
                OutputPowerCutRun.delete(root);
                log.clear();
            }
        }
        assertThat(states).isGreaterThanOrEqualTo(STATES);
        if (Tier.IS_PROOF) {
            System.out.println("outputs: " + states + " states of " + seed + " runs, violations 0");
        }
    }
}
