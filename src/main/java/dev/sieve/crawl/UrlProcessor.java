package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Origins;
import dev.sieve.io.LruMap;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.RobotsDirectives;
import dev.sieve.parse.WordHash;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.PageKeys;
import dev.sieve.url.UrlParts;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes one URL, from the task of a worker to the links in the frontier and the visit in the sink.
 *
 * <p>There are two steps: the {@link #request}, which occupies the host, and the {@link Response#processing} of its
 * result, which only occupies the worker. The links of a page are pushed before its visit is passed to the sink, and
 * only then is the URL done. Safe for use by many threads.
 */
final class UrlProcessor {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private static final Set<String> STYLE_TYPES = Set.of("text/css", "");

    /** The heap that the first requests of URLs may take. */
    private static final long FIRST_TRIES_BYTES = 1 << 20;

    private static final Outcome SERVER_BUSY = new Outcome(Outcome.Kind.SERVER_BUSY);

    /** Limits the memory of links: of a page, they are in memory until they were queued and the sink has received them. */
    private final Semaphore documents;

    private final SkipReason overBudget;
    /** Statuses that are not failures. */
    private final Set<Integer> accepted;

    private final boolean acceptsTypes;

    private final int retries;
    private final String productToken;
    private final Origins origins;
    private final Politeness politeness;
    private final Dispatcher dispatcher;
    private final LinkQueue links;
    private final PageKeys keys;
    private final Recorder recorder;
    private final CrawlClock clock;
    private final RequestWatch.Crawl watched;

    /** When URLs that were given back were first requested by this run, by the ids of their leases. */
    private final LruMap<Long> firstTries = new LruMap<>(FIRST_TRIES_BYTES, nanos -> Long.BYTES * 2);

    /** Hosts that do not respond, for each of which one URL without a request was recorded. */
    private final LruMap<Boolean> recordedAsAway = new LruMap<>(FIRST_TRIES_BYTES, value -> 0);

    private final List<Stage> stages;
    private final LinkExtractor extractor;

    /** Origins to which earlier runs sent header fields of the user, if this one has none. */
    private final Set<String> withoutHeaders;

    /** The result of a request: what it means for the host, and the second step, which returns whether the URL was a page. */
    record Response(Outcome outcome, BooleanSupplier processing) {}

    UrlProcessor(
            CrawlOptions options,
            Origins origins,
            Politeness politeness,
            Dispatcher dispatcher,
            LinkQueue links,
            Recorder recorder,
            List<Stage> stages,
            CrawlClock clock,
            Set<String> withoutHeaders) {
        this.stages = stages;
        this.withoutHeaders = withoutHeaders;
        String most = options.maxPerHost == 1 ? "1 URL" : options.maxPerHost + " URLs";
        overBudget = SkipRule.OVER_BUDGET.reason("at most " + most + " per host");
        documents = new Semaphore(new CrawlParts(options).documents());
        accepted = Set.copyOf(options.accepted);
        acceptsTypes = options.acceptTypes;
        retries = options.retries;
        productToken = new CrawlParts(options).productToken();
        extractor = new LinkExtractor(productToken, options.has(Capability.CHECK_RESOURCES));
        this.origins = origins;
        this.politeness = politeness;
        this.dispatcher = dispatcher;
        this.links = links;
        keys = options.keys();
        this.recorder = recorder;
        this.clock = clock;
        watched = new RequestWatch.Crawl(politeness, dispatcher, links, recorder, clock);
    }

    /**
     * Requests the URL of a task, or the robots.txt that comes first, unless a rule forbids it. Nothing is sent once
     * the lease has ended, however long a lookup, a connection or the engine of a shared crawl has been waited for.
     */
    Response request(Task task) {
        Target.Errand errand = Target.Errand.of(task.target());
        if (errand != null) {
            return new Response(doErrand(task, errand), () -> false);
        }
        Target target = links.current(task.target());
        if (EarlierVisits.of(stages).anyMatch(earlier -> earlier.isVisited(target))) {
            return new Response(Outcome.NOT_REQUESTED, () -> {
                recorder.repeated(target.lease());
                return false;
            });
        }
        if (task.action() == Task.Action.SKIP) {
            return refused(target, overBudget);
        }
        if (task.action() == Task.Action.LEAVE) {
            return new Response(
                    Outcome.NOT_REQUESTED,
                    () -> leaveUnrequested(
                            target, new Failed(0, Reason.GIVEN_UP, "after " + dispatcher.reason(task.host()))));
        }
        Refused objection = origins.objection(target.url());
        if (objection != null) {
            return refused(target, objection.reason());
        }
        String origin = UrlParts.origin(target.url());
        RobotsCache.Found robots = politeness.robots(target);
        RobotsCache.Access access = robots.access();
        if (access == null && target.rule() != null) {
            return target.rule() ? fetch(target, task) : refused(target, RobotsCache.FORBIDDEN);
        } else if (access == null) {
            RequestWatch watch = new RequestWatch(watched, task, target);
            Outcome outcome = requestRobots(task, target, origin, Objects.requireNonNull(robots.next()), watch);
            return Objects.requireNonNullElseGet(unsent(watch), () -> new Response(outcome, () -> false));
        }
        noteRules(target, access);
        SkipReason forbidden = access.skipReason(target.url());
        if (forbidden != null) {
            return refused(target, forbidden);
        }
        if (!access.isKnown()) {
            Failed closed = new Failed(0, Reason.ROBOTS, access.problem());
            return new Response(Outcome.NOT_REQUESTED, () -> leaveUnrequested(target, closed));
        }
        dispatcher.delay(task.host(), Politeness.crawlDelay(access));
        return fetch(target, task);
    }

    /** Requests robots.txt, or the target of its redirect, if that is on the host of the task. */
    private Outcome requestRobots(Task task, Target target, String origin, String url, RequestWatch watch) {
        Duration pause = UrlParts.host(url).equals(task.host())
                ? politeness.requestRobots(url, watch, recorder::exchanged)
                : Duration.ZERO;
        RobotsCache.Found robots = politeness.robots(target);
        RobotsCache.Access access = robots.access();
        if (access == null) {
            Target next = target.afterRobots(null);
            String host = UrlParts.host(Objects.requireNonNull(robots.next()));
            return host.equals(task.host())
                    ? new Outcome(pause.isZero() ? Outcome.Kind.ROBOTS_REDIRECTED : Outcome.Kind.POSTPONED, pause, next)
                    : new Outcome(Outcome.Kind.ELSEWHERE, Duration.ZERO, next, new Target.Errand(host, origin));
        }
        // The rules may be gone when the URL is next.
        noteRules(target, access);
        Boolean rule = access.isKnown() ? access.skipReason(target.url()) == null : null;
        Target next = target.afterRobots(rule);
        Duration crawlDelay = politeness.newCrawlDelay(origin, access);
        noteUnreadable(origin, access);
        return access.isKnown()
                ? new Outcome(Outcome.Kind.ROBOTS_READ, crawlDelay, next)
                : new Outcome(Outcome.Kind.POSTPONED, pause, next);
    }

    private void noteUnreadable(String origin, RobotsCache.@Nullable Access access) {
        if (access != null && access.problem().startsWith(FetchResult.Reason.PROTOCOL.text())) {
            recorder.lost(
                    Loss.ROBOTS_UNREADABLE,
                    "the robots.txt of " + origin + " cannot be read, so that its URLs are not requested: "
                            + access.problem());
        }
    }

    /** Requests the target of a redirected robots.txt on another host, unless it is known by now. */
    private Outcome doErrand(Task task, Target.Errand errand) {
        String url = politeness.robots(errand.origin()).next();
        if (url == null || !UrlParts.host(url).equals(task.host())) {
            return Outcome.NOT_REQUESTED;
        }
        if (task.action() == Task.Action.LEAVE) {
            politeness.closeRobots(url);
            return Outcome.NOT_REQUESTED;
        }
        RequestWatch watch = new RequestWatch(watched, task, task.target());
        Duration pause = politeness.requestRobots(url, watch, recorder::exchanged);
        if (watch.isServerBusy) {
            return SERVER_BUSY;
        }
        setDelay(task.host(), UrlParts.origin(url));
        setDelay(errand.waiting(), errand.origin());
        noteUnreadable(errand.origin(), politeness.robots(errand.origin()).access());
        return new Outcome(Outcome.Kind.POSTPONED, pause, null);
    }

    /** Sets the delay of a host by the rules of its origin, if these are known and set one. */
    private void setDelay(String host, String origin) {
        RobotsCache.Access access = politeness.robots(origin).access();
        Duration crawlDelay = access == null ? Duration.ZERO : politeness.newCrawlDelay(origin, access);
        if (!crawlDelay.isZero()) {
            dispatcher.delay(host, crawlDelay);
        }
    }

    private void noteRules(Target target, RobotsCache.Access access) {
        RobotsRules rules = access.rules();
        if (rules != null) {
            stages.forEach(stage -> stage.rules(target, rules));
        }
    }

    /** Returns what follows when nothing was sent; null when that is not known. */
    private @Nullable Response unsent(RequestWatch watch) {
        if (!watch.hasEnded) {
            return watch.isServerBusy ? new Response(SERVER_BUSY, () -> false) : null;
        }
        // The frontier has ended the lease, so that the URL is processed elsewhere.
        return new Response(Outcome.NOT_REQUESTED, () -> {
            recorder.dropped();
            return false;
        });
    }

    private Response refused(Target target, SkipReason reason) {
        return new Response(Outcome.NOT_REQUESTED, () -> refuse(visit(target), reason));
    }

    private VisitContext visit(Target target) {
        VisitContext visit = new VisitContext(target, keys, recorder::lost, clock);
        stages.forEach(stage -> visit.add(stage.visit(visit)));
        return visit;
    }

    private void recordAndRelease(@Nullable Exchange exchange) {
        if (exchange != null) {
            try {
                recorder.exchanged(exchange);
            } finally {
                origins.release(exchange);
            }
        }
    }

    private Response fetch(Target target, Task task) {
        SkipReason trap = links.trap(target);
        if (trap != null) {
            return refused(target, trap);
        }
        RequestWatch watch = new RequestWatch(watched, task, target);
        FetchRequest.Body body = target.is(Target.Kind.STYLE_SHEET)
                ? FetchRequest.Body.ANY_TYPE
                : target.isCheck() ? FetchRequest.Body.NONE : FetchRequest.Body.DOCUMENT;
        VisitContext visit = visit(target);
        FetchRequest request = new FetchRequest(target.url()).reading(body).watchedBy(watch);
        FetchResult result = visit.fetch(request, origins, clock);
        Response unsent = unsent(watch);
        if (unsent != null) {
            return unsent;
        }
        Exchange exchange = result.exchange();
        Outcome outcome = politeness.outcome(task, result, watch.took);
        // Recorded first, so that it takes no memory while the page is processed.
        visit.result(result.with(null));
        return new Response(outcome, () -> {
            recordAndRelease(exchange);
            // A URL that is to be requested again waits in the schedule.
            return outcome.next() == null && processAndRelease(visit, task.waited());
        });
    }

    private boolean processAndRelease(VisitContext visit, Duration waited) {
        FetchResult result = visit.result();
        documents.acquireUninterruptibly();
        try {
            return process(visit, waited);
        } finally {
            documents.release();
            origins.release(result);
        }
    }

    private boolean process(VisitContext visit, Duration waited) {
        Lease lease = visit.target().lease();
        FetchResult result = visit.result();
        if (result instanceof Refused refused) {
            return refuse(visit, refused.reason());
        }
        long firstNanos = firstNanos(lease, visit.startNanos);
        boolean needsCookie = RecentRedirects.needsCookie(lease, result);
        if (needsCookie ? lease.attempt() <= retries : result.isWorthRetrying() && lease.attempt() < retries) {
            firstTries.put(Long.toString(lease.id()), firstNanos);
            recorder.retry(lease, politeness.retryNanos(lease.attempt()));
            return false;
        }
        if (isNetworkInDoubt(result, firstNanos)) {
            return leave(visit, waited);
        }
        record(visit, waited);
        boolean isTurnedAway = result instanceof Page page && page.login() != null;
        boolean isPage = visit.target().is(Target.Kind.PAGE) && result instanceof Page && !isTurnedAway;
        if (isPage) {
            dispatcher.page(lease);
        }
        boolean lacksHeaders = (result.status() == 401 || result.status() == 403)
                && withoutHeaders.contains(UrlParts.origin(lease.url()));
        if (lacksHeaders || isTurnedAway) {
            recorder.leaveUndone(lease, () -> visit.earlier(part -> part.settled(true)));
        } else {
            recorder.done(lease, () -> visit.earlier(part -> part.settled(false)));
        }
        return isPage;
    }

    /** Returns when a URL was first requested by this run; its attempts may belong to an earlier one. */
    private long firstNanos(Lease lease, long startNanos) {
        Long first = lease.attempt() == 0 ? null : firstTries.get(Long.toString(lease.id()));
        return first == null ? startNanos : first;
    }

    /** Whether there was no response to this URL, nor to any other since it was first requested by this run. */
    private boolean isNetworkInDoubt(FetchResult result, long firstNanos) {
        boolean isNoResponse =
                Politeness.isSilence(result) || (result instanceof Failed failed && failed.reason() == Reason.TLS);
        return isNoResponse && !dispatcher.reachability.hasResponseSince(firstNanos);
    }

    /** Records a refused URL, which is done unless only the options of this run refuse it. */
    private boolean refuse(VisitContext visit, SkipReason reason) {
        Lease lease = visit.target().lease();
        if (lease.referrer() == null) {
            LOG.warn("seed {} skipped: {}{}", lease.url(), reason.text(), remedy(reason));
        }
        recorder.refused(lease, reason);
        if (SkipRule.OVER_BUDGET.is(reason) || SkipRule.NOT_PUBLIC.is(reason)) {
            recorder.leaveUndone(lease);
        } else {
            visit.result(new Refused(reason));
            visit.forEach(StageVisit::visited);
            recorder.done(lease, () -> visit.earlier(part -> part.settled(false)));
        }
        return false;
    }

    /** Says how to request a URL that was refused; empty if nothing helps. */
    private static String remedy(SkipReason reason) {
        if (!SkipRule.NOT_PUBLIC.is(reason)) {
            return "";
        }
        // The detail is "[HOST: ]ADDRESS is ...".
        String address = reason.detail()
                .replaceFirst(" is .*", "")
                .replaceFirst(".* ", "")
                .replaceFirst("%.*", "");
        String block = address.equals("localhost") ? "127.0.0.1" : address;
        return "; to request it, use allowPrivate " + block + (block.contains(":") ? "/128" : "/32");
    }

    /** Records a URL whose host does not respond as failed, and does not mark it as done. */
    private boolean leave(VisitContext visit, Duration waited) {
        record(visit, waited);
        dispatcher.silent(UrlParts.host(visit.target().url()));
        recorder.leaveUndone(visit.target().lease(), () -> visit.earlier(part -> part.settled(true)));
        return false;
    }

    /**
     * Leaves a URL that was not requested, since its host does not respond. Until it does, each crawl that continues
     * leaves the same URLs again; so it records the first one of a host, and only counts the others.
     */
    private boolean leaveUnrequested(Target target, Failed result) {
        Lease lease = target.lease();
        String host = UrlParts.host(lease.url());
        boolean isOther = dispatcher.reachability.continues && target.is(Target.Kind.PAGE);
        if (!isOther || recordedAsAway.put(host, true) == null) {
            VisitContext visit = visit(target);
            visit.result(result);
            return leave(visit, Duration.ZERO);
        }
        recorder.failed(new CrawlReport.Failure(lease.url(), result.error(), lease.referrer()), -1);
        dispatcher.silent(host);
        recorder.leaveUndone(lease);
        return false;
    }

    /** Pushes what was found, and records the visit, unless it is that of a sitemap. */
    private void record(VisitContext visit, Duration waited) {
        Target target = visit.target();
        if (target.isSitemap()) {
            visit.forEach(StageVisit::visited);
            return;
        }
        FetchResult result = RecentRedirects.check(target.lease(), visit.result());
        if (result instanceof Redirect redirect) {
            result = links.target(target, redirect);
        } else if (result instanceof Page page && !page.isNotModified() && page.isOfSite()) {
            if (target.is(Target.Kind.PAGE) && page.isHtml()) {
                result = readPage(visit, page);
            } else if (target.isResource() && page.isSuccess()) {
                result = readResource(visit, page);
            }
        }
        visit.result(result);
        if (result instanceof Page page && page.isNotModified() && RobotsDirectives.isNoindex(page, productToken)) {
            visit.unlist();
        }
        if (result instanceof Page page && page.isOfSite() && accepted.contains(result.status())) {
            visit.accept();
        }
        visit.forEach(StageVisit::visited);
        recorder.visited(visit.record(waited));
    }

    private Page readPage(VisitContext visit, Page page) {
        WordHash words = new WordHash();
        LinkExtractor.Document document = read(visit, page, words);
        Page read = document.isCut() ? page.cut() : page;
        visit.document(document);
        visit.result(read);
        if (document.isRead()) {
            visit.forEach(StageVisit::read);
        }
        links.links(visit.target().lease(), read, document, words.value(), visit.linksSkipped());
        links.resources(visit.target(), document.resources());
        return read;
    }

    /**
     * Queues what a style sheet names. A resource that is an HTML document may be a page of the crawl; most often it
     * says that the file does not exist, and browsers do not use it.
     */
    private FetchResult readResource(VisitContext visit, Page page) {
        Target target = visit.target();
        if (!page.type().isEmpty() && page.isHtml()) {
            links.page(target);
            boolean isWrong = !acceptsTypes && !target.is(Target.Kind.EMBEDDED);
            return isWrong ? new Failed(page.status(), Reason.WRONG_TYPE, page.type()) : page;
        } else if (target.is(Target.Kind.STYLE_SHEET) && STYLE_TYPES.contains(page.type())) {
            LinkExtractor.Document read = extractor.readStyleSheet(target.url(), page, links.unlinked(visit));
            visit.document(read);
            links.resources(target, read.resources());
            return read.isCut() ? page.cut() : page;
        }
        return page;
    }

    private LinkExtractor.Document read(VisitContext visit, Page page, WordHash words) {
        Set<DocumentReader> readers = visit.readers();
        readers.add(words);
        try {
            return extractor.read(visit.target().url(), page, readers, links.unlinked(visit));
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn("cannot read the document {}: {}", visit.target().url(), e.toString());
            return LinkExtractor.Document.UNREADABLE;
        }
    }
}
