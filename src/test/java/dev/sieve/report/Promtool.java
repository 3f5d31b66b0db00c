package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** The checker of Prometheus; a test that needs it is skipped when it is not installed. */
public final class Promtool {
    private Promtool() {}

    /** Requires that metrics pass without a remark. */
    public static void requireMetrics(String text) throws IOException, InterruptedException {
        assertThat(run(text, "promtool", "check", "metrics")).isEmpty();
    }

    /** Requires that a file contains this number of rules, all of them valid. */
    static void requireRules(Path file, int rules) throws IOException, InterruptedException {
        assertThat(run("", "promtool", "check", "rules", file.toString()))
                .contains("SUCCESS: " + rules + " rules found");
    }

    /** Requires that a file is a configuration of Prometheus. */
    static void requireConfig(Path file) throws IOException, InterruptedException {
        assertThat(run("", "promtool", "check", "config", file.toString())).contains("SUCCESS");
    }

    private static String run(String input, String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return abort("promtool is not installed (Debian package prometheus): " + e.getMessage());
        }
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(UTF_8));
        }
        String remarks = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(remarks).isZero();
        return remarks;
    }
}
