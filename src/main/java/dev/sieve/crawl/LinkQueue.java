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
import dev.sieve.fetch.FetchResult.SetCookie;
import dev.sieve.io.LruMap;
import dev.sieve.output.Visit;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.Resource;
import dev.sieve.parse.TextForm;
import dev.sieve.scope.Admission;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues in the frontier what is found: seeds, links, the targets of redirects, and sitemaps. All but seeds and sitemaps
 * pass the {@link Admission}; the links of a page are one batch, and those that are only checked another, up to 1,000 each.
 * Safe for use by many threads.
 */
public final class LinkQueue {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** How many redirects in a row are followed. */
    public static final int MAX_REDIRECTS = 10;

    private static final int MOST_IN_A_BATCH = 1000;
    /** The heap that the latest redirects may take, to find rings of them. */
    private static final long REDIRECT_BYTES = 4 << 20;

    /** The heap that malformed links may take, to count each once. */
    private static final long MALFORMED_BYTES = 1 << 20;

    private final Frontier frontier;
    private final Admission admission;
    private final boolean checksLinks;
    private final boolean checksResources;
    private final boolean readsSitemaps;
    /** The last of the {@link Levels}; 0 when there are none. */
    private final int maxLevel;

    private final Recorder recorder;
    private final List<Stage> stages;
    private final CrawlJob job;
    /** Takes over what other processes have added to the job. */
    private final Runnable readAdded;
    /** Whether other processes may have added something since it was taken over. */
    private volatile boolean isStale;

    /** Redirects, by key; their targets are keys as well. */
    private final LruMap<Redirect> redirects =
            new LruMap<>(REDIRECT_BYTES, each -> each.target().length(), each -> false, this::forget);
    /** What was dropped of these, to be counted without their lock. */
    private final List<String> forgotten = new ArrayList<>();

    private final LruMap<Boolean> malformed = new LruMap<>(MALFORMED_BYTES, is -> 0);

    /** Creates a queue whose scope is empty. */
    LinkQueue(CrawlOptions options, Recorder recorder, List<Stage> stages, CrawlJob job, Runnable readAdded) {
        this.stages = stages;
        this.frontier = job.frontier();
        admission = options.newAdmission();
        checksLinks = options.has(Capability.CHECK_LINKS);
        checksResources = options.has(Capability.CHECK_RESOURCES);
        readsSitemaps = options.has(Capability.SITEMAPS);
        int levels = job.sharing().ownLimit(options.maxDepth);
        maxLevel = levels == Integer.MAX_VALUE ? 0 : levels;
        this.recorder = recorder;
        this.job = job;
        this.readAdded = readAdded;
    }

    /** Notes a redirect that an earlier run has found, by keys. */
    void redirects(String key, String target) {
        synchronized (redirects) {
            redirects.put(key, new Redirect(HttpURLConnection.HTTP_MOVED_TEMP, target));
        }
        countForgotten();
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
            batch.add(url, UrlNormalizer.key(url));
        }
        return push(batch, false);
    }

    /** Queues the links of a page unless it requests that they are not followed, or there is another reason. */
    void links(Lease page, Page response, LinkExtractor.Document document, @Nullable SkipReason skipped) {
        long text = response.isCut() ? 0 : document.wordsHash();
        SkipReason trap = admission.traps().visited(page.url(), page.referrer(), response.status(), text);
        SkipReason reason = document.isNofollow() ? SkipRule.NOFOLLOW.reason() : skipped != null ? skipped : trap;
        if (reason != null) {
            document.links().forEach(link -> recorder.skipped(link, reason, page.url()));
        } else {
            links(page, document.links());
        }
    }

    public void links(Lease page, List<String> links) {
        int depth = page.depth() + 1;
        UrlBatch batch = new UrlBatch(depth, 0, page.url());
        UrlBatch checks = checksLinks ? Target.Kind.CHECK.batch(depth, 0, page.url()) : null;
        for (String link : links) {
            add(link, admission.traps().key(link), page, batch, checks);
            pushIfLarge(batch, true);
            if (checks != null) {
                pushIfLarge(checks, false);
            }
        }
        push(batch, checks);
    }

    /** Queues what a page or a style sheet needs. */
    void resources(Target source, PageRest rest) {
        Lease lease = source.lease();
        int hops = source.isResource() ? lease.redirects() + 1 : 0;
        int depth = lease.depth() + (source.isResource() ? 0 : 1);
        Map<Target.Kind, UrlBatch> batches = new EnumMap<>(Target.Kind.class);
        rest.resources.forEach((url, type) -> {
            if (hops > MAX_REDIRECTS) {
                recorder.skipped(url, SkipRule.NESTED_STYLES.reason(), lease.url());
            } else {
                UrlBatch batch =
                        batches.computeIfAbsent(Target.Kind.of(type), kind -> kind.batch(depth, hops, lease.url()));
                addResource(url, UrlNormalizer.key(url), batch);
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
            batch.add(lease.url(), "page " + UrlNormalizer.key(lease.url()));
            push(batch, false);
        }
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
        urls.forEach(url -> batch.add(url, kind.key(url)));
        push(batch, kind != Target.Kind.GUESSED_SITEMAP);
    }

    /** Returns whether this crawl visits a URL of an earlier one again, and counts it as queued. */
    public boolean takesAgain(Target.Kind kind, String url, int depth) {
        boolean isWanted = switch (kind) {
            case PAGE -> depth == 0 || admission.skipReason(url, depth) == null;
            case CHECK -> checksLinks;
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

    /** Returns a receiver of the references of a page or style sheet that are not links. */
    PageRest rest(VisitContext visit) {
        return new PageRest(visit);
    }

    /** Receives the references of a page or style sheet that are not links, and keeps the resources. */
    final class PageRest implements LinkExtractor.Rest {
        private final Lease page;
        private final Instant fetchedAt;
        private final Map<String, Resource> resources = new LinkedHashMap<>();
        private final List<StageVisit> parts;
        private boolean takesParts;
        private boolean takesSketch;
        private boolean takesMeta;
        private @Nullable TextForm textForm;

        private PageRest(VisitContext visit) {
            page = visit.target().lease();
            fetchedAt = visit.fetchedAt();
            parts = visit.parts();
            for (StageVisit part : parts) {
                takesParts |= part.takesParts();
                takesSketch |= part.takesSketch();
                takesMeta |= part.takesMeta();
                textForm = textForm == null ? part.textForm() : textForm;
            }
        }

        @Override
        public boolean takesSketch() {
            return takesSketch;
        }

        List<String> resources() {
            return List.copyOf(resources.keySet());
        }

        @Override
        public boolean takesResources() {
            return checksResources;
        }

        @Override
        public void resource(String url, Resource type) {
            resources.put(url, type);
        }

        @Override
        public void refused(String text, Refusal reason) {
            refused(text, reason, checksLinks);
        }

        @Override
        public void refusedResource(String text, Refusal reason) {
            refused(text, reason, checksResources);
        }

        private void refused(String text, Refusal reason, boolean isChecked) {
            if (isChecked && reason != Refusal.OTHER_SCHEME) {
                malformed(text, reason, page, fetchedAt);
            } else {
                recorder.skipped(text, SkipReason.invalid(reason), page.url());
            }
        }

        @Override
        public boolean takesParts() {
            return takesParts;
        }

        @Override
        public void part(String name) {
            parts.forEach(each -> each.part(name));
        }

        @Override
        public void linkToPart(String url, String fragment) {
            parts.forEach(each -> each.linkToPart(url, fragment));
        }

        @Override
        public @Nullable TextForm textForm() {
            return textForm;
        }

        @Override
        public void text(String text, boolean isCut) {
            parts.forEach(each -> each.text(text, isCut));
        }

        @Override
        public boolean takesMeta() {
            return takesMeta;
        }

        @Override
        public void meta(Map<String, Object> meta) {
            parts.forEach(each -> each.meta(meta));
        }

        @Override
        public void beyondLimit(String text) {
            recorder.skipped(text, SkipRule.BEYOND_LIMIT.reason(), page.url());
        }
    }

    /** Records a link that a check finds broken without a request; of equal ones, the first. */
    private void malformed(String text, Refusal reason, Lease page, Instant fetchedAt) {
        boolean isNew = malformed.put(text, true) == null;
        recorder.checked(text, SkipReason.invalid(reason), page.url());
        recorder.pushed(1, isNew ? 1 : 0);
        if (isNew) {
            Failed failed = new Failed(0, Reason.MALFORMED, reason.words());
            recorder.visited(notRequested(text, text, page.depth() + 1, page.url(), failed, fetchedAt, page.id()));
        }
    }

    /** Returns the record of a URL that is broken, although it was not requested. */
    public static Visit notRequested(
            String url, String key, int depth, String referrer, Failed failed, Instant fetchedAt, long id) {
        return new Visit(
                url,
                key,
                depth,
                referrer,
                failed,
                new Visit.Timing(fetchedAt, Duration.ZERO, Duration.ZERO),
                Visit.Content.NONE,
                new Visit.Marks(true, false),
                null,
                null,
                id);
    }

    /** Returns a result as it is, or a failure when it is a redirect that cannot be followed. */
    public static FetchResult check(Lease lease, FetchResult result) {
        if (result instanceof Redirect redirect) {
            if (redirect.target().equals(lease.url())) {
                return new Failed(redirect.status(), Reason.BAD_REDIRECT, "to itself" + cookies(List.of(redirect)));
            }
            if (lease.redirects() >= MAX_REDIRECTS) {
                String next = "next: " + redirect.target() + cookies(List.of(redirect));
                return new Failed(redirect.status(), Reason.REDIRECT_LIMIT, next);
            }
        }
        return result;
    }

    private static String cookies(List<Redirect> redirects) {
        return has(redirects, SetCookie.DROPPED) ? "; it needs the cookie of Set-Cookie, and cookies are not sent" : "";
    }

    private static boolean has(List<Redirect> redirects, SetCookie cookie) {
        return redirects.stream().anyMatch(each -> each.cookie() == cookie);
    }

    /**
     * Queues the target of a redirect that passed the {@link #check}. Returns the redirect, or a failure when it closes a
     * ring: its target redirects to it, perhaps through others, so that no document can be reached. If one of them has set a
     * cookie, the target is requested once more with it.
     */
    FetchResult target(Target source, Redirect redirect) {
        Lease lease = source.lease();
        String target = redirect.target();
        admission.traps().visited(lease.url(), lease.referrer(), redirect.status(), 0);
        boolean wasOutside = lease.depth() == 0 && isElsewhere(target);
        if (lease.depth() == 0) {
            addSeed(lease, target);
        }
        String key = admission.traps().key(target);
        // Both before the target is queued, so that its visit finds this redirect.
        recorder.redirected(lease);
        List<Redirect> ring = ring(source.isCheck(), UrlNormalizer.key(lease.url()), redirect, key);
        // Another spelling of the same page was seen, by the redirect itself; it still has to be fetched once.
        boolean isSeen = key.equals(UrlNormalizer.key(lease.url()));
        boolean isNew = push(source, target, isSeen ? "redirect " + target : key) > 0;
        if (!isNew && wasOutside && checksLinks) {
            // It was checked as a link of another seed, so its own links were not followed.
            push(source, target, "redirect " + target);
        } else if (!isNew && lease.depth() < maxLevel && admission.skipReason(target, lease.depth()) == null) {
            pushAgain(lease, target, key);
        }
        boolean isWorthAnother = has(ring, SetCookie.KEPT) && push(source, target, "redirect " + target) > 0;
        return ring.isEmpty() || isWorthAnother
                ? redirect
                : new Failed(redirect.status(), Reason.BAD_REDIRECT, "in a ring, to " + target + cookies(ring));
    }

    /** Queues a URL once more: it may wait for a later level, since its depth was that of a longer path. */
    private void pushAgain(Lease lease, String target, String key) {
        if (frontier.pushAll(Levels.note(lease, target, key)) > 0) {
            recorder.queuedAgain(1);
        }
    }

    /**
     * Notes a redirect; returns the redirects of the ring that it closes, none when it does not. Those of other URLs that this
     * run has not requested are those of earlier rounds, so that the same URL closes a ring in each round, in whatever order
     * they are requested.
     */
    private List<Redirect> ring(boolean isCheck, String key, Redirect redirect, String target) {
        if (target.equals(key)) {
            return List.of();
        }
        Redirect first = new Redirect(redirect.status(), target, "", redirect.cookie(), null);
        synchronized (redirects) {
            redirects.put(key, first);
        }
        countForgotten();
        Map<String, Redirect> earlier = new HashMap<>();
        while (true) {
            List<Redirect> chain = chain(key, first, earlier);
            String last = chain.get(chain.size() - 1).target();
            if (last.equals(key)) {
                return chain;
            }
            // Without the lock, since it may be read from a file.
            String before = chain.size() == MAX_REDIRECTS ? null : earlierTarget(isCheck, last);
            if (before == null) {
                return List.of();
            }
            earlier.put(last, new Redirect(HttpURLConnection.HTTP_MOVED_TEMP, before));
        }
    }

    private void forget(String url, Redirect redirect) {
        forgotten.add(url + " to " + redirect.target());
    }

    private void countForgotten() {
        List<String> gone;
        synchronized (redirects) {
            gone = List.copyOf(forgotten);
            forgotten.clear();
        }
        gone.forEach(each -> recorder.lost(
                Loss.REDIRECTS_FORGOTTEN,
                "there are more redirects than are kept: " + each + " is forgotten, a ring with it is not found"));
    }

    private @Nullable String earlierTarget(boolean isCheck, String key) {
        return stages.stream()
                .map(stage -> stage.redirect(isCheck, key))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Follows redirects as far as they are known. For the others in a ring, it ends here: only one of them is a failure. */
    private List<Redirect> chain(String key, Redirect first, Map<String, Redirect> earlier) {
        List<Redirect> chain = new ArrayList<>();
        synchronized (redirects) {
            for (Redirect next = first; next != null && chain.size() < MAX_REDIRECTS; ) {
                chain.add(next);
                String target = next.target();
                if (target.equals(key)) {
                    redirects.remove(key);
                    break;
                }
                Redirect later = redirects.get(target);
                next = later == null ? earlier.get(target) : later;
            }
        }
        return chain;
    }

    private int push(Target source, String target, String key) {
        Lease lease = source.lease();
        if (source.isResource()) {
            UrlBatch resources = source.kind().batch(lease.depth(), lease.redirects() + 1, lease.url());
            addResource(target, key, resources);
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
