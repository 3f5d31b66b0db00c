package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.url.Seeds;
import org.junit.jupiter.api.Test;

class SeedProblemsTest {
    @Test
    void aBadListIsNotALineOfTheLogPerLine() {
        try (CapturedLog log = new CapturedLog()) {
            try (Logging.SeedProblems problems = new Logging.SeedProblems()) {
                for (int i = 1; i <= 100_001; i++) {
                    problems.accept(new Seeds.Problem("list", i, "x", "no scheme"));
                }
            }

            assertThat(log.lines()).hasSize(11).startsWith("list:1: no scheme: x");
            assertThat(log.lines().get(10)).isEqualTo("and 99,991 more problems with seeds");
        }
    }
}
