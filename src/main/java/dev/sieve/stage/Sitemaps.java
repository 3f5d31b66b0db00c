package dev.sieve.stage;

import dev.sieve.Lease;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.LinkQueue;
import dev.sieve.crawl.RecentRedirects;
import dev.sieve.crawl.Recorder;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.output.Verdict;
import dev.sieve.parse.SitemapReader;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and reads the sitemaps of a crawl.
 *
 * <p>They wait in the frontier like pages, with a {@link Target.Kind} of their own. What a sitemap lists is pushed in
 * batches while it is read, before it is done. Safe for use by many threads.
 */
final class Sitemaps implements Stage {
    /** Sitemaps that are requested per registrable domain, as many as an index may list. */
    private static final int MAX_OF_A_SITE = 50_000;

    /** Sitemaps of other registrable domains that are requested per robots.txt. */
    private static final int MAX_FOREIGN = 20;

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private final boolean isOffered;
    private final LinkQueue links;
    private final Recorder recorder;
    /** Those that are dropped are processed again, and the frontier finds their sitemaps seen. */
    private final LruMap<Boolean> origins;

    private final LruMap<Integer> sitemapsOfSite;

    /** Passes on the URLs of a sitemap in batches, since all of them may not fit into memory. */
    private static final class Batches implements Consumer<String> {
        private static final int MAX_URLS = 1000;
        private static final int MAX_CHARS = 256 << 10;

        private final Consumer<List<String>> receiver;
        private final List<String> urls = new ArrayList<>();
        private int chars;
        private long passed;

        Batches(Consumer<List<String>> receiver) {
            this.receiver = receiver;
        }

        @Override
        public void accept(String url) {
            urls.add(url);
            chars += url.length();
            if (urls.size() == MAX_URLS || chars > MAX_CHARS) {
                flush();
            }
        }

        void flush() {
            List<String> batch = List.copyOf(urls);
            passed += batch.size();
            urls.clear();
            chars = 0;
            receiver.accept(batch);
        }
    }

    /**
     * Creates a reader of sitemaps, which queues them if {@code isOffered}, and reads those that an earlier run has
     * queued anyway. The origins and sites in memory take at most {@code maxBytes}.
     */
    Sitemaps(LinkQueue links, Recorder recorder, boolean isOffered, long maxBytes) {
        this.isOffered = isOffered;
        origins = new LruMap<>(maxBytes / 2, seen -> 0);
        sitemapsOfSite = new LruMap<>(maxBytes / 2, count -> Integer.BYTES * 4);
        this.links = links;
        this.recorder = recorder;
    }

    @Override
    public void rules(Target target, RobotsRules rules) {
        if (isOffered && target.is(Target.Kind.PAGE) && !links.isElsewhere(target.url())) {
            offer(target.lease(), rules);
        }
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return visit.target().isSitemap() ? new Visiting(visit) : StageVisit.NONE;
    }

    /**
     * Pushes the sitemaps of the origin of a page, once: those that its robots.txt names, on any host; where it names
     * none, and the page is a seed, {@code /sitemap.xml}.
     */
    private void offer(Lease page, RobotsRules rules) {
        boolean isGuess = rules.sitemaps().isEmpty();
        String origin = UrlParts.origin(page.url());
        if ((isGuess && page.depth() > 0) || origins.put(origin, true) != null) {
            return;
        }
        if (isGuess) {
            push(List.of(origin + "/sitemap.xml"), Target.Kind.GUESSED_SITEMAP, 0, page.url());
        } else {
            pushNamed(rules, origin + "/robots.txt");
        }
        recorder.skipped(SkipRule.SITEMAP_LEFT_OUT.text(), rules.sitemapsLeftOut());
    }

    private void pushNamed(RobotsRules rules, String referrer) {
        String site = UrlParts.domain(referrer);
        int foreign = 0;
        List<String> urls = new ArrayList<>();
        for (String named : rules.sitemaps()) {
            String url = UrlNormalizer.parse(named);
            if (url == null) {
                recorder.skipped(named, SkipRule.SITEMAP_NO_URL.reason(), referrer);
            } else if (!UrlParts.domain(url).equals(site) && ++foreign > MAX_FOREIGN) {
                recorder.skipped(url, SkipRule.SITEMAP_TOO_FOREIGN.reason(), referrer);
            } else {
                urls.add(url);
            }
        }
        push(urls, Target.Kind.NAMED_SITEMAP, 0, referrer);
    }

    private void push(List<String> urls, Target.Kind kind, int redirects, String referrer) {
        List<String> within = new ArrayList<>();
        for (String url : urls) {
            if (sitemapsOfSite.merge(UrlParts.domain(url), 1, Integer::sum) <= MAX_OF_A_SITE) {
                within.add(url);
            } else {
                recorder.skipped(url, SkipRule.SITEMAP_BEYOND_LIMIT.reason(), referrer);
            }
        }
        links.sitemaps(within, kind, redirects, referrer);
    }

    /** According to the protocol, an index must not list indexes or sitemaps of other sites. */
    private void pushListed(List<String> urls, Target index) {
        String site = UrlParts.domain(index.url());
        List<String> own = new ArrayList<>();
        for (String url : urls) {
            if (index.is(Target.Kind.LISTED_SITEMAP)) {
                recorder.skipped(url, SkipRule.SITEMAP_NESTED.reason(), index.url());
            } else if (!UrlParts.domain(url).equals(site)) {
                recorder.skipped(url, SkipRule.SITEMAP_FOREIGN.reason(), index.url());
            } else {
                own.add(url);
            }
        }
        push(own, Target.Kind.LISTED_SITEMAP, 0, index.url());
    }

    private FetchResult outcome(String url, FetchResult result, SitemapReader.Outcome read) {
        if (!read.isSitemap()) {
            boolean isWall = result instanceof Page page && page.wall() != null;
            return isWall ? result : new Failed(result.status(), Reason.PROTOCOL, read.problem());
        }
        if (!read.problem().isEmpty()) {
            LOG.warn("sitemap {} is damaged, its first {} URLs were read: {}", url, read.urls(), read.problem());
        } else if (read.urls() + read.invalid() == 0) {
            LOG.warn("sitemap {} lists no URLs", url);
        }
        read.invalidTexts().forEach(text -> recorder.skipped(text, SkipRule.SITEMAP_URL_INVALID.reason(), url));
        recorder.skipped(
                SkipRule.SITEMAP_URL_INVALID.text(),
                read.invalid() - read.invalidTexts().size());
        recorder.skipped(SkipRule.SITEMAP_URL_BEYOND_LIMIT.text(), read.beyondLimit());
        recorder.count(Counter.SITEMAPS, 1);
        recorder.count(Counter.SITEMAP_URLS, read.urls());
        return result;
    }

    private final class Visiting implements StageVisit {
        private final VisitContext visit;
        private final Target sitemap;
        /** How many URLs were queued, although the rest of the sitemap could not be read. */
        private long brokenOff;

        Visiting(VisitContext visit) {
            this.visit = visit;
            sitemap = visit.target();
        }

        /** Pushes what the sitemap lists while it is read. A body that is not a sitemap is a failure. */
        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            AtomicReference<SitemapReader.Outcome> read = new AtomicReference<>();
            Map<String, Instant> modified = new HashMap<>();
            Batches pages = new Batches(urls -> {
                links.links(sitemap.lease(), urls);
                visit.earlier(part -> part.listed(urls, modified));
                modified.clear();
            });
            Batches others = new Batches(urls -> pushListed(urls, sitemap));
            FetchResult result = next.fetch(request.reading(FetchRequest.Body.to(body -> {
                try {
                    read.set(SitemapReader.read(
                            body,
                            (url, time) -> {
                                if (time != null) {
                                    modified.merge(url, time, (one, other) -> one.isAfter(other) ? one : other);
                                }
                                pages.accept(url);
                            },
                            others));
                } finally {
                    pages.flush();
                    others.flush();
                }
            })));
            if (read.get() == null) {
                brokenOff = pages.passed + others.passed;
                return result;
            }
            return outcome(sitemap.url(), result, read.get());
        }

        /** Counts what became of the sitemap, and pushes the target of a redirect. */
        @Override
        public void visited() {
            Lease lease = sitemap.lease();
            FetchResult outcome = RecentRedirects.check(lease, visit.result());
            if (outcome instanceof Redirect redirect) {
                push(List.of(redirect.target()), sitemap.kind(), lease.redirects() + 1, lease.url());
                recorder.count(Counter.REDIRECTS, 1);
            } else if (outcome instanceof Page page && page.wall() != null) {
                LOG.warn(
                        "sitemap {} cannot be read: bot wall {}",
                        lease.url(),
                        page.wall().text());
                recorder.count(Counter.PAGES, Verdict.WALL.text(), 1);
                recorder.count(Counter.WALLS, page.wall().text(), 1);
            } else if (!outcome.isSuccess() && !(outcome instanceof Refused)) {
                failed(lease, outcome);
            }
        }

        private void failed(Lease lease, FetchResult outcome) {
            if (brokenOff == 0 && sitemap.is(Target.Kind.GUESSED_SITEMAP)) {
                recorder.count(Counter.SITEMAPS_ABSENT, 1);
                return;
            }
            String status = String.valueOf(outcome.status());
            String reason = "sitemap: " + (outcome.error().isEmpty() ? status : outcome.error());
            String problem = outcome.error().isEmpty() ? "status " + status : outcome.description();
            if (brokenOff == 0) {
                LOG.warn("sitemap {} cannot be read: {}", lease.url(), problem);
            } else {
                LOG.warn("sitemap {} ended after {} URLs, which were queued: {}", lease.url(), brokenOff, problem);
                recorder.count(Counter.SITEMAP_URLS, brokenOff);
            }
            recorder.failed(new CrawlReport.Failure(lease.url(), reason, lease.referrer()), lease.id());
        }
    }
}
