package dev.sieve.durable;

import dev.sieve.io.Disk;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far the log was written, as stored beside it: a log that is shorter has lost its end, even if it ends with a
 * whole frame.
 *
 * @param frontierId the frontier to which the log belongs
 * @param position the end of the log; what is before it survives what the frontier survives
 * @param nextId the next id at the position
 */
record LogEnd(long frontierId, LogPosition position, long nextId) {
    static final String NAME = "end";
    static final LogEnd NONE = new LogEnd(0, LogPosition.NONE, 0);

    private static final int MAX_BYTES = 1 << 10;
    private static final Pattern LINES =
            Pattern.compile("id ([0-9a-f]{16})\nsegment (\\d{1,8})\noffset (\\d{1,18})\nnext (\\d{1,18})\n");

    /**
     * Returns what is stored; to be read before the log, which may grow. {@link #NONE} when the file is missing or
     * damaged, which a power cut may cause, since it is never forced.
     */
    static LogEnd read(DiskView disk) throws IOException {
        try {
            Matcher lines = LINES.matcher(CheckedText.read(disk, NAME, MAX_BYTES));
            if (!lines.matches()) {
                return NONE;
            }
            LogPosition position = new LogPosition(Integer.parseInt(lines.group(2)), Long.parseLong(lines.group(3)));
            return new LogEnd(Long.parseUnsignedLong(lines.group(1), 16), position, Long.parseLong(lines.group(4)));
        } catch (NoSuchFileException | DamageException e) {
            return NONE;
        }
    }

    /** Replaces the file. */
    void write(Disk disk) throws IOException {
        String lines = String.format(
                Locale.ROOT,
                "id %016x\nsegment %d\noffset %d\nnext %d\n",
                frontierId,
                position.segment(),
                position.offset(),
                nextId);
        CheckedText.write(disk, NAME, lines, false);
    }

    /** Returns this if it belongs to a frontier, otherwise {@link #NONE}. */
    LogEnd of(long frontier) {
        return frontierId == frontier ? this : NONE;
    }
}
