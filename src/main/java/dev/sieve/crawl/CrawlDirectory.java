package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.RepairReport;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder from which a crawl continues after a crash or a stop. It owns all files in the folder:
 *
 * <ul>
 *   <li>those of the {@link DurableSieve}, whose lock keeps other processes out of the folder;
 *   <li>{@code crawl-seeds}, the seeds, which define the scope: one per line;
 *   <li>{@code crawl-origins}, what the user has allowed for the origins of seeds: one line per origin with {@code open}
 *       when its addresses need not be public, or {@code headers} when the header fields of the user are sent to it. The
 *       fields themselves are not stored, since they may contain a password;
 *   <li>{@code crawl-pauses}, the hosts that require longer pauses than the delay of the crawl, so that they get them after
 *       a restart: one line per pause with its milliseconds, its expiry in epoch milliseconds, and the host;
 *   <li>{@code crawl-report}, what the report of the crawl is made from, if one was requested: see {@link Journal};
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, deleted when the crawl is closed.
 * </ul>
 *
 * <p>They are opened and closed together; when one cannot be opened, none stays open. The exception for a damaged file
 * names the file and the line; {@link #inspect} lists them, and {@link #repair} keeps the intact lines. Folders of
 * earlier versions contain {@code seeds.txt} and {@code pauses.txt}, which are copied once and stay as they are.
 *
 * <p>Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads. A seed takes
 * 18 to 23 bytes of memory.
 */
public final class CrawlDirectory implements Closeable {
    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    private static final Pattern ORIGIN = Pattern.compile("(?:open|headers) (https?://[!-~]{1,300})");

    private static final LineFile.Kind SEEDS =
            new LineFile.Kind("crawl-seeds", "seeds.txt", "a seed", CrawlDirectory::isSeed);

    private static final LineFile.Kind ORIGINS =
            new LineFile.Kind("crawl-origins", null, "an origin", CrawlDirectory::isOrigin);

    private static final LineFile.Kind PAUSES =
            new LineFile.Kind("crawl-pauses", "pauses.txt", "a pause", PAUSE.asMatchPredicate());

    private static final List<LineFile.Kind> KINDS = List.of(SEEDS, ORIGINS, PAUSES, Journal.KIND);

    /** Files that a folder may contain before it contains a crawl: a crash may have left them, or the settings are lost. */
    private static final Pattern OF_FRONTIER = Pattern.compile("lock|settings\\..*|(log|checkpoint)-\\d{8}.*");

    private static final int NAMES_SHOWN = 3;

    private final Frontier frontier;
    private final Path folder;
    private final ExactSet seeds = ExactSet.create(Memberships.randomSeed());
    private final Set<String> origins = new LinkedHashSet<>();
    private final Map<String, Duration> pauses = new HashMap<>();
    /** Null without a folder. */
    private LineFile seedFile;

    /** Null without a folder. */
    private LineFile originFile;

    /** Null without a folder. */
    private LineFile pauseFile;

    /** Null until it is requested. */
    private Journal journal;

    private CrawlDirectory(Frontier frontier, Path folder) {
        this.frontier = frontier;
        this.folder = folder;
    }

    /**
     * Opens the folder of a crawl, or creates it.
     *
     * @param settings configures the frontier before it is opened
     * @throws IllegalArgumentException as {@link #check}
     * @throws IOException when a file cannot be read or written, or is damaged
     */
    public static CrawlDirectory open(Path directory, Consumer<DurableSieve.Builder> settings) throws IOException {
        return open(directory, settings, CrawlClock.SYSTEM.now());
    }

    static CrawlDirectory open(Path directory, Consumer<DurableSieve.Builder> settings, Instant now)
            throws IOException {
        check(directory);
        DurableSieve.Builder builder = DurableSieve.builder(directory);
        settings.accept(builder);
        // The frontier first, since its lock guards the other files.
        CrawlDirectory opened = new CrawlDirectory(builder.open(), directory);
        try {
            opened.readSeeds();
            opened.originFile = opened.file(ORIGINS, opened.origins::add);
            opened.readPauses(now);
            return opened;
        } catch (IOException | RuntimeException e) {
            try (opened) {
                throw e;
            }
        }
    }

    /**
     * Checks that a folder may be opened: it does not exist, is empty, or contains a crawl.
     *
     * @throws IllegalArgumentException when it contains anything else; the message names some of it
     */
    public static void check(Path directory) throws IOException {
        if (DurableFolder.exists(directory) || Files.notExists(directory)) {
            return;
        }
        if (!Files.isDirectory(directory)) {
            throw new IllegalArgumentException(directory + " is not a directory");
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<String> others = files.map(file -> file.getFileName().toString())
                    .filter(name -> !OF_FRONTIER.matcher(name).matches())
                    .sorted()
                    .toList();
            if (!others.isEmpty()) {
                int more = Math.max(0, others.size() - NAMES_SHOWN);
                throw new IllegalArgumentException(directory + " is neither empty nor a job; it contains "
                        + String.join(", ", others.subList(0, others.size() - more))
                        + (more == 0 ? "" : " and " + more + " more"));
            }
        }
    }

    /**
     * Reads the state of a crawl, which may be running, and changes nothing. Damage of any file is listed in the result.
     *
     * @throws IOException as {@link DurableFolder#inspect}, or when a file has a later version
     */
    public static DurableState inspect(Path directory) throws IOException {
        return DurableFolder.inspect(directory).withProblems(problems(directory));
    }

    private static List<String> problems(Path directory) throws IOException {
        List<String> problems = new ArrayList<>();
        checkSeeds(directory, problems::add);
        for (LineFile.Kind kind : KINDS) {
            LineFile.read(directory, kind, line -> {}, problems::add);
        }
        return problems;
    }

    /** Seeds are created before pauses, so they are lost when only pauses exist. */
    private static void checkSeeds(Path directory, LineFile.Receiver problems) throws IOException {
        if (!SEEDS.exists(directory) && PAUSES.exists(directory)) {
            problems.accept(SEEDS.path(directory) + ": the file is missing");
        }
    }

    /**
     * Repairs a crawl that {@link #open} refuses as damaged: its frontier, and the other files, of which the intact lines are
     * kept. Changed files are kept as {@code .broken}.
     *
     * @throws IOException as {@link DurableFolder#repair}
     */
    public static RepairReport repair(Path directory) throws IOException {
        return DurableFolder.repair(directory).withFindings(repairFiles(directory));
    }

    @SuppressWarnings("try") // the lock is only held
    private static List<String> repairFiles(Path directory) throws IOException {
        List<String> findings = new ArrayList<>();
        try (Closeable held = DurableFolder.lock(directory)) {
            checkSeeds(directory, problem -> findings.add(problem + "; name the seeds again"));
            if (!findings.isEmpty()) {
                LineFile.rewrite(directory, SEEDS, line -> true, LineFile.REFUSE);
            }
            for (LineFile.Kind kind : KINDS) {
                List<String> problems = new ArrayList<>();
                LineFile.read(directory, kind, line -> {}, problems::add);
                if (!problems.isEmpty()) {
                    Path path = directory.resolve(kind.name());
                    if (Files.exists(path)) {
                        Files.copy(
                                path,
                                path.resolveSibling(kind.name() + ".broken"),
                                StandardCopyOption.REPLACE_EXISTING);
                    }
                    LineFile.rewrite(directory, kind, line -> true, problem -> {});
                    problems.forEach(problem -> findings.add(problem + "; the other lines are kept"));
                }
            }
        }
        return findings;
    }

    private void readSeeds() throws IOException {
        checkSeeds(folder, LineFile.REFUSE);
        seedFile = file(SEEDS, seed -> {
            long[] hash = Murmur3.hash(seed, seeds.seed());
            seeds.add(hash[0], hash[1]);
        });
    }

    /** Whether a line is a URL as this build spells it, or an earlier one, which did not escape vertical bars. */
    private static boolean isSeed(String line) {
        String escaped = line.replace("|", "%7C");
        return escaped.equals(UrlNormalizer.parse(escaped));
    }

    /** Opens a file after its last line; creates it first where it does not exist. */
    private LineFile file(LineFile.Kind kind, LineFile.Receiver lines) throws IOException {
        if (Files.notExists(folder.resolve(kind.name()))) {
            LineFile.rewrite(folder, kind, line -> true, LineFile.REFUSE);
        }
        return new LineFile(folder, kind, LineFile.read(folder, kind, lines, LineFile.REFUSE));
    }

    private static boolean isOrigin(String line) {
        Matcher fields = ORIGIN.matcher(line);
        String url = fields.matches() ? UrlNormalizer.parse(fields.group(1)) : null;
        return url != null && UrlParts.origin(url).equals(fields.group(1));
    }

    /** Reads the pauses and removes expired ones. When a host was last requested is not stored, so it waits anew. */
    private void readPauses(Instant now) throws IOException {
        LineFile.rewrite(folder, PAUSES, line -> addPause(line, now), LineFile.REFUSE);
        pauseFile = file(PAUSES, line -> {});
    }

    /** Adds a pause unless it has expired; returns whether it was added. */
    private boolean addPause(String line, Instant now) {
        Matcher fields = PAUSE.matcher(line);
        fields.matches();
        long left = Long.parseLong(fields.group(2)) - now.toEpochMilli();
        if (left < 0) {
            return false;
        }
        // However the clock was set in between, a host does not wait for longer than its pause.
        Duration pause = Duration.ofMillis(Math.min(left, Long.parseLong(fields.group(1))));
        pauses.merge(fields.group(3), pause, (one, other) -> one.compareTo(other) > 0 ? one : other);
        return true;
    }

    /**
     * Returns a crawl without a folder: only what the frontier itself stores survives the process, and URLs whose hosts
     * have to wait are spilled to the system's temporary folder.
     */
    public static CrawlDirectory none(Frontier frontier) {
        return new CrawlDirectory(frontier, Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Returns the file with the seeds in the folder of a crawl, a list as for {@link dev.sieve.url.Seeds}. */
    public static Path seedFile(Path directory) {
        return SEEDS.path(directory);
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
    public synchronized Journal journal() throws IOException {
        if (journal == null) {
            journal = seedFile == null ? Journal.temporary(folder) : Journal.open(folder);
        }
        return journal;
    }

    Path spillDirectory() {
        return folder;
    }

    /** Passes on the seeds of earlier runs and those that were added, in their order. */
    synchronized void forEachSeed(Consumer<String> action) throws IOException {
        if (seedFile != null) {
            LineFile.read(folder, SEEDS, action::accept, LineFile.REFUSE);
        }
    }

    /**
     * Stores a seed unless it is stored, and returns whether it was written. Must be called before the seed is queued, so
     * that a crash does not leave URLs without their scope.
     */
    synchronized boolean addSeed(String url) {
        if (seedFile == null) {
            return false;
        }
        long[] hash = Murmur3.hash(url, seeds.seed());
        if (seeds.mightContain(hash[0], hash[1])) {
            return false;
        }
        seedFile.add(url);
        return seeds.add(hash[0], hash[1]);
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
                LineFile openPauses = pauseFile;
                Journal openJournal = journal) {
            // Closes all of them, whatever one of them throws; the frontier last, since its lock guards the others.
        }
    }
}
