package dev.sieve.cli;

import dev.sieve.url.Printable;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * Writes messages for the user. Texts in them may come from servers and files, so characters that a terminal interprets
 * are replaced here and in the {@linkplain Logging log}; nothing else writes to stderr. Also tests whether stdout and
 * stderr are terminals, and how wide the terminal is.
 */
final class Terminal {
    /** Returns to the start of the line and erases it. */
    static final String WIPE = "\r\u001B[K";

    /** Cuts text at the right margin instead of continuing in the next line, until {@link #WRAP}. */
    private static final String NO_WRAP = "\u001B[?7l";

    private static final String WRAP = "\u001B[?7h";

    /** What is before the host in an address: a user and a password. A path has one slash where the address had two. */
    private static final Pattern USER =
            Pattern.compile("(?i)((?:valkey|redis)s?:/+)(?!\\[)\\S*@|(?<![a-z])([a-z]++:/+)[^\\s/?#]*@");

    private static final int DEFAULT_COLUMNS = 80;
    private static final Pattern SIZE = Pattern.compile("\\d{1,5} ([1-9]\\d{0,4})\\s*");

    private Terminal() {}

    /** Writes lines to stderr. */
    static void print(String lines) {
        System.err.print(printable(lines));
        System.err.flush();
    }

    /** Writes one line to stderr, whatever the text contains. */
    static void println(String line) {
        System.err.println(line(line));
        System.err.flush();
    }

    /** Writes lines to the stdout or stderr of a command. */
    static void print(PrintWriter out, String lines) {
        out.print(printable(lines));
        out.flush();
    }

    /** Writes one line to the stdout or stderr of a command, whatever the text contains. */
    static void println(PrintWriter out, String line) {
        out.println(line(line));
        out.flush();
    }

    /** Returns a text as one line that may be shown: without control characters, and without passwords in addresses. */
    static String line(String text) {
        return USER.matcher(Printable.line(text)).replaceAll("$1$2");
    }

    private static String printable(String lines) {
        return lines.lines()
                .map(line -> line(line.replace("\t", "    ")) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    /** Replaces the last line of a terminal, which the next text replaces in turn. */
    static void rewrite(String line) {
        // The window may have become narrower since its width was read.
        System.err.print(WIPE + NO_WRAP + Printable.line(line) + WRAP);
        System.err.flush();
    }

    /** Erases the last line of a terminal. */
    static void wipe() {
        System.err.print(WIPE);
        System.err.flush();
    }

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
