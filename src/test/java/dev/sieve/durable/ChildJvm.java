package dev.sieve.durable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a JVM of its own on the class path of this one. Its standard error is ours, and it logs nothing. */
public final class ChildJvm {
    private ChildJvm() {}

    public static Process start(List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        // To start the logging would take half of the time of a short process.
        command.add("-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider");
        command.add("-cp");
        command.add(System.getProperty("java.class.path")
                + File.pathSeparator
                + System.getProperty("surefire.test.class.path", ""));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
