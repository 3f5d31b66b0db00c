package dev.sieve.shared;

import dev.sieve.CapacityAlerts;
import dev.sieve.CapacityEvent;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Leases;
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
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A URL frontier that many processes share: its state is on a Valkey or Redis server, the engine.
 *
 * <p>The hosts are divided into slices. Each open frontier, a worker, owns its share of the slices, and only the owner
 * hands out their URLs, so no host is requested by two workers. Every worker pushes into every slice. Slices move when
 * workers come, end or die; then the leases that were held in them have ended, and their URLs are handed out by the new
 * owner: call {@link #begin} just before a request. URLs with one key must have one host.
 *
 * <p>What the engine has stored survives the death of any worker. When the engine itself loses the end of its log, the
 * URLs of the lost time are handed out again, and {@link #push} may report some of them as new again; nothing else is
 * lost, except seeds that were pushed by a worker that has died as well. While the engine is away, {@link #take} returns
 * null and pushes wait, up to the {@linkplain Builder#patience patience}; then every method throws.
 *
 * <p>The engine stores a fingerprint of 32 bits per URL, so a new URL is very rarely mistaken for a seen one. URLs are
 * handed out first in, first out within a slice. The order between slices is not defined.
 *
 * <p>Counts include what other workers did until a second ago. Safe for use by many threads.
 */
public final class SharedSieve implements Frontier {
    private static final Logger LOG = LoggerFactory.getLogger(SharedSieve.class);

    /** How many URLs may be done before the engine has stored it. */
    private static final int MAX_UNSENT = 512;

    /** Lines that are added in one command. */
    private static final int MAX_LINES = 1024;

    private static final byte[] MAXLEN = CrawlKeys.utf8("MAXLEN");
    /** A search of all would take the engine long when there are many. */
    private static final byte[] SEARCHED_LINES = CrawlKeys.utf8(10_000);

    /** The memory of a URL in a batch, in addition to its text. */
    private static final long URL_BYTES = 100;

    private static final long TOTALS_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AWAY_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long a caller waits for the round trip of another thread, which may last until its timeout. */
    private static final long TRIP_WAIT_MILLIS = 1000;

    private static final long OVER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final LongSupplier clock;
    private final String worker;
    private final Engine engine;
    private final CrawlSettings settings;
    private final CrawlKeys keys;
    private final HostSlices hosts;
    private final Pusher pusher;
    private final RecentWrites recent = new RecentWrites();
    private final Holdings holdings;
    private final Totals totals;
    private final CapacityMarks capacity;
    private final Consumer<Map<String, Duration>> onClaim;
    private final @Nullable Keeper keeper;

    /**
     * Held during the round trips that take, store what is done, and keep the slices; the fields below are used with it. No
     * other lock is held during a round trip.
     */
    private final ReentrantLock trip = new ReentrantLock();

    private final Taker taker;
    private final Results results;
    private final Ownership ownership;
    private @Nullable Run run;
    private long surveyNanos;
    private long notOverNanos;
    private boolean wasNotOver;
    private boolean isClosed;

    /** How many URLs were accepted when the crawl was over. */
    private volatile long overAt = -1;

    private volatile @Nullable Throwable failure;
    private volatile boolean isClosing;

    private SharedSieve(Builder builder, Engine engine, String worker, CrawlSettings settings) {
        clock = builder.clock;
        this.worker = worker;
        this.engine = engine;
        this.settings = settings;
        keys = new CrawlKeys(builder.address.name(), settings.slices());
        hosts = new HostSlices(settings.slices(), settings.seed(), builder.groupOfHost);
        holdings = new Holdings(settings.slices(), builder.leaseTimeoutNanos);
        totals = new Totals(settings, holdings);
        pusher = new Pusher(engine, keys, settings, hosts, new RecentKeys(builder.cacheBytes), totals);
        onClaim = builder.onClaim;
        capacity = new CapacityMarks(engine, keys, settings, worker, new CapacityAlerts(builder.listener));
        taker = new Taker(engine, holdings);
        results = new Results(engine, holdings, totals);
        ownership =
                new Ownership(engine, keys, worker, settings.id(), builder.ownership, builder.rest, holdings, totals);
        ownership.join();
        beat();
        keeper = builder.hasKeeper ? new Keeper(this::keep) : null;
    }

    /** Returns a builder, which opens the frontier at an address or makes one. */
    public static Builder builder(EngineAddress address) {
        return new Builder(Objects.requireNonNull(address, "address"));
    }

    private void requireUsable() {
        if (failure != null) {
            throw new UncheckedIOException(new IOException("the frontier has stopped: " + reason(failure), failure));
        }
    }

    private static @Nullable String reason(Throwable e) {
        return e instanceof UncheckedIOException io
                ? Objects.requireNonNull(io.getCause()).getMessage()
                : e.toString();
    }

    // Pushes

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when the URL is new, and the crawl is full and refuses new URLs, or the engine has no memory
     *     left
     * @throws IllegalArgumentException when the URL is longer than 1,048,576 bytes
     * @throws UncheckedIOException when the engine was away for too long
     */
    @Override
    public boolean push(String url) {
        UrlBatch batch = new UrlBatch();
        batch.add(url);
        return pushAll(batch) > 0;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SieveFullException when a URL is new, and the crawl is full and refuses new URLs, or the engine has no memory
     *     left; what is marked in the batch was accepted
     * @throws IllegalArgumentException when a URL, a key or the referrer is longer than 1,048,576 bytes; no URL of the
     *     batch was accepted
     * @throws UncheckedIOException when the engine was away for too long; URLs that are not marked may be accepted
     */
    @Override
    public int pushAll(UrlBatch batch) {
        requireUsable();
        boolean refuses = settings.onFull() == OnFull.FAIL && totals.accepted() >= settings.capacity();
        Pusher.Push push = pusher.push(batch, refuses);
        boolean isComplete = false;
        try {
            push.run();
            isComplete = true;
        } finally {
            totals.seen(isComplete ? batch.size() - push.accepted() : 0);
            push.slicesWithNew().forEach(holdings::mayHaveFrames);
            if (batch.referrer() == null && push.accepted() > 0) {
                UrlBatch copy = Pusher.copyOfNew(batch);
                recent.add(() -> pushAll(copy), copy.size() * (copy.maxBytes() + URL_BYTES), clock.getAsLong());
            }
        }
        capacity.publish(totals.accepted());
        return push.accepted();
    }

    // Leases

    @Override
    public @Nullable Lease take(long nowNanos) {
        requireUsable();
        if (isAway() || !lockTrip()) {
            return holdings.next(nowNanos, clock.getAsLong());
        }
        try {
            long now = clock.getAsLong();
            TakenFrame due = holdings.due(nowNanos, now);
            if (due != null) {
                Frame text = taker.reread(due);
                return text == null ? null : holdings.handOutDue(due, text, nowNanos);
            }
            Lease next = holdings.next(nowNanos, now);
            if (next == null) {
                taker.refill(!ownership.isAlone(), nowNanos, now);
                next = holdings.next(nowNanos, now);
            }
            wasNotOver &= next == null;
            return next;
        } finally {
            trip.unlock();
        }
    }

    @Override
    public long waitNanos(long nowNanos) {
        long wait = holdings.waitNanos(nowNanos, clock.getAsLong());
        if (!ownership.isAlone()) {
            wait = Math.min(wait, taker.waitNanos(nowNanos));
        }
        return engine.isAway() ? AWAY_WAIT_NANOS : wait;
    }

    private boolean lockTrip() {
        try {
            return trip.tryLock() || trip.tryLock(TRIP_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns whether the engine is away and the keeper tries to reach it, so that other threads need not. */
    private boolean isAway() {
        return keeper != null && engine.isAway();
    }

    @Override
    public boolean begin(Lease lease) {
        requireUsable();
        return holdings.begin(lease, clock.getAsLong());
    }

    /**
     * {@inheritDoc}
     *
     * <p>The engine stores it within a second. When this worker dies before, or loses the slice, the URL is handed out again.
     */
    @Override
    public boolean done(Lease lease) {
        requireUsable();
        boolean isHeld = holdings.done(lease, clock.getAsLong());
        if (isHeld && holdings.unsentDone() >= MAX_UNSENT && trip.tryLock()) {
            try {
                results.flush();
            } finally {
                trip.unlock();
            }
        }
        return isHeld;
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        requireUsable();
        return holdings.retry(lease, readyNanos, clock.getAsLong());
    }

    @Override
    public void leave(Lease lease) {
        requireUsable();
        holdings.leave(lease, clock.getAsLong());
    }

    // Counts

    /** Returns how many URLs wait to be handed out, and how many other workers have taken. */
    @Override
    public long pending() {
        refreshTotals();
        return totals.pending();
    }

    /** Returns how many leases this worker holds. */
    @Override
    public long inFlight() {
        return holdings.held();
    }

    @Override
    public SieveStats stats() {
        refreshTotals();
        return totals.stats();
    }

    /** Looks at the counters of all workers, unless they are new enough or another thread is about to. */
    private void refreshTotals() {
        requireUsable();
        if (isAway() || !trip.tryLock()) {
            return;
        }
        try {
            if (!isClosed && clock.getAsLong() - surveyNanos >= TOTALS_AGE_NANOS && results.flush()) {
                survey();
            }
        } finally {
            trip.unlock();
        }
    }

    private @Nullable Survey survey() {
        Survey survey = engine.tryCall((session, number) -> Survey.take(session, keys));
        note(survey);
        return survey;
    }

    private void note(@Nullable Survey survey) {
        if (survey == null) {
            return;
        }
        if (!settings.id().equals(survey.id)) {
            throw CrawlSettings.isGone(keys.name());
        }
        surveyNanos = clock.getAsLong();
        totals.note(survey);
        for (int i = 0; i < survey.slices.size(); i++) {
            if (survey.slices.get(i).queuedFrames() > 0) {
                holdings.mayHaveFrames(i);
            }
        }
        if (survey.hasEnded()) {
            overAt = survey.accepted();
        }
    }

    /**
     * Returns whether the crawl is over for all workers: nothing is pending, and nothing is in flight but what each of them
     * leaves.
     */
    @Override
    public boolean isOver(long left) {
        requireUsable();
        if (isAway() || holdings.isBusy(left) || !lockTrip()) {
            return false;
        }
        try {
            if (overAt >= 0 && overAt == totals.accepted()) {
                return true;
            }
            long now = clock.getAsLong();
            if (wasNotOver && now - notOverNanos < OVER_WAIT_NANOS) {
                return false;
            }
            boolean isOver = isDrained(left, now);
            wasNotOver = !isOver && !ownership.isAlone();
            notOverNanos = now;
            return isOver;
        } finally {
            trip.unlock();
        }
    }

    private boolean isDrained(long left, long now) {
        // Slices with frames of an earlier owner may have been claimed since the caller has checked.
        boolean isBusy = !results.flush() || holdings.isBusy(left);
        if (isBusy || !ownership.renew(true, now) || holdings.isBusy(left)) {
            return false;
        }
        Survey first = survey();
        Survey second = first == null ? null : survey();
        // In a new run, a beat has to push again what was lost before.
        if (first == null || second == null || second.run != run) {
            return false;
        }
        if (!first.isDrained(second)) {
            return overAt == totals.accepted();
        }
        long lost = second.lost();
        if (lost > 0) {
            throw new UncheckedIOException(new IOException(lost + " URLs of the crawl " + keys.name()
                    + " are neither done nor pending: the engine has lost them; 'sieve repair' counts them"));
        }
        overAt = second.accepted();
        byte[][] mark = {CrawlKeys.utf8(Survey.ENDED), CrawlKeys.utf8(overAt), CrawlKeys.utf8(1)};
        engine.tryCall((session, number) -> {
            session.send(Script.MARK, new byte[][] {keys.events()}, mark);
            return session.receive();
        });
        return true;
    }

    // The part of this worker

    /** Stores what is done, and renews, claims and gives back slices. */
    void beat() {
        List<Runnable> lost = List.of();
        List<Ownership.Claim> claims;
        trip.lock();
        try {
            requireUsable();
            if (isClosed) {
                return;
            }
            long now = clock.getAsLong();
            results.flush();
            Survey survey = ownership.beat();
            if (survey == null) {
                return;
            }
            // A process that was suspended may not see on its clock that its time has ended.
            holdings.dropIf(slice -> slice.run != survey.run
                    || slice.hasEnded(now)
                    || !survey.slices.get(slice.index).worker().equals(worker));
            note(survey);
            if (run != null && run != survey.run) {
                lost = recent.all();
            } else {
                recent.stored(now);
            }
            run = survey.run;
            wasNotOver = false;
            claims = ownership.keep(survey, now, !survey.hasEnded());
        } finally {
            trip.unlock();
        }
        // Without the lock, since the receiver of the pauses may have one that is held by a thread that takes.
        for (Ownership.Claim claim : claims) {
            if (!claim.pauses().isEmpty()) {
                onClaim.accept(claim.pauses());
            }
            holdings.add(claim.slice());
        }
        lost.forEach(Runnable::run);
        capacity.publish(totals.accepted());
    }

    /** Keeps the part of this worker, and waits for an engine that is away; an executor silently drops work that throws. */
    private void keep() {
        try {
            if (failure == null) {
                beat();
                awaitEngine();
            }
        } catch (RuntimeException | Error e) {
            if (!isClosing) {
                failure = e;
                LOG.error("the shared frontier {} stops: {}", keys.name(), reason(e));
                LOG.debug("the cause", e);
            }
        }
    }

    /** Waits while the engine is away; throws when that takes too long. */
    private void awaitEngine() {
        if (engine.isAway()) {
            ownership.awaitEngine();
        }
    }

    /** Returns the identity of this worker. */
    String worker() {
        return worker;
    }

    /** Returns the run of the engine that this worker has seen last. */
    Run run() {
        return engine.run();
    }

    /** Returns how many slices this worker owns. */
    int owned() {
        return holdings.owned();
    }

    /** Returns how many workers were alive a second ago, this one included. */
    public int workers() {
        return ownership.workers();
    }

    /** Ends the patience: from now on, a call that needs the engine while it is away throws at once. */
    public void impatient() {
        engine.impatient();
    }

    /** Returns what should be changed in the settings of the engine, for a log or a user. */
    public List<String> warnings() {
        return engine.warnings();
    }

    // What workers share besides URLs

    /** Appends a line to a list that all workers of the crawl share, as {@link #add(String, List)}. */
    public long add(String list, String line) {
        return add(list, List.of(line));
    }

    /**
     * Appends lines to a list that all workers of the crawl share. After an outage of the engine a line may be there twice.
     *
     * @return the length of the list after the last of these lines; 0 when there is none
     * @throws SieveFullException when the engine has no memory left
     */
    public long add(String list, List<String> lines) {
        requireUsable();
        byte[] key = keys.lines(list);
        long length = 0;
        for (int from = 0; from < lines.size(); from += MAX_LINES) {
            List<String> some = List.copyOf(lines.subList(from, Math.min(lines.size(), from + MAX_LINES)));
            byte[][] args = new byte[some.size() + 1][];
            args[0] = key;
            long bytes = 0;
            for (int i = 0; i < some.size(); i++) {
                args[i + 1] = CrawlKeys.utf8(some.get(i));
                bytes += args[i + 1].length + URL_BYTES;
            }
            recent.add(() -> some.forEach(line -> append(key, CrawlKeys.utf8(line))), bytes, clock.getAsLong());
            length = storeLines(args);
        }
        return length;
    }

    private long storeLines(byte[][] args) {
        try {
            return engine.call((session, number) -> {
                session.send("RPUSH", args);
                return Replies.number(session.receive());
            });
        } catch (EngineFullException e) {
            throw new SieveFullException(e.getMessage());
        }
    }

    /** Appends a line unless it is one of the last lines of the list, where the engine has it if it was not lost. */
    private void append(byte[] key, byte[] line) {
        try {
            engine.call((session, number) -> {
                session.send("LPOS", key, line, CrawlKeys.utf8("RANK"), CrawlKeys.utf8(-1), MAXLEN, SEARCHED_LINES);
                if (session.receive() == null) {
                    session.send("RPUSH", key, line);
                    session.receive();
                }
                return true;
            });
        } catch (EngineFullException e) {
            throw new SieveFullException(e.getMessage());
        }
    }

    /** Returns the lines of a shared list from an index on, at most 1,024; none at its end. */
    public List<String> lines(String list, long from) {
        return engine.call((session, number) -> {
            session.send("LRANGE", keys.lines(list), CrawlKeys.utf8(from), CrawlKeys.utf8(from + MAX_LINES - 1));
            return Replies.list(session.receive()).stream().map(Replies::text).toList();
        });
    }

    /**
     * Stores that a host requires a pause between requests, for the worker that owns the host next.
     *
     * @param pause how long the host has to rest after a request
     * @param use for how long from now on that holds
     * @throws SieveFullException when the engine has no memory left
     */
    public void pause(String host, Duration pause, Duration use) {
        byte[] field = CrawlKeys.utf8(host);
        byte[] key = keys.slice(hosts.ofHost(host)).pauses;
        Engine.Work<Object> work = (session, number) -> {
            session.send("TIME");
            List<?> time = Replies.list(session.receive());
            long now = Replies.number(time.get(0)) * 1000 + Replies.number(time.get(1)) / 1000;
            session.send("HSET", key, field, CrawlKeys.utf8(pause.toMillis() + " " + (now + use.toMillis())));
            return session.receive();
        };
        try {
            engine.call(work);
        } catch (EngineFullException e) {
            LOG.debug("the pause of {} is not stored: {}", host, e.getMessage());
        }
    }

    /**
     * Stores options of the crawl when no other worker is alive, or compares them with those that are stored.
     *
     * @return the stored options that differ; null for one that is not stored
     */
    public Map<String, @Nullable String> options(Map<String, String> mine) {
        boolean mayStore = ownership.workers() == 1;
        Map<String, String> stored =
                engine.call((session, number) -> CrawlSettings.storeOptions(session, keys, mine, mayStore));
        Map<String, @Nullable String> different = new TreeMap<>();
        mine.forEach((name, value) -> {
            if (!value.equals(stored.get(name))) {
                different.put(name, stored.get(name));
            }
        });
        stored.forEach((name, value) -> {
            if (!mine.containsKey(name)) {
                different.put(name, value);
            }
        });
        return different;
    }

    /**
     * Stores what is done, gives the slices back and ends the connections. URLs in flight are handed out again by another
     * worker, or after the next open. Closing twice has no effect.
     *
     * @throws UncheckedIOException when the engine is away for too long, so that it could not be stored what is done
     */
    @Override
    public void close() {
        stopKeeper();
        trip.lock();
        try (engine) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            if (failure == null) {
                while (!results.flush()) {
                    awaitEngine();
                }
                ownership.leave(clock.getAsLong());
            }
        } finally {
            trip.unlock();
        }
    }

    private void stopKeeper() {
        isClosing = true;
        if (keeper != null) {
            keeper.close();
        }
    }

    /** Drops the connections without notifying the engine, as a crash would. */
    void abandon() {
        stopKeeper();
        trip.lock();
        try {
            isClosed = true;
            engine.close();
        } finally {
            trip.unlock();
        }
    }

    /** The options of a {@link SharedSieve}. Those of the crawl are stored by its first worker; the others may omit them. */
    public static final class Builder {
        private static final int DEFAULT_SLICES = 64;
        /** A beat per second must renew in time. */
        private static final Duration SHORTEST_OWNERSHIP = Duration.ofSeconds(2);

        private final EngineAddress address;
        private @Nullable Long capacity;
        private @Nullable Integer slices;
        private @Nullable OnFull onFull;
        private Consumer<CapacityEvent> listener = event -> {};
        private @Nullable Long seed;
        private String group = "host";
        private @Nullable UnaryOperator<String> groupOfHost;
        private long leaseTimeoutNanos = Long.MAX_VALUE;
        private Duration ownership = Duration.ofSeconds(15);
        private Duration patience = Duration.ofMinutes(5);
        private long cacheBytes = 16 << 20;
        private Duration rest = Duration.ZERO;
        private Consumer<Map<String, Duration>> onClaim = pauses -> {};
        private LongSupplier clock = System::nanoTime;
        private boolean hasKeeper = true;

        private Builder(EngineAddress address) {
            this.address = address;
        }

        /** The number of distinct URLs that the crawl is made for, at least 1. Required for a new crawl. */
        public Builder capacity(long count) {
            capacity = requirePositive("capacity", count);
            return this;
        }

        /**
         * The number of slices, from 1 to 4096; a few per worker at least. One slice keeps the order of all URLs and has one
         * owner. Default: 64.
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
         * What happens when the crawl has accepted as many URLs as it is made for. {@link OnFull#GROW} is not supported; with
         * {@link OnFull#WARN}, the memory per URL rises from seven times the capacity on. Default: {@link OnFull#WARN}.
         */
        public Builder onFull(OnFull choice) {
            if (Objects.requireNonNull(choice, "onFull") == OnFull.GROW) {
                throw new IllegalArgumentException("a shared frontier does not support GROW; use WARN");
            }
            onFull = choice;
            return this;
        }

        /**
         * Receives capacity events, outside of locks, on a thread that pushes or one of the frontier. Each event is received by
         * one worker. Default: no listener.
         */
        public Builder onCapacity(Consumer<CapacityEvent> callback) {
            listener = Objects.requireNonNull(callback, "onCapacity");
            return this;
        }

        /** The seed of the hash. Default: secret and random. Set it only where runs have to be repeatable. */
        public Builder seed(long value) {
            seed = value;
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

        /** The time after which a URL that is not done is handed out again, above 0. Default: none. */
        public Builder leaseTimeout(Duration timeout) {
            leaseTimeoutNanos = Leases.timeoutNanos(timeout);
            return this;
        }

        /**
         * The time after which other workers take over the slices of a worker that has died, at least two seconds. All workers
         * should use the same. Default: 15 s.
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
            if (bytes < 0) {
                throw new IllegalArgumentException("cacheBytes < 0: " + bytes);
            }
            cacheBytes = bytes;
            return this;
        }

        /** How long no URL of a slice is handed out after another worker had it. Default: 0. */
        public Builder rest(Duration time) {
            rest = Objects.requireNonNull(time, "rest");
            return this;
        }

        /**
         * Receives which hosts of a slice have to pause, and for how long, before URLs of the slice are handed out. Called on
         * the thread that opens the frontier or one of the frontier. Default: no receiver.
         */
        public Builder onClaim(Consumer<Map<String, Duration>> callback) {
            onClaim = Objects.requireNonNull(callback, "onClaim");
            return this;
        }

        private static long requirePositive(String name, long value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " < 1: " + value);
            }
            return value;
        }

        /** The clock by which this worker measures how long it owns its slices. */
        Builder clock(LongSupplier nanoClock) {
            clock = nanoClock;
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
         * @throws IOException when the engine does not respond or cannot be used; or when it stores data of another program
         *     or of another version under the name. Nothing is changed
         */
        public SharedSieve open() throws IOException {
            String worker = String.format("%016x", Memberships.randomSeed());
            Engine engine = new Engine(address, worker, patience, System::nanoTime);
            try {
                CrawlSettings settings = settings(engine);
                return new SharedSieve(this, engine, worker, settings);
            } catch (UncheckedIOException e) {
                engine.close();
                throw e.getCause();
            } catch (IOException | RuntimeException | Error e) {
                engine.close();
                throw e;
            }
        }

        private CrawlSettings settings(Engine engine) throws IOException {
            CrawlSettings stored = CrawlSettings.read(engine, address.name());
            if (stored == null) {
                if (capacity == null) {
                    throw new IllegalArgumentException("capacity is required to make a new crawl");
                }
                stored = CrawlSettings.fresh(
                                slices == null ? DEFAULT_SLICES : slices,
                                capacity,
                                onFull == null ? OnFull.WARN : onFull,
                                seed,
                                group)
                        .create(engine, address.name());
            }
            stored.require(slices, capacity, onFull, seed, group);
            return stored;
        }
    }
}
