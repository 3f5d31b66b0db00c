package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.RepairReport;
import dev.sieve.io.Disk;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
 *   <li>{@code crawl-counts}, how many lines the four files above have at least, so that lines missing at the end of one are
 *       noticed: one line per count, which is written when the lines are on the disk;
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, deleted when the crawl is closed.
 * </ul>
 *
 * <p>The text files are {@link LineFile}s, and their owner is the identity of the frontier. All are opened and closed
 * together; when one cannot be opened, none stays open. The exception for a damaged file names the file and the line; {@link
 * #inspect} lists them, and {@link #repair} keeps the intact lines.
 */
public final class CrawlDirectory extends CrawlJob {
    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    /** The number of lines that a file had at some time, and still has. */
    private static final Pattern COUNT = Pattern.compile("(crawl-[a-z]{1,20}) (\\d{1,18})");

    private static final LineFile.Kind SEEDS = new LineFile.Kind("crawl-seeds", "a seed", CrawlJob::isSeed);
    private static final LineFile.Kind ORIGINS = new LineFile.Kind("crawl-origins", "an origin", CrawlJob::isOrigin);
    private static final LineFile.Kind PAUSES = new LineFile.Kind("crawl-pauses", "a pause", PAUSE.asMatchPredicate());
    private static final LineFile.Kind COUNTS = new LineFile.Kind("crawl-counts", "a count", COUNT.asMatchPredicate());

    /** The files whose lines are counted, and what is lost with a line of them. */
    private static final Map<LineFile.Kind, String> LOSSES = losses();

    private static Map<LineFile.Kind, String> losses() {
        Map<LineFile.Kind, String> losses = new LinkedHashMap<>();
        losses.put(SEEDS, "name the seeds again, since they define the scope");
        losses.put(ORIGINS, "what the user has allowed for an origin may be missing: type its seeds again");
        losses.put(PAUSES, "a host may be requested before the end of its pause");
        losses.put(Journal.KIND, "the report may miss pages");
        return losses;
    }

    /** Files that a folder may contain before it contains a crawl: a crash may have left them, or the settings are lost. */
    private static final Pattern OF_FRONTIER = Pattern.compile("lock|settings\\..*|(log|checkpoint)-\\d{8}.*");

    private static final int NAMES_SHOWN = 3;
    private static final int ATTEMPTS = 10;

    private final Disk disk;
    private final long id;
    /** The open files, in the order in which they were opened. */
    private final Map<LineFile.Kind, LineFile> files = new LinkedHashMap<>();

    private final Map<String, Long> counts = new TreeMap<>();
    private final LineFile countFile;

    private final LineFile seedFile;
    private final LineFile originFile;
    private final LineFile pauseFile;

    private final AtomicReference<Map<String, Duration>> pauses = new AtomicReference<>(new HashMap<>());

    private CrawlDirectory(Frontier frontier, Path folder, Instant now) throws IOException {
        super(frontier, folder);
        try {
            disk = new LocalDisk(folder);
            id = DurableFolder.id(folder);
            requireFiles(disk, LineFile.REFUSE);
            counts.putAll(counts(disk, id, LineFile.REFUSE));
            writeCounts(disk, id, counts);
            seedFile = file(SEEDS, this::noteSeed);
            originFile = file(ORIGINS, this::noteOrigin);
            pauses(now);
            countFile = LineFile.open(disk, COUNTS, id, line -> {});
            files.put(COUNTS, countFile);
            pauseFile = file(PAUSES, line -> {});
        } catch (IOException | RuntimeException e) {
            close(e);
            throw e;
        }
    }

    /** Reads the pauses and removes those that have expired. When a host was last requested is not stored, so it waits anew. */
    private void pauses(Instant now) throws IOException {
        LineFile.Content content = LineFile.read(disk, PAUSES, id, line -> {}, LineFile.REFUSE);
        requireCount(disk, PAUSES, content.last(), counts, LineFile.REFUSE);
        // First the counts, so that a crash in between does not make the removed pauses look lost.
        counts.remove(PAUSES.name());
        writeCounts(disk, id, counts);
        LineFile.rewrite(disk, PAUSES, id, line -> readPause(line, now), LineFile.REFUSE);
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
        DurableState state = DurableFolder.inspect(directory);
        Disk disk = new LocalDisk(directory);
        long id = DurableFolder.id(directory);
        List<String> problems = problems(disk, id);
        for (int more = 0; more < ATTEMPTS && !problems.isEmpty(); more++) {
            // A crawl that starts at the same time replaces some files, one after the other.
            List<String> again = problems(disk, id);
            if (again.equals(problems)) {
                return state.withProblems(problems);
            }
            problems = again;
        }
        return state.withProblems(problems);
    }

    /**
     * The files of a crawl.
     *
     * @param seeds how many seeds are stored
     * @param bytes bytes of all files
     * @param oldest when the oldest file was last changed: the settings are written once, when the crawl is created
     */
    public record Contents(long seeds, long bytes, Instant oldest) {}

    /**
     * Reads how many seeds a crawl has, which may be running, and how large its files are. Damaged seeds do not count.
     *
     * @throws IOException when the folder cannot be read
     */
    public static Contents contents(Path directory) throws IOException {
        AtomicLong seeds = new AtomicLong();
        LineFile.read(
                new LocalDisk(directory),
                SEEDS,
                DurableFolder.id(directory),
                line -> seeds.incrementAndGet(),
                problem -> {});
        long bytes = 0;
        Instant oldest = Instant.MAX;
        for (String name : new LocalDisk(directory).names()) {
            try {
                BasicFileAttributes file = Files.readAttributes(directory.resolve(name), BasicFileAttributes.class);
                bytes += file.size();
                Instant changed = file.lastModifiedTime().toInstant();
                oldest = changed.isBefore(oldest) ? changed : oldest;
            } catch (NoSuchFileException e) {
                // The crawl has just deleted it.
            }
        }
        return new Contents(seeds.get(), bytes, oldest);
    }

    private static List<String> problems(Disk disk, long id) throws IOException {
        List<String> problems = new ArrayList<>();
        requireFiles(disk, problems::add);
        Map<String, Long> counts = counts(disk, id, problems::add);
        for (LineFile.Kind kind : LOSSES.keySet()) {
            problems.addAll(problems(disk, id, kind, counts));
        }
        return problems;
    }

    private static List<String> problems(Disk disk, long id, LineFile.Kind kind, Map<String, Long> counts)
            throws IOException {
        List<String> problems = new ArrayList<>();
        LineFile.Content content = LineFile.read(disk, kind, id, line -> {}, problems::add);
        requireCount(disk, kind, content.last(), counts, problems::add);
        return problems;
    }

    /** The counts are created before all other files. */
    private static void requireFiles(Disk disk, LineFile.Receiver problems) throws IOException {
        List<String> names = disk.names();
        if (!names.contains(COUNTS.name())) {
            for (LineFile.Kind kind : LOSSES.keySet()) {
                if (names.contains(kind.name())) {
                    // A file of an earlier build is refused as such.
                    LineFile.read(disk, kind, 0, line -> {}, problem -> {});
                    problems.accept(disk.path(COUNTS.name()) + ": the file is missing");
                    return;
                }
            }
        }
    }

    /** Reads how many lines each file had; the last count of a file is the present one. */
    private static Map<String, Long> counts(Disk disk, long id, LineFile.Receiver problems) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        LineFile.Receiver lines = line -> {
            int space = line.indexOf(' ');
            counts.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
        };
        LineFile.read(disk, COUNTS, id, lines, problems);
        return counts;
    }

    private static void writeCounts(Disk disk, long id, Map<String, Long> counts) throws IOException {
        LineFile.replace(
                disk,
                COUNTS,
                id,
                counts.entrySet().stream()
                        .map(count -> count.getKey() + " " + count.getValue())
                        .toList());
    }

    /** Finds a file that is missing, or lines that are missing after the last one. */
    private static void requireCount(
            Disk disk, LineFile.Kind kind, long last, Map<String, Long> counts, LineFile.Receiver problems)
            throws IOException {
        Long count = counts.get(kind.name());
        if (count != null && !disk.names().contains(kind.name())) {
            problems.accept(disk.path(kind.name()) + ": the file is missing");
        } else if (count != null && last < count) {
            problems.accept(
                    disk.path(kind.name()) + ": missing at the end: " + (count - last) + " of " + count + " lines");
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
            Disk disk = new LocalDisk(directory);
            long id = DurableFolder.id(directory);
            requireFiles(disk, findings::add);
            Map<String, Long> counts = counts(disk, id, findings::add);
            for (LineFile.Kind kind : LOSSES.keySet()) {
                List<String> problems = problems(disk, id, kind, counts);
                if (!problems.isEmpty()) {
                    keepBroken(disk, kind);
                    long kept = LineFile.rewrite(disk, kind, id, line -> true, problem -> {});
                    counts.put(kind.name(), kept);
                    findings.addAll(problems);
                    findings.add(disk.path(kind.name()) + ": lines kept: " + kept + "; " + LOSSES.get(kind));
                }
            }
            if (!findings.isEmpty()) {
                keepBroken(disk, COUNTS);
                // Last, so that an interrupted repair finds the same again.
                writeCounts(disk, id, counts);
            }
        }
        return findings;
    }

    private static void keepBroken(Disk disk, LineFile.Kind kind) throws IOException {
        if (disk.names().contains(kind.name())) {
            disk.copy(kind.name(), 0, kind.name() + ".broken");
        }
    }

    /** Opens a file after its last line; creates it first where it does not exist. */
    private LineFile file(LineFile.Kind kind, LineFile.Receiver lines) throws IOException {
        requireCount(disk, kind, Long.MAX_VALUE, counts, LineFile.REFUSE);
        LineFile file = LineFile.open(disk, kind, id, lines);
        try {
            requireCount(disk, kind, file.last(), counts, LineFile.REFUSE);
        } catch (IOException e) {
            file.close();
            throw e;
        }
        files.put(kind, file);
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

    /**
     * Passes on the seeds in the folder of a crawl, which may be running.
     *
     * @throws IOException when they cannot be read, or are damaged
     */
    public static void seeds(Path directory, Consumer<String> seeds) throws IOException {
        LineFile.read(new LocalDisk(directory), SEEDS, DurableFolder.id(directory), seeds::accept, LineFile.REFUSE);
    }

    @Override
    Journal openJournal() throws IOException {
        return new Journal(disk, id, file(Journal.KIND, line -> {}));
    }

    @Override
    void read(Reader reader) throws IOException {
        synchronized (this) {
            LineFile.read(disk, SEEDS, id, reader::seed, LineFile.REFUSE);
        }
        super.read(reader);
    }

    @Override
    synchronized void storeSeeds(List<String> urls) {
        urls.forEach(seedFile::add);
        seedFile.flush();
    }

    @Override
    synchronized void storeOrigin(String line) {
        originFile.add(line);
        originFile.flush();
    }

    @Override
    synchronized void forceSeeds() {
        seedFile.force();
        originFile.force();
        count(SEEDS);
        count(ORIGINS);
    }

    /** Notes how many lines a file has, once they are on the disk. */
    private void count(LineFile.Kind kind) {
        long last = Objects.requireNonNull(files.get(kind)).last();
        if (!Objects.equals(counts.put(kind.name(), last), last)) {
            countFile.add(kind.name() + " " + last);
            countFile.flush();
        }
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
        pauseFile.flush();
    }

    @Override
    synchronized void closeFiles() throws IOException {
        Deque<Closeable> closing = new ArrayDeque<>(files.values());
        if (files.containsKey(PAUSES)) {
            closing.add(this::countAll);
        }
        close(closing);
    }

    private void countAll() throws IOException {
        try {
            for (Map.Entry<LineFile.Kind, LineFile> file : files.entrySet()) {
                if (!file.getKey().equals(COUNTS)) {
                    file.getValue().force();
                    count(file.getKey());
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Closes files, the last one first. */
    @SuppressWarnings("try") // they are only closed here
    private static void close(Deque<Closeable> files) throws IOException {
        if (!files.isEmpty()) {
            try (Closeable last = files.pop()) {
                close(files);
            }
        }
    }
}
