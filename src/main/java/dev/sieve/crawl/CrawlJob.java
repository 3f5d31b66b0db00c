package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.JobFiles;
import dev.sieve.output.FileEnds;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A crawl that is open in its place. It consists of the frontier; a {@link JobStore} of the seeds, which define the
 * scope, of what the user has allowed for their origins, and of the pauses of hosts; {@link JobFiles}; and what it has
 * in common with {@linkplain Sharing other processes}.
 *
 * <p>It is kept in a folder, from which it continues after a crash, or on an engine, for many processes. A job
 * {@linkplain #inMemory in memory} keeps nothing but its frontier.
 *
 * <p>Methods that store something throw {@link UncheckedIOException} when that fails. Safe for use by many threads. A
 * seed takes 18 to 23 bytes of memory.
 */
public final class CrawlJob implements Closeable {
    /** Where files go that are deleted when the crawl is closed, if the job has no folder. */
    public static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private static final String OPEN = "open ";
    private static final String HEADERS = "headers ";
    private static final Pattern ORIGIN = Pattern.compile("(?:" + OPEN + "|" + HEADERS + ")(https?://[!-~]{1,300})");

    private final Frontier frontier;
    /** Where the spill file of the crawl is created. */
    final Path folder;

    private final Sharing sharing;
    final JobStore store;
    private final ExactSet seeds = ExactSet.create(Memberships.randomSeed());
    private final Set<String> origins = new LinkedHashSet<>();
    /** The files of the job; in a job without a folder, temporary ones, once something needs them. */
    private @Nullable JobFiles files;

    private final boolean keepsFiles;

    interface Reader {
        void seed(String url);

        /** Receives an origin that was passed to {@link #addOpen}. */
        void open(String origin);

        /** Receives an origin that was passed to {@link #addWithHeaders}. */
        void withHeaders(String origin);
    }

    /**
     * Creates a job, with files if it has a folder; the folder of the spill file always exists. What it consists of is
     * closed with it, but by the caller when this fails.
     */
    public CrawlJob(Frontier frontier, Path folder, @Nullable JobFiles files, Sharing sharing, JobStore.Opening opening)
            throws IOException {
        this.frontier = frontier;
        this.folder = folder;
        this.files = files;
        this.sharing = sharing;
        keepsFiles = files != null;
        store = opening.open(this::noteSeed, origins::add);
    }

    /**
     * Returns a job without files: only the contents of the frontier may survive the process. The frontier is closed
     * with it. URLs whose hosts have to wait are spilled to the system's temporary folder.
     */
    public static CrawlJob inMemory(Frontier frontier) {
        try {
            return new CrawlJob(frontier, TEMPORARY, null, Sharing.NONE, (seeds, lines) -> JobStore.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Frontier frontier() {
        return frontier;
    }

    /** Returns whether the URL with an id is done, so that it is not handed out again; true where that is not known. */
    boolean isDone(long id) {
        return !(frontier instanceof DurableSieve durable) || durable.isDone(id);
    }

    /** Returns what the crawl has in common with other processes. */
    public Sharing sharing() {
        return sharing;
    }

    /**
     * Returns the ends of these outputs, the last sink of the crawl. A job in memory stores none, one without a folder
     * those of all beside the first output.
     */
    public FileEnds outputs(List<Path> outputs, boolean forces) throws IOException {
        return store.outputs(outputs, forces);
    }

    /** Returns whether its files are kept for later runs. */
    public boolean keepsFiles() {
        return keepsFiles;
    }

    /** Returns the files of the job; those of a job without a folder are temporary. */
    public synchronized JobFiles files() throws IOException {
        if (files == null) {
            files = JobFiles.temporary(folder, Memberships.randomSeed());
        }
        return files;
    }

    /** Returns a part of the job, as {@link JobFiles#part} does. */
    public <T> T part(Class<T> type, JobFiles.Opening<T> opening) throws IOException {
        return files().part(type, opening);
    }

    /** Passes on everything that was stored, by earlier runs as well. */
    void read(Reader reader) throws IOException {
        store.read(seedsTo(reader), this::noteOrigin);
        synchronized (origins) {
            origins.forEach(line -> pass(line, reader));
        }
    }

    /** Passes on what other processes have stored since the last call of this method, or of {@link #read}. */
    void readAdded(Reader reader) {
        try {
            store.read(seedsTo(reader), line -> {
                noteOrigin(line);
                pass(line, reader);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Consumer<String> seedsTo(Reader reader) {
        return url -> {
            noteSeed(url);
            reader.seed(url);
        };
    }

    /**
     * Stores seeds unless they are stored, and returns how many were not. Must be called before the seeds are queued,
     * so that a crash does not leave URLs without their scope.
     */
    int addSeeds(List<String> urls) {
        synchronized (seeds) {
            List<String> added =
                    urls.stream().distinct().filter(url -> !hasSeed(url)).toList();
            store.add(added, List.of());
            added.forEach(this::noteSeed);
            return added.size();
        }
    }

    /** Returns whether a URL is a seed, up to a rate that is as good as none. */
    public boolean hasSeed(String url) {
        synchronized (seeds) {
            return seeds.mightContain(url);
        }
    }

    private void noteSeed(String url) {
        synchronized (seeds) {
            seeds.add(url);
        }
    }

    /** Stores that requests to the host and port of a URL are allowed whatever its addresses, for later runs. */
    void addOpen(String url) {
        addOrigin(OPEN + UrlParts.origin(url));
    }

    /** Stores that header fields of the user are sent to the origin of a URL. */
    void addWithHeaders(String url) {
        addOrigin(HEADERS + UrlParts.origin(url));
    }

    private void addOrigin(String line) {
        synchronized (origins) {
            if (!origins.contains(line)) {
                store.add(List.of(), List.of(line));
                origins.add(line);
            }
        }
    }

    private void noteOrigin(String line) {
        synchronized (origins) {
            origins.add(line);
        }
    }

    private static void pass(String line, Reader reader) {
        if (line.startsWith(OPEN)) {
            reader.open(line.substring(OPEN.length()));
        } else {
            reader.withHeaders(line.substring(HEADERS.length()));
        }
    }

    /** Returns whether a URL with a label in the frontier is a page of the crawl. */
    public static boolean isPage(int label) {
        return Target.Kind.isPage(label);
    }

    /** Whether a line is a URL as a crawl stores it. */
    public static boolean isSeed(String line) {
        return line.equals(UrlNormalizer.parse(line));
    }

    /** Whether a line is one about an origin as a crawl stores it. */
    public static boolean isOrigin(String line) {
        Matcher fields = ORIGIN.matcher(line);
        String url = fields.matches() ? UrlNormalizer.parse(fields.group(1)) : null;
        return url != null && UrlParts.origin(url).equals(fields.group(1));
    }

    /** Forces the seeds to the disk, so that a power cut does not leave URLs without their scope. */
    void forceSeeds() {
        store.force();
        count();
    }

    /** Stores how much is stored, so that a later run notices what is missing. To be called about once per second. */
    synchronized void count() {
        if (files != null) {
            files.count();
        }
    }

    @Override
    @SuppressWarnings("try") // they are only closed here
    public synchronized void close() throws IOException {
        try (frontier;
                Closeable open = files) {
            // Closes both, whatever one of them throws; the frontier last, since its lock guards the files.
        }
    }
}
