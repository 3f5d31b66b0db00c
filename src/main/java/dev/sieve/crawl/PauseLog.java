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
 * The hosts that want longer pauses than a crawl makes by itself, in a file, so that they get them after a restart, too:
 * when a host was asked last is not known then, so that it is left alone for a whole pause.
 *
 * <p>A line a pause: its milliseconds; the moment, in milliseconds since 1970, from which on nobody wants it any more;
 * and the host; a blank between them. A line that a crash has left unfinished is cut off, and lines that are out of date
 * go when the file is opened. Adding is safe for use by many threads.
 */
final class PauseLog implements Closeable {
    /** The pause has at most as many digits as ten years; a host is a name or an address, as it stands in a URL. */
    private static final Pattern LINE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    private final Map<String, Duration> pauses = new HashMap<>();
    private final AppendedLines lines;

    /**
     * Opens the file, or makes it.
     *
     * @throws IOException when the disk fails, or the file is damaged; its name and the line are told
     */
    PauseLog(Path path, Instant now) throws IOException {
        List<String> kept = new ArrayList<>();
        int number = 1;
        for (String line : AppendedLines.read(path)) {
            if (read(path, line, number++, now)) {
                kept.add(line);
            }
        }
        Path whole = path.resolveSibling(path.getFileName() + ".tmp");
        Files.write(whole, kept, US_ASCII);
        Files.move(whole, path, StandardCopyOption.ATOMIC_MOVE);
        lines = new AppendedLines(path, kept);
    }

    private boolean read(Path path, String line, int number, Instant now) throws IOException {
        Matcher fields = LINE.matcher(line);
        if (!fields.matches()) {
            throw new IOException(path + ": line " + number + " is no pause");
        }
        Duration pause = Duration.ofMillis(Long.parseLong(fields.group(1)));
        Duration left = Duration.between(now, Instant.ofEpochMilli(Long.parseLong(fields.group(2))));
        if (left.isNegative()) {
            return false;
        }
        // However the clock was set in between, nobody is left alone for longer than a pause.
        pauses.merge(fields.group(3), left.compareTo(pause) < 0 ? left : pause, PauseLog::longer);
        return true;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** For how long hosts have to be left alone from the moment on at which the file was opened. */
    Map<String, Duration> pauses() {
        return Map.copyOf(pauses);
    }

    /**
     * Writes a pause.
     *
     * @param until from when on nobody wants it
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void add(String host, Duration pause, Instant until) {
        lines.add(pause.toMillis() + " " + until.toEpochMilli() + " " + host);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
