package dev.sieve.stage;

import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.EarlierVisits;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.LinkQueue;
import dev.sieve.crawl.Recorder;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.PageText;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Visits the pages of earlier {@link Rounds} again, with conditional requests, and says what has changed. */
final class RoundStage implements EarlierVisits {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private final Rounds rounds;
    private final LinkQueue links;
    private final Recorder recorder;
    private final CrawlClock clock;
    /** What the visits say that are recorded, and not stored yet. Guarded by the lock of the sink. */
    private final List<Revisit> visits = new ArrayList<>();

    /** The round, once it is complete; null before. */
    private volatile @Nullable Round complete;

    RoundStage(Rounds rounds, LinkQueue links, Recorder recorder, CrawlClock clock) {
        this.rounds = rounds;
        this.links = links;
        this.recorder = recorder;
        this.clock = clock;
    }

    @Override
    public long queue(BooleanSupplier hasToEnd) {
        return rounds.queue(clock.now(), this::isWanted, hasToEnd);
    }

    private boolean isWanted(KnownPage page) {
        return links.takesAgain(page.kind(), page.url(), page.discovery().depth());
    }

    @Override
    public long toQueue() {
        return rounds.toQueue();
    }

    @Override
    public boolean isVisited(Target target) {
        return rounds.isVisited(target);
    }

    @Override
    public @Nullable String redirect(boolean isCheck, String key) {
        return rounds.pages.redirect(isCheck, key);
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new Visiting(visit);
    }

    @Override
    public void flush(boolean isForced) {
        rounds.store(visits, isForced);
        visits.clear();
    }

    @Override
    public boolean end(Ending ending, BooleanSupplier hasToEnd) throws IOException {
        if (ending == Ending.DRAINED) {
            try {
                complete = rounds.complete(hasToEnd);
            } catch (CancellationException e) {
                LOG.warn("the end of the round was cut short; the same command continues it");
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (complete != null) {
            rounds.end();
        }
    }

    @Override
    public Round result() {
        Round round = complete;
        return round == null ? new Round(rounds.round(), List.of(), 0) : round;
    }

    private final class Visiting implements StageVisit.Earlier {
        private final VisitContext visit;
        private final Target target;
        /** What was known before this round; null when nothing was. */
        private final @Nullable KnownPage base;
        /** References to the pages that a sitemap lists: their URLs may take 100 MB. */
        private final LongStream.Builder listed = LongStream.builder();

        /** The exchange of this visit, as far as later ones depend on it; null when it is not recorded. */
        private Exchange.@Nullable Earlier archived;

        private @Nullable Revisit revisit;

        Visiting(VisitContext visit) {
            this.visit = visit;
            target = visit.target();
            base = rounds.base(target);
        }

        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            if (target.isSitemap()) {
                return next.fetch(request);
            }
            FetchResult result = next.fetch(request.onlyIf(Revisit.conditions(base)));
            if (result.isNotModified() && base != null) {
                visit.known(base.likeness());
            }
            Exchange exchange = result.exchange();
            if (exchange == null) {
                return result;
            }
            archived = exchange.asEarlier();
            return result.with(exchange.after(
                    base == null || base.content().state() != KnownPage.State.PAGE
                            ? null
                            : base.content().archived()));
        }

        @Override
        public void listed(List<String> urls, Map<String, Instant> modified) {
            urls.forEach(url -> listed.add(rounds.reference(url)));
            recorder.queuedAgain(rounds.queueModified(modified, visit.fetchedAt(), RoundStage.this::isWanted));
        }

        @Override
        public List<DocumentReader> readers() {
            return List.of(visit.digest());
        }

        @Override
        public void visited() {
            if (visit.result() instanceof Refused) {
                revisit = base == null ? rounds.refused(target) : null;
                return;
            }
            LongStream references = target.isSitemap()
                    ? listed.build()
                    : visit.document().links().stream().mapToLong(rounds::reference);
            PageText text = visit.text();
            revisit = rounds.revisit(
                    base,
                    target,
                    visit.result(),
                    visit.isAccepted(),
                    references,
                    text == null ? 0 : text.digest(),
                    visit.fetchedAt(),
                    archived);
            visit.history(revisit.history());
        }

        @Override
        public void settled(boolean isLeft) {
            if (revisit != null) {
                visits.add(isLeft ? revisit.left() : revisit);
            }
        }
    }
}
