package dev.sieve.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Whether stdout and stderr are terminals that interpret escape sequences, and how wide the terminal is. */
final class Terminal {
    /** Returns to the start of the line and erases it. */
    static final String WIPE = "\r\u001B[K";

    /** Cuts text at the right margin instead of going on in the next line, until {@link #WRAP}. */
    static final String NO_WRAP = "\u001B[?7l";

    static final String WRAP = "\u001B[?7h";

    private static final int DEFAULT_COLUMNS = 80;
    private static final Pattern SIZE = Pattern.compile("\\d{1,5} ([1-9]\\d{0,4})\\s*");

    private Terminal() {}

    static boolean isStdout() {
        return isTerminal(1);
    }

    static boolean isStderr() {
        return isTerminal(2);
    }

    /** The JDK cannot test a single stream; Linux lists the descriptors, and elsewhere picocli makes a good guess. */
    private static boolean isTerminal(int descriptor) {
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
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

    /** Returns the columns of the terminal; 80 if they cannot be read. */
    static int columns() {
        try {
            // Only a child process can read the size, which it does from its standard input.
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readNBytes(32), StandardCharsets.US_ASCII);
            stty.destroy();
            Matcher matcher = SIZE.matcher(size);
            return matcher.matches() ? Integer.parseInt(matcher.group(1)) : DEFAULT_COLUMNS;
        } catch (IOException e) {
            return DEFAULT_COLUMNS;
        }
    }
}
