package dev.sieve.job;

import dev.sieve.FrontierSettings;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The folder of a job, from which a crawl continues after a crash: see {@link CrawlDirectory}. A job that is opened
 * here has a durability, and may keep the URLs that are done.
 *
 * @param kinds its files besides the frontier, which are checked and repaired
 */
public record FolderPlace(
        Path folder, Durability durability, boolean keepsLog, boolean beginsAnew, List<LineFile.Kind> kinds)
        implements SavedPlace {
    private static final int ATTEMPTS = 10;

    /** Creates the place of a job that survives its process. */
    public FolderPlace(Path folder) {
        this(folder, Durability.PROCESS, false, false);
    }

    /** Creates the place of a job that may begin anew with each run. */
    public FolderPlace(Path folder, Durability durability, boolean keepsLog, boolean beginsAnew) {
        this(folder, durability, keepsLog, beginsAnew, CrawlDirectory.FILES);
    }

    /** Creates the place of a job, or of a frontier with further files of another use. */
    public static FolderPlace with(Path folder, List<LineFile.Kind> others) {
        List<LineFile.Kind> all =
                Stream.concat(CrawlDirectory.FILES.stream(), others.stream()).toList();
        return new FolderPlace(folder, Durability.PROCESS, false, false, all);
    }

    @Override
    public String kind() {
        return "job";
    }

    @Override
    public boolean forces() {
        return durability.forces();
    }

    @Override
    public boolean contains(Path file) {
        return file.toAbsolutePath()
                .normalize()
                .startsWith(folder.toAbsolutePath().normalize());
    }

    @Override
    public void check() throws IOException {
        if (folder.toString().isEmpty()) {
            throw new IllegalArgumentException("the name is empty");
        }
        CrawlDirectory.check(folder);
    }

    @Override
    public boolean exists() {
        return DurableFolder.exists(folder);
    }

    @Override
    public CrawlJob open(CrawlOptions options, FrontierSettings settings) throws IOException {
        return beginsAnew
                ? CrawlDirectory.openAnew(folder, settings, durability)
                : CrawlDirectory.open(
                        folder,
                        builder -> builder.settings(settings)
                                .durability(durability)
                                .keepLog(keepsLog));
    }

    @Override
    public void seeds(Consumer<String> seeds) throws IOException {
        readSeeds(seeds::accept, LineFile.REFUSE);
    }

    private void readSeeds(LineFile.Receiver seeds, LineFile.Receiver problems) throws IOException {
        files(problems).read(CrawlDirectory.SEEDS, (position, line) -> seeds.accept(line), problems);
    }

    @Override
    public void export(Export which, Consumer<String> urls) throws IOException {
        // Labels are numbers of the caller's choice: without these files, the frontier is not one of a crawl.
        boolean isJob = Files.exists(folder.resolve(CrawlDirectory.SEEDS.name()));
        DurableFolder.export(folder, which, label -> !isJob || CrawlJob.isPage(label), urls);
    }

    @Override
    public boolean keepsDone() {
        return true;
    }

    @Override
    public boolean mightContain(String key) throws IOException {
        return DurableFolder.filterMightContain(folder, key);
    }

    @Override
    public CrawlState inspect() throws IOException {
        DurableState read = DurableFolder.inspect(folder);
        List<String> problems = new ArrayList<>(read.problems());
        problems.addAll(lasting());
        AtomicLong seeds = new AtomicLong();
        // Damaged ones do not count.
        readSeeds(line -> seeds.incrementAndGet(), problem -> {});
        long bytes = 0;
        Instant oldest = Instant.MAX;
        for (String name : new LocalDisk(folder).names()) {
            try {
                BasicFileAttributes file = Files.readAttributes(folder.resolve(name), BasicFileAttributes.class);
                bytes += file.size();
                Instant changed = file.lastModifiedTime().toInstant();
                oldest = changed.isBefore(oldest) ? changed : oldest;
            } catch (NoSuchFileException e) {
                // The crawl has just deleted it.
            }
        }
        CrawlState.Folder state = new CrawlState.Folder(read, bytes, oldest);
        return new CrawlState(read.stats(), seeds.get(), read.lost(), problems, state, null);
    }

    /** Returns the problems that are not those of a crawl which starts at the same time and replaces some files. */
    private List<String> lasting() throws IOException {
        List<String> problems = fileProblems();
        for (int more = 0; more < ATTEMPTS && !problems.isEmpty(); more++) {
            List<String> again = fileProblems();
            if (again.equals(problems)) {
                break;
            }
            problems = again;
        }
        return problems;
    }

    private List<String> fileProblems() throws IOException {
        List<String> problems = new ArrayList<>();
        problems.addAll(files(problems::add).problems());
        return problems;
    }

    private JobFiles files(LineFile.Receiver problems) throws IOException {
        return new JobFiles(new LocalDisk(folder), DurableFolder.id(folder), kinds, problems);
    }

    /** Repairs the frontier and the other files, whose intact lines are kept. Changed files are copied to {@code .broken}. */
    @Override
    public RepairReport repair() throws IOException {
        return DurableFolder.repair(folder).withFindings(repairFiles());
    }

    @SuppressWarnings("try") // the lock is only held
    private List<String> repairFiles() throws IOException {
        List<String> findings = new ArrayList<>();
        try (Closeable held = DurableFolder.lock(folder)) {
            files(findings::add).repair(findings);
        }
        return findings;
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
