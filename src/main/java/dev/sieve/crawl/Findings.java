package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.scope.Admission;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.util.List;

/**
 * Takes what is found to the frontier: seeds, links and the targets of redirects, each by way of the {@link Admission},
 * those of a page as one batch. Safe for use by many threads.
 */
final class Findings {
    private static final int MAX_REDIRECTS = 10;
    private static final SkipReason NOFOLLOW = new SkipReason("nofollow");
    private static final SkipReason BEYOND_LIMIT = new SkipReason("beyond the limit of a page");

    private final Frontier frontier;
    private final Admission admission;
    private final Ledger ledger;
    /** Null where nothing outlives the process. */
    private final SeedLog seedLog;

    /** Takes in the seeds that the log remembers, if there is one. */
    Findings(Frontier frontier, Admission admission, Ledger ledger, SeedLog seedLog) {
        this.frontier = frontier;
        this.admission = admission;
        this.ledger = ledger;
        this.seedLog = seedLog;
        if (seedLog != null) {
            seedLog.seeds().forEach(admission::addSeed);
        }
    }

    /** Queues a seed, in the spelling that is fetched, and widens the scope; true when it was new. */
    boolean seed(String url) {
        widenScope(url);
        UrlBatch batch = new UrlBatch();
        batch.add(url, UrlNormalizer.key(url));
        return push(batch) == 1;
    }

    /** Answers whether that was written down. */
    private boolean widenScope(String seed) {
        boolean isWritten = seedLog != null && seedLog.add(seed);
        admission.addSeed(seed);
        return isWritten;
    }

    /** Queues what a page links to, unless it asks that its links are not followed. */
    void links(Lease page, LinkExtractor.Document document) {
        if (document.isNofollow()) {
            document.links().forEach(link -> ledger.skipped(link, NOFOLLOW, page.url()));
        } else {
            push(page, document.links());
        }
    }

    /** Queues what a sitemap lists, as if it were a page that links there. */
    void listed(Lease sitemap, List<String> urls) {
        push(sitemap, urls);
    }

    /** Queues sitemaps, which are of no scope. */
    void sitemaps(List<String> urls, SitemapKind kind, int redirects, String referrer) {
        UrlBatch batch = new UrlBatch(0, redirects, referrer);
        urls.forEach(url -> batch.add(kind.marked(url), SitemapKind.key(url)));
        push(batch);
    }

    /** Notes what a page refers to beside its links, as it is read. */
    LinkExtractor.Rest rest(Lease page) {
        return new LinkExtractor.Rest() {
            @Override
            public void refused(String text, Refusal reason) {
                ledger.skipped(text, SkipReason.invalid(reason), page.url());
            }

            @Override
            public void beyondLimit(String text) {
                ledger.skipped(text, BEYOND_LIMIT, page.url());
            }
        };
    }

    private void push(Lease page, List<String> links) {
        int depth = page.depth() + 1;
        UrlBatch batch = new UrlBatch(depth, 0, page.url());
        for (String link : links) {
            if (isAdmitted(link, depth, page)) {
                batch.add(link, UrlNormalizer.key(link));
            }
        }
        push(batch);
    }

    /** Queues the target of a redirect; answers what the redirect came to. */
    FetchResult target(Lease lease, Redirect redirect) {
        String target = redirect.target();
        if (target.equals(lease.url())) {
            return new Failed(redirect.status(), Reason.BAD_REDIRECT, "to itself");
        }
        if (lease.redirects() >= MAX_REDIRECTS) {
            return new Failed(redirect.status(), Reason.REDIRECT_LIMIT, "the next one would be " + target);
        }
        if (lease.depth() == 0) {
            // Where a seed has moved to is what its user meant.
            if (widenScope(target)) {
                seedLog.force();
            }
        }
        if (isAdmitted(target, lease.depth(), lease)) {
            UrlBatch batch = new UrlBatch(lease.depth(), lease.redirects() + 1, lease.url());
            String key = UrlNormalizer.key(target);
            // Another spelling of the same page was seen, by the redirect itself; it still has to be fetched once.
            batch.add(target, key.equals(UrlNormalizer.key(lease.url())) ? "redirect " + target : key);
            push(batch);
        }
        return redirect;
    }

    private boolean isAdmitted(String url, int depth, Lease foundOn) {
        SkipReason reason = admission.skipReason(url, depth);
        if (reason != null) {
            ledger.skipped(url, reason, foundOn.url());
        }
        return reason == null;
    }

    private int push(UrlBatch batch) {
        int isNew = frontier.pushAll(batch);
        ledger.pushed(batch.size(), isNew);
        for (int i = 0, left = isNew; left > 0; i++) {
            if (batch.isNew(i)) {
                admission.accepted(batch.url(i));
                left--;
            }
        }
        return isNew;
    }
}
