package dev.sieve.job;

import dev.sieve.Frontier;
import dev.sieve.FrontierSettings;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.JobResults;
import dev.sieve.crawl.JobStore;
import dev.sieve.crawl.Journal;
import dev.sieve.crawl.Sharing;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.Disk;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.output.FileEnds;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder from which a crawl continues after a crash or a stop. It owns all files in the folder, which {@code
 * docs/jobs.md} lists: those of the {@link DurableSieve}, whose lock keeps other processes out of it, the temporary
 * ones of URLs whose hosts have to wait, and {@link LineFile}s, whose owner is the identity of the frontier.
 *
 * <p>All are opened and closed together; when one cannot be opened, none stays open. The exception for a damaged file
 * names the file and the line; {@link FolderPlace#inspect} lists them, and {@link FolderPlace#repair} keeps the intact
 * lines.
 */
public final class CrawlDirectory implements JobStore {
    /** {@code PAUSE_MILLIS EXPIRY_EPOCH_MILLIS HOST}; the host is a name or an address, as in a URL. */
    private static final Pattern PAUSE = Pattern.compile("(\\d{1,12}) (\\d{1,15}) ([!-~]{1,255})");

    static final LineFile.Kind SEEDS = new LineFile.Kind(
            "crawl-seeds", 2, "a seed", "name the seeds again, since they define the scope", CrawlJob::isSeed);
    static final LineFile.Kind ORIGINS = new LineFile.Kind(
            "crawl-origins",
            2,
            "an origin",
            "what the user has allowed for an origin may be missing: type its seeds again",
            CrawlJob::isOrigin);
    static final LineFile.Kind PAUSES = new LineFile.Kind(
            "crawl-pauses",
            2,
            "a pause",
            "a host may be requested before the end of its pause",
            PAUSE.asMatchPredicate());

    /** All files that may exist, which are checked and repaired. */
    public static final List<LineFile.Kind> FILES = Stream.of(
                    List.of(SEEDS, ORIGINS, PAUSES, Journal.KIND, JobResults.KIND),
                    AllStages.FILES,
                    List.of(OutputLengths.KIND))
            .flatMap(List::stream)
            .toList();

    /** Files that a folder may contain before it contains a crawl: a crash may have left them, or the settings are lost. */
    private static final Pattern OF_FRONTIER = Pattern.compile("lock|end|settings\\..*|(log|checkpoint)-\\d{8}.*");

    private static final int NAMES_SHOWN = 3;

    private final JobFiles files;
    private final LineFile seedFile;
    private final LineFile originFile;
    private final LineFile pauseFile;
    private final AtomicReference<Map<String, Duration>> pauses = new AtomicReference<>(new HashMap<>());

    private CrawlDirectory(JobFiles files, Instant now, Consumer<String> seeds, Consumer<String> origins)
            throws IOException {
        this.files = files;
        seedFile = files.open(SEEDS, (position, line) -> seeds.accept(line));
        originFile = files.open(ORIGINS, (position, line) -> origins.accept(line));
        readPauses(now);
        pauseFile = files.open(PAUSES, (position, line) -> {});
    }

    /** Reads the pauses and removes those that have expired. When a host was last requested is not stored, so it waits anew. */
    private void readPauses(Instant now) throws IOException {
        List<String> left = new ArrayList<>();
        LineFile.Lines all = (position, line) -> {
            if (readPause(line, now)) {
                left.add(line);
            }
        };
        files.read(PAUSES, all, LineFile.REFUSE);
        files.replace(PAUSES, LineFile.Writing.of(left));
    }

    /**
     * Opens the folder of a crawl, or creates it.
     *
     * @param settings configures the frontier before it is opened
     * @throws IllegalArgumentException as {@link #check}
     * @throws IOException when a file cannot be read or written, or is damaged
     */
    public static CrawlJob open(Path directory, Consumer<DurableSieve.Builder> settings) throws IOException {
        return open(directory, settings, Instant.now());
    }

    /** Opens it in the same way at a moment, at which pauses may have expired. */
    public static CrawlJob open(Path directory, Consumer<DurableSieve.Builder> settings, Instant now)
            throws IOException {
        check(directory);
        DurableSieve.Builder builder = DurableSieve.builder(directory);
        settings.accept(builder);
        // The frontier first, since its lock guards the other files.
        DurableSieve frontier = builder.open();
        try {
            return open(frontier, directory, new LocalDisk(directory), DurableFolder.id(directory), now);
        } catch (IOException | RuntimeException e) {
            close(frontier, e);
            throw e;
        }
    }

    /**
     * Opens or creates the folder of a crawl that begins anew with each run, with a frontier in memory of these
     * settings. What is known of links, the pauses of hosts and the cookies are kept.
     *
     * @throws IllegalArgumentException as {@link #check}, and when the folder contains the job of another crawl
     */
    public static CrawlJob openAnew(Path directory, FrontierSettings settings, Durability durability)
            throws IOException {
        check(directory);
        // Has no URL: its lock guards the files, of which its identity is the owner.
        DurableSieve.Builder builder = DurableSieve.builder(directory).durability(durability);
        DurableSieve guard = (DurableFolder.exists(directory) ? builder : builder.capacity(1)).open();
        AutoCloseable opened = guard;
        try {
            long id = DurableFolder.id(directory);
            JobFiles files = JobFiles.open(new LocalDisk(directory), id, FILES, guard.forces(), guard::sync);
            files.closeLast(guard::close);
            opened = files;
            if (guard.stats().accepted() > 0) {
                throw new IllegalArgumentException("not the job of a folder; choose another one");
            }
            for (LineFile.Kind kind : FILES) {
                if (!kind.equals(PAUSES) && !AllStages.LASTING.contains(kind) && files.exists(kind)) {
                    files.replace(kind, lines -> {});
                }
            }
            Frontier frontier = Sieve.builder().settings(settings).build();
            return new CrawlJob(frontier, directory, files, Sharing.NONE, opening(files, Instant.now()));
        } catch (IOException | RuntimeException e) {
            close(opened, e);
            throw e;
        }
    }

    private static JobStore.Opening opening(JobFiles files, Instant now) {
        return (seeds, origins) -> new CrawlDirectory(files, now, seeds, origins);
    }

    /** Opens the files beside a frontier, which the caller closes when that fails. */
    public static CrawlJob open(DurableSieve frontier, Path folder, Disk disk, long id, Instant now)
            throws IOException {
        JobFiles files = JobFiles.open(disk, id, FILES, frontier.forces(), frontier::sync);
        try {
            if (AllStages.beginAnew(files)) {
                throw new IllegalArgumentException("the job of a folder; name the folder as SEED, or another job");
            }
            return new CrawlJob(frontier, folder, files, Sharing.NONE, opening(files, now));
        } catch (IOException | RuntimeException e) {
            close(files, e);
            throw e;
        }
    }

    /** Closes what is open after a failure. */
    private static void close(AutoCloseable open, Exception failure) {
        try {
            open.close();
        } catch (Exception e) {
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

    @Override
    public void read(Consumer<String> seeds, Consumer<String> origins) throws IOException {
        files.read(SEEDS, (position, line) -> seeds.accept(line), LineFile.REFUSE);
        files.read(ORIGINS, (position, line) -> origins.accept(line), LineFile.REFUSE);
    }

    @Override
    public FileEnds outputs(List<Path> outputs, boolean forces) throws IOException {
        return new OutputLengths(files, forces);
    }

    @Override
    public synchronized void add(List<String> seeds, List<String> origins) {
        seeds.forEach(seedFile::add);
        seedFile.flush();
        origins.forEach(originFile::add);
        originFile.flush();
    }

    @Override
    public synchronized void force() {
        seedFile.force();
        originFile.force();
    }

    /** Counted from the opening of the folder. */
    @Override
    public Map<String, Duration> takePauses() {
        return pauses.getAndSet(Map.of());
    }

    @Override
    public synchronized void addPause(String host, Duration pause, Duration use, Instant now) {
        Instant expiry = now.plus(use).plus(pause);
        pauseFile.add(pause.toMillis() + " " + expiry.toEpochMilli() + " " + host);
        pauseFile.flush();
    }
}
