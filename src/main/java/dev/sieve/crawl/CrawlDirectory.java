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
 * The folder from which a crawl continues after a crash or a stop. It owns all files in the folder:
 *
 * <ul>
 *   <li>those of the {@link DurableSieve}, whose lock keeps other processes out of the folder;
 *   <li>{@code seeds.txt}, the seeds, which define the scope: one per line;
 *   <li>{@code pauses.txt}, the hosts that require long pauses: one per line;
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, deleted when the crawl is closed.
 * </ul>
 *
 * <p>They are opened and closed together; when one cannot be opened, none stays open. The exception for a damaged file
 * names the file and the line. Safe for use by many threads.
 */
public final class CrawlDirectory implements Closeable {
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
        DurableSieve frontier = builder.open();
        LineFile seedFile = null;
        try {
            Path path = seedFile(directory);
            List<String> seeds = LineFile.read(path, "seed", line -> line.equals(UrlNormalizer.parse(line)));
            seedFile = new LineFile(path, seeds);
            PauseLog pauses = new PauseLog(directory.resolve("pauses.txt"), now);
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
     * Returns a crawl without a folder: only what the frontier itself stores survives the process, and URLs whose hosts
     * have to wait are spilled to the system's temporary folder.
     */
    public static CrawlDirectory none(Frontier frontier) {
        return new CrawlDirectory(frontier, Path.of(System.getProperty("java.io.tmpdir")), List.of(), null, null);
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
     * Stores a seed unless it is stored. Must be called before the seed is queued, so that a crash does not leave URLs
     * without their scope.
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
     * Forces the seeds to the disk, so that a power cut does not leave URLs without their scope.
     *
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void forceSeeds() {
        if (seedFile != null) {
            seedFile.force();
        }
    }

    /** Returns how long hosts have to wait because of earlier runs, counted from the opening of the folder. */
    Map<String, Duration> pauses() {
        return pauses == null ? Map.of() : pauses.pauses();
    }

    /**
     * Stores the pause that a host requires, until its expiry.
     *
     * @throws UncheckedIOException when the disk fails
     */
    void addPause(String host, Duration pause, Instant expiry) {
        if (pauses != null) {
            pauses.add(host, pause, expiry);
        }
    }

    @Override
    public void close() throws IOException {
        try (frontier;
                seedFile;
                pauses) {
            // Closes all of them, whatever one of them throws; the frontier last, since its lock guards the others.
        }
    }
}
