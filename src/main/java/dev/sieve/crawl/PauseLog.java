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
 * A file of the hosts that require longer pauses than the delay of a crawl, so that they get them after a restart. When
 * a host was last requested is not stored, so a restart waits for a whole pause.
 *
 * <p>One line per pause: its milliseconds, its expiry in epoch milliseconds, and the host, separated by blanks. Opening
 * the file cuts off an incomplete last line and removes expired ones. Adding is safe for use by many threads.
 */
final class PauseLog implements Closeable {
    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
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
            Matcher fields = LINE.matcher(line);
            fields.matches();
            long left = Long.parseLong(fields.group(2)) - now.toEpochMilli();
            if (left >= 0) {
                kept.add(line);
                // However the clock was set in between, a host does not wait for longer than its pause.
                Duration pause = Duration.ofMillis(Math.min(left, Long.parseLong(fields.group(1))));
                pauses.merge(fields.group(3), pause, (one, other) -> one.compareTo(other) > 0 ? one : other);
            }
        }
        Path whole = path.resolveSibling(path.getFileName() + ".tmp");
        Files.write(whole, kept, US_ASCII);
        Files.move(whole, path, StandardCopyOption.ATOMIC_MOVE);
        file = new LineFile(path, kept);
    }

    /** Returns how long hosts have to wait, counted from the opening of the file. */
    Map<String, Duration> pauses() {
        return Map.copyOf(pauses);
    }

    /**
     * Stores a pause until its expiry.
     *
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
