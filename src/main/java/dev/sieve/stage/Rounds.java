package dev.sieve.stage;

import dev.sieve.UrlBatch;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.RecentRedirects;
import dev.sieve.crawl.Target;
import dev.sieve.durable.DurableSieve;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A job that is crawled in rounds, each of which visits every known page once.
 *
 * <p>What a visit says is computed from what was known before the round. It is stored after the record of the visit,
 * and before the URL is done. So after a crash, a URL whose visit is stored needs no other one in this round, and the
 * visit of any other URL says the same as it would have before. Safe for use by many threads.
 */
final class Rounds {
    private static final int BATCH = 64;
    private static final Duration DAY = Duration.ofDays(1);

    private final CrawlJob job;
    final KnownPages pages;
    private final DurableSieve frontier;
    private final RevisitRule rule;
    private final PageKeys keys;
    /** The numbers of pages that were queued since a sitemap calls them modified. */
    private final BitSet modified = new BitSet();
    /** Known pages that this run has queued, or that the round does not visit. */
    private final AtomicLong passed = new AtomicLong();

    private Rounds(CrawlJob job, RevisitRule rule, PageKeys keys) throws IOException {
        this.job = job;
        this.rule = rule;
        this.keys = keys;
        pages = job.part(KnownPages.class, files -> new KnownPages(files, keys));
        frontier = (DurableSieve) job.frontier();
    }

    /** Returns the rounds of a job; null when it has none. */
    static @Nullable Rounds of(CrawlJob job, RevisitRule rule, PageKeys keys) throws IOException {
        return job.keepsFiles() && job.files().exists(KnownPages.KIND) ? new Rounds(job, rule, keys) : null;
    }

    /**
     * Makes the crawl of a job one in rounds, and begins the next one, perhaps only of the pages that are due, if the
     * last one has ended. The message of an {@link IllegalArgumentException} says why that is not possible.
     */
    static Rounds again(CrawlJob job, boolean onlyDue, RevisitRule rule, PageKeys keys) throws IOException {
        if (!job.keepsFiles()) {
            throw new IllegalArgumentException("a crawl in rounds needs a job in a folder");
        }
        if (!job.files().exists(KnownPages.KIND) && job.frontier().stats().accepted() > 0) {
            throw new IllegalArgumentException(
                    "this job was begun without rounds, so nothing is known of its pages; for"
                            + " a crawl in rounds, choose another folder");
        }
        Rounds rounds = new Rounds(job, rule, keys);
        if (rounds.pages.isEnded()) {
            rounds.pages.begin(onlyDue);
            rounds.pages.removeEarlier();
        }
        return rounds;
    }

    /**
     * Completes the round, when every page that it visits is done or was left. Until it has {@linkplain #end ended},
     * the next run continues it, and finds nothing to visit.
     *
     * @param hasToEnd called for each page; when it returns true, the next run completes the round
     * @return the round, with the pages to which no other page links
     * @throws CancellationException when {@code hasToEnd} has returned true
     */
    Round complete(BooleanSupplier hasToEnd) throws IOException {
        return pages.complete(frontier.pending() + frontier.inFlight() > 0, job::hasSeed, hasToEnd);
    }

    /** Ends a round that is complete, so that the next run begins another one. */
    void end() {
        pages.ended();
    }

    /** Returns whether a page takes part in a round that begins now. Sitemaps always do. */
    private boolean isDue(KnownPage page, Instant now) {
        return !pages.isOnlyDue()
                || page.kind().isSitemap()
                || page.visits().count() == 0
                || rule.isDue(page.visits().last(), page.visits().interval(), now.getEpochSecond());
    }

    int round() {
        return pages.round();
    }

    /** Returns how many known pages are still to be queued: an upper bound. */
    long toQueue() {
        return pages.isQueued() ? 0 : pages.size() - passed.get();
    }

    /** Returns whether the visit of a URL in this round is stored. */
    boolean isVisited(Target target) {
        return pages.isVisited(target.kind().label(), target.url());
    }

    /** Returns what was known of a URL before this round; null when nothing was. */
    @Nullable
    KnownPage base(Target target) {
        return pages.find(target.kind().label(), target.url());
    }

    /**
     * Returns what a visit says.
     *
     * @param base what was {@linkplain #base known} of the URL; null when nothing was
     * @param isAccepted whether the status of the page counts as a success
     * @param links the {@linkplain #reference references} to the pages to which the page links
     * @param text the digest of its visible text; 0 without one
     * @param archived the exchange of this visit that is in an archive; null for none
     */
    Revisit revisit(
            @Nullable KnownPage base,
            Target target,
            FetchResult result,
            boolean isAccepted,
            LongStream links,
            long text,
            Instant now,
            Exchange.@Nullable Earlier archived) {
        long[] references = (result instanceof Redirect redirect ? LongStream.of(reference(redirect.target())) : links)
                .sorted()
                .distinct()
                .limit(KnownPage.MAX_LINKS)
                .toArray();
        return Revisit.of(base, seen(target, references, archived), result, isAccepted, text, now, rule);
    }

    /** Returns a reference to the page with a URL, which may not be known yet. */
    long reference(String url) {
        return ~pages.fingerprint(keys.of(url));
    }

    private KnownPage seen(Target target, long[] links, Exchange.@Nullable Earlier archived) {
        return new KnownPage(
                -1,
                target.kind().label(),
                target.url(),
                new KnownPage.Discovery(target.lease().depth(), referrer(target)),
                KnownPage.Content.unread(archived),
                KnownPage.Visits.NONE,
                links);
    }

    /** Returns a reference to what has named a target: a page, or a style sheet, which is known as another one. */
    private long referrer(Target target) {
        String referrer = target.lease().referrer();
        if (referrer == null) {
            return KnownPage.NO_REFERRER;
        }
        int styleSheet = Target.Kind.STYLE_SHEET.label();
        boolean isOfResource =
                target.isResource() && (target.lease().redirects() > 0 || pages.find(styleSheet, referrer) != null);
        int label = isOfResource ? styleSheet : Target.Kind.PAGE.label();
        return ~pages.fingerprint(pages.key(label, referrer));
    }

    /** Returns a URL that is refused, and not known, as one that the next round tries again. */
    Revisit refused(Target target) {
        return Revisit.refused(seen(target, KnownPage.NO_LINKS, null));
    }

    /** Stores visits. If {@code isForced}, they survive a power cut, and what they have queued does so before. */
    void store(List<Revisit> visits, boolean isForced) {
        if (visits.isEmpty()) {
            return;
        }
        if (isForced) {
            frontier.sync();
        }
        for (Revisit visit : visits) {
            if (visit.isSame() && !visit.isLeft()) {
                pages.touch(visit.page());
            } else {
                pages.add(visit.page(), visit.isLeft());
            }
        }
        pages.flush(isForced);
    }

    /**
     * Queues the known pages that this round visits, unless that was done before; URLs that are in the frontier already
     * are not queued twice, whether an earlier round has left them or this call was interrupted by a crash.
     *
     * @param isWanted whether a page belongs to the crawl
     * @param hasToEnd called for each page; when it returns true, the others are left to the next call
     * @return how many were queued
     */
    long queue(Instant now, Predicate<KnownPage> isWanted, BooleanSupplier hasToEnd) {
        if (pages.isQueued()) {
            return 0;
        }
        ExactSet open = open();
        Batches batches = new Batches();
        boolean isComplete = pages.all(page -> {
            if (hasToEnd.getAsBoolean()) {
                return false;
            }
            if (isDue(page, now) && isWanted.test(page) && !open.mightContain(page.label() + " " + page.url())) {
                batches.add(page);
            }
            passed.incrementAndGet();
            return true;
        });
        batches.push();
        frontier.sync();
        if (isComplete) {
            pages.queued();
        }
        return batches.count;
    }

    /**
     * Queues pages that are not due, but were modified since their last visit. A time in the future says nothing, but
     * for the end of the present day.
     *
     * @param times of pages, by their URLs
     * @param isWanted whether a page belongs to the crawl
     * @return how many were queued
     */
    synchronized long queueModified(Map<String, Instant> times, Instant now, Predicate<KnownPage> isWanted) {
        Batches batches = new Batches();
        times.forEach((url, time) -> {
            boolean isPast = time.isBefore(now.plus(DAY));
            KnownPage page = pages.isOnlyDue() && isPast ? pages.find(Target.Kind.PAGE.label(), url) : null;
            if (page != null
                    && Math.min(time.getEpochSecond(), now.getEpochSecond())
                            > page.visits().last()
                    && !isDue(page, now)
                    && !modified.get(page.number())
                    && isWanted.test(page)) {
                modified.set(page.number());
                batches.add(page);
            }
        });
        batches.push();
        return batches.count;
    }

    private ExactSet open() {
        ExactSet open = ExactSet.create(Memberships.randomSeed());
        if (frontier.pending() + frontier.inFlight() > 0) {
            frontier.forEach((url, isDone) -> {
                if (!isDone) {
                    open.add(url.label() + " " + url.url());
                }
            });
        }
        return open;
    }

    /** Pages with the same depth, kind and referrer in batches. */
    private final class Batches {
        private final UrlBatch batch = new UrlBatch();
        private KnownPage.Discovery discovery = new KnownPage.Discovery(0, KnownPage.NO_REFERRER);
        private @Nullable String referrerUrl;
        private int redirects;
        private int label;
        private long count;

        void add(KnownPage page) {
            boolean continues = batch.size() < BATCH && page.discovery().equals(discovery) && page.label() == label;
            if (!continues) {
                push();
                if (page.discovery().referrer() != discovery.referrer()) {
                    KnownPage linking = pages.page(page.discovery().referrer());
                    referrerUrl = linking == null ? null : linking.url();
                    redirects = redirects(linking);
                }
                discovery = page.discovery();
                label = page.label();
                batch.clear(discovery.depth(), redirects, referrerUrl, label);
            }
            batch.add(page.url(), page.kind().key(keys.of(page.url())));
            count++;
        }

        void push() {
            if (batch.size() > 0) {
                frontier.pushAgain(null, batch);
                batch.clear(discovery.depth(), redirects, referrerUrl, label);
            }
        }

        /** Returns how many redirects in a row, or style sheets, have led to what a page has named: a chain ends where it did. */
        private int redirects(@Nullable KnownPage from) {
            int count = 0;
            for (KnownPage page = from;
                    page != null && page.countsAsRedirect() && count < RecentRedirects.MAX;
                    page = pages.page(page.discovery().referrer())) {
                count++;
            }
            return count;
        }
    }
}
