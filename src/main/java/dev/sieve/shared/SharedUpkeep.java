package dev.sieve.shared;

import dev.sieve.io.RepeatingThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background work of a worker: it stores finished URLs, renews its slices, and waits for an engine that is away.
 * Done by threads of its own, unless these are not started and {@link #beat} is called.
 */
final class SharedUpkeep implements AutoCloseable {
    /** While it responds, an engine syncs its log more often than that. */
    private static final long LOSS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Worker worker;
    private final Barrier barrier;
    private final Results results;
    private final Ownership ownership;
    private final Overview overview;
    private final RepeatableWrites.Recent recent;
    private final SharedBudget budget;
    private final CapacityMarks capacity;
    private final BiConsumer<Map<String, Duration>, Map<Long, Integer>> onClaim;

    private final Keeper keeper;
    /** On a cluster alone, where that takes seconds. */
    private final Keeper confirmer;

    /** Used with the lock of the round trips. */
    private boolean isClosed;

    /** The run in which this worker has marked the crawl as complete; used where the results are confirmed. */
    private Session.@Nullable Run completeIn;

    SharedUpkeep(
            Worker worker,
            Barrier barrier,
            Results results,
            Ownership ownership,
            Overview overview,
            RepeatableWrites.Recent recent,
            SharedBudget budget,
            CapacityMarks capacity,
            BiConsumer<Map<String, Duration>, Map<Long, Integer>> onClaim) {
        this.worker = worker;
        this.barrier = barrier;
        this.results = results;
        this.ownership = ownership;
        this.overview = overview;
        this.recent = recent;
        this.budget = budget;
        this.capacity = capacity;
        this.onClaim = onClaim;
        keeper = new Keeper("sieve-keeper", worker.keys().name(), () -> {
            beat();
            awaitEngine();
        });
        confirmer = new Keeper("sieve-confirmer", worker.keys().name(), this::confirm);
    }

    void start() {
        keeper.start();
        if (barrier.isNeeded()) {
            confirmer.start();
        }
    }

    boolean isStarted() {
        return keeper.isStarted();
    }

    /** Throws when one of the threads has failed. */
    void requireUsable() {
        keeper.requireUsable();
        confirmer.requireUsable();
    }

    boolean isClosed() {
        assert worker.isInTrip();
        return isClosed;
    }

    /** Stores what is done, and renews, claims and gives back slices. */
    void beat() {
        Beat beat = beatInTrip();
        if (beat == null) {
            return;
        }
        for (RepeatableWrites.Write lost : beat.lostWrites) {
            Session.Run run = worker.engine().run();
            lost.repetition.run();
            recent.repeated(lost, run, worker.now());
        }
        // Each node by itself, so that a replica that is away costs no more than the slices of its node.
        worker.holdings().confirmTerms(barrier.replicated(worker.holdings().sealTerms()));
        // A node that restarts from its log must not have lost the claim: another worker could own the slice at once.
        List<Slice> stored =
                barrier.stored(beat.claims.stream().map(Ownership.Claim::slice).toList());
        // Without the lock, since the receiver may have one that is held by a thread that takes.
        for (Ownership.Claim claim : beat.claims) {
            if (!stored.contains(claim.slice())) {
                continue;
            }
            if (!claim.pauses().isEmpty() || !claim.counts().isEmpty()) {
                onClaim.accept(claim.pauses(), claim.counts());
            }
            boolean mayHaveFrames = claim.mayHaveFrames() || !beat.lostWrites.isEmpty();
            worker.holdings().add(claim.slice(), claim.term(), claim.left(), mayHaveFrames, claim.hosts());
        }
        capacity.publish(worker.totals().accepted());
        if (barrier.isNeeded() && !isStarted()) {
            confirm();
        }
    }

    /** Stores what is done when its links are safe; without the lock until then. */
    private void confirm() {
        Session.Run run = worker.engine().run();
        long now = worker.now();
        boolean isNeeded = worker.holdings().hasUnsent() || !recent.isEmpty();
        if (!isNeeded || !results.confirm()) {
            return;
        }
        if (worker.engine().run() == run) {
            recent.forget(run, now);
            if (completeIn != run) {
                worker.settings().markComplete(worker.engine(), worker.keys());
                completeIn = run;
            }
        }
        worker.trip().lock();
        try {
            if (!isClosed) {
                results.flush();
            }
        } finally {
            worker.trip().unlock();
        }
    }

    /** The rest of a beat, which needs no lock. */
    private record Beat(List<Ownership.Claim> claims, List<RepeatableWrites.Write> lostWrites) {}

    /** Makes the round trips of a beat; returns null when the engine is away or the frontier is closed. */
    private @Nullable Beat beatInTrip() {
        worker.trip().lock();
        try {
            requireUsable();
            if (isClosed) {
                return null;
            }
            long now = worker.now();
            results.flush();
            budget.beat();
            Survey survey = ownership.beat(overview::look, now);
            if (survey == null) {
                return null;
            }
            overview.note(survey, now);
            List<RepeatableWrites.Write> lost = recent.lost(survey.run);
            if (lost.isEmpty() && !barrier.isNeeded()) {
                recent.forget(survey.run, now - LOSS_NANOS);
            }
            return new Beat(ownership.keep(survey, now, !survey.hasEnded()), lost);
        } finally {
            worker.trip().unlock();
        }
    }

    /** Waits while the engine is away; throws when that takes too long. */
    private void awaitEngine() {
        if (worker.engine().isAway()) {
            barrier.awaitNodes();
        }
    }

    /** Stores all that is done, gives the slices back and ends the connections; throws when the engine is away too long. */
    @Override
    public void close() {
        close(true);
    }

    /** Drops the connections, as a crash would. */
    void abandon() {
        close(false);
    }

    private void close(boolean isOrderly) {
        keeper.close();
        confirmer.close();
        worker.trip().lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            if (isOrderly && !keeper.hasFailed() && !confirmer.hasFailed()) {
                while (!results.flushLast(() -> ownership.renew(false, worker.now()))) {
                    awaitEngine();
                }
                ownership.leave(worker.now());
            }
        } finally {
            worker.engine().close();
            worker.trip().unlock();
        }
    }

    /** A thread that keeps the part of a worker in the crawl, by one beat per second. A beat that throws is the last one. */
    private static final class Keeper implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
        private static final Duration PAUSE = Duration.ofSeconds(1);

        private final String crawl;
        private final Runnable beat;
        private final RepeatingThread thread;
        private volatile @Nullable Throwable failure;
        private volatile boolean isStarted;
        private volatile boolean isClosing;

        Keeper(String name, String crawl, Runnable beat) {
            this.crawl = crawl;
            this.beat = beat;
            thread = new RepeatingThread(name, PAUSE, this::run);
        }

        void start() {
            isStarted = true;
            thread.start();
        }

        boolean isStarted() {
            return isStarted;
        }

        private void run() {
            try {
                beat.run();
            } catch (RuntimeException | Error e) {
                thread.end();
                if (!isClosing) {
                    failure = e;
                    LOG.error("the shared frontier {} stops: {}", crawl, reason(e));
                    LOG.debug("the cause", e);
                }
            }
        }

        private static @Nullable String reason(Throwable e) {
            return e instanceof UncheckedIOException io
                    ? Objects.requireNonNull(io.getCause()).getMessage()
                    : e.toString();
        }

        boolean hasFailed() {
            return failure != null;
        }

        /** Throws when a beat has failed. */
        void requireUsable() {
            Throwable cause = failure;
            if (cause != null) {
                throw new UncheckedIOException(new IOException("the frontier has stopped: " + reason(cause), cause));
            }
        }

        /** Interrupts the thread, which may wait for the engine, and waits for its end, unless this is the thread itself. */
        @Override
        public void close() {
            isClosing = true;
            thread.end();
            thread.interrupt();
            thread.close();
        }
    }
}
