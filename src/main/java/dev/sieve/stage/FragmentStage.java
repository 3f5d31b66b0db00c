package dev.sieve.stage;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Recorder;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.output.Visit;
import dev.sieve.parse.DocumentReader;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Notes the parts of pages and the links to them, and checks these links after the last request.
 *
 * @param checksRoutes whether a {@linkplain dev.sieve.url.Fragment#isRoute route} has to be a part of its page
 * @param needsAllPages whether nothing is checked before all pages were visited, as in a round: those that were not yet
 *     may have changed
 */
record FragmentStage(
        Fragments fragments, Recorder recorder, boolean checksRoutes, boolean needsAllPages, CrawlClock clock)
        implements Stage {
    @Override
    public StageVisit visit(VisitContext visit) {
        return new Visiting(visit);
    }

    @Override
    public void flush(boolean isForced) {
        fragments.flush(isForced);
    }

    @Override
    public boolean end(Ending ending, BooleanSupplier hasToEnd) throws IOException {
        boolean isLimit = ending == Ending.MAX_PAGES || ending == Ending.MAX_TIME;
        if (ending != Ending.DRAINED && (needsAllPages || !isLimit)) {
            return true;
        }
        FragmentCheck.Receiver receiver = new FragmentCheck.Receiver() {
            @Override
            public void missing(String page, int depth, String url, boolean isFirst, boolean isRecorded) {
                int start = url.indexOf('#');
                String key = UrlNormalizer.key(url.substring(0, start)) + url.substring(start);
                Failed failed = new Failed(0, Reason.FRAGMENT, "");
                Visit visit = VisitContext.notRequested(url, key, depth + 1, page, failed, clock.now(), -1);
                if (!isRecorded) {
                    recorder.checked(url, SkipRule.MISSING_FRAGMENT.reason(), page);
                }
                recorder.broken(visit, isFirst, isRecorded);
            }

            @Override
            public void flush() {
                recorder.flushSink();
            }
        };
        FragmentCheck.Result result =
                new FragmentCheck(fragments, receiver, checksRoutes, hasToEnd, FragmentCheck.TABLE_BYTES).run();
        recorder.count(Counter.FRAGMENTS, Counter.FOUND, result.found());
        recorder.count(Counter.FRAGMENTS, Counter.MISSING, result.missing());
        recorder.count(Counter.FRAGMENTS, Counter.UNCHECKED, result.unknown());
        recorder.count(Counter.FRAGMENTS, Counter.ROUTES, result.routes());
        return result.isComplete();
    }

    private final class Visiting implements StageVisit {
        private final VisitContext visit;
        private final Fragments.Page parts = fragments.page();
        private final PartReader reader = new PartReader(parts::part, this::beyondLimit);

        Visiting(VisitContext visit) {
            this.visit = visit;
        }

        /** Until the parts of all pages are known, no request is conditional. */
        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            return next.fetch(fragments.hasAllPages() ? request : request.onlyIf(Map.of()));
        }

        @Override
        public List<DocumentReader> readers() {
            return List.of(reader);
        }

        @Override
        public void read() {
            reader.links(visit.document().links(), (url, fragment) -> {
                if (!parts.link(url, fragment)) {
                    beyondLimit(url + "#" + fragment);
                }
            });
        }

        private void beyondLimit(String url) {
            recorder.skipped(url, SkipRule.BEYOND_LIMIT.reason(), visit.target().url());
        }

        @Override
        public void visited() {
            Target target = visit.target();
            FetchResult result = visit.result();
            boolean isPage = target.is(Target.Kind.PAGE);
            if (result instanceof Redirect redirect && (isPage || target.is(Target.Kind.CHECK))) {
                fragments.add(target.lease().depth(), target.url(), redirect);
            } else if (isPage && Revisit.isUsable(result, visit.isAccepted()) && !result.isNotModified()) {
                fragments.add(target.lease().depth(), target.url(), parts, visit.isWhole());
            }
        }
    }
}
