package dev.sieve.io;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The text files beside a frontier, as of a job: {@link LineFile}s of one owner, and {@code crawl-counts}, which stores
 * how many lines each of them has at least, so that a missing file, and lines missing at the end of one, are found. The
 * last count of a file is valid; when the files are opened and closed, it is replaced by one that begins with its own
 * count.
 *
 * <p>A count is stored after its lines are on the disk, and removed before a file is replaced by a shorter one. So
 * whatever call fails, or is the last one of the process, no count is higher than what the file has. Safe for use by
 * many threads.
 */
public final class JobFiles implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private static final Pattern COUNT = Pattern.compile("(crawl-[a-z]{1,20}) (\\d{1,18})");
    private static final LineFile.Kind COUNTS =
            new LineFile.Kind("crawl-counts", 3, "a count", "", COUNT.asMatchPredicate());

    /** After so many lines, the file of counts is replaced by one with the valid ones. */
    private static final int MAX_COUNTS = 1_000;

    private final Disk disk;
    private final long owner;
    private final List<LineFile.Kind> kinds;
    private final boolean forces;
    private final Runnable sync;
    /** Whether they are deleted when they are closed. */
    private boolean isTemporary;
    /** What is stored, by the names of files; replaced, never changed. */
    private volatile Map<String, Long> counts = new TreeMap<>();
    /** The open files whose lines are counted, by name. */
    private final Map<String, LineFile> counted = new LinkedHashMap<>();
    /** The files that were opened, each the last time. */
    private final Map<String, LineFile> latest = new HashMap<>();
    /** What uses the files, by type. */
    private final Map<Class<?>, Object> parts = new HashMap<>();

    /** To append counts; null until then. */
    private @Nullable LineFile countFile;

    /** Closes all files, the last one first. */
    private Closeable opened = this::closeCounts;

    /** Reads the counts of a job with files of these kinds; {@code problems} receives what is wrong in their file. */
    public JobFiles(Disk disk, long owner, List<LineFile.Kind> kinds, LineFile.Receiver problems) throws IOException {
        this(disk, owner, kinds, false, () -> {}, problems);
    }

    private JobFiles(
            Disk disk, long owner, List<LineFile.Kind> kinds, boolean forces, Runnable sync, LineFile.Receiver problems)
            throws IOException {
        this.disk = disk;
        this.owner = owner;
        this.kinds = kinds;
        this.forces = forces;
        this.sync = sync;
        List<String> names = disk.names();
        if (names.contains(COUNTS.name())) {
            Map<String, Long> read = new TreeMap<>();
            LineFile.Lines lines = (position, line) -> {
                int space = line.indexOf(' ');
                read.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
            };
            long last = LineFile.read(disk, COUNTS, owner, 0, lines, problems).last();
            require(COUNTS, last, read.getOrDefault(COUNTS.name(), 1L), problems);
            read.remove(COUNTS.name());
            counts = read;
            return;
        }
        for (LineFile.Kind kind : kinds) {
            if (names.contains(kind.name())) {
                problems.accept(disk.path(COUNTS.name()) + ": the file is missing");
                return;
            }
        }
    }

    public interface Opening<T> {
        T open(JobFiles files) throws IOException;
    }

    /**
     * Opens the files of a job, none of which is missing. The counts are created before all others.
     *
     * @param forces whether the job forces its files to the disk
     * @param sync forces the frontier, before a file is replaced: what is done is in the log before a round ends, and a
     *     job that another process may have as well is left alone
     */
    public static JobFiles open(Disk disk, long owner, List<LineFile.Kind> kinds, boolean forces, Runnable sync)
            throws IOException {
        JobFiles files = new JobFiles(disk, owner, kinds, forces, sync, LineFile.REFUSE);
        for (LineFile.Kind kind : kinds) {
            files.require(kind, Long.MAX_VALUE, files.known(kind), LineFile.REFUSE);
        }
        files.replaceCounts(files.counts, true);
        return files;
    }

    /** Returns files in a temporary folder, which are deleted when they are closed. */
    public static JobFiles temporary(Path parent, long owner) throws IOException {
        LocalDisk folder = new LocalDisk(Files.createTempDirectory(parent, "crawl"));
        JobFiles files = new JobFiles(folder, owner, List.of(), LineFile.REFUSE);
        files.isTemporary = true;
        files.opened = folder::deleteAll;
        files.closeFirst(files::closeCounts);
        return files;
    }

    /** Hands the lines of a file to the operating system, and forces them to the disk if {@code isForced}. */
    public void flush(LineFile file, boolean isForced) {
        if (!isTemporary) {
            file.flush(isForced);
        }
    }

    /** Returns whether the files outlive these. */
    public boolean isKept() {
        return !isTemporary;
    }

    /** Flushes a file as the job does its own, and stores how many lines it has. */
    void flush(LineFile file) {
        file.flush(forces);
        count();
    }

    /** Returns the identity of the job, a secret number. */
    public long owner() {
        return owner;
    }

    private long known(LineFile.Kind kind) {
        return counts.getOrDefault(kind.name(), -1L);
    }

    /** Finds a file that is missing, or lines that are missing after the last one; {@code count} is -1 if it is not known. */
    private void require(LineFile.Kind kind, long last, long count, LineFile.Receiver problems) throws IOException {
        if (count >= 0 && !exists(kind)) {
            problems.accept(disk.path(kind.name()) + ": the file is missing");
        } else if (last < count) {
            problems.accept(
                    disk.path(kind.name()) + ": missing at the end: " + (count - last) + " of " + count + " lines");
        }
    }

    public boolean exists(LineFile.Kind kind) throws IOException {
        return disk.names().contains(kind.name());
    }

    public synchronized boolean isOpen(LineFile.Kind kind) {
        return counted.containsKey(kind.name());
    }

    /** Reads a file, as it is on the disk; returns the number of its last line, 0 when it does not exist. */
    public long read(LineFile.Kind kind, LineFile.Lines lines, LineFile.Receiver problems) throws IOException {
        long count = known(kind);
        long last = LineFile.read(disk, kind, owner, count, lines, problems).last();
        require(kind, last, count, problems);
        return last;
    }

    /** Returns what uses a file, which the first call opens or creates. */
    public synchronized <T> T part(Class<T> type, Opening<T> opening) throws IOException {
        T part = type.cast(parts.get(type));
        if (part == null) {
            part = opening.open(this);
            if (part instanceof Closeable closeable) {
                closeFirst(closeable);
            }
            parts.put(type, part);
        }
        return part;
    }

    /** Opens a file after its last line, and creates it if it does not exist. It is closed with these. */
    public synchronized LineFile open(LineFile.Kind kind, LineFile.Lines lines) throws IOException {
        LineFile file = LineFile.open(disk, kind, owner, known(kind), lines);
        LineFile replaced = latest.put(kind.name(), file);
        if (replaced == null) {
            closeFirst(() -> Objects.requireNonNull(latest.get(kind.name())).close());
        } else {
            replaced.close();
        }
        require(kind, file.last(), known(kind), LineFile.REFUSE);
        if (file.unfinished() > 0) {
            LOG.warn(
                    "{}: ignored {} bytes that a crash had left unfinished", disk.path(kind.name()), file.unfinished());
        }
        if (!forces) {
            file.markAll();
        }
        counted.put(kind.name(), file);
        if (known(kind) < 0) {
            count(forces);
        }
        return file;
    }

    /**
     * Replaces a file in one step by one with other lines. If it is open, it is not used any more, unless {@code lines}
     * throws an exception, after which nothing has changed.
     */
    public synchronized void replace(LineFile.Kind kind, LineFile.Writing lines) throws IOException {
        try {
            sync.run();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        long last = LineFile.replace(disk, kind, owner, true, receiver -> {
            lines.writeTo(receiver);
            counted.remove(kind.name());
            if (known(kind) > 0) {
                store(Map.of(kind.name(), 0L), true);
            }
        });
        store(Map.of(kind.name(), last), true);
    }

    /** Stores how many lines the open files have, as far as they survive what the job survives. */
    public void count() {
        if (isTemporary) {
            return;
        }
        try {
            count(forces);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void count(boolean isForced) throws IOException {
        Map<String, Long> more = new TreeMap<>();
        counted.forEach((name, file) -> {
            long last = file.last(isForced);
            if (last > counts.getOrDefault(name, -1L)) {
                more.put(name, last);
            }
        });
        if (!more.isEmpty()) {
            store(more, isForced);
        }
    }

    /** Stores counts in addition to the others. */
    private void store(Map<String, Long> some, boolean isForced) throws IOException {
        Map<String, Long> all = new TreeMap<>(counts);
        all.putAll(some);
        if (countFile != null && countFile.last() > MAX_COUNTS) {
            replaceCounts(all, isForced);
            return;
        }
        if (countFile == null) {
            countFile = LineFile.open(disk, COUNTS, owner, 0, (position, line) -> {});
        }
        try {
            some.forEach((name, count) -> Objects.requireNonNull(countFile).add(name + " " + count));
            countFile.flush(isForced);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        counts = all;
    }

    private void replaceCounts(Map<String, Long> all, boolean isForced) throws IOException {
        closeCounts();
        LineFile.replace(disk, COUNTS, owner, isForced, lines -> {
            lines.accept(COUNTS.name() + " " + (all.size() + 1));
            for (Map.Entry<String, Long> count : all.entrySet()) {
                lines.accept(count.getKey() + " " + count.getValue());
            }
        });
        counts = all;
    }

    private void closeCounts() throws IOException {
        if (countFile != null) {
            countFile.close();
            countFile = null;
        }
    }

    public List<String> problems() throws IOException {
        List<String> problems = new ArrayList<>();
        for (LineFile.Kind kind : kinds) {
            read(kind, (position, line) -> {}, problems::add);
        }
        return problems;
    }

    /**
     * Keeps the intact lines of all files, and copies of those that are changed.
     *
     * @param findings what was found so far, to which what is wrong and what is lost is added
     */
    public void repair(List<String> findings) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        for (LineFile.Kind kind : kinds) {
            List<String> problems = new ArrayList<>();
            long last = read(kind, (position, line) -> {}, problems::add);
            if (!problems.isEmpty()) {
                long all = Math.max(last, known(kind));
                keepBroken(kind);
                last = LineFile.replace(
                        disk,
                        kind,
                        owner,
                        true,
                        lines -> read(kind, (position, line) -> lines.accept(line), problem -> {}));
                findings.addAll(problems);
                findings.add(disk.path(kind.name()) + ": lines kept: " + last + (all > last ? " of " + all : "") + "; "
                        + kind.loss());
            }
            if (exists(kind)) {
                found.put(kind.name(), last);
            }
        }
        if (!findings.isEmpty()) {
            keepBroken(COUNTS);
            // Last, so that an interrupted repair finds the same again.
            replaceCounts(found, true);
        }
    }

    /** Copies a file; the copies of an earlier repair stay, since one that was interrupted has changed the file. */
    private void keepBroken(LineFile.Kind kind) throws IOException {
        if (exists(kind)) {
            List<String> names = disk.names();
            String copy = kind.name() + ".broken";
            for (int number = 2; names.contains(copy); number++) {
                copy = kind.name() + "-" + number + ".broken";
            }
            disk.copy(kind.name(), 0, copy);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!isTemporary) {
            closeFirst(this::countAll);
        }
        opened.close();
    }

    /** Has something closed after the files. */
    public synchronized void closeLast(Closeable last) {
        Closeable files = opened;
        opened = last;
        closeFirst(files);
    }

    @SuppressWarnings("try") // they are only closed here
    private void closeFirst(Closeable first) {
        Closeable rest = opened;
        opened = () -> {
            try (rest;
                    first) {
                // Closes both, whatever one of them throws.
            }
        };
    }

    private void countAll() throws IOException {
        IOException failure = null;
        for (LineFile file : counted.values()) {
            try {
                file.force();
            } catch (UncheckedIOException e) {
                failure = failure == null ? e.getCause() : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        count(true);
        if (countFile != null) {
            replaceCounts(counts, true);
        }
    }
}
