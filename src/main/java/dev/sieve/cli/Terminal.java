package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/** Whether stdout and stderr are terminals. */
final class Terminal {
    /** Returns to the start of the line and erases it. */
    static final String WIPE = "\r\u001B[K";

    private Terminal() {}

    static boolean isStdout() {
        return isTerminal(1);
    }

    static boolean isStderr() {
        return isTerminal(2);
    }

    /** The JDK cannot test a single stream; Linux lists the descriptors, and elsewhere picocli makes a good guess. */
    private static boolean isTerminal(int descriptor) {
        Path link = Path.of("/proc/self/fd/" + descriptor);
        if (!Files.isSymbolicLink(link)) {
            return CommandLine.Help.Ansi.AUTO.enabled();
        }
        try {
            String target = Files.readSymbolicLink(link).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }
}
