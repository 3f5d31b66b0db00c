package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hosts that ask for longer pauses than the delay of a crawl, in a file, so that they get them after a restart, too:
 * when a host was last requested is not stored, so it is left alone for a whole pause.
 *
 * <p>One line per pause: its milliseconds, its expiry in epoch milliseconds, and the host, separated by blanks. A line
 * that a crash has left unfinished is cut off, and expired lines are removed when the file is opened. Adding is safe for
 * use by many threads.
 */
final class PauseLog implements Closeable {
    /** The pause has at most as many digits as ten years; a host is a name or an address, as in a URL. */
    private static final Pattern LINE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    private final Map<String, Duration> pauses = new HashMap<>();
    private final LineFile file;

    /**
     * Opens the file, or creates it.
     *
     * @throws IOException when the disk fails, or the file is damaged; the message names the file and the line
     */
    PauseLog(Path path, Instant now) throws IOException {
        List<String> kept = new ArrayList<>();
        for (String line : LineFile.read(path, "pause", LINE.asMatchPredicate())) {
            if (read(line, now)) {
                kept.add(line);
            }
        }
        Path whole = path.resolveSibling(path.getFileName() + ".tmp");
        Files.write(whole, kept, US_ASCII);
        Files.move(whole, path, StandardCopyOption.ATOMIC_MOVE);
        file = new LineFile(path, kept);
    }

    /** Returns whether the pause has not expired. */
    private boolean read(String line, Instant now) {
        Matcher fields = LINE.matcher(line);
        fields.matches();
        Duration pause = Duration.ofMillis(Long.parseLong(fields.group(1)));
        Duration left = Duration.between(now, Instant.ofEpochMilli(Long.parseLong(fields.group(2))));
        if (left.isNegative()) {
            return false;
        }
        // However the clock was set in between, a host is not left alone for longer than its pause.
        pauses.merge(fields.group(3), min(left, pause), PauseLog::max);
        return true;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** How long hosts have to be left alone, counted from the opening of the file. */
    Map<String, Duration> pauses() {
        return Map.copyOf(pauses);
    }

    /**
     * Writes a pause.
     *
     * @param expiry when it need not be kept any longer
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void add(String host, Duration pause, Instant expiry) {
        file.add(pause.toMillis() + " " + expiry.toEpochMilli() + " " + host);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
