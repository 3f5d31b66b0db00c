package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this worker has read of the whole crawl: the counters of all workers, and whether the crawl is over. One thread at a
 * time uses it.
 */
final class Overview {
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long OVER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Engine engine;
    private final CrawlKeys keys;
    private final CrawlSettings settings;
    private final Holdings holdings;
    private final Totals totals;
    private final Results results;
    private final Ownership ownership;
    private final RecentWrites recent;

    private long surveyNanos;
    private long notOverNanos;
    private boolean wasNotOver;

    /** How many URLs were accepted when the crawl was over. */
    private long overAt = -1;

    Overview(
            Engine engine,
            CrawlKeys keys,
            CrawlSettings settings,
            Holdings holdings,
            Totals totals,
            Results results,
            Ownership ownership,
            RecentWrites recent) {
        this.engine = engine;
        this.keys = keys;
        this.settings = settings;
        this.holdings = holdings;
        this.totals = totals;
        this.results = results;
        this.ownership = ownership;
        this.recent = recent;
    }

    /** Reads the counters of all workers, unless they are new enough or the engine is away. */
    void refresh(long now) {
        if (now - surveyNanos >= AGE_NANOS && results.flush()) {
            survey(now);
        }
    }

    private @Nullable Survey survey(long now) {
        Survey survey = engine.tryCall((session, number) -> Survey.take(session, keys));
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
        if (!settings.id().equals(survey.id)) {
            throw CrawlSettings.isGone(keys.name());
        }
        surveyNanos = now;
        expectChange();
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

    /** Notes that the crawl may be over soon, so that the next question is not answered from memory. */
    void expectChange() {
        wasNotOver = false;
    }

    /** Returns whether the crawl is over for all workers; between two looks at the others there is a pause. */
    boolean isOver(long left, long now) {
        if (overAt >= 0 && overAt == totals.accepted()) {
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
        boolean isBusy = !results.flush() || holdings.isBusy(left);
        if (isBusy || !ownership.renew(true, now) || holdings.isBusy(left)) {
            return false;
        }
        Survey first = survey(now);
        Survey second = first == null ? null : survey(now);
        // In a new run, a beat has to push again what was lost before.
        if (first == null || second == null || !recent.isOf(second.run)) {
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
        byte[][] mark = {utf8(Survey.ENDED), utf8(overAt), utf8(1)};
        engine.tryCall((session, number) -> {
            session.send(Script.MARK, new byte[][] {keys.events()}, mark);
            return session.receive();
        });
        return true;
    }
}
