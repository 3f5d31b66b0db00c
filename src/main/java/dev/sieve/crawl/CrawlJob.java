package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A crawl that is open in its {@linkplain CrawlPlace place}: its frontier, the seeds, which define the scope, what the user
 * has allowed for their origins, and the pauses of hosts.
 *
 * <p>A {@link CrawlDirectory} keeps it in a folder, from which it continues after a crash. A {@link SharedJob} keeps it on an
 * engine, for many processes. A job {@linkplain #inMemory in memory} keeps nothing but its frontier.
 *
 * <p>Methods that store something throw {@link UncheckedIOException} when that fails. Safe for use by many threads. A seed
 * takes 18 to 23 bytes of memory.
 */
public abstract class CrawlJob implements Closeable {
    /** Where files go that are deleted when the crawl is closed, if the job has no folder. */
    static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private static final String OPEN = "open ";
    private static final String HEADERS = "headers ";
    private static final Pattern ORIGIN = Pattern.compile("(?:" + OPEN + "|" + HEADERS + ")(https?://[!-~]{1,300})");

    private final Frontier frontier;
    private final Path folder;
    private final ExactSet seeds = ExactSet.create(Memberships.randomSeed());
    private final Set<String> origins = new LinkedHashSet<>();
    /** The journal of the report; null until it is requested. */
    private @Nullable Journal journal;
    /** The texts of pages; null until they are requested. */
    private @Nullable KnownTexts texts;
    /** The parts of pages; null until they are requested. */
    private @Nullable Fragments fragments;

    /** Receives what was stored. */
    interface Reader {
        /** Receives a seed. */
        void seed(String url);

        /** Receives an origin of which {@link #addOpen} was called. */
        void open(String origin);

        /** Receives an origin of which {@link #addWithHeaders} was called. */
        void withHeaders(String origin);
    }

    /**
     * Creates a job.
     *
     * @param frontier closed with the job
     * @param folder where the spill file of the crawl is created
     */
    CrawlJob(Frontier frontier, Path folder) {
        this.frontier = frontier;
        this.folder = folder;
    }

    /**
     * Returns a job of which only what the frontier itself stores survives the process. URLs whose hosts have to wait are
     * spilled to the system's temporary folder.
     *
     * @param frontier closed with the job
     */
    public static CrawlJob inMemory(Frontier frontier) {
        return new InMemory(frontier);
    }

    /** Returns the frontier of the crawl. */
    public Frontier frontier() {
        return frontier;
    }

    /**
     * Returns the journal of the crawl, which is closed with this. The first call opens or creates it; that of a crawl
     * without a folder is temporary.
     *
     * @throws IOException when it cannot be read or written, or is damaged
     */
    public final synchronized Journal journal() throws IOException {
        if (journal == null) {
            journal = new Journal(files());
        }
        return journal;
    }

    /** Returns the texts of pages, which are closed with this. The first call opens or creates their file. */
    final synchronized KnownTexts texts() throws IOException {
        if (texts == null) {
            texts = new KnownTexts(files());
        }
        return texts;
    }

    /** Returns the parts of pages, which are closed with this. The first call opens or creates their file. */
    final synchronized Fragments fragments() throws IOException {
        if (fragments == null) {
            fragments = new Fragments(files());
        }
        return fragments;
    }

    /** Returns the files of the job; temporary ones for a single use if it has no folder. */
    JobFiles files() throws IOException {
        return JobFiles.temporary(folder);
    }

    /** Returns where the spill file of the crawl is created. */
    final Path folder() {
        return folder;
    }

    /** Passes on everything that was stored, by earlier runs as well, in its order. */
    void read(Reader reader) throws IOException {
        synchronized (origins) {
            origins.forEach(line -> pass(line, reader));
        }
    }

    /** Returns how many pages this run may visit. */
    PageBudget budget(long mostPages) {
        return PageBudget.of(mostPages);
    }

    /** Returns how long ago the run began that this process takes part in. */
    Duration age() {
        return Duration.ZERO;
    }

    /** Returns whether other processes may store something while the crawl runs. */
    boolean isShared() {
        return false;
    }

    /** Returns how many processes work on the crawl, this one included. */
    public int processes() {
        return 1;
    }

    /**
     * Stores what this process has done, for the report of a crawl that others share, in place of what it has stored before;
     * does nothing in a crawl of one process. It is lost if the place cannot store it now.
     */
    public void share(byte[] share) {}

    /**
     * Stores options that all processes of the crawl have to share, or compares them with those of the other ones.
     *
     * @return the options of the others that differ; null for one that they do not have
     */
    public Map<String, @Nullable String> differences(Map<String, String> options) {
        return Map.of();
    }

    /** Passes on what other processes have stored since the last call of this method, or of {@link #read}. */
    void readAdded(Reader reader) {}

    /**
     * Stores seeds unless they are stored, and returns how many were not. Must be called before the seeds are queued, so
     * that a crash does not leave URLs without their scope.
     */
    final int addSeeds(List<String> urls) {
        synchronized (seeds) {
            List<String> added =
                    urls.stream().distinct().filter(url -> !isNoted(url)).toList();
            storeSeeds(added);
            added.forEach(this::noteSeed);
            return added.size();
        }
    }

    private boolean isNoted(String seed) {
        long[] hash = Murmur3.hash(seed, seeds.seed());
        return seeds.mightContain(hash[0], hash[1]);
    }

    /** Notes that a seed is stored. */
    final void noteSeed(String url) {
        synchronized (seeds) {
            long[] hash = Murmur3.hash(url, seeds.seed());
            seeds.add(hash[0], hash[1]);
        }
    }

    abstract void storeSeeds(List<String> urls);

    /** Stores that requests to the host and port of a URL are allowed whatever its addresses, for later runs. */
    final void addOpen(String url) {
        addOrigin(OPEN + UrlParts.origin(url));
    }

    /** Stores that header fields of the user are sent to the origin of a URL. */
    final void addWithHeaders(String url) {
        addOrigin(HEADERS + UrlParts.origin(url));
    }

    private void addOrigin(String line) {
        synchronized (origins) {
            if (!origins.contains(line)) {
                storeOrigin(line);
                origins.add(line);
            }
        }
    }

    /** Notes that a line about an origin is stored. */
    final void noteOrigin(String line) {
        synchronized (origins) {
            origins.add(line);
        }
    }

    abstract void storeOrigin(String line);

    /** Passes on a line about an origin. */
    static void pass(String line, Reader reader) {
        if (line.startsWith(OPEN)) {
            reader.open(line.substring(OPEN.length()));
        } else {
            reader.withHeaders(line.substring(HEADERS.length()));
        }
    }

    /** Whether a line is a URL as a crawl stores it. */
    static boolean isSeed(String line) {
        return line.equals(UrlNormalizer.parse(line));
    }

    static boolean isOrigin(String line) {
        Matcher fields = ORIGIN.matcher(line);
        String url = fields.matches() ? UrlNormalizer.parse(fields.group(1)) : null;
        return url != null && UrlParts.origin(url).equals(fields.group(1));
    }

    /** Forces the seeds to the disk, so that a power cut does not leave URLs without their scope. */
    void forceSeeds() {}

    /**
     * Returns how long hosts have to pause because of earlier runs or of other processes, and forgets it. Never waits.
     */
    abstract Map<String, Duration> takePauses();

    /**
     * Stores the pause that a host requires.
     *
     * @param use for how long, from now on, requests with this pause may be made
     */
    abstract void addPause(String host, Duration pause, Duration use, Instant now);

    /**
     * Counts a URL that is about to be requested for the first time, unless it is beyond the limit of a trap that holds for all
     * processes of the crawl. It is not counted when it is taken from the frontier: URLs that wait for their host are taken
     * again by the process to which the host moves.
     *
     * @return why it is not requested; null when it is
     */
    @Nullable
    SkipReason countForTraps(Lease lease) {
        return null;
    }

    /** Ends the waiting for a frontier that does not respond: threads that wait get its exception. */
    void impatient() {}

    @Override
    @SuppressWarnings("try") // they are only closed here
    public void close() throws IOException {
        try (frontier;
                Closeable files = this::closeFiles;
                Closeable openJournal = journal;
                Closeable openTexts = texts;
                Closeable openFragments = fragments) {
            // Closes all of them, whatever one of them throws; the frontier last, since its lock guards the others.
        }
    }

    /**
     * Makes this a crawl in rounds, and begins the next one if the last one has ended.
     *
     * @param onlyDue whether a round that begins visits only the pages that are due
     * @throws IllegalArgumentException when that is not possible; the message says why
     * @throws IOException when the disk fails
     */
    void again(boolean onlyDue) throws IOException {
        throw new IllegalArgumentException("a crawl in rounds needs a job in a folder");
    }

    /** Returns the rounds of the crawl; null when it has none. */
    @Nullable
    Rounds rounds() {
        return null;
    }

    /**
     * Completes the round, when every page that it visits is done or was left. Until it has {@linkplain #endRound ended}, the
     * next run continues it, and finds nothing to visit.
     *
     * @param hasToEnd called for each page; when it returns true, the next run completes the round
     * @return the round, with the pages to which no other page links
     * @throws CancellationException when {@code hasToEnd} has returned true
     */
    Round completeRound(BooleanSupplier hasToEnd) throws IOException {
        throw new IllegalStateException("no rounds");
    }

    /** Ends a round that is complete, so that the next run begins another one. */
    void endRound() {}

    /** Stores how much is stored, so that a later run notices what is missing. To be called about once per second. */
    void count() {}

    /** Returns whether a URL is a seed, up to a rate that is as good as none. */
    final boolean hasSeed(String url) {
        synchronized (seeds) {
            return isNoted(url);
        }
    }

    void closeFiles() throws IOException {}

    private static final class InMemory extends CrawlJob {
        InMemory(Frontier frontier) {
            super(frontier, TEMPORARY);
        }

        @Override
        void storeSeeds(List<String> urls) {}

        @Override
        void storeOrigin(String line) {}

        @Override
        Map<String, Duration> takePauses() {
            return Map.of();
        }

        @Override
        void addPause(String host, Duration pause, Duration use, Instant now) {}
    }
}
