package dev.sieve.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own for a part of a benchmark, on the class path of this one. */
final class Child implements AutoCloseable {
    /** Pins a process to a processor, on Linux. */
    private static final Path TASKSET = Path.of("/usr/bin/taskset");

    private final Process process;
    private final BufferedReader output;

    private Child(Process process) {
        this.process = process;
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a process.
     *
     * @param processor the only one that it may run on; -1 where it may run on any
     */
    static Child start(int processor, List<String> jvm, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (processor >= 0) {
            command.addAll(List.of(TASKSET.toString(), "-c", String.valueOf(processor)));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    static boolean canPin() {
        return Files.isExecutable(TASKSET) && Runtime.getRuntime().availableProcessors() > 1;
    }

    /** The numbers on the next line that the process prints. */
    double[] numbers() throws IOException {
        String[] words = line().split(" ", -1);
        double[] numbers = new double[words.length];
        for (int i = 0; i < words.length; i++) {
            numbers[i] = Double.parseDouble(words[i]);
        }
        return numbers;
    }

    /** The next line that the process prints. */
    String line() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the process ended early: " + process.info());
        }
        return line;
    }

    /** Ends the process, which may wait for the end of its input. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
