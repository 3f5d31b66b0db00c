package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;

/** Reads YAML with Python; a test that needs it is skipped when its reader is not installed. */
final class Yaml {
    private static final String PROGRAM =
            "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer.read()), default=str))";

    private static final boolean IS_INSTALLED = isInstalled();

    private Yaml() {}

    static JsonNode read(String text) throws IOException, InterruptedException {
        if (!IS_INSTALLED) {
            return abort("Python's reader of YAML is not installed (Debian package python3-yaml)");
        }
        Process python = new ProcessBuilder("python3", "-c", PROGRAM)
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = python.getOutputStream()) {
            in.write(text.getBytes(UTF_8));
        }
        String output = new String(python.getInputStream().readAllBytes(), UTF_8);
        assertThat(python.waitFor()).as(output).isZero();
        return new ObjectMapper().readTree(output);
    }

    private static boolean isInstalled() {
        try {
            return new ProcessBuilder("python3", "-c", "import yaml")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
