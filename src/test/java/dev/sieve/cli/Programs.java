package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs for a test, in whose folder they leave what they write. */
record Programs(Path folder) {
    record Result(int exitCode, String output) {}

    /** The environment in which a start script runs the Java of this test. */
    static Map<String, String> thisJava() {
        return Map.of("JAVA_HOME", System.getProperty("java.home"), "JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    }

    /** Runs a program in the folder. */
    Result run(Map<String, String> environment, Path program, String... arguments)
            throws IOException, InterruptedException {
        return run(
                folder,
                environment,
                Stream.concat(Stream.of(program.toString()), Arrays.stream(arguments))
                        .toList());
    }

    /** Runs a program in a directory. */
    Result run(Path directory, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", null);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeAll(List.of("JAVA_HOME", "JAVA_OPTS", "SIEVE_OPTS"));
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }
}
