package dev.sieve;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Notes why tests are skipped, one reason per line of {@code target/skipped.txt}, for the line at the end of a build;
 * registered for all tests. A proof that is not run is not among them.
 */
public final class SkippedTests implements TestWatcher {
    private static final Path FILE = Path.of("target/skipped.txt");

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        note(reason.orElse("no reason given"));
    }

    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        note(cause.getMessage());
    }

    /** Notes a reason for which tests are skipped. */
    private static void note(String reason) {
        if (reason.contains("sieve.proof")) {
            return;
        }
        String line = reason.replaceFirst("^Assumption failed: ", "").replaceAll("\\s+", " ") + "\n";
        try {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
