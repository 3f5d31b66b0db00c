package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.RepairReport;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

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
 */
@NullMarked
public final class CrawlDirectory extends CrawlJob {
    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    private static final LineFile.Kind SEEDS =
            new LineFile.Kind("crawl-seeds", "seeds.txt", "a seed", CrawlJob::isSeed);

    private static final LineFile.Kind ORIGINS =
            new LineFile.Kind("crawl-origins", null, "an origin", CrawlJob::isOrigin);

    private static final LineFile.Kind PAUSES =
            new LineFile.Kind("crawl-pauses", "pauses.txt", "a pause", PAUSE.asMatchPredicate());

    private static final List<LineFile.Kind> KINDS = List.of(SEEDS, ORIGINS, PAUSES, Journal.KIND);

    /** Files that a folder may contain before it contains a crawl: a crash may have left them, or the settings are lost. */
    private static final Pattern OF_FRONTIER = Pattern.compile("lock|settings\\..*|(log|checkpoint)-\\d{8}.*");

    private static final int NAMES_SHOWN = 3;

    private final Path folder;
    /** Those that are open, in the order in which they were opened. */
    private final Deque<LineFile> files = new ArrayDeque<>();

    private final LineFile seedFile;
    private final LineFile originFile;
    private final LineFile pauseFile;
    private final AtomicReference<Map<String, Duration>> pauses = new AtomicReference<>(new HashMap<>());

    private CrawlDirectory(Frontier frontier, Path folder, Instant now) throws IOException {
        super(frontier, folder);
        this.folder = folder;
        try {
            checkSeeds(folder, LineFile.REFUSE);
            seedFile = file(SEEDS, this::noteSeed);
            originFile = file(ORIGINS, this::noteOrigin);
            // When a host was last requested is not stored, so it waits anew; expired pauses are removed.
            LineFile.rewrite(folder, PAUSES, line -> readPause(line, now), LineFile.REFUSE);
            pauseFile = file(PAUSES, line -> {});
        } catch (IOException | RuntimeException e) {
            close(e);
            throw e;
        }
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
        return new CrawlDirectory(builder.open(), directory, now);
    }

    /** Closes what is open after a failure. */
    private void close(Exception failure) {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
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

    /** Opens a file after its last line; creates it first where it does not exist. */
    private LineFile file(LineFile.Kind kind, LineFile.Receiver lines) throws IOException {
        if (Files.notExists(folder.resolve(kind.name()))) {
            LineFile.rewrite(folder, kind, line -> true, LineFile.REFUSE);
        }
        LineFile file = new LineFile(folder, kind, LineFile.read(folder, kind, lines, LineFile.REFUSE));
        files.push(file);
        return file;
    }

    /** Adds a pause unless it has expired; returns whether it was added. */
    private boolean readPause(String line, Instant now) {
        Matcher fields = PAUSE.matcher(line);
        fields.matches();
        long left = Long.parseLong(fields.group(2)) - now.toEpochMilli();
        if (left < 0) {
            return false;
        }
        // However the clock was set in between, a host does not wait for longer than its pause.
        Duration pause = Duration.ofMillis(Math.min(left, Long.parseLong(fields.group(1))));
        Objects.requireNonNull(pauses.get())
                .merge(fields.group(3), pause, (one, other) -> one.compareTo(other) > 0 ? one : other);
        return true;
    }

    /** Returns the file with the seeds in the folder of a crawl, a list as for {@link dev.sieve.url.Seeds}. */
    public static Path seedFile(Path directory) {
        return SEEDS.path(directory);
    }

    @Override
    Journal openJournal() throws IOException {
        return Journal.open(folder);
    }

    @Override
    void read(Reader reader) throws IOException {
        synchronized (this) {
            LineFile.read(folder, SEEDS, reader::seed, LineFile.REFUSE);
        }
        super.read(reader);
    }

    @Override
    synchronized void storeSeeds(List<String> urls) {
        urls.forEach(seedFile::add);
    }

    @Override
    synchronized void storeOrigin(String line) {
        originFile.add(line);
    }

    @Override
    synchronized void forceSeeds() {
        seedFile.force();
        originFile.force();
    }

    /** Counted from the opening of the folder. */
    @Override
    Map<String, Duration> takePauses() {
        return pauses.getAndSet(Map.of());
    }

    @Override
    synchronized void addPause(String host, Duration pause, Duration use, Instant now) {
        Instant expiry = now.plus(use).plus(pause);
        pauseFile.add(pause.toMillis() + " " + expiry.toEpochMilli() + " " + host);
    }

    @Override
    @SuppressWarnings("try") // it is only closed here
    void closeFiles() throws IOException {
        if (!files.isEmpty()) {
            try (LineFile last = files.pop()) {
                closeFiles();
            }
        }
    }
}
