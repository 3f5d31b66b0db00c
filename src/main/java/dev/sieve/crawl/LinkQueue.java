package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.io.LruMap;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.Resource;
import dev.sieve.parse.Unlinked;
import dev.sieve.scope.Admission;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.PageKeys;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlParts;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues in the frontier what is found: seeds, links, the targets of redirects, and sitemaps. All but seeds and
 * sitemaps pass the {@link Admission}; the links of a page are one batch, and those that are only checked another, up
 * to 1,000 each. Safe for use by many threads.
 */
public final class LinkQueue {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private static final int MOST_IN_A_BATCH = 1000;
    /** The heap that malformed links may take, to count each once. */
    private static final long MALFORMED_BYTES = 1 << 20;

    private final Frontier frontier;
    private final Admission admission;
    private final PageKeys keys;
    private final boolean checksLinks;
    private final boolean checksResources;
    private final boolean followsAll;
    private final boolean readsSitemaps;
    /** The last of the {@link Levels}; 0 when there are none. */
    private final int maxLevel;

    private final Recorder recorder;
    private final CrawlJob job;
    /** Takes over what other processes have added to the job. */
    private final Runnable readAdded;
    /** Whether other processes may have added something since it was taken over. */
    private volatile boolean isStale;

    final RecentRedirects redirects;
    private final LruMap<Boolean> malformed = new LruMap<>(MALFORMED_BYTES, is -> 0);

    /** Creates a queue whose scope is empty. */
    LinkQueue(CrawlOptions options, Recorder recorder, List<Stage> stages, CrawlJob job, Runnable readAdded) {
        keys = options.keys();
        redirects = new RecentRedirects(recorder, stages, keys);
        this.frontier = job.frontier();
        admission = new CrawlParts(options).admission();
        checksLinks = options.has(Capability.CHECK_LINKS);
        checksResources = options.has(Capability.CHECK_RESOURCES);
        followsAll = options.has(Capability.FOLLOW_NOFOLLOW);
        readsSitemaps = options.has(Capability.SITEMAPS);
        int levels = job.sharing().ownLimit(options.maxDepth);
        maxLevel = levels == Integer.MAX_VALUE ? 0 : levels;
        this.recorder = recorder;
        this.job = job;
        this.readAdded = readAdded;
    }

    Scope scope() {
        return admission.scope();
    }

    /** Widens the scope by a seed that is queued or done. */
    void widen(String seed) {
        admission.scope().addSeed(seed);
    }

    /** Queues seeds, given as URLs to fetch, and widens the scope; returns how many were new. */
    int seeds(List<String> urls) {
        job.addSeeds(urls);
        UrlBatch batch = new UrlBatch();
        for (String url : urls) {
            widen(url);
            batch.add(url, keys.of(url));
        }
        return push(batch, false);
    }

    /** Queues the links of a page unless it requests that they are not followed, or there is another reason. */
    void links(Lease page, Page response, LinkExtractor.Document document, long words, @Nullable SkipReason skipped) {
        long text = response.isCut() ? 0 : words;
        SkipReason trap = admission.traps().visited(page.url(), page.referrer(), response.status(), text);
        SkipReason reason = document.isNofollow() ? SkipRule.NOFOLLOW.reason() : skipped != null ? skipped : trap;
        if (reason != null) {
            document.links().forEach(link -> recorder.skipped(link, reason, page.url()));
        } else {
            links(page, document.links(), followsAll ? Set.of() : document.nofollow());
        }
    }

    public void links(Lease page, List<String> links) {
        links(page, links, Set.of());
    }

    private void links(Lease page, List<String> links, Set<String> nofollow) {
        int depth = page.depth() + 1;
        UrlBatch batch = new UrlBatch(depth, 0, page.url());
        UrlBatch checks = checksLinks ? Target.Kind.CHECK.batch(depth, 0, page.url()) : null;
        UrlBatch unfollowed = Target.Kind.NOFOLLOW.batch(depth, 0, page.url());
        for (String link : links) {
            if (nofollow.contains(link) && admission.skipReason(link, depth) == null) {
                addUnfollowed(link, unfollowed);
            } else {
                add(link, key(link), page, batch, checks);
            }
            pushIfLarge(batch, true);
            if (checks != null) {
                pushIfLarge(checks, false);
            }
        }
        push(batch, checks);
        push(unfollowed, false);
        if (links.size() < MOST_IN_A_BATCH) {
            List<String> known = IntStream.range(0, batch.size())
                    .filter(i -> !batch.isNew(i))
                    .mapToObj(batch::url)
                    .toList();
            admission.traps().led(page.url(), page.referrer(), known, known.size() < batch.size());
        }
    }

    /** Adds a link of the crawl that asks not to be followed, if it is to be checked. */
    private void addUnfollowed(String url, UrlBatch unfollowed) {
        String page = Objects.requireNonNull(unfollowed.referrer());
        if (checksLinks) {
            recorder.checked(url, SkipRule.NOFOLLOW.reason(), page);
            unfollowed.add(url, Target.Kind.NOFOLLOW.key(keys.of(url)));
            pushIfLarge(unfollowed, false);
        } else {
            recorder.skipped(url, SkipRule.NOFOLLOW.reason(), page);
        }
    }

    /** Queues what a page or a style sheet needs. */
    void resources(Target source, Map<String, Resource> resources) {
        Lease lease = source.lease();
        int hops = source.isResource() ? lease.redirects() + 1 : 0;
        int depth = lease.depth() + (source.isResource() ? 0 : 1);
        Map<Target.Kind, UrlBatch> batches = new EnumMap<>(Target.Kind.class);
        resources.forEach((url, type) -> {
            if (hops > RecentRedirects.MAX) {
                recorder.skipped(url, SkipRule.NESTED_STYLES.reason(), lease.url());
            } else {
                UrlBatch batch =
                        batches.computeIfAbsent(Target.Kind.of(type), kind -> kind.batch(depth, hops, lease.url()));
                addResource(url, keys.of(url), batch);
                pushIfLarge(batch, true);
            }
        });
        batches.values().forEach(batch -> push(batch, true));
    }

    private void addResource(String url, String key, UrlBatch batch) {
        SkipReason reason = admission.skipReason(url, batch.depth());
        SkipReason checkReason = reason == null ? null : admission.checkSkipReason(url, reason);
        if (checkReason == null) {
            batch.add(url, key);
        } else {
            recorder.skipped(url, checkReason, Objects.requireNonNull(batch.referrer()));
        }
    }

    /** Queues a resource that is an HTML document as a page if it is in scope: as a resource, its links are not followed. */
    void page(Target resource) {
        Lease lease = resource.lease();
        if (admission.skipReason(lease.url(), lease.depth()) == null) {
            UrlBatch batch = new UrlBatch(lease.depth(), lease.redirects(), lease.referrer());
            batch.add(lease.url(), "page " + keys.of(lease.url()));
            push(batch, false);
        }
    }

    /** Returns the key of a link or of the target of a redirect, as far as its sessions are known. */
    private String key(String url) {
        return admission.traps().key(keys.of(url));
    }

    /** Adds a link or the target of a redirect to the batch to which it belongs, if any. */
    private void add(String url, String key, Lease source, UrlBatch batch, @Nullable UrlBatch checks) {
        SkipReason reason = admission.skipReason(url, batch.depth());
        if (reason != null && batch.depth() == 0 && SkipRule.OUT_OF_SCOPE.is(reason)) {
            // The one page of another site to which a seed redirects.
            reason = admission.checkSkipReason(url, reason);
        }
        if (reason == null) {
            batch.add(url, key);
            return;
        }
        SkipReason checkReason = checks == null ? reason : admission.checkSkipReason(url, reason);
        if (checks != null && checkReason == null) {
            recorder.checked(url, reason, source.url());
            checks.add(url, key);
        } else {
            recorder.skipped(url, checkReason == null ? reason : checkReason, source.url());
        }
    }

    /** Queues a batch in parts, since traps are judged by what was queued. */
    private void pushIfLarge(UrlBatch batch, boolean areLinks) {
        if (batch.size() >= MOST_IN_A_BATCH) {
            push(batch, areLinks);
            batch.clear(batch.depth(), batch.redirects(), batch.referrer(), batch.label());
        }
    }

    private int push(UrlBatch batch, @Nullable UrlBatch checks) {
        return push(batch, true) + (checks == null ? 0 : push(checks, false));
    }

    /** Queues sitemaps, whatever the scope. */
    public void sitemaps(List<String> urls, Target.Kind kind, int redirects, String referrer) {
        UrlBatch batch = kind.batch(0, redirects, referrer);
        urls.forEach(url -> batch.add(url, kind.key(keys.of(url))));
        push(batch, kind != Target.Kind.GUESSED_SITEMAP);
    }

    /** Returns whether this crawl visits a URL of an earlier one again, and counts it as queued. */
    public boolean takesAgain(Target.Kind kind, String url, int depth) {
        boolean isWanted = switch (kind) {
            case PAGE -> depth == 0 || admission.skipReason(url, depth) == null;
            case CHECK, NOFOLLOW -> checksLinks;
            case EMBEDDED, RESOURCE, STYLE_SHEET -> checksResources;
            case NAMED_SITEMAP, GUESSED_SITEMAP, LISTED_SITEMAP -> readsSitemaps;
            case NOTE, ERRAND -> false;
        };
        if (isWanted && kind == Target.Kind.PAGE) {
            admission.traps().accepted(url);
        }
        return isWanted;
    }

    /** Has the next URL take over what other processes have added. */
    void outdate() {
        isStale = true;
    }

    /** Returns the target, or a page in place of a check if a seed has brought its URL into scope since it was queued. */
    Target current(Target target) {
        job.sharing().takeOver(() -> isStale || isOfOthers(target), () -> {
            isStale = false;
            readAdded.run();
        });
        return target.is(Target.Kind.CHECK) && isInScope(target.lease()) ? target.asPage() : target;
    }

    /** Counts a target that is about to be requested; returns why it is not requested, or null when it is. */
    @Nullable
    SkipReason trap(Target target) {
        String referrer = target.lease().referrer();
        SkipReason same = referrer == null || !target.is(Target.Kind.PAGE)
                ? null
                : admission.traps().skipReasonOfQueued(target.url(), referrer);
        if (same != null) {
            return same;
        }
        boolean wasCounted = target.lease().attempt() > 0 || target.isRepeated();
        return wasCounted ? null : job.sharing().countForTraps(target.lease());
    }

    /** Whether a URL may be a seed of another process, or come from one, so that its links need the scope of that seed. */
    private boolean isOfOthers(Target target) {
        return target.is(Target.Kind.PAGE) && (target.lease().depth() == 0 || !isInScope(target.lease()));
    }

    private boolean isInScope(Lease lease) {
        return admission.scope().skipReason(lease.url(), lease.depth()) == null;
    }

    /** Returns what receives the references of a page or style sheet that are neither links nor resources. */
    Unlinked unlinked(VisitContext visit) {
        return (text, reason, isResource) -> {
            boolean isChecked = isResource ? checksResources : checksLinks;
            if (reason != null && isChecked && reason != Refusal.OTHER_SCHEME) {
                malformed(text, reason, visit.target().lease(), visit.fetchedAt());
            } else {
                SkipReason why = reason == null ? SkipRule.BEYOND_LIMIT.reason() : SkipReason.invalid(reason);
                recorder.skipped(text, why, visit.target().url());
            }
        };
    }

    /** Records a link that a check finds broken without a request; of equal ones, the first. */
    private void malformed(String text, Refusal reason, Lease page, Instant fetchedAt) {
        boolean isNew = malformed.put(text, true) == null;
        recorder.checked(text, SkipReason.invalid(reason), page.url());
        recorder.pushed(1, isNew ? 1 : 0);
        if (isNew) {
            Failed failed = new Failed(0, Reason.MALFORMED, reason.words());
            recorder.visited(
                    VisitContext.notRequested(text, text, page.depth() + 1, page.url(), failed, fetchedAt, page.id()));
        }
    }

    /**
     * Queues the target of a redirect that passed the {@link RecentRedirects#check}. Returns the redirect, or a failure
     * when it closes a ring: its target redirects to it, perhaps through others, so that no document can be reached. If
     * one of them has set a cookie, the target is requested once more with it.
     */
    FetchResult target(Target source, Redirect redirect) {
        Lease lease = source.lease();
        String target = redirect.target();
        admission.traps().visited(lease.url(), lease.referrer(), redirect.status(), 0);
        boolean wasOutside = lease.depth() == 0 && isElsewhere(target);
        if (lease.depth() == 0) {
            addSeed(lease, target);
        }
        String key = key(target);
        // Both before the target is queued, so that its visit finds this redirect.
        recorder.redirected(lease);
        RecentRedirects.Ring ring = redirects.ring(source.isCheck(), keys.of(lease.url()), redirect, key);
        // Another spelling of the same page was seen, by the redirect itself; it still has to be fetched once.
        boolean isSeen = key.equals(key(lease.url()));
        boolean isNew = push(source, target, isSeen ? "redirect " + target : key) > 0;
        if (!isNew && wasOutside && checksLinks) {
            // It was checked as a link of another seed, so its own links were not followed.
            push(source, target, "redirect " + target);
        } else if (!isNew && lease.depth() < maxLevel && admission.skipReason(target, lease.depth()) == null) {
            // It may wait for a later level, since its depth was that of a longer path.
            recorder.queuedAgain(frontier.pushAll(Levels.note(lease, target, key)));
        }
        boolean isWorthAnother = ring.setsCookie() && push(source, target, "redirect " + target) > 0;
        return ring.isEmpty() || isWorthAnother ? redirect : ring.failure();
    }

    private int push(Target source, String target, String key) {
        Lease lease = source.lease();
        if (source.isResource() || source.is(Target.Kind.NOFOLLOW)) {
            UrlBatch resources = source.kind().batch(lease.depth(), lease.redirects() + 1, lease.url());
            addResource(target, source.isResource() ? key : source.kind().key(keys.of(target)), resources);
            return push(resources, true);
        }
        UrlBatch batch = new UrlBatch(lease.depth(), lease.redirects() + 1, lease.url());
        UrlBatch checks = checksLinks || source.is(Target.Kind.CHECK)
                ? Target.Kind.CHECK.batch(lease.depth(), lease.redirects() + 1, lease.url())
                : null;
        add(target, key, lease, batch, checks);
        return push(batch, checks);
    }

    /** Widens the scope by the target of a seed's redirect, which counts as a seed where it is on the same site. */
    private void addSeed(Lease seed, String target) {
        if (isElsewhere(seed.url()) || !UrlParts.domain(seed.url()).equals(UrlParts.domain(target))) {
            if (isElsewhere(target)) {
                LOG.warn(
                        "seed {} redirects to another site, of which only this page is crawled: {} (to crawl that site,"
                                + " add it as a seed)",
                        seed.url(),
                        target);
            }
            return;
        }
        if (job.addSeeds(List.of(target)) > 0) {
            job.forceSeeds();
        }
        if (admission.scope().addSeed(target)) {
            LOG.info("seed {} redirects to {}, which is in scope now", seed.url(), target);
        }
    }

    /** Whether a URL is not where a seed is. */
    public boolean isElsewhere(String url) {
        return !admission.scope().isInPlace(url);
    }

    /** Whether the request of a URL would end the session of the crawl. */
    boolean endsSession(String url) {
        SkipReason excluded = admission.scope().exclusion(url);
        return excluded != null && SkipRule.LOG_OUT.is(excluded);
    }

    private int push(UrlBatch batch, boolean areLinks) {
        int isNew;
        try {
            isNew = frontier.pushAll(batch);
            recorder.pushed(batch.size(), isNew);
            if (areLinks) {
                recorder.pushed(batch);
            }
        } catch (SieveFullException e) {
            // The others are found again: their page is not done.
            isNew = (int) IntStream.range(0, batch.size()).filter(batch::isNew).count();
            recorder.pushed(isNew, isNew);
            throw e;
        }
        for (int i = 0, left = isNew; left > 0; i++) {
            if (batch.isNew(i)) {
                admission.traps().accepted(batch.url(i));
                left--;
            }
        }
        return isNew;
    }
}
