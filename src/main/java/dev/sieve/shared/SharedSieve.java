package dev.sieve.shared;

import dev.sieve.Frontier;
import dev.sieve.FrontierBuilder;
import dev.sieve.FrontierSettings;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Memberships;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A URL frontier that many processes share: its state is on a Valkey or Redis server or cluster, the engine.
 *
 * <p>The hosts are divided into slices. Each open frontier, a worker, owns its share of the slices, and only the owner
 * hands out their URLs, so no host is requested by two workers. Every worker pushes into every slice. Slices move when
 * workers come, end or die; then the leases that were held in them have ended, and their URLs are handed out by the new
 * owner: call {@link #begin} just before a request. URLs with one key must have one host.
 *
 * <p>What the engine has stored survives the death of any worker. When the engine itself loses the end of its log, the
 * URLs of the lost time are handed out again, and {@link #push} may report some of them as new again; nothing else is
 * lost, except seeds that were pushed by a worker that has died as well: a worker keeps URLs without a referrer until
 * they are safe, and a push waits while there are too many. While the engine is away, {@link #take} returns null and
 * pushes wait, up to the {@linkplain Builder#patience patience}; then every method throws.
 *
 * <p>The engine stores a fingerprint of 32 bits per URL, so a new URL is very rarely mistaken for a seen one. URLs are
 * handed out first in, first out within a slice. The order between slices is not defined.
 *
 * <p>Counts include what other workers did until a second ago; in a crawl with more than 64 slices and four workers,
 * until a minute ago at most. Safe for use by many threads.
 */
public final class SharedSieve implements Frontier {
    /** How many URLs may be done before the engine has stored it. */
    private static final int MAX_UNSENT = 512;

    private static final long AWAY_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Worker worker;
    private final Pusher pusher;
    private final RepeatableWrites writes;
    private final CapacityMarks capacity;
    private final SharedNotes notes;
    private final SharedBudget budget;
    private final SharedUpkeep upkeep;

    // Used with the lock of the round trips.
    private final Taker taker;
    private final Barrier barrier;
    private final Results results;
    private final Ownership ownership;
    private final Overview overview;

    private SharedSieve(Builder builder, Engine engine, String name, CrawlSettings settings) {
        Holdings holdings = new Holdings(settings.slices(), builder.leaseTimeoutNanos());
        CrawlKeys keys = settings.keys(builder.address.name());
        Totals totals = new Totals(settings, holdings);
        worker = new Worker(name, engine, keys, settings, holdings, totals, new ReentrantLock(), builder.clock);
        HostSlices hosts = new HostSlices(settings.slices(), settings.seed(), builder.groupOfHost);
        pusher = new Pusher(worker, hosts, new RecentKeys(builder.cacheBytes));
        capacity = new CapacityMarks(worker, builder.settings().listener());
        taker = new Taker(worker);
        barrier = new Barrier(worker, builder.isBarrierOff);
        results = new Results(worker, barrier, builder.hasKeeper);
        ownership = new Ownership(worker, builder.ownership, builder.rest, builder.mostPerHost);
        writes = new RepeatableWrites(worker, this::requireUsable);
        overview = new Overview(worker, results, ownership, writes.recent());
        notes = new SharedNotes(worker, hosts, ownership, writes);
        ownership.join();
        budget = new SharedBudget(worker, builder.mostPerHost != null);
        upkeep = new SharedUpkeep(
                worker, barrier, results, ownership, overview, writes.recent(), budget, capacity, builder.onClaim);
        beat();
        if (builder.hasKeeper) {
            upkeep.start();
        }
    }

    /** Returns a builder, which opens the frontier at an address or makes one. */
    public static Builder builder(EngineAddress address) {
        return new Builder(Objects.requireNonNull(address, "address"));
    }

    private void requireUsable() {
        upkeep.requireUsable();
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when a URL is new, and the crawl is full and refuses new URLs, or the engine has no
     *     memory left; what is marked in the batch was accepted
     * @throws IllegalArgumentException when a URL, a key or the referrer is longer than 1,048,576 bytes; no URL of the
     *     batch was accepted
     * @throws UncheckedIOException when the engine was away for too long, or the thread is interrupted; URLs that are
     *     not marked may be accepted, also later
     */
    @Override
    public int pushAll(UrlBatch batch) {
        requireUsable();
        Pusher.Push push = pusher.push(batch);
        if (batch.referrer() != null) {
            return run(push, batch);
        }
        int depth = batch.depth();
        int redirects = batch.redirects();
        int label = batch.label();
        return writes.make(
                2 * batch.size(),
                2L * batch.size() * batch.maxBytes(),
                () -> run(push, batch),
                () -> Pusher.copyOfNew(batch),
                texts -> {
                    UrlBatch again = Pusher.batch(texts, depth, redirects, label);
                    run(pusher.push(again), again);
                });
    }

    private int run(Pusher.Push push, UrlBatch batch) {
        boolean isComplete = false;
        try {
            push.run();
            isComplete = true;
        } finally {
            worker.totals().seen(isComplete ? batch.size() - push.accepted() : 0);
            push.slicesWithNew().forEach(worker.holdings()::mayHaveFrames);
        }
        capacity.publish(worker.totals().accepted());
        return push.accepted();
    }

    @Override
    public @Nullable Lease take(long nowNanos) {
        requireUsable();
        if (isAway() || !worker.tryTrip()) {
            return worker.holdings().next(nowNanos, worker.now());
        }
        try {
            Lease next = taker.take(!ownership.isAlone(), nowNanos, worker.now());
            if (next != null) {
                overview.expectChange();
            }
            return next;
        } finally {
            worker.trip().unlock();
        }
    }

    @Override
    public long waitNanos(long nowNanos) {
        long wait = worker.holdings().waitNanos(nowNanos, worker.now());
        if (!ownership.isAlone()) {
            wait = Math.min(wait, taker.waitNanos(nowNanos));
        }
        return worker.engine().isAway() ? AWAY_WAIT_NANOS : wait;
    }

    /** Returns whether the keeper tries to reach the engine, so that other threads need not. */
    private boolean isAway() {
        return upkeep.isStarted() && worker.engine().isAway();
    }

    @Override
    public boolean begin(Lease lease) {
        requireUsable();
        return worker.holdings().begin(lease, worker.now());
    }

    /**
     * {@inheritDoc}
     *
     * <p>The engine stores it within a second, and a cluster within about five. When this worker dies before, or loses
     * the slice, the URL is handed out again.
     */
    @Override
    public boolean done(Lease lease) {
        requireUsable();
        boolean isHeld = worker.holdings().done(lease, budget.isPage(lease), worker.now());
        budget.done(lease);
        if (isHeld
                && !barrier.isNeeded()
                && worker.holdings().unsentDone() >= MAX_UNSENT
                && worker.trip().tryLock()) {
            try {
                results.flush();
            } finally {
                worker.trip().unlock();
            }
        }
        return isHeld;
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        requireUsable();
        return worker.holdings().retry(lease, readyNanos, worker.now());
    }

    @Override
    public void leave(Lease lease) {
        requireUsable();
        worker.holdings().leave(lease, worker.now());
    }

    /** Returns how many URLs wait to be handed out, and how many other workers have taken. */
    @Override
    public long pending() {
        refreshTotals();
        return worker.totals().pending();
    }

    /** Returns how many leases this worker holds. */
    @Override
    public long inFlight() {
        return worker.holdings().held();
    }

    @Override
    public SieveStats stats() {
        refreshTotals();
        return worker.totals().stats();
    }

    /** Looks at the counters of all workers, unless they are new enough or another thread is about to. */
    private void refreshTotals() {
        requireUsable();
        if (isAway() || !worker.trip().tryLock()) {
            return;
        }
        try {
            if (!upkeep.isClosed()) {
                overview.refresh(worker.now());
            }
        } finally {
            worker.trip().unlock();
        }
    }

    /** Returns whether nothing is pending for any worker, and nothing is in flight but what each of them leaves. */
    @Override
    public boolean isOver(long left) {
        requireUsable();
        if (isAway() || worker.holdings().isBusy(left) || !worker.tryTrip()) {
            return false;
        }
        try {
            return overview.isOver(left, worker.now());
        } finally {
            worker.trip().unlock();
        }
    }

    /** Stores what is done, and renews, claims and gives back slices. */
    void beat() {
        upkeep.beat();
    }

    Worker self() {
        return worker;
    }

    /** Returns how many workers were alive a second ago, this one included. */
    public int workers() {
        return ownership.workers();
    }

    /** Ends the patience: from now on, a call that needs the engine while it is away throws at once. */
    public void impatient() {
        worker.engine().impatient();
    }

    /** Returns what should be changed in the settings of the engine, for a log or a user. */
    public List<String> warnings() {
        return worker.engine().warnings();
    }

    /** Returns what the workers of the crawl share besides URLs. */
    public SharedNotes notes() {
        return notes;
    }

    /** Returns how many pages and URLs per host the workers of the crawl may visit. */
    public SharedBudget budget() {
        return budget;
    }

    /**
     * Stores what is done, gives the slices back and ends the connections. URLs in flight are handed out again by
     * another worker, or after the next open. Closing twice has no effect.
     *
     * @throws UncheckedIOException when the engine is away for too long, so finished URLs could not be stored
     */
    @Override
    public void close() {
        upkeep.close();
    }

    /** Drops the connections without notifying the engine, as a crash would. */
    void abandon() {
        upkeep.abandon();
    }

    /** The options of a {@link SharedSieve}. Those of the crawl are stored by its first worker; the others may omit them. */
    public static final class Builder extends FrontierBuilder<Builder> {
        /** A beat per second must renew in time. */
        private static final Duration SHORTEST_OWNERSHIP = Duration.ofSeconds(2);
        /** Replicas and logs may take up to six seconds until a claim is safe. */
        private static final Duration SHORTEST_ON_CLUSTER = Duration.ofSeconds(10);

        private final EngineAddress address;
        private @Nullable Integer slices;
        private String group = "host";
        private @Nullable UnaryOperator<String> groupOfHost;
        private Duration ownership = Duration.ofSeconds(15);
        private Duration patience = Duration.ofMinutes(5);
        private long cacheBytes = 16 << 20;
        private Duration rest = Duration.ZERO;
        private @Nullable Integer mostPerHost;
        private BiConsumer<Map<String, Duration>, Map<Long, Integer>> onClaim = (pauses, counts) -> {};
        private LongSupplier clock = System::nanoTime;
        private boolean hasKeeper = true;
        private boolean isBarrierOff;
        private @Nullable String worker;
        private Network network = Network.REAL;
        private LongSupplier engineClock = System::nanoTime;

        private Builder(EngineAddress address) {
            this.address = address;
        }

        /**
         * All settings that frontiers have in common; replaces those that were set before. The kind of the filter and
         * its rate have no effect. With {@link OnFull#WARN}, which is the default, the memory per URL rises from seven
         * times the capacity on.
         *
         * @throws IllegalArgumentException when they have {@link OnFull#GROW}
         */
        @Override
        public Builder settings(FrontierSettings all) {
            if (all.onFull() == OnFull.GROW) {
                throw new IllegalArgumentException("a shared frontier does not support GROW; use WARN");
            }
            return super.settings(all);
        }

        /**
         * The number of slices, from 1 to 4096; a few per worker at least. One slice keeps the order of all URLs and
         * has one owner. Default: 64.
         */
        public Builder slices(int count) {
            if (count < 1 || count > CrawlSettings.MAX_SLICES) {
                throw new IllegalArgumentException(
                        "slices must be from 1 to " + CrawlSettings.MAX_SLICES + ": " + count);
            }
            slices = count;
            return this;
        }

        /**
         * The rule by which hosts are grouped: hosts of one group have one owner. All workers must use the same.
         *
         * @param name of the rule, which is stored and compared
         * @param groupOfHost returns the name of a host's group
         */
        public Builder groups(String name, UnaryOperator<String> groupOfHost) {
            group = Objects.requireNonNull(name, "name");
            this.groupOfHost = Objects.requireNonNull(groupOfHost, "groupOfHost");
            return this;
        }

        /**
         * The time after which other workers take over the slices of a worker that has died, at least two seconds, and
         * at least ten on a cluster. All workers should use the same. Default: 15 s.
         */
        public Builder ownership(Duration time) {
            if (time.compareTo(SHORTEST_OWNERSHIP) < 0) {
                throw new IllegalArgumentException("ownership must be at least " + SHORTEST_OWNERSHIP + ": " + time);
            }
            ownership = time;
            return this;
        }

        /** How long calls wait for an engine that is away. Default: 5 minutes. */
        public Builder patience(Duration time) {
            patience = Objects.requireNonNull(time, "patience");
            return this;
        }

        /** The memory for keys that were seen lately, which need no round trip. Default: 16 MiB. */
        public Builder cacheBytes(long bytes) {
            cacheBytes = atLeast("cacheBytes", 0, bytes);
            return this;
        }

        /**
         * How long no URL of a slice is handed out after another worker had it, such as the delay between two requests
         * to a host. Requests that the other worker has begun before may last longer. Default: 0.
         *
         * <p>Only after the engine was restarted without the end of its log do two workers hand out URLs of a slice at
         * the same time: until the first one reaches the engine again, about a second; if it is suspended or cut off,
         * until nine tenths of its {@link #ownership} have passed.
         */
        public Builder rest(Duration time) {
            rest = Objects.requireNonNull(time, "rest");
            return this;
        }

        /**
         * The number of URLs per host that all workers together may do in a run of the crawl, at least 1. All workers
         * must use the same, and call {@link SharedBudget#admit} for each URL. Default: no limit.
         */
        public Builder perHost(int urls) {
            mostPerHost = (int) atLeast("perHost", 1, urls);
            return this;
        }

        /**
         * Receives which hosts of a slice have to pause, and for how long, and the {@linkplain SharedNotes#count
         * counts} of its hosts, before URLs of the slice are handed out. Called on the thread that opens the frontier
         * or one of the frontier. Default: no receiver.
         */
        public Builder onClaim(BiConsumer<Map<String, Duration>, Map<Long, Integer>> callback) {
            onClaim = Objects.requireNonNull(callback, "onClaim");
            return this;
        }

        /** The clock by which this worker measures how long it owns its slices. */
        Builder clock(LongSupplier nanoClock) {
            clock = nanoClock;
            return this;
        }

        /** Lets a cluster lose links of finished pages, so that a test can show that it notices. */
        Builder withoutBarrier() {
            isBarrierOff = true;
            return this;
        }

        /** Gives the worker a name, another way to the nodes, and the clock by which it waits for them. */
        Builder simulated(String name, Network way, LongSupplier nanoClock) {
            worker = name;
            network = way;
            engineClock = nanoClock;
            return this;
        }

        /** Starts no thread: {@link SharedSieve#beat} has to be called. */
        Builder withoutKeeper() {
            hasKeeper = false;
            return this;
        }

        /**
         * Joins the crawl, or makes it if the engine does not store one under its name.
         *
         * @throws IllegalArgumentException when the stored crawl has other settings, or there is none and {@link
         *     #capacity} is not set. Nothing is changed
         * @throws IOException when the engine does not respond or cannot be used; or when it stores data of another
         *     program or of another version under the name. Nothing is changed
         */
        public SharedSieve open() throws IOException {
            // Short, since it is in the log of the engine with each page; 36 bits are unique among many workers.
            String name = worker == null ? Long.toString(Memberships.randomSeed() >>> 28, Character.MAX_RADIX) : worker;
            Engine engine = new Engine(network, address, patience, Engine.RESPONSE_TIMEOUT, engineClock);
            try {
                if (engine.isCluster() && ownership.compareTo(SHORTEST_ON_CLUSTER) < 0) {
                    throw new IllegalArgumentException(
                            "ownership must be at least " + SHORTEST_ON_CLUSTER + " on a cluster: " + ownership);
                }
                return new SharedSieve(
                        this, engine, name, CrawlSettings.open(engine, address.name(), slices, settings(), group));
            } catch (UncheckedIOException e) {
                engine.close();
                throw e.getCause();
            } catch (IOException | RuntimeException | Error e) {
                engine.close();
                throw e;
            }
        }
    }
}
