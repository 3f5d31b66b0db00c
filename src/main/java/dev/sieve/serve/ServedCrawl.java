package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.SieveStats;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineTable;
import dev.sieve.io.LocalDisk;
import dev.sieve.serve.ServedFiles.Settings;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One crawl of a server: a frontier on disk, and the queues that its URLs are handed out from.
 *
 * <p>Every call holds the lock of the crawl, so a URL is acknowledged as seen only after the record of it was written.
 * When the disk fails, that call and all later ones throw {@link UncheckedIOException}. Safe for use by many threads.
 */
final class ServedCrawl implements Closeable {
    /** How many items are read from the log in one piece, and in the order of their dates. */
    private static final int CHUNK = 256;

    /** The memory per item that is to be queued, so that many queues can be served. */
    private static final int BYTES_AHEAD = 512;

    /** How many records are read, or dropped, per call. */
    private static final int MAX_READ = 20_000;

    /** How many URLs are handed out per call. */
    private static final int MAX_TAKEN = 5_000;

    private static final long DEFAULT_OF_SERVER = -1;

    final String id;
    private final MemoryBudget memory;
    private final long reservedBytes;
    private final int ahead;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final DurableSieve frontier;
    private final QueueTable table;
    private final JobFiles files;
    private final LineTable settings;
    private final CrawlLog log;
    private final InProcess inProcess;
    private final PutBatch batch;
    /** The delay of queues without one of their own, in seconds; -1 for that of the server. */
    private long delay = DEFAULT_OF_SERVER;

    private @Nullable Throwable failure;
    private boolean isClosed;

    /** Opens a crawl, or makes one, in a folder of its own, and counts its URLs. Queues without a delay have the default, in seconds. */
    ServedCrawl(String id, Path folder, ServedOptions options, MemoryBudget memory, LongSupplier delay, Moment now)
            throws IOException {
        this.id = id;
        this.memory = memory;
        ahead = memory.queuedBytes() / BYTES_AHEAD;
        inProcess = new InProcess(memory);
        frontier = options.open(folder);
        reservedBytes = frontier.stats().memoryBytes() + memory.queuedBytes();
        memory.add(reservedBytes);
        Opened opened = new Opened();
        opened.add(frontier::close);
        opened.add(inProcess::clear);
        try {
            files = JobFiles.open(
                    new LocalDisk(folder),
                    DurableFolder.id(folder),
                    ServedFiles.OF_CRAWL,
                    frontier.forces(),
                    frontier::sync);
            opened.add(files);
            LongSupplier ownDelay = () -> this.delay == DEFAULT_OF_SERVER ? delay.getAsLong() : this.delay;
            table = new QueueTable(folder, memory, ownDelay, this::item, queue -> save(queue.settings()), now);
            opened.add(table);
            log = new CrawlLog(frontier, table, files);
            batch = new PutBatch(log, table, inProcess);
            settings = new LineTable(files, ServedFiles.QUEUES, (position, line) -> restore(Settings.of(line)));
            log.count(inProcess).forEach(queue -> {
                log.delete(queue.name, queue.generation);
                save(queue.settings());
            });
        } catch (IOException | RuntimeException | Error e) {
            memory.release(reservedBytes);
            opened.closeAfter(e);
            throw e;
        }
    }

    private Item item(Lease record) {
        return log.item(record);
    }

    private void restore(Settings line) {
        if (line.queue().isEmpty()) {
            delay = line.delay();
            return;
        }
        table.restore(line.queue(), line.generation()).restore(line);
    }

    private void save(Settings line) {
        settings.add(line.line());
        settings.store();
        settings.trim(this::lines);
    }

    private Collection<String> lines() {
        Stream<Settings> own = delay == DEFAULT_OF_SERVER ? Stream.empty() : Stream.of(ofCrawl());
        Stream<Settings> queues =
                table.all().stream().filter(Queue::hasSettings).map(Queue::settings);
        return Stream.concat(own, queues).map(Settings::line).toList();
    }

    /** Returns its own settings, which are stored as those of a queue without a name. */
    private Settings ofCrawl() {
        return new Settings(0, delay, 0, 0, "");
    }

    /** Sets the delay of queues without one of their own, in seconds, and stores it. */
    void setDelay(long seconds, Moment now) {
        locked(() -> {
            if (delay != seconds) {
                delay = seconds;
                save(ofCrawl());
            }
            return null;
        });
        reviewAll(now);
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("the crawl was deleted: " + id);
            }
            if (failure != null) {
                throw new UncheckedIOException(
                        new IOException("stopped after an earlier error: " + failure.getMessage(), failure));
            }
            return action.get();
        } catch (UncheckedIOException | Error e) {
            failure = failure == null ? e : failure;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Stores URLs whose status is not decided, and decides it; false when the crawl was deleted. */
    boolean put(List<PutItem> items, Moment now) {
        lock.lock();
        try {
            if (!isClosed) {
                locked(() -> {
                    batch.put(items, now);
                    return null;
                });
            }
            return !isClosed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What a client requests.
     *
     * @param queue null for any
     * @param maxQueues at least 1
     * @param maxPerQueue at least 1; includes URLs that are in process already
     */
    record Request(@Nullable String queue, long maxQueues, long maxPerQueue, long leaseSeconds) {
        Request lessQueues(long queues) {
            return new Request(queue, maxQueues - queues, maxPerQueue, leaseSeconds);
        }
    }

    /** What a client gets, and whether there may be more at once. */
    record Taken(List<Item> items, long queues, boolean hasMore) {}

    Taken take(Request request, Moment now) {
        return locked(() -> {
            advance(now);
            table.allow(request.maxPerQueue, now);
            List<Item> taken = new ArrayList<>();
            List<Queue> polled = new ArrayList<>();
            long served = 0;
            int read = readAhead(request, now);
            boolean isOver = false;
            while (!isOver && served < request.maxQueues && taken.size() < MAX_TAKEN && polled.size() < MAX_READ) {
                Item item = poll(request, now);
                if (item != null) {
                    polled.add(item.queue);
                    served += serve(item, request, now, taken) ? 1 : 0;
                    isOver = request.queue != null;
                } else {
                    int more = read < MAX_READ ? read(now) : 0;
                    read += more;
                    isOver = more == 0;
                }
            }
            polled.forEach(queue -> table.review(queue, now));
            return new Taken(taken, served, taken.size() >= MAX_TAKEN);
        });
    }

    private @Nullable Item poll(Request request, Moment now) {
        if (request.queue == null) {
            return table.poll(now);
        }
        Queue queue = table.find(request.queue);
        return queue == null ? null : table.poll(queue, now);
    }

    /** Reads ahead until enough items are queued; returns the number of records read. */
    private int readAhead(Request request, Moment now) {
        Queue queue = request.queue == null ? null : table.find(request.queue);
        if (request.queue != null && (queue == null || queue.state != Queue.State.OPEN)) {
            return MAX_READ;
        }
        int read = 0;
        int more = 1;
        while (more > 0 && read < MAX_READ && isBehind(queue, request)) {
            more = read(now);
            read += more;
        }
        return read;
    }

    private boolean isBehind(@Nullable Queue queue, Request request) {
        if (log.firstUnread > 0) {
            return true;
        }
        return queue == null
                ? table.size() < ahead
                : table.size(queue) < Math.min(ahead, request.maxPerQueue)
                        && table.size(queue) + queue.inProcess < queue.active;
    }

    /** Reads records from the log into the queues; returns how many. */
    private int read(Moment now) {
        List<Item> items = new ArrayList<>();
        int read = 0;
        for (; read < CHUNK; read++) {
            Lease lease = frontier.take(now.nanos());
            if (lease == null) {
                break;
            }
            Item item = log.item(lease);
            log.firstUnread -= item.isFirst && item.info.refetch() == 0 ? 1 : 0;
            if (log.isOutdated(item)) {
                drop(item);
            } else if (now.isBefore(item.info.refetch())) {
                frontier.retry(lease, now.at(item.info.refetch()));
            } else {
                items.add(item);
            }
        }
        items.sort(Comparator.comparingLong(item -> item.info.refetch()));
        items.forEach(table::add);
        return read;
    }

    private void drop(Item item) {
        if (!item.isEnded) {
            frontier.done(item.lease);
            item.queue.active -= item.info.generation() == item.queue.generation ? 1 : 0;
            inProcess.end(item);
        }
    }

    /** Replaces an item that was handed out by a newer record of its URL, so that this one is handed out the next time. */
    private void replace(Item old, Item item) {
        boolean isInProcess = old.isInProcess;
        drop(old);
        if (!isInProcess || !inProcess.begin(item, old.expiryNanos)) {
            table.putBack(item);
        }
    }

    /** Hands out items of a queue, of which the first was removed; returns whether there were any. */
    private boolean serve(Item first, Request request, Moment now, List<Item> taken) {
        Queue queue = first.queue;
        queue.maxInProcess = request.maxPerQueue;
        if (!table.mayServe(queue, now)) {
            table.putBack(first);
            return false;
        }
        int before = taken.size();
        int dropped = 0;
        Item item = first;
        while (item != null) {
            Item other = inProcess.find(item.key());
            if (log.isOutdated(item) || (other != null && other.lease.id() > item.lease.id())) {
                drop(item);
                dropped++;
            } else if (other != null && other != item) {
                replace(other, item);
                dropped++;
            } else if (inProcess.begin(item, now.after(request.leaseSeconds))) {
                taken.add(item);
            } else {
                table.putBack(item);
                break;
            }
            boolean isEnough =
                    queue.inProcess >= request.maxPerQueue || taken.size() >= MAX_TAKEN || dropped >= MAX_READ;
            item = isEnough ? null : table.pollMore(queue);
        }
        boolean isServed = taken.size() > before;
        if (isServed) {
            queue.served(now);
        }
        return isServed;
    }

    /** Applies what the time has changed. */
    private void advance(Moment now) {
        List<Item> expired = inProcess.expire(now.nanos());
        for (int i = expired.size() - 1; i >= 0; i--) {
            Item item = expired.get(i);
            table.putBack(item);
            table.review(item.queue, now);
        }
        table.advance(now);
    }

    /** Changes the settings of a queue and stores them; false when there is no such queue. */
    boolean change(String name, Consumer<Queue> change, Moment now) {
        return locked(() -> {
            Queue queue = table.find(name);
            if (queue == null || !queue.exists()) {
                return false;
            }
            Settings before = queue.settings();
            change.accept(queue);
            if (!before.equals(queue.settings())) {
                save(queue.settings());
            }
            table.review(queue, now);
            return true;
        });
    }

    /** Reviews all queues after a change of the default delay. */
    void reviewAll(Moment now) {
        locked(() -> {
            List.copyOf(table.all()).forEach(queue -> table.review(queue, now));
            return null;
        });
    }

    /** Removes all URLs of a queue, so that they can be discovered again; returns how many there were. */
    long deleteQueue(String name, Moment now) {
        return locked(() -> {
            Queue queue = table.find(name);
            if (queue == null || !queue.exists()) {
                return 0L;
            }
            long urls = queue.active + queue.completed();
            int generation = table.nextGeneration();
            log.delete(name, generation);
            queue.delete(generation);
            for (Item item : inProcess.of(queue)) {
                frontier.done(item.lease);
                inProcess.end(item);
            }
            Item item = queue.state == Queue.State.OPEN ? table.poll(queue, now) : table.pollMore(queue);
            for (int dropped = 0; item != null; dropped++) {
                drop(item);
                item = dropped < MAX_READ ? table.pollMore(queue) : null;
            }
            table.review(queue, now);
            if (table.find(name) == queue) {
                save(queue.settings());
            }
            return urls;
        });
    }

    /** The numbers of a crawl, or of one of its queues. */
    record Numbers(long queues, long activeQueues, long active, long inProcess, long completed) {
        static final Numbers NONE = new Numbers(0, 0, 0, 0, 0);
    }

    /** Counts URLs, of one queue or of all (null). */
    Numbers numbers(@Nullable String name, Moment now) {
        return locked(() -> {
            advance(now);
            Stream<Queue> named = name == null ? table.all().stream() : Stream.ofNullable(table.find(name));
            List<Queue> queues = named.filter(Queue::exists).toList();
            return new Numbers(
                    queues.size(),
                    queues.stream().filter(queue -> queue.active > 0).count(),
                    sum(queues, queue -> queue.active),
                    sum(queues, queue -> queue.inProcess),
                    sum(queues, Queue::completed));
        });
    }

    private static long sum(Collection<Queue> queues, ToLongFunction<Queue> number) {
        return queues.stream().filter(Queue::exists).mapToLong(number).sum();
    }

    /** Returns how many URLs it has, active and completed; also after the disk has failed. */
    long urls() {
        lock.lock();
        try {
            return sum(table.all(), queue -> queue.active + queue.completed());
        } finally {
            lock.unlock();
        }
    }

    SieveStats stats() {
        return locked(frontier::stats);
    }

    /** Returns its numbers. Uses no file: an interrupt, as of a slow request, would close it. */
    CrawlStats stats(Moment now) {
        return locked(() -> new CrawlStats(
                frontier.stats(), table.all().stream().filter(Queue::exists).count(), inProcess.count(now.nanos())));
    }

    boolean hasQueues() {
        return locked(() -> table.all().stream().anyMatch(Queue::exists));
    }

    /** Returns the names of queues, in the order in which they were created. */
    List<String> queueNames(long start, long size, boolean inactiveToo, Moment now) {
        return locked(() -> table.all().stream()
                .filter(queue -> inactiveToo ? queue.exists() : queue.active > 0 && !queue.isBlocked(now))
                .skip(start)
                .limit(size)
                .map(queue -> queue.name)
                .toList());
    }

    /** Whether a URL may have been seen; false is exact. */
    boolean mightContain(String url, String queueName) {
        String queue = UrlKeys.isHost(queueName, url) ? null : queueName;
        return locked(() -> frontier.mightContain(UrlKeys.key(url, queue, table.generationOf(queueName))));
    }

    /** Returns a listing of its URLs as of now, which is read without holding up other calls. */
    UrlListing listing() {
        return locked(() -> log.listing(this::state));
    }

    private UrlListing.State state(Lease record, RecordInfo info, boolean isDone) {
        return locked(() -> {
            Queue queue = table.find(info.queueOf(record.url()));
            if (queue == null || queue.generation != info.generation()) {
                return UrlListing.State.DELETED;
            }
            String key = UrlKeys.key(record.url(), info.queue(), info.generation());
            return isDone || log.isReplaced(record.id(), key) ? UrlListing.State.COMPLETED : UrlListing.State.ACTIVE;
        });
    }

    /** Writes what is not written yet and releases the folder; no call succeeds after that. */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (!isClosed) {
                isClosed = true;
                memory.release(reservedBytes);
                inProcess.clear();
                try (table;
                        files) {
                    frontier.close();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
