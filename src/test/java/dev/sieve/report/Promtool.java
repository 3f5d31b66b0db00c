package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.OutputStream;

/** The checker of Prometheus; a test that needs it is skipped when it is not installed. */
final class Promtool {
    private Promtool() {}

    /** Requires that a text with metrics, or with alert rules, passes without a remark. */
    static void requireAccepted(String what, String text) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder("promtool", "check", what)
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            abort("promtool is not installed (Debian package prometheus): " + e.getMessage());
            return;
        }
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(UTF_8));
        }
        String remarks = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(remarks).isZero();
        assertThat(remarks).isEmpty();
    }
}
