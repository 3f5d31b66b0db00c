package dev.sieve.serve;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.serve.ServedFiles.ServerSettings;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The crawls of a server, each in a folder of its own, and what is set for all of them. Safe for use by many threads.
 *
 * <pre>
 *   lock            locked by the process that serves the folder
 *   server-settings whether URLs are handed out, and the delay of queues without one of their own
 *   crawl-NAME      a crawl: its frontier, and the files of {@link ServedFiles#OF_CRAWL}
 *   deleted-*       a crawl that is being deleted
 * </pre>
 */
final class Crawls implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Crawls.class);
    private static final String SETTINGS = ServedFiles.SERVER.name();
    private static final String CRAWL = "crawl-";
    private static final String DELETED = "deleted-";
    private static final long DEFAULT_DELAY = 1;

    private final Path directory;
    private final ServedOptions options;
    private final MemoryBudget memory;
    private final Map<String, ServedCrawl> crawls = new ConcurrentSkipListMap<>();

    // Guarded by this.
    private final Closeable folderLock;
    private final LocalDisk disk;
    private boolean hasWarned;
    private boolean isClosed;

    private volatile boolean isActive = true;
    private volatile long delay = DEFAULT_DELAY;

    Crawls(Path directory, ServedOptions options, MemoryBudget memory, Moment now) throws IOException {
        this.directory = directory;
        this.options = options;
        this.memory = memory;
        LocalDisk.makeFolder(directory);
        disk = new LocalDisk(directory);
        checkFiles();
        folderLock = DurableFolder.lock(directory);
        Opened opened = new Opened();
        opened.add(folderLock);
        try {
            readSettings();
            opened.add(this::closeCrawls);
            openAll(now);
        } catch (IOException | RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** Refuses a folder of another purpose, in which a folder could have the name of one that is being deleted. */
    private void checkFiles() throws IOException {
        if (Files.exists(directory.resolve(SETTINGS))) {
            return;
        }
        Optional<String> other = disk.names().stream()
                .filter(name -> !name.equals("lock") && !name.startsWith(SETTINGS) && !name.startsWith(CRAWL))
                .min(Comparator.naturalOrder());
        if (other.isPresent()) {
            throw new IOException(
                    directory + ": a server needs a folder of its own, and this one contains " + other.get());
        }
    }

    private void openAll(Moment now) throws IOException {
        for (String name : disk.names()) {
            Path folder = directory.resolve(name);
            if (name.startsWith(DELETED)) {
                deleteAll(folder);
            } else if (name.startsWith(CRAWL)) {
                String id = FolderName.unescaped(name.substring(CRAWL.length()));
                if (id == null) {
                    throw new IOException(folder + ": not a crawl folder; rename it or move it elsewhere");
                }
                crawls.put(id, new ServedCrawl(id, folder, options, memory, () -> delay, now));
            }
        }
        if (memory.used() > memory.limit()) {
            throw new IllegalArgumentException("the crawls in " + directory + " need " + (memory.used() >> 20)
                    + " MiB of memory, more than the " + (memory.limit() >> 20)
                    + " MiB that are available: increase the heap with -Xmx");
        }
    }

    @Nullable
    ServedCrawl find(String id) {
        return crawls.get(id);
    }

    /** Returns all crawls, in the order of their names. */
    List<ServedCrawl> all() {
        return List.copyOf(crawls.values());
    }

    /**
     * Returns a crawl by a {@linkplain FolderName#isPossible valid} name, which is created if necessary; null when
     * the memory that is left does not suffice for its filter and its queues.
     */
    @Nullable
    ServedCrawl get(String id, Moment now) throws IOException {
        ServedCrawl crawl = crawls.get(id);
        return crawl != null ? crawl : create(id, now);
    }

    private synchronized @Nullable ServedCrawl create(String id, Moment now) throws IOException {
        if (isClosed) {
            throw new IOException("the server is stopping");
        }
        ServedCrawl crawl = crawls.get(id);
        if (crawl != null) {
            return crawl;
        }
        long filterBytes = options.filterBytes();
        long bytes = filterBytes + memory.queuedBytes();
        if (!memory.reserve(bytes, MemoryBudget.Use.STORED)) {
            if (!hasWarned) {
                hasWarned = true;
                LOG.warn(
                        "no memory for another crawl: it takes {} MiB for its filter and {} MiB for its queues, {} MiB of {}"
                                + " MiB are in use; its URLs are refused: {}; increase the heap with -Xmx",
                        mebibytes(filterBytes),
                        mebibytes(memory.queuedBytes()),
                        mebibytes(memory.used()),
                        mebibytes(memory.limit()),
                        id);
            }
            return null;
        }
        memory.release(bytes);
        Path folder = directory.resolve(CRAWL + FolderName.of(id));
        if (Files.exists(folder)) {
            throw new IOException(folder + ": was created after the server was started");
        }
        Opened opened = new Opened();
        opened.add(() -> deleteAll(folder));
        try {
            crawl = new ServedCrawl(id, folder, options, memory, () -> delay, now);
            opened.add(crawl);
            LocalDisk.forceNames(directory);
        } catch (IOException | RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
        }
        crawls.put(id, crawl);
        return crawl;
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    /** Removes a crawl and its folder, also after its disk has failed; returns how many URLs it had. */
    long delete(String id) throws IOException {
        Path deleted = directory.resolve(DELETED + UUID.randomUUID());
        long urls;
        synchronized (this) {
            ServedCrawl crawl = crawls.get(id);
            if (crawl == null) {
                return 0;
            }
            urls = crawl.urls();
            crawls.remove(id);
            try {
                crawl.close();
            } catch (IOException | UncheckedIOException e) {
                LOG.warn("crawl {} is being deleted; closing it failed: {}", id, e.getMessage());
            }
            Files.move(directory.resolve(CRAWL + FolderName.of(id)), deleted);
            LocalDisk.forceNames(directory);
        }
        deleteAll(deleted);
        return urls;
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    boolean isActive() {
        return isActive;
    }

    synchronized void setActive(boolean choice) throws IOException {
        save(choice, delay);
        isActive = choice;
    }

    /** Sets the seconds between two times that URLs are retrieved from a queue without a delay of its own. */
    synchronized void setDelay(long seconds, Moment now) throws IOException {
        save(isActive, seconds);
        delay = seconds;
        crawls.values().forEach(crawl -> crawl.reviewAll(now));
    }

    /** Stores them in a file of one line. */
    private void save(boolean active, long seconds) throws IOException {
        LineFile.replace(disk, ServedFiles.SERVER, 0, List.of(new ServerSettings(active, seconds).line()));
    }

    private void readSettings() throws IOException {
        List<String> lines = new ArrayList<>();
        LineFile.Receiver refuse = problem -> {
            throw new IOException(problem + "; delete it, and set again whether the server is active, and its delay");
        };
        LineFile.read(disk, ServedFiles.SERVER, 0, 1, (position, line) -> lines.add(line), refuse);
        if (lines.size() == 1) {
            ServerSettings settings = ServerSettings.of(lines.get(0));
            isActive = settings.isActive();
            delay = settings.delay();
        } else if (Files.exists(directory.resolve(SETTINGS))) {
            refuse.accept(directory.resolve(SETTINGS) + ": not one line");
        } else {
            if (disk.names().stream().anyMatch(name -> name.startsWith(CRAWL))) {
                LOG.warn("{}: the settings of the server are missing; it is active, with the default delay", directory);
            }
            save(isActive, delay);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            try (folderLock) {
                closeCrawls();
            }
        }
    }

    /** Closes all of them, even when one cannot be closed. */
    private void closeCrawls() throws IOException {
        IOException failure = null;
        for (ServedCrawl crawl : all()) {
            crawls.remove(crawl.id);
            try {
                crawl.close();
            } catch (IOException | UncheckedIOException e) {
                IOException error = new IOException(crawl.id + ": " + e.getMessage(), e);
                if (failure == null) {
                    failure = error;
                } else {
                    failure.addSuppressed(error);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
