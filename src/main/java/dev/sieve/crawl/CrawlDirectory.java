package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.Disk;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 *   <li>{@code crawl-texts}, the first page with each text, if pages are compared: one line per page with the digest of its
 *       text;
 *   <li>{@code crawl-fragments}, the parts of pages and the links to them, if these are checked: see {@link Fragments};
 *   <li>{@code crawl-pages}, what is known of each page, if the crawl has rounds: see {@link KnownPages};
 *   <li>{@code crawl-counts}, how many lines the files above have at least, so that lines missing at the end of one are
 *       noticed: one line per count, which is written when the lines are on the disk;
 *   <li>{@code hosts-*.spill}, URLs whose hosts have to wait: temporary, deleted when the crawl is closed.
 * </ul>
 *
 * <p>The text files are {@link LineFile}s, and their owner is the identity of the frontier. All are opened and closed
 * together; when one cannot be opened, none stays open. The exception for a damaged file names the file and the line;
 * {@link FolderPlace#inspect} lists them, and {@link FolderPlace#repair} keeps the intact lines.
 */
public final class CrawlDirectory extends CrawlJob {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** The digits of a pause allow for ten years; a host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    /** The number of lines that a file had at some time, and still has. */
    private static final Pattern COUNT = Pattern.compile("(crawl-[a-z]{1,20}) (\\d{1,18})");

    static final LineFile.Kind SEEDS = new LineFile.Kind("crawl-seeds", "a seed", CrawlJob::isSeed);
    private static final LineFile.Kind ORIGINS = new LineFile.Kind("crawl-origins", "an origin", CrawlJob::isOrigin);
    private static final LineFile.Kind PAUSES = new LineFile.Kind("crawl-pauses", "a pause", PAUSE.asMatchPredicate());
    static final LineFile.Kind COUNTS = new LineFile.Kind("crawl-counts", "a count", COUNT.asMatchPredicate());

    /** The files whose lines are counted, and what is lost with a line of them. */
    static final Map<LineFile.Kind, String> LOSSES = losses();

    private static Map<LineFile.Kind, String> losses() {
        Map<LineFile.Kind, String> losses = new LinkedHashMap<>();
        losses.put(SEEDS, "name the seeds again, since they define the scope");
        losses.put(ORIGINS, "what the user has allowed for an origin may be missing: type its seeds again");
        losses.put(PAUSES, "a host may be requested before the end of its pause");
        losses.put(Journal.KIND, "the report may miss pages");
        losses.put(KnownTexts.KIND, "the first page with a text may not be found as such");
        losses.put(Fragments.KIND, "links to parts of pages may not be checked");
        losses.put(KnownPages.KIND, "pages that are missing are visited again only where a new page links to them");
        return losses;
    }

    /** Files that a folder may contain before it contains a crawl: a crash may have left them, or the settings are lost. */
    private static final Pattern OF_FRONTIER = Pattern.compile("lock|settings\\..*|(log|checkpoint)-\\d{8}.*");

    private static final int NAMES_SHOWN = 3;

    private final Disk disk;
    private final long id;
    /** The open files, in the order in which they were opened. */
    private final Map<LineFile.Kind, LineFile> files = new LinkedHashMap<>();

    private final Map<String, Long> counts = new TreeMap<>();
    private final LineFile countFile;

    private final LineFile seedFile;
    private final LineFile originFile;
    private final LineFile pauseFile;

    /** What is known of each page; null when the crawl has no rounds. */
    private @Nullable KnownPages pages;

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
            if (counts.containsKey(KnownPages.KIND.name()) || disk.names().contains(KnownPages.KIND.name())) {
                openPages();
            }
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
    static void check(Path directory) throws IOException {
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

    /** The counts are created before all other files. */
    static void requireFiles(Disk disk, LineFile.Receiver problems) throws IOException {
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
    static Map<String, Long> counts(Disk disk, long id, LineFile.Receiver problems) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        LineFile.Receiver lines = line -> {
            int space = line.indexOf(' ');
            counts.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
        };
        LineFile.read(disk, COUNTS, id, lines, problems);
        return counts;
    }

    static void writeCounts(Disk disk, long id, Map<String, Long> counts) throws IOException {
        LineFile.replace(
                disk,
                COUNTS,
                id,
                counts.entrySet().stream()
                        .map(count -> count.getKey() + " " + count.getValue())
                        .toList());
    }

    /** Finds a file that is missing, or lines that are missing after the last one. */
    static void requireCount(
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

    /** Opens a file after its last line; creates it first where it does not exist. */
    private LineFile file(LineFile.Kind kind, LineFile.Receiver lines) throws IOException {
        return fileOfLines(kind, (position, line) -> lines.accept(line));
    }

    private LineFile fileOfLines(LineFile.Kind kind, LineFile.Lines lines) throws IOException {
        requireCount(disk, kind, Long.MAX_VALUE, counts, LineFile.REFUSE);
        return file(kind, LineFile.openLines(disk, kind, id, lines));
    }

    private LineFile file(LineFile.Kind kind, LineFile file) throws IOException {
        try {
            requireCount(disk, kind, file.last(), counts, LineFile.REFUSE);
            if (file.unfinished() > 0) {
                LOG.warn(
                        "{}: ignored {} bytes that a crash had left unfinished",
                        disk.path(kind.name()),
                        file.unfinished());
            }
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

    private void openPages() throws IOException {
        requireCount(disk, KnownPages.KIND, Long.MAX_VALUE, counts, LineFile.REFUSE);
        KnownPages open = new KnownPages(disk, id);
        file(KnownPages.KIND, open.file());
        pages = open;
    }

    @Override
    synchronized void again() throws IOException {
        KnownPages known = pages;
        if (known == null && frontier().stats().accepted() > 0) {
            throw new IllegalArgumentException(
                    "this job was begun without rounds, so nothing is known of its pages; for"
                            + " a crawl in rounds, choose another folder");
        } else if (known == null) {
            openPages();
            return;
        }
        boolean isOver = frontier().pending() + frontier().inFlight() == 0;
        if (!known.isEnded()
                && known.isQueued()
                && isOver
                && known.size() > 0
                && (!disk.names().contains(Fragments.KIND.name()) || Fragments.isChecked(disk, id))) {
            // The last run ended just before it noted that.
            endRound();
        }
        if (known.isEnded()) {
            emptyJournal();
            shortenFragments();
            known.begin();
        }
    }

    /** A report is about one round. */
    private void emptyJournal() throws IOException {
        if (disk.names().contains(Journal.KIND.name()) && !files.containsKey(Journal.KIND)) {
            forgetCount(Journal.KIND);
            LineFile.rewrite(disk, Journal.KIND, id, line -> false, problem -> {});
        }
    }

    /** What was broken in the last round is found again. */
    private void shortenFragments() throws IOException {
        if (disk.names().contains(Fragments.KIND.name())) {
            forgetCount(Fragments.KIND);
            Fragments.keepNewest(disk, id);
        }
    }

    /** Notes that a file is about to have fewer lines, so that a crash in between does not make them look lost. */
    private void forgetCount(LineFile.Kind kind) {
        counts.put(kind.name(), 0L);
        countFile.add(kind.name() + " 0");
        countFile.force();
    }

    @Override
    synchronized @Nullable Rounds rounds() {
        return pages == null ? null : new Rounds(pages, (DurableSieve) frontier(), RevisitRule.DEFAULT, false);
    }

    @Override
    synchronized Round endRound() throws IOException {
        KnownPages known = Objects.requireNonNull(pages);
        forgetCount(KnownPages.KIND);
        Round round = known.end(frontier().pending() + frontier().inFlight() > 0, this::hasSeed);
        files.put(KnownPages.KIND, known.file());
        count(KnownPages.KIND);
        return round;
    }

    @Override
    Journal openJournal() throws IOException {
        return new Journal(disk, id, file(Journal.KIND, line -> {}));
    }

    @Override
    KnownTexts openTexts() throws IOException {
        return new KnownTexts(lines -> fileOfLines(KnownTexts.KIND, lines));
    }

    @Override
    Fragments openFragments() throws IOException {
        return new Fragments(disk, id, lines -> file(Fragments.KIND, lines));
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
