package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.robots.RobotsStatus;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Crawls: asks for every URL that its seeds lead to, once, and hands the pages to a sink.
 *
 * <pre>{@code
 * try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(1_000_000))) {
 *     crawler.seed("https://example.org/");
 *     CrawlReport report = crawler.run(visit -> System.out.println(visit.url() + " " + visit.title()));
 * }
 * }</pre>
 *
 * <p>Workers take turns at the frontier, as many as requests may be under way; parsing runs on as many of them as there
 * are processors. A redirect is a link. What a page links to is pushed as one batch before the page is given to the
 * sink, and only then is it done: whatever is not done when the process dies is handed out again by a frontier that
 * survives.
 *
 * <p>{@link #run} is called once; {@link #stop} and {@link #report} from any thread.
 */
public final class Crawler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    /** How long the requests under way may go on when a crawl ends early. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** How long until a URL that failed is asked for again, the first time. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** The longest time that a server can make a crawl wait for it. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /** How long a host is left alone that is overloaded or does not answer. */
    private static final BackOff BACK_OFF = new BackOff(FIRST_PAUSE, LONGEST_PAUSE);

    /** URLs whose hosts have to wait, of which no more are kept in memory. */
    private static final int LEASES_IN_MEMORY = 50_000;

    private static final LinkExtractor.Document UNREADABLE =
            new LinkExtractor.Document("", List.of(), 0, false, false, false);

    private final CrawlOptions options;
    private final SkipReason overBudget;
    private final Failed givenUp;
    private final Frontier frontier;
    /** Null where nothing outlives the process. */
    private final SeedLog seedLog;

    /** Null where nothing outlives the process. */
    private final PauseLog pauseLog;

    private final Findings findings;

    private final long before;
    private final Fetcher fetcher;
    private final RobotsCache robots;
    private final HostSchedule<Lease> schedule;
    private final Turns turns;
    private final Ledger ledger = new Ledger();
    private final Sitemaps sitemaps;
    private final Semaphore parsing = new Semaphore(Runtime.getRuntime().availableProcessors());
    private final long startNanos = System.nanoTime();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * A crawl that has yet to be given its seeds.
     *
     * @param options copied where they matter; changing them later changes nothing
     * @param frontier what is still to be visited, and what was seen; it stays the caller's to close
     * @throws IOException when the file of the seeds or that of the pauses cannot be read or written
     */
    public Crawler(CrawlOptions options, Frontier frontier) throws IOException {
        this.options = options;
        overBudget = new SkipReason("over the budget", "of " + options.maxPerHost + " URLs for a host");
        givenUp = new Failed(0, Reason.GIVEN_UP, "after " + options.maxFailures + " requests in a row that failed");
        this.frontier = frontier;
        SieveStats stats = frontier.stats();
        before = stats.pending() + stats.inFlight();
        // First, as these may fail, before there are threads and connections to close.
        pauseLog = options.pauseFile == null ? null : new PauseLog(options.pauseFile, Instant.now());
        seedLog = options.seedFile == null ? null : new SeedLog(options.seedFile);
        findings = new Findings(frontier, options.newAdmission(), ledger, seedLog);
        fetcher = options.newFetcher();
        robots = new RobotsCache(fetcher, options.productToken(), 1 + options.retries, InstantSource.system());
        sitemaps = new Sitemaps(fetcher, findings, ledger);
        schedule = schedule(stats.accepted() > 0);
        if (pauseLog != null) {
            pauseLog.pauses().forEach((host, pause) -> schedule.backOff(host, startNanos + pause.toNanos()));
        }
        turns = new Turns(frontier, schedule, System::nanoTime, options);
        fetcher.onSend(turns::sent);
    }

    private HostSchedule<Lease> schedule(boolean goesOn) {
        HostSchedule.Builder<Lease> builder = HostSchedule.<Lease>builder()
                .delay(options.delay)
                .perHost(options.perHost)
                .probeFirst(options.obeyRobots)
                .backOff(BACK_OFF)
                .budget(options.maxPerHost)
                .tellProven(true)
                .spill(options.spillDirectory, new LeaseCodec(), LEASES_IN_MEMORY);
        if (options.perDomain != Integer.MAX_VALUE) {
            builder.groups(UrlParts::domainOfHost, Duration.ZERO, options.perDomain, Integer.MAX_VALUE);
        }
        return builder.build(startNanos + (goesOn ? options.delay.toNanos() : 0));
    }

    /**
     * Lets the crawl ask the host and port of a URL, whatever its addresses and the port: for what a user has typed
     * himself. Neither seeds nor scope change. Unless opened, or allowed by the options, only public addresses are asked.
     *
     * @throws IllegalArgumentException when it is no http or https URL
     */
    public void open(String url) {
        fetcher.open(url);
    }

    /**
     * Adds a URL to start from, which widens the scope. The header fields of the options are sent to its origin.
     *
     * @return true when it was new
     * @throws IllegalArgumentException when it is no http or https URL
     */
    public boolean seed(String url) {
        String parsed = UrlNormalizer.parse(url);
        if (parsed == null) {
            throw new IllegalArgumentException("not an http or https URL: " + url);
        }
        fetcher.sendHeadersTo(parsed);
        return findings.seed(parsed);
    }

    /**
     * Crawls until it is over: the frontier is empty, a limit is reached, somebody called {@link #stop}, or the thread
     * was interrupted, which stops the crawl and stays set.
     *
     * @param sink receives what is found; it stays the caller's to close
     * @return what was done
     * @throws IOException when the sink or the frontier failed, which ends the crawl
     */
    public CrawlReport run(PageSink sink) throws IOException {
        ledger.sink(sink);
        forceSeeds();
        CountDownLatch working = new CountDownLatch(options.concurrency);
        for (int i = 0; i < options.concurrency; i++) {
            new Thread(() -> work(working), "sieve-worker-" + i).start();
        }
        boolean interrupted = false;
        while (true) {
            try {
                turns.awaitEnding();
                // What is under way may finish; what takes longer is broken off and counts as not done.
                while (!working.await(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                    fetcher.cancelAll();
                }
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                stop();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        rethrow(failure.get());
        return report();
    }

    private void forceSeeds() throws IOException {
        try {
            if (seedLog != null) {
                seedLog.force();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void rethrow(Throwable failure) throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        } else if (failure instanceof UncheckedIOException e) {
            throw e.getCause();
        } else if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        }
    }

    private void work(CountDownLatch working) {
        try {
            for (Turns.Turn turn = turns.next(); turn != null; turn = turns.next()) {
                boolean isPage = false;
                try {
                    isPage = visit(turn);
                } finally {
                    turns.finished(isPage);
                }
            }
        } catch (SieveFullException e) {
            if (turns.end(Ending.FULL)) {
                LOG.error("{}", e.getMessage());
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            turns.end(Ending.FAILED);
        } finally {
            working.countDown();
        }
    }

    /** Deals with one URL, or puts it off; answers whether it was a page. */
    private boolean visit(Turns.Turn turn) {
        Lease lease = turn.lease();
        if (turn.kind() == Turns.Kind.OVER_BUDGET) {
            refuse(lease, overBudget);
            return false;
        }
        if (turn.kind() == Turns.Kind.GIVEN_UP) {
            leave(turn);
            return false;
        }
        Refused objection = fetcher.objection(lease.url());
        if (objection != null) {
            turns.skipped(turn);
            refuse(lease, objection.reason());
            return false;
        }
        if (options.obeyRobots) {
            String origin = UrlParts.origin(lease.url());
            RobotsCache.Access robotsOf = robots.known(origin, System.nanoTime());
            if (robotsOf == null) {
                askForRobots(turn, origin);
                return false;
            }
            if (options.sitemaps && robotsOf.isKnown()) {
                sitemaps.offer(lease, robotsOf.rules());
            }
            if (!robotsOf.isKnown() || !robotsOf.rules().allows(lease.url())) {
                turns.skipped(turn);
                obey(lease, robotsOf);
                return false;
            }
            turns.allowed(turn, crawlDelay(robotsOf));
        } else if (options.sitemaps) {
            sitemaps.offer(lease, RobotsRules.ALLOW_ALL);
        }
        boolean isSitemap = SitemapKind.of(lease) != null;
        Instant fetchedAt = Instant.now();
        long start = System.nanoTime();
        FetchResult result = isSitemap ? sitemaps.fetch(lease) : fetcher.fetch(lease.url());
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        tellHost(turn, result);
        if (result instanceof Failed failed && failed.reason() == Reason.STOPPED) {
            return false;
        }
        if (result instanceof Refused refused) {
            refuse(lease, refused.reason());
            return false;
        }
        if (result.isWorthRetrying() && lease.attempt() < options.retries) {
            ledger.retried();
            frontier.retry(lease, System.nanoTime() + (FIRST_PAUSE.toNanos() << Math.min(lease.attempt(), 8)));
            return false;
        }
        finish(lease, result, fetchedAt, took);
        return result instanceof Page && !isSitemap;
    }

    /** Spends this turn on the origin's robots.txt; the URL has the host's next one. */
    private void askForRobots(Turns.Turn turn, String origin) {
        RobotsCache.Access answer = robots.ask(origin, System.nanoTime());
        if (answer.isKnown()) {
            open(turn, origin, crawlDelay(answer));
            return;
        }
        remember(turn, answer.pause(), Duration.ZERO);
        if (!answer.isElsewhere()) {
            LOG.info("{} is closed, its robots.txt cannot be had: {}", origin, answer.problem());
        }
        turns.putBack(turn, answer.pause());
    }

    private void open(Turns.Turn turn, String origin, Duration crawlDelay) {
        if (crawlDelay.equals(RobotsRules.MAX_CRAWL_DELAY)) {
            LOG.warn("{} asks for a Crawl-delay of a day or more; it is taken for a day", origin);
        }
        remember(turn, crawlDelay, RobotsStatus.MAX_AGE);
        turns.open(turn, crawlDelay);
    }

    /**
     * Writes down a pause that is longer than all hosts get.
     *
     * @param wanted for how long the host may be asked with such pauses, from now on
     */
    private void remember(Turns.Turn turn, Duration pause, Duration wanted) {
        if (pauseLog != null && pause.compareTo(options.delay) > 0) {
            pauseLog.add(turn.host(), pause, Instant.now().plus(wanted).plus(pause));
        }
    }

    private static Duration crawlDelay(RobotsCache.Access answer) {
        return answer.rules().crawlDelay().orElse(Duration.ZERO);
    }

    /** A host that is overloaded or does not answer is left alone for a while; one page that is broken is not its fault. */
    private void tellHost(Turns.Turn turn, FetchResult result) {
        boolean isOverloaded = result.status() == 429 || result.status() == 503;
        if (isOverloaded && result instanceof Page page) {
            Duration retryAfter = page.retryAfter(Instant.now(), LONGEST_PAUSE);
            remember(turn, retryAfter, Duration.ZERO);
            turns.failed(turn, retryAfter);
        } else if (result instanceof Failed failed && failed.isWorthRetrying() && failed.reason() != Reason.STOPPED) {
            if (turns.unanswered(turn)) {
                LOG.warn("{} is given up: {} requests in a row failed", turn.host(), options.maxFailures);
            }
        } else {
            turns.asked(turn);
        }
    }

    /** A URL of a host that was given up fails, and is not done. */
    private void leave(Turns.Turn turn) {
        turns.leave(turn);
        if (SitemapKind.of(turn.lease()) != null) {
            sitemaps.finish(turn.lease(), givenUp);
        } else {
            ledger.visited(visit(turn.lease(), givenUp, Instant.now(), Duration.ZERO, UNREADABLE));
        }
        ledger.leftUndone();
    }

    /** What becomes of a URL for which its origin's robots.txt leaves no request. */
    private void obey(Lease lease, RobotsCache.Access answer) {
        SkipReason reason = answer.skipReason(lease.url());
        if (reason != null) {
            refuse(lease, reason);
        } else {
            finish(lease, new Failed(0, Reason.ROBOTS, answer.problem()), Instant.now(), Duration.ZERO);
        }
    }

    private void refuse(Lease lease, SkipReason reason) {
        if (lease.referrer() == null) {
            LOG.warn("seed {} refused: {}, {}", lease.url(), reason.rule(), reason.detail());
        }
        if (ledger.refused(lease, reason)) {
            frontier.done(lease);
        }
    }

    /** Pushes what was found, hands over the visit, and only then says that the URL is done. */
    private void finish(Lease lease, FetchResult result, Instant fetchedAt, Duration took) {
        if (SitemapKind.of(lease) != null) {
            sitemaps.finish(lease, result);
            frontier.done(lease);
            return;
        }
        FetchResult outcome = result;
        LinkExtractor.Document document = UNREADABLE;
        if (result instanceof Page page && page.isHtml()) {
            document = read(lease, page);
            outcome = document.isCut() ? page.cut() : page;
            findings.links(lease, document);
        } else if (result instanceof Redirect redirect) {
            outcome = findings.target(lease, redirect);
        }
        if (ledger.visited(visit(lease, outcome, fetchedAt, took, document))) {
            frontier.done(lease);
        }
    }

    private static Visit visit(
            Lease lease, FetchResult result, Instant fetchedAt, Duration took, LinkExtractor.Document document) {
        return new Visit(
                lease.url(),
                UrlNormalizer.key(lease.url()),
                lease.depth(),
                lease.referrer(),
                result,
                fetchedAt,
                took,
                document.title(),
                document.links());
    }

    private LinkExtractor.Document read(Lease lease, Page page) {
        parsing.acquireUninterruptibly();
        try {
            return LinkExtractor.read(lease.url(), page, options.productToken(), findings.rest(lease));
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn("cannot read the document {}: {}", lease.url(), e.toString());
            return UNREADABLE;
        } finally {
            parsing.release();
        }
    }

    /** Ends the crawl in order: what is under way gets a little time to finish, what is queued stays queued. */
    public void stop() {
        turns.end(Ending.STOPPED);
    }

    /** What was done so far. */
    public CrawlReport report() {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        return ledger.report(turns.ending(), elapsed, before, frontier.stats(), turns.busy(), turns.schedule());
    }

    /** Stops the crawl, and closes its connections and its spill file. */
    @Override
    public void close() throws IOException {
        stop();
        fetcher.close();
        schedule.close();
        if (seedLog != null) {
            seedLog.close();
        }
        if (pauseLog != null) {
            pauseLog.close();
        }
    }
}
