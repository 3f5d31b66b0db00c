package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.Frontier;
import dev.sieve.durable.DurableSieve;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder from which a crawl continues after a crash or a stop. It owns all files in the folder:
 *
 * <ul>
 *   <li>those of the {@link DurableSieve}, whose lock keeps other processes out of the folder;
 *   <li>{@code seeds.txt}, the seeds, which define the scope: one per line;
 *   <li>{@code origins.txt}, what the user has allowed for the origins of seeds: one line per origin with {@code open} when
 *       its addresses need not be public, or {@code headers} when the header fields of the user are sent to it. The fields
 *       themselves are not stored, since they may contain a password;
 *   <li>{@code pauses.txt}, the hosts that require longer pauses than the delay of the crawl, so that they get them after
 *       a restart: one line per pause with its milliseconds, its expiry in epoch milliseconds, and the host;
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, deleted when the crawl is closed.
 * </ul>
 *
 * <p>They are opened and closed together; when one cannot be opened, none stays open. The exception for a damaged file
 * names the file and the line. Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by
 * many threads.
 */
public final class CrawlDirectory implements Closeable {
    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    private static final Pattern ORIGIN = Pattern.compile("(?:open|headers) (https?://[!-~]{1,300})");

    private final Frontier frontier;
    private final Path spillDirectory;
    private final Set<String> seeds = new HashSet<>();
    private final Set<String> origins = new LinkedHashSet<>();
    private final Map<String, Duration> pauses = new HashMap<>();
    /** Null without a folder. */
    private LineFile seedFile;

    /** Null without a folder. */
    private LineFile originFile;

    /** Null without a folder. */
    private LineFile pauseFile;

    private CrawlDirectory(Frontier frontier, Path spillDirectory) {
        this.frontier = frontier;
        this.spillDirectory = spillDirectory;
    }

    /**
     * Opens the folder of a crawl, or creates it.
     *
     * @param settings configures the frontier before it is opened
     * @throws IOException when a file cannot be read or written, or is damaged
     */
    public static CrawlDirectory open(Path directory, Consumer<DurableSieve.Builder> settings) throws IOException {
        return open(directory, settings, CrawlClock.SYSTEM.now());
    }

    static CrawlDirectory open(Path directory, Consumer<DurableSieve.Builder> settings, Instant now)
            throws IOException {
        DurableSieve.Builder builder = DurableSieve.builder(directory);
        settings.accept(builder);
        // The frontier first, since its lock guards the other files.
        CrawlDirectory opened = new CrawlDirectory(builder.open(), directory);
        try {
            opened.openSeeds(seedFile(directory));
            opened.openOrigins(directory.resolve("origins.txt"));
            opened.openPauses(directory.resolve("pauses.txt"), now);
            return opened;
        } catch (IOException | RuntimeException e) {
            try (opened) {
                throw e;
            }
        }
    }

    private void openSeeds(Path path) throws IOException {
        List<String> lines = LineFile.read(path, "a seed", line -> line.equals(UrlNormalizer.parse(line)));
        seedFile = new LineFile(path, lines);
        seeds.addAll(lines);
    }

    private void openOrigins(Path path) throws IOException {
        List<String> lines = LineFile.read(path, "an origin", CrawlDirectory::isOrigin);
        originFile = new LineFile(path, lines);
        origins.addAll(lines);
    }

    private static boolean isOrigin(String line) {
        Matcher fields = ORIGIN.matcher(line);
        String url = fields.matches() ? UrlNormalizer.parse(fields.group(1)) : null;
        return url != null && UrlParts.origin(url).equals(fields.group(1));
    }

    /** Reads the pauses and removes expired ones. When a host was last requested is not stored, so it waits anew. */
    private void openPauses(Path path, Instant now) throws IOException {
        List<String> kept = new ArrayList<>();
        for (String line : LineFile.read(path, "a pause", PAUSE.asMatchPredicate())) {
            Matcher fields = PAUSE.matcher(line);
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
        pauseFile = new LineFile(path, kept);
    }

    /**
     * Returns a crawl without a folder: only what the frontier itself stores survives the process, and URLs whose hosts
     * have to wait are spilled to the system's temporary folder.
     */
    public static CrawlDirectory none(Frontier frontier) {
        return new CrawlDirectory(frontier, Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Returns the file with the seeds in the folder of a crawl. */
    public static Path seedFile(Path directory) {
        return directory.resolve("seeds.txt");
    }

    /** Returns the frontier of the crawl. */
    public Frontier frontier() {
        return frontier;
    }

    Path spillDirectory() {
        return spillDirectory;
    }

    /** Returns the seeds of earlier runs and those that were added. */
    synchronized List<String> seeds() {
        return List.copyOf(seeds);
    }

    /**
     * Stores a seed unless it is stored, and returns whether it was written. Must be called before the seed is queued, so
     * that a crash does not leave URLs without their scope.
     */
    synchronized boolean addSeed(String url) {
        if (seedFile == null || seeds.contains(url)) {
            return false;
        }
        seedFile.add(url);
        return seeds.add(url);
    }

    /** Stores that requests to the host and port of a URL are allowed whatever its addresses, for later runs. */
    void addOpen(String url) {
        addOrigin("open " + UrlParts.origin(url));
    }

    /** Stores that header fields of the user are sent to the origin of a URL. */
    void addWithHeaders(String url) {
        addOrigin("headers " + UrlParts.origin(url));
    }

    private synchronized void addOrigin(String line) {
        if (originFile != null && !origins.contains(line)) {
            originFile.add(line);
            origins.add(line);
        }
    }

    /** Returns the origins of which {@link #addOpen} was called, in this run or an earlier one. */
    List<String> openOrigins() {
        return origins("open ");
    }

    /** Returns the origins of which {@link #addWithHeaders} was called, in this run or an earlier one. */
    List<String> originsWithHeaders() {
        return origins("headers ");
    }

    private synchronized List<String> origins(String prefix) {
        return origins.stream()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
    }

    /** Forces the seeds to the disk, so that a power cut does not leave URLs without their scope. */
    synchronized void forceSeeds() {
        if (seedFile != null) {
            seedFile.force();
            originFile.force();
        }
    }

    /** Returns how long hosts have to wait because of earlier runs, counted from the opening of the folder. */
    Map<String, Duration> pauses() {
        return pauses;
    }

    /** Stores the pause that a host requires, until its expiry. */
    synchronized void addPause(String host, Duration pause, Instant expiry) {
        if (pauseFile != null) {
            pauseFile.add(pause.toMillis() + " " + expiry.toEpochMilli() + " " + host);
        }
    }

    @Override
    @SuppressWarnings("try") // the files are only closed here
    public void close() throws IOException {
        try (frontier;
                LineFile openSeeds = seedFile;
                LineFile openOrigins = originFile;
                LineFile openPauses = pauseFile) {
            // Closes all of them, whatever one of them throws; the frontier last, since its lock guards the others.
        }
    }
}
