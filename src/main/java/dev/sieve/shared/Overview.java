package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this worker has read of the whole crawl: the counters of all workers, and whether the crawl is over. Used with
 * the lock of the round trips.
 */
final class Overview {
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long OVER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Worker worker;
    private final Results results;
    private final Ownership ownership;
    private final RecentWrites recent;

    private long surveyNanos;
    private long notOverNanos;
    private boolean wasNotOver;

    /** How many URLs were accepted when the crawl was over. */
    private long overAt = -1;

    Overview(Worker worker, Results results, Ownership ownership, RecentWrites recent) {
        this.worker = worker;
        this.results = results;
        this.ownership = ownership;
        this.recent = recent;
    }

    /** Reads the counters of all workers, unless they are new enough or the engine is away. */
    void refresh(long now) {
        assert worker.isInTrip();
        if (now - surveyNanos >= AGE_NANOS && results.flush()) {
            survey(now);
        }
    }

    private @Nullable Survey survey(long now) {
        Survey survey = worker.engine().tryCall((session, number) -> Survey.take(session, worker.keys()));
        if (survey != null) {
            note(survey, now);
        }
        return survey;
    }

    /**
     * Notes a survey.
     *
     * @throws UncheckedIOException when it is one of another crawl
     */
    void note(Survey survey, long now) {
        assert worker.isInTrip();
        if (!survey.isOf(worker.settings().id())) {
            completeAgain(survey);
        }
        surveyNanos = now;
        expectChange();
        worker.totals().note(survey);
        for (int i = 0; i < survey.slices.size(); i++) {
            if (survey.slices.get(i).queuedFrames() > 0) {
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
        Survey first = survey(now);
        Survey second = first == null ? null : survey(now);
        // In a new run, a beat has to push again what was lost before.
        if (first == null || second == null || !recent.isOf(second.run)) {
            return false;
        }
        if (!first.isDrained(second)) {
            return overAt == worker.totals().accepted();
        }
        long lost = second.lost();
        if (lost > 0) {
            throw new UncheckedIOException(
                    new IOException(lost + " URLs of the crawl " + worker.keys().name()
                            + " are neither done nor pending: the engine has lost them; 'sieve repair' counts them"));
        }
        overAt = second.accepted();
        byte[][] mark = {utf8(Survey.ENDED), utf8(overAt), utf8(1)};
        worker.engine().tryCall((session, number) -> {
            session.send(Script.MARK, new byte[][] {worker.keys().events()}, mark);
            return session.receive();
        });
        return true;
    }
}
