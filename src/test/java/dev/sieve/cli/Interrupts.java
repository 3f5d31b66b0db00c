package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Has child processes heed SIGINT although this process ignores it, as one that a shell has started in the background. */
final class Interrupts {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int SIGINT = 1 << 1;

    private Interrupts() {}

    /** Returns a command that runs another with the default disposition of SIGINT. */
    static List<String> heededBy(List<String> command) throws IOException {
        // A child inherits that a signal is ignored, and Java then does not handle it.
        return isIgnored()
                ? Stream.concat(Stream.of("env", "--default-signal=INT"), command.stream())
                        .toList()
                : command;
    }

    private static boolean isIgnored() throws IOException {
        if (!Files.exists(STATUS)) {
            return false;
        }
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGINT) != 0);
        }
    }
}
