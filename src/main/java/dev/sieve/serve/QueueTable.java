package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.polite.Codec;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.LeaseCodec;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.serve.Queue.State;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues of a crawl by name, and their items that were read from the log, in a {@link HostSchedule}.
 *
 * <p>A queue that must not be served is <em>parked</em>: the schedule considers a request to be under way. It is
 * reviewed whenever something changes that keeps it from being served, and at the time when its delay or its block
 * ends. So the schedule selects, in O(log n), only queues that may be served, except those that were blocked since they
 * were queued. Guarded by the lock of the crawl.
 */
final class QueueTable implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(QueueTable.class);

    private final MemoryBudget memory;
    private final LongSupplier defaultDelay;
    private final HostSchedule<Item> schedule;
    /** The queues in the order in which they were created, so that pages of a list fit together. */
    private final Map<String, Queue> queues = new LinkedHashMap<>();

    private final NavigableSet<Queue> timers = new TreeSet<>(Queue.BY_TIMER);
    private final NavigableSet<Queue> full = new TreeSet<>(Queue.BY_MAX);
    private long created;

    /** The names of all queues that were ever deleted and, at the rate of the filter, a few others. */
    private final Membership deleted = GrowingBloomFilter.create(1_000, 1e-4, Memberships.randomSeed());

    /** The highest generation of all queues that are or were stored. */
    private int lastGeneration;
    /** Whether there was no memory for the last queue that was requested. */
    private boolean wasFull;

    private long bytes;
    private final Consumer<Queue> saver;

    /**
     * Creates an empty table.
     *
     * @param folder for the spill file
     * @param memory also limits the queued items, of which more are in the spill file
     * @param defaultDelay the delay of queues without one of their own, in seconds
     * @param decoder makes an item of a lease
     * @param saver stores a queue whose name was used before
     */
    QueueTable(
            Path folder,
            MemoryBudget memory,
            LongSupplier defaultDelay,
            Function<Lease, Item> decoder,
            Consumer<Queue> saver,
            Moment now) {
        this.memory = memory;
        this.saver = saver;
        this.defaultDelay = defaultDelay;
        schedule = new ScheduleOptions<Item>()
                .delay(Duration.ZERO)
                .lanes(1, item -> item.isFirst ? 0 : 1)
                .spill(folder, new ItemCodec(decoder), memory.queuedBytes())
                .build(now.nanos());
    }

    /** Returns a queue that is stored; null without any. */
    @Nullable
    Queue find(String name) {
        return queues.get(name);
    }

    /** Returns a queue, which is created if necessary; null when there is no memory for it. */
    @Nullable
    Queue get(String name) {
        Queue queue = queues.get(name);
        if (queue == null) {
            boolean hasMemory = memory.reserve(bytes(name), MemoryBudget.Use.STORED);
            if (!hasMemory && !wasFull) {
                LOG.warn(
                        "no memory for another queue: {} MiB of {} MiB are in use; its URLs are refused; increase the heap"
                                + " with -Xmx",
                        memory.used() >> 20,
                        memory.limit() >> 20);
            }
            wasFull = !hasMemory;
            if (hasMemory) {
                queue = create(name, generationOf(name));
                if (queue.generation > 0) {
                    saver.accept(queue);
                }
            }
        }
        return queue;
    }

    /** Returns a queue, which is created whatever memory there is, with a generation that was stored. */
    Queue restore(String name, int generation) {
        lastGeneration = Math.max(lastGeneration, generation);
        Queue queue = queues.get(name);
        if (queue == null) {
            memory.add(bytes(name));
            queue = create(name, generation);
        }
        return queue;
    }

    /**
     * Returns the generation of a queue: if it is not stored, the one that it would be created with. That is 0 for a
     * name of which no queue was deleted, whose URLs then are new only if they never were records of the log, also when
     * the log has forgotten them. Otherwise it is one that no earlier queue of that name had.
     */
    int generationOf(String name) {
        Queue queue = queues.get(name);
        if (queue != null) {
            return queue.generation;
        }
        return deleted.mightContain(name) ? lastGeneration : 0;
    }

    int nextGeneration() {
        return Math.incrementExact(lastGeneration);
    }

    /** Notes that all queues of a name with lower generations are deleted. */
    void deleted(String name, int generation) {
        lastGeneration = Math.max(lastGeneration, generation);
        long before = deleted.memoryBytes();
        deleted.add(name);
        memory.add(deleted.memoryBytes() - before);
        bytes += deleted.memoryBytes() - before;
    }

    private static long bytes(String name) {
        return Queue.BYTES + 3L * name.length();
    }

    private Queue create(String name, int generation) {
        lastGeneration = Math.max(lastGeneration, generation);
        Queue queue = new Queue(name, created++, generation);
        queues.put(name, queue);
        bytes += bytes(name);
        return queue;
    }

    /** Removes a queue, which has no items and may be served. */
    void remove(Queue queue) {
        if (queues.remove(queue.name, queue)) {
            bytes -= bytes(queue.name);
            memory.release(bytes(queue.name));
        }
    }

    Collection<Queue> all() {
        return Collections.unmodifiableCollection(queues.values());
    }

    long size() {
        return schedule.size();
    }

    int size(Queue queue) {
        return schedule.size(queue.name);
    }

    void add(Item item) {
        schedule.add(item.queue.name, item);
    }

    /** Queues an item that was removed ahead of the others of its queue. */
    void putBack(Item item) {
        schedule.putBack(item.queue.name, item);
    }

    /** Removes the next item of a queue that may be served, and parks the queue; null without any. */
    @Nullable
    Item poll(Moment now) {
        return parked(schedule.poll(now.nanos()));
    }

    /** Removes the next item of a queue, if that may be served, and parks it. */
    @Nullable
    Item poll(Queue queue, Moment now) {
        return queue.state == State.OPEN ? parked(schedule.poll(queue.name, now.nanos())) : null;
    }

    private static @Nullable Item parked(@Nullable Item item) {
        if (item != null) {
            item.queue.state = State.PARKED;
        }
        return item;
    }

    /** Removes the next item of a parked queue; null without any. */
    @Nullable
    Item pollMore(Queue queue) {
        return schedule.pollMore(queue.name);
    }

    boolean mayServe(Queue queue, Moment now) {
        return !queue.isFull() && !queue.isAtLimit() && readyNanos(queue, now) - now.nanos() <= 0;
    }

    private long readyNanos(Queue queue, Moment now) {
        return queue.readyNanos(now, defaultDelay.getAsLong());
    }

    /**
     * Opens a parked queue when it may be served, now or as soon as its time has come. One without URLs and items is
     * removed then, not before, so that the delay also holds for the next queue of its name.
     */
    void review(Queue queue, Moment now) {
        if (queue.state != State.OPEN) {
            open(queue, now);
        }
        if (queue.state == State.OPEN && !queue.exists() && !queue.isRestored && size(queue) == 0) {
            remove(queue);
        }
    }

    private void open(Queue queue, Moment now) {
        unlist(queue);
        long ready = readyNanos(queue, now);
        if (queue.isFull()) {
            queue.state = State.FULL;
            full.add(queue);
        } else if (!queue.isAtLimit() && ready - now.nanos() > 0) {
            queue.state = State.TIMED;
            queue.timerNanos = ready;
            timers.add(queue);
        } else if (!queue.isAtLimit()) {
            queue.state = State.OPEN;
            schedule.finished(queue.name, now.nanos());
        }
    }

    private void unlist(Queue queue) {
        if (queue.state == State.TIMED) {
            timers.remove(queue);
        } else if (queue.state == State.FULL) {
            full.remove(queue);
        }
        queue.state = State.PARKED;
    }

    /** Reviews the queues that are full by a lower maximum than a client requests now. */
    void allow(long maxInProcess, Moment now) {
        while (!full.isEmpty() && full.first().maxInProcess < maxInProcess) {
            Queue queue = full.first();
            unlist(queue);
            queue.maxInProcess = maxInProcess;
            review(queue, now);
        }
    }

    /** Reviews the queues whose time has come. */
    void advance(Moment now) {
        while (!timers.isEmpty() && timers.first().timerNanos - now.nanos() <= 0) {
            review(timers.first(), now);
        }
    }

    @Override
    public void close() throws IOException {
        memory.release(bytes);
        schedule.close();
    }

    /** Items as the leases that they were made of. */
    private record ItemCodec(Function<Lease, Item> decoder) implements Codec<Item> {
        private static final LeaseCodec LEASES = new LeaseCodec();

        @Override
        public byte[] encode(Item item) {
            return LEASES.encode(item.lease);
        }

        @Override
        public int size(Item item) {
            return item.bytes();
        }

        @Override
        public Item decode(byte[] bytes) {
            return decoder.apply(LEASES.decode(bytes));
        }
    }
}
