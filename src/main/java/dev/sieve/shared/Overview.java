package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this worker has read of the whole crawl: the counters of all workers, and whether the crawl is over. Used with
 * the lock of the round trips.
 */
final class Overview {
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How many slices are read per second at least. */
    private static final int LEAST = 64;

    private static final int MORE = 8 * LEAST;

    /** How often each slice is read per second, at least, by all workers together. */
    private static final int TIMES = 4;

    private static final long OVER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Worker worker;
    private final Results results;
    private final Ownership ownership;
    private final RepeatableWrites.Recent recent;

    /** The last survey; null before the first one. */
    private @Nullable Survey last;

    private long surveyNanos;
    /** The first of the slices that are read next. */
    private int next;

    private long notOverNanos;
    private boolean wasNotOver;

    /** How many URLs were accepted when the crawl was over. */
    private long overAt = -1;

    Overview(Worker worker, Results results, Ownership ownership, RepeatableWrites.Recent recent) {
        this.worker = worker;
        this.results = results;
        this.ownership = ownership;
        this.recent = recent;
        next = Math.floorMod(worker.name().hashCode(), worker.keys().sliceCount());
    }

    /**
     * Looks at the slices of this worker, and at some of the others in turn: a few, so that many workers do not keep
     * the engine busy, and enough that each slice is looked at four times per turn of all workers.
     */
    Survey look(Session session) {
        int count = worker.keys().sliceCount();
        int workers = Math.max(1, ownership.workers());
        // A worker with less than its share looks for more.
        int least = worker.holdings().owned() < count / workers ? MORE : LEAST;
        int some = Math.min(count, Math.max(least, TIMES * count / workers));
        BitSet slices = new BitSet();
        for (int i = 0; i < some; i++) {
            slices.set((next + i) % count);
        }
        ownership.slices().forEach(slice -> slices.set(slice.index));
        Survey survey = Survey.take(session, worker.keys(), last, slices);
        next = (next + some) % count;
        return survey;
    }

    /** Reads the counters of all workers, unless they are new enough or the engine is away. */
    void refresh(long now) {
        assert worker.isInTrip();
        if (now - surveyNanos >= AGE_NANOS && results.flush()) {
            Survey survey = worker.engine().tryCall((session, number) -> look(session));
            if (survey != null) {
                note(survey, now);
            }
        }
    }

    /** Looks at some slices; returns null when the engine is away. */
    private @Nullable Survey survey(BitSet some) {
        Survey survey = worker.engine().tryCall((session, number) -> Survey.take(session, worker.keys(), last, some));
        if (survey != null) {
            note(survey);
        }
        return survey;
    }

    /** Notes what a {@link #look} has found; throws when it is of another crawl. */
    void note(Survey survey, long now) {
        note(survey);
        surveyNanos = now;
    }

    private void note(Survey survey) {
        assert worker.isInTrip();
        if (!survey.isOf(worker.settings().id())) {
            completeAgain(survey);
        }
        last = survey;
        expectChange();
        worker.totals().note(survey);
        for (int i : survey.read(0)) {
            if (survey.slice(i).queuedFrames() > 0) {
                worker.holdings().mayHaveFrames(i);
            }
        }
        if (survey.hasEnded()) {
            overAt = survey.accepted();
        }
    }

    /** Stores the identities of slices again that a node of a cluster has lost right after they were made. */
    private void completeAgain(Survey survey) {
        if (!worker.settings().isSpread()
                || !survey.hasSettings(worker.settings().id())) {
            throw CrawlSettings.isGone(worker.keys().name());
        }
        try {
            worker.settings().complete(worker.engine(), worker.keys());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes that the crawl may be over soon, so that the next question is not answered from memory. */
    void expectChange() {
        wasNotOver = false;
    }

    /** Returns whether the crawl is over for all workers; between two looks at the others there is a pause. */
    boolean isOver(long left, long now) {
        assert worker.isInTrip();
        if (overAt >= 0 && overAt == worker.totals().accepted()) {
            return true;
        }
        if (wasNotOver && now - notOverNanos < OVER_WAIT_NANOS) {
            return false;
        }
        boolean isOver = isDrained(left, now);
        wasNotOver = !isOver && !ownership.isAlone();
        notOverNanos = now;
        return isOver;
    }

    private boolean isDrained(long left, long now) {
        // Slices with frames of an earlier owner may have been claimed since the caller has checked.
        boolean isBusy = !results.flushAll() || worker.holdings().isBusy(left);
        if (isBusy || !ownership.renew(true, now) || worker.holdings().isBusy(left)) {
            return false;
        }
        BitSet all = new BitSet();
        all.set(0, worker.keys().sliceCount());
        Survey first = hasWork() ? null : survey(all);
        Survey second = first == null ? null : survey(all);
        // In a new run, a beat has to push again what was lost before.
        boolean isOver =
                first != null && second != null && recent.lost(second.run).isEmpty() && first.isDrained(second);
        if (second == null || !isOver) {
            return overAt == worker.totals().accepted();
        }
        long lost = second.lost();
        if (lost > 0) {
            throw new UncheckedIOException(
                    new IOException(lost + " URLs of the crawl " + worker.keys().name()
                            + " are neither done nor pending: the engine has lost them; 'sieve repair' counts them"));
        }
        overAt = second.accepted();
        byte[][] keys = {worker.keys().events(), worker.keys().settings()};
        byte[][] mark = {
            utf8(Survey.ENDED), utf8(overAt), utf8(worker.settings().id()), utf8(1)
        };
        worker.engine().tryCall((session, number) -> session.ask(Script.MARK, keys, mark));
        return true;
    }

    /**
     * Returns whether a slice has work. Of those that had some when they were read last, one is read again, then two,
     * and so on: in a crawl that is not over, the first one nearly always tells.
     */
    private boolean hasWork() {
        Survey known = last;
        for (int most = 1; known != null; most *= 2) {
            BitSet some = known.undrained(most);
            if (some.isEmpty()) {
                return false;
            }
            known = survey(some);
            if (known != null && !known.isDrained()) {
                return true;
            }
        }
        return true;
    }
}
