package dev.sieve.judge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails each test during which a {@link PolitenessJudge} found a gap that is too short; registered for all tests. The
 * system property {@code sieve.judge} names a file to which the numbers of this JVM are appended.
 */
public final class Verdict implements AfterEachCallback, AfterAllCallback {
    private static final LongAdder REQUESTS = new LongAdder();
    private static final LongAdder GAPS = new LongAdder();
    private static final LongAdder SHORT_GAPS = new LongAdder();
    private static final Queue<String> UNREPORTED = new ConcurrentLinkedQueue<>();

    static {
        String file = System.getProperty("sieve.judge");
        if (file != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> append(Path.of(file))));
        }
    }

    private static void append(Path file) {
        String line = "requests seen: %d, gaps with a delay: %d, too short: %d%n";
        try {
            Files.writeString(
                    file,
                    line.formatted(REQUESTS.sum(), GAPS.sum(), SHORT_GAPS.sum()),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counts a request. */
    static void request(boolean hasDelay) {
        REQUESTS.increment();
        GAPS.add(hasDelay ? 1 : 0);
    }

    /** Notes a gap for which the present test fails. */
    static void shortGap(String text) {
        SHORT_GAPS.increment();
        UNREPORTED.add(text);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> found = new ArrayList<>();
        for (String text = UNREPORTED.poll(); text != null; text = UNREPORTED.poll()) {
            found.add(text);
        }
        if (!found.isEmpty()) {
            throw new AssertionError("impolite: " + String.join("\n", found));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        afterEach(context);
    }
}
