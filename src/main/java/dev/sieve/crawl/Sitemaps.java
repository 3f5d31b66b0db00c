package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.Fetcher;
import dev.sieve.parse.SitemapReader;
import dev.sieve.robots.LruMap;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sitemaps of a crawl: which there are, and what they list.
 *
 * <p>They wait in the frontier with the pages, with a label of their {@link SitemapSource}, so that they are requested
 * like pages and survive what a page survives. What a sitemap lists is pushed while it is read, in batches, and before it is done.
 *
 * <p>Safe for use by many threads.
 */
final class Sitemaps {
    /** The path of a sitemap that nobody names. */
    private static final String USUAL_PLACE = "/sitemap.xml";

    /** Sitemaps of one registrable domain that are taken, as many as one index may list. */
    private static final int MAX_OF_A_SITE = 50_000;

    /** Origins and sites that are remembered; of others it is found out again, which the frontier makes harmless. */
    private static final int REMEMBERED = 20_000;

    private static final SkipReason NO_URL = new SkipReason("sitemap without a URL");
    private static final SkipReason NESTED = new SkipReason("sitemap in an index of an index");
    private static final SkipReason FOREIGN = new SkipReason("sitemap of another site");
    private static final SkipReason TOO_MANY = new SkipReason("sitemap beyond the limit of a site");

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private final Fetcher fetcher;
    private final LinkQueue links;
    private final Recorder recorder;
    private final Map<String, Boolean> offered = new LruMap<>(REMEMBERED);
    private final Map<String, Integer> taken = new LruMap<>(REMEMBERED);

    /** URLs on their way out of a sitemap, some at a time, since there may be more than there is memory for. */
    private static final class Batches implements Consumer<String> {
        private static final int MAX_URLS = 1000;
        private static final int MAX_CHARS = 256 << 10;

        private final Consumer<List<String>> taker;
        private final List<String> urls = new ArrayList<>();
        private int chars;

        Batches(Consumer<List<String>> taker) {
            this.taker = taker;
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
            if (!urls.isEmpty()) {
                List<String> batch = List.copyOf(urls);
                urls.clear();
                chars = 0;
                taker.accept(batch);
            }
        }
    }

    Sitemaps(Fetcher fetcher, LinkQueue links, Recorder recorder) {
        this.fetcher = fetcher;
        this.links = links;
        this.recorder = recorder;
    }

    /**
     * Pushes the sitemaps of the origin of a page, once: those that its robots.txt names, on whatever host; where it
     * names none, and the page is a seed, the one at the usual place.
     */
    void offer(Lease page, RobotsRules rules) {
        boolean isGuess = rules.sitemaps().isEmpty();
        String origin = UrlParts.origin(page.url());
        if ((isGuess && page.depth() > 0) || !isFirst(origin)) {
            return;
        }
        if (isGuess) {
            push(List.of(origin + USUAL_PLACE), SitemapSource.GUESS, 0, page.url());
        } else {
            pushNamed(rules, origin + "/robots.txt");
        }
        recorder.skipped("sitemap too many or too long for a robots.txt", rules.sitemapsLeftOut());
    }

    private boolean isFirst(String origin) {
        synchronized (offered) {
            return offered.put(origin, true) == null;
        }
    }

    private void pushNamed(RobotsRules rules, String referrer) {
        List<String> urls = new ArrayList<>();
        for (String named : rules.sitemaps()) {
            String url = UrlNormalizer.parse(named);
            if (url == null) {
                recorder.skipped(named, NO_URL, referrer);
            } else {
                urls.add(url);
            }
        }
        push(urls, SitemapSource.ROBOTS, 0, referrer);
    }

    private void push(List<String> urls, SitemapSource source, int redirects, String referrer) {
        List<String> welcome = new ArrayList<>();
        for (String url : urls) {
            if (hasRoom(UrlParts.domain(url))) {
                welcome.add(url);
            } else {
                recorder.skipped(url, TOO_MANY, referrer);
            }
        }
        links.sitemaps(welcome, source, redirects, referrer);
    }

    private boolean hasRoom(String site) {
        synchronized (taken) {
            return taken.merge(site, 1, Integer::sum) <= MAX_OF_A_SITE;
        }
    }

    /** Requests a sitemap, and pushes what it lists while it is read. What is not a sitemap is a failure. */
    FetchResult fetch(Lease sitemap) {
        AtomicReference<SitemapReader.Outcome> read = new AtomicReference<>();
        Batches pages = new Batches(urls -> links.listed(sitemap, urls));
        Batches listed = new Batches(urls -> take(urls, sitemap));
        FetchResult result = fetcher.stream(sitemap.url(), body -> {
            try {
                read.set(SitemapReader.read(body, pages, listed));
            } finally {
                pages.flush();
                listed.flush();
            }
        });
        return read.get() == null ? result : outcome(sitemap.url(), result, read.get());
    }

    /** A sitemap that is listed must not list further ones, by the protocol; an index lists those of its own site. */
    private void take(List<String> urls, Lease index) {
        String site = UrlParts.domain(index.url());
        List<String> own = new ArrayList<>();
        for (String url : urls) {
            if (SitemapSource.of(index) == SitemapSource.INDEX) {
                recorder.skipped(url, NESTED, index.url());
            } else if (!UrlParts.domain(url).equals(site)) {
                recorder.skipped(url, FOREIGN, index.url());
            } else {
                own.add(url);
            }
        }
        push(own, SitemapSource.INDEX, 0, index.url());
    }

    private FetchResult outcome(String url, FetchResult result, SitemapReader.Outcome read) {
        if (!read.isSitemap()) {
            return new Failed(result.status(), Reason.PROTOCOL, read.problem());
        }
        if (!read.problem().isEmpty()) {
            LOG.warn("sitemap {} was read as far as it makes sense: {}", url, read.problem());
        }
        recorder.skipped("no URL in a sitemap", read.invalid());
        recorder.skipped("beyond the limit of a sitemap", read.beyondLimit());
        recorder.sitemapRead(read.urls());
        return result;
    }

    /** Counts what became of a sitemap. One that was only guessed need not be there. */
    void finish(Lease sitemap, FetchResult result) {
        SitemapSource source = SitemapSource.of(sitemap);
        FetchResult outcome = result instanceof Redirect redirect ? LinkQueue.check(sitemap, redirect) : result;
        if (outcome instanceof Redirect redirect) {
            push(List.of(redirect.target()), source, sitemap.redirects() + 1, sitemap.url());
            recorder.sitemapMoved();
        } else if (!outcome.isSuccess() && source == SitemapSource.GUESS) {
            recorder.sitemapAbsent();
        } else if (!outcome.isSuccess()) {
            String reason = "sitemap: " + (outcome.error().isEmpty() ? outcome.status() : outcome.error());
            LOG.warn("{} {}{}", reason, sitemap.url(), outcome instanceof Failed failed ? ": " + failed.detail() : "");
            recorder.sitemapFailed(new CrawlReport.Failure(sitemap.url(), reason, sitemap.referrer()));
        }
    }
}
