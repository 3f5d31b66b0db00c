package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.parse.SitemapReader;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and reads the sitemaps of a crawl.
 *
 * <p>They wait in the frontier like pages, with a {@link Target.Kind} of their own. What a sitemap lists is pushed in
 * batches while it is read, before it is done. Safe for use by many threads.
 */
final class Sitemaps {
    /** Sitemaps that are requested per registrable domain, as many as an index may list. */
    private static final int MAX_OF_A_SITE = 50_000;

    /** Sitemaps of other registrable domains that are requested per robots.txt. */
    private static final int MAX_FOREIGN = 20;

    private static final SkipReason NO_URL = new SkipReason("sitemap without a URL");
    private static final SkipReason NESTED = new SkipReason("sitemap in an index of an index");
    private static final SkipReason FOREIGN = new SkipReason("sitemap of another site");
    private static final SkipReason TOO_FOREIGN = new SkipReason("too many sitemaps of other sites");
    private static final SkipReason INVALID = new SkipReason("no URL in a sitemap");
    private static final SkipReason TOO_MANY = new SkipReason("sitemap beyond the limit of a site");

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** The rounds of the crawl; null when it has none. */
    private final @Nullable Rounds rounds;

    /** References to the pages that sitemaps list which were read and are not finished, by lease. */
    private final Map<Long, LongStream> listed = new ConcurrentHashMap<>();

    /** The URLs that were queued from sitemaps of which the rest could not be read, by lease. */
    private final Map<Long, Long> brokenOff = new ConcurrentHashMap<>();

    private final PageFetcher fetcher;
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
     * Creates a reader of sitemaps.
     *
     * @param maxBytes the heap that the origins and sites in memory may take
     * @param rounds for which {@link #finish} returns references to the pages of a sitemap; null when the crawl has none
     */
    Sitemaps(PageFetcher fetcher, LinkQueue links, Recorder recorder, long maxBytes, @Nullable Rounds rounds) {
        this.rounds = rounds;
        origins = new LruMap<>(maxBytes / 2, seen -> 0);
        sitemapsOfSite = new LruMap<>(maxBytes / 2, count -> Integer.BYTES * 4);
        this.fetcher = fetcher;
        this.links = links;
        this.recorder = recorder;
    }

    /**
     * Pushes the sitemaps of the origin of a page, once: those that its robots.txt names, on any host; where it names
     * none, and the page is a seed, {@code /sitemap.xml}.
     */
    void offer(Lease page, RobotsRules rules) {
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
        recorder.skipped("sitemap too many or too long for a robots.txt", rules.sitemapsLeftOut());
    }

    private void pushNamed(RobotsRules rules, String referrer) {
        String site = UrlParts.domain(referrer);
        int foreign = 0;
        List<String> urls = new ArrayList<>();
        for (String named : rules.sitemaps()) {
            String url = UrlNormalizer.parse(named);
            if (url == null) {
                recorder.skipped(named, NO_URL, referrer);
            } else if (!UrlParts.domain(url).equals(site) && ++foreign > MAX_FOREIGN) {
                recorder.skipped(url, TOO_FOREIGN, referrer);
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
                recorder.skipped(url, TOO_MANY, referrer);
            }
        }
        links.sitemaps(within, kind, redirects, referrer);
    }

    /** Requests a sitemap, and pushes what it lists while it is read. A body that is not a sitemap is a failure. */
    FetchResult fetch(Target sitemap, FetchRequest request, Instant now) {
        AtomicReference<SitemapReader.Outcome> read = new AtomicReference<>();
        // Not the URLs: those of one sitemap may take 100 MB.
        LongStream.Builder all = LongStream.builder();
        Map<String, Instant> modified = new HashMap<>();
        Batches pages = new Batches(urls -> {
            links.links(sitemap.lease(), urls);
            if (rounds != null) {
                urls.forEach(url -> all.add(rounds.reference(url)));
                recorder.queuedAgain(rounds.queueModified(modified, now, links::takesAgain));
            }
            modified.clear();
        });
        Batches others = new Batches(urls -> pushListed(urls, sitemap));
        FetchResult result = fetcher.fetch(request.reading(FetchRequest.Body.to(body -> {
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
        if (rounds != null) {
            listed.put(sitemap.lease().id(), all.build());
        }
        if (read.get() == null && pages.passed + others.passed > 0) {
            brokenOff.put(sitemap.lease().id(), pages.passed + others.passed);
        }
        return read.get() == null ? result : outcome(sitemap.url(), result, read.get());
    }

    /** According to the protocol, an index must not list indexes or sitemaps of other sites. */
    private void pushListed(List<String> urls, Target index) {
        String site = UrlParts.domain(index.url());
        List<String> own = new ArrayList<>();
        for (String url : urls) {
            if (index.is(Target.Kind.LISTED_SITEMAP)) {
                recorder.skipped(url, NESTED, index.url());
            } else if (!UrlParts.domain(url).equals(site)) {
                recorder.skipped(url, FOREIGN, index.url());
            } else {
                own.add(url);
            }
        }
        push(own, Target.Kind.LISTED_SITEMAP, 0, index.url());
    }

    private FetchResult outcome(String url, FetchResult result, SitemapReader.Outcome read) {
        if (!read.isSitemap()) {
            return new Failed(result.status(), Reason.PROTOCOL, read.problem());
        }
        if (!read.problem().isEmpty()) {
            LOG.warn("sitemap {} is damaged, its first {} URLs were read: {}", url, read.urls(), read.problem());
        } else if (read.urls() + read.invalid() == 0) {
            LOG.warn("sitemap {} lists no URLs", url);
        }
        read.invalidTexts().forEach(text -> recorder.skipped(text, INVALID, url));
        recorder.skipped(INVALID.rule(), read.invalid() - read.invalidTexts().size());
        recorder.skipped("beyond the limit of a sitemap", read.beyondLimit());
        recorder.count(Counter.SITEMAPS, 1);
        recorder.count(Counter.SITEMAP_URLS, read.urls());
        return result;
    }

    /** Counts what became of a sitemap, and pushes the target of a redirect; in rounds, returns references to what it lists. */
    LongStream finish(Target target, FetchResult result) {
        LongStream pages = listed.remove(target.lease().id());
        Long queued = brokenOff.remove(target.lease().id());
        Lease sitemap = target.lease();
        FetchResult outcome = LinkQueue.check(sitemap, result);
        if (outcome instanceof Redirect redirect) {
            push(List.of(redirect.target()), target.kind(), sitemap.redirects() + 1, sitemap.url());
            recorder.count(Counter.REDIRECTS, 1);
        } else if (!outcome.isSuccess() && queued == null && target.is(Target.Kind.GUESSED_SITEMAP)) {
            recorder.count(Counter.SITEMAPS_ABSENT, 1);
        } else if (!outcome.isSuccess()) {
            String status = String.valueOf(outcome.status());
            String reason = "sitemap: " + (outcome.error().isEmpty() ? status : outcome.error());
            String problem = outcome.error().isEmpty() ? "status " + status : outcome.description();
            if (queued == null) {
                LOG.warn("sitemap {} cannot be read: {}", sitemap.url(), problem);
            } else {
                LOG.warn("sitemap {} ended after {} URLs, which were queued: {}", sitemap.url(), queued, problem);
                recorder.count(Counter.SITEMAP_URLS, queued);
            }
            recorder.failed(new CrawlReport.Failure(sitemap.url(), reason, sitemap.referrer()));
        }
        return pages == null ? LongStream.empty() : pages;
    }
}
