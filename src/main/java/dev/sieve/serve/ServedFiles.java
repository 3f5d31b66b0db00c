package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import dev.sieve.io.LineFile;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a server and its crawls besides the frontiers. Each line is a sentence of names and values; the name of
 * a queue is as in the query of a URL. Uses no library, so that commands check and repair the files without those of a
 * server.
 */
public final class ServedFiles {
    static final LineFile.Kind QUEUES = new LineFile.Kind(
            "crawl-queues",
            1,
            "the settings of a queue",
            "delays, blocks and limits of queues may be missing or out of date: set them again",
            valid(Settings::of));

    static final LineFile.Kind DELETIONS = new LineFile.Kind(
            "crawl-deletions",
            1,
            "the deletion of a queue",
            "queues may be there again that were deleted: delete them again",
            valid(Deletion::of));

    static final LineFile.Kind REPLACED = new LineFile.Kind(
            "crawl-replaced",
            1,
            "the end of a record",
            "URLs that were reported as done may be handed out once more",
            valid(Replaced::of));

    static final LineFile.Kind SERVER =
            new LineFile.Kind("server-settings", 1, "the settings of a server", "", valid(ServerSettings::of));

    /** The files of a crawl, which are checked and repaired with its frontier. */
    public static final List<LineFile.Kind> OF_CRAWL = List.of(QUEUES, DELETIONS, REPLACED);

    private ServedFiles() {}

    private static Predicate<String> valid(Function<String, Object> parser) {
        return line -> {
            try {
                return parser.apply(line) != null;
            } catch (IllegalArgumentException e) {
                return false;
            }
        };
    }

    private static Matcher match(Pattern pattern, String line) {
        Matcher fields = pattern.matcher(line);
        if (!fields.matches()) {
            throw new IllegalArgumentException(line);
        }
        return fields;
    }

    private static String name(String encoded) {
        return URLDecoder.decode(encoded, UTF_8);
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, UTF_8);
    }

    /** What is stored of a queue, as in {@link Queue}. */
    record Settings(int generation, long delay, long blockedUntil, long limit, String queue) {
        private static final Pattern LINE = Pattern.compile(
                "generation (\\d{1,10}) delay (-?\\d{1,19}) blocked-until (\\d{1,20}) limit (-?\\d{1,19}) queue (\\S*)");

        static Settings of(String line) {
            Matcher fields = match(LINE, line);
            return new Settings(
                    Integer.parseInt(fields.group(1)),
                    Long.parseLong(fields.group(2)),
                    Long.parseUnsignedLong(fields.group(3)),
                    Long.parseLong(fields.group(4)),
                    name(fields.group(5)));
        }

        String line() {
            return "generation " + generation + " delay " + delay + " blocked-until "
                    + Long.toUnsignedString(blockedUntil) + " limit " + limit + " queue " + encoded(queue);
        }
    }

    /**
     * A queue that was deleted.
     *
     * @param generation of the queue: records of its name with a lower one do not count
     * @param before a higher id than that of each such record
     */
    record Deletion(int generation, long before, String queue) {
        private static final Pattern LINE = Pattern.compile("generation (\\d{1,10}) before (\\d{1,19}) queue (\\S*)");

        static Deletion of(String line) {
            Matcher fields = match(LINE, line);
            return new Deletion(
                    Integer.parseInt(fields.group(1)), Long.parseLong(fields.group(2)), name(fields.group(3)));
        }

        /** Returns the hash of the queue of a line, of which the last one is enough. */
        static long key(String line, long seed) {
            return Murmur3.hash(of(line).queue, seed)[0] | 1;
        }

        String line() {
            return "generation " + generation + " before " + before + " queue " + encoded(queue);
        }
    }

    /**
     * Records of a URL that do not count any more.
     *
     * @param before a higher id than that of each of them
     * @param end the next id of the frontier when this was stored
     * @param hash of the key of the URL
     */
    record Replaced(long before, long end, long hash) {
        private static final Pattern LINE = Pattern.compile("before (\\d{1,18}) of (\\d{1,18}) key ([0-9a-f]{16})");

        static Replaced of(String line) {
            Matcher fields = match(LINE, line);
            return new Replaced(
                    Long.parseLong(fields.group(1)),
                    Long.parseLong(fields.group(2)),
                    HexFormat.fromHexDigitsToLong(fields.group(3)));
        }

        String line() {
            return "before " + before + " of " + end + " key " + HexFormat.of().toHexDigits(hash);
        }
    }

    /** Whether URLs are handed out, and the delay of queues without one of their own, in seconds. */
    record ServerSettings(boolean isActive, long delay) {
        private static final Pattern LINE = Pattern.compile("(active|inactive) delay (\\d{1,19})");

        static ServerSettings of(String line) {
            Matcher fields = match(LINE, line);
            return new ServerSettings(fields.group(1).equals("active"), Long.parseLong(fields.group(2)));
        }

        String line() {
            return (isActive ? "active" : "inactive") + " delay " + delay;
        }
    }
}
