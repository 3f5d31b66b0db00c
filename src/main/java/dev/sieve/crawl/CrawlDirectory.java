package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.durable.DurableSieve;
import dev.sieve.url.UrlNormalizer;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The folder from which a crawl continues after a crash or a stop, and the one owner of the files in it:
 *
 * <ul>
 *   <li>those of the {@link DurableSieve}, whose lock keeps other processes out of the folder;
 *   <li>{@code seeds.txt}, the seeds, which define the scope: one per line;
 *   <li>{@code pauses.txt}, the hosts that ask for long pauses: one per line;
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, gone when the crawl is closed.
 * </ul>
 *
 * <p>They are opened and closed together; when one cannot be opened, none stays open. A damaged file is named by the
 * exception, with the line. Safe for use by many threads.
 */
public final class CrawlDirectory implements Closeable {
    private static final String SEED_FILE = "seeds.txt";
    private static final String PAUSE_FILE = "pauses.txt";

    private final Frontier frontier;
    private final Path spillDirectory;
    private final Set<String> seeds;
    /** Null without a folder. */
    private final LineFile seedFile;

    /** Null without a folder. */
    private final PauseLog pauses;

    private CrawlDirectory(
            Frontier frontier, Path spillDirectory, List<String> seeds, LineFile seedFile, PauseLog pauses) {
        this.frontier = frontier;
        this.spillDirectory = spillDirectory;
        this.seeds = new HashSet<>(seeds);
        this.seedFile = seedFile;
        this.pauses = pauses;
    }

    /**
     * Opens the folder of a crawl, or creates it.
     *
     * @param settings sets up the frontier before it is opened
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
        DurableSieve frontier = builder.open();
        LineFile seedFile = null;
        try {
            Path path = seedFile(directory);
            List<String> seeds = LineFile.read(path, "seed", line -> line.equals(UrlNormalizer.parse(line)));
            seedFile = new LineFile(path, seeds);
            PauseLog pauses = new PauseLog(directory.resolve(PAUSE_FILE), now);
            return new CrawlDirectory(frontier, directory, seeds, seedFile, pauses);
        } catch (IOException | RuntimeException e) {
            LineFile opened = seedFile;
            try (frontier;
                    opened) {
                throw e;
            }
        }
    }

    /**
     * No folder: only what the frontier itself keeps outlives the process, and URLs whose hosts have to wait go to the
     * system's temporary folder.
     */
    public static CrawlDirectory none(Frontier frontier) {
        return new CrawlDirectory(frontier, Path.of(System.getProperty("java.io.tmpdir")), List.of(), null, null);
    }

    /** The file with the seeds of the crawl in a folder. */
    public static Path seedFile(Path directory) {
        return directory.resolve(SEED_FILE);
    }

    /** What is still to be visited, and what was seen. */
    public Frontier frontier() {
        return frontier;
    }

    Path spillDirectory() {
        return spillDirectory;
    }

    /** The seeds of earlier runs and those that were added. */
    synchronized List<String> seeds() {
        return List.copyOf(seeds);
    }

    /**
     * Stores a seed, unless it is stored. To be called before it is queued: a crash must not leave URLs without scope.
     *
     * @return whether it was written
     * @throws UncheckedIOException when the disk fails
     */
    synchronized boolean addSeed(String url) {
        if (seedFile == null || seeds.contains(url)) {
            return false;
        }
        seedFile.add(url);
        return seeds.add(url);
    }

    /**
     * Forces the seeds to the disk, so that a power cut does not leave pages whose scope is gone.
     *
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void forceSeeds() {
        if (seedFile != null) {
            seedFile.force();
        }
    }

    /** How long hosts have to be left alone because of earlier runs, counted from the opening of the folder. */
    Map<String, Duration> pauses() {
        return pauses == null ? Map.of() : pauses.pauses();
    }

    /**
     * Stores the pause that a host asks for, until its expiry.
     *
     * @throws UncheckedIOException when the disk fails
     */
    void addPause(String host, Duration pause, Instant expiry) {
        if (pauses != null) {
            pauses.add(host, pause, expiry);
        }
    }

    /** Closes the frontier and the files, the frontier last, since its lock guards the others. */
    @Override
    public void close() throws IOException {
        try (frontier;
                seedFile;
                pauses) {
            // Closed in the reverse order of their opening, all of them, whatever one of them throws.
        }
    }
}
