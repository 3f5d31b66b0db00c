package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.LinkExtractor;
import dev.sieve.fetch.RobotsCache;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.RetryAfter;
import dev.sieve.url.Scope;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import dev.sieve.url.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
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
    private static final int MAX_REDIRECTS = 10;
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

    private static final Refused FORBIDDEN = new Refused("robots.txt", "forbids it");

    private static final LinkExtractor.Document UNREADABLE = new LinkExtractor.Document("", List.of(), 0, false, false);

    private final CrawlOptions options;
    private final Frontier frontier;
    private final Scope scope;
    /** Null where nothing outlives the process. */
    private final SeedLog seedLog;

    private final long before;
    private final Fetcher fetcher;
    private final RobotsCache robots;
    private final HostSchedule<Lease> schedule;
    private final Turns turns;
    private final Tally tally = new Tally();
    private final Semaphore parsing = new Semaphore(Runtime.getRuntime().availableProcessors());
    private final Object sinkLock = new Object();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * A crawl that has yet to be given its seeds.
     *
     * @param options copied where they matter; changing them later changes nothing
     * @param frontier what is still to be visited, and what was seen; it stays the caller's to close
     * @throws IOException when the file of the seeds cannot be read or written
     */
    public Crawler(CrawlOptions options, Frontier frontier) throws IOException {
        this.options = options;
        this.frontier = frontier;
        SieveStats stats = frontier.stats();
        before = stats.pending() + stats.inFlight();
        scope = options.newScope();
        seedLog = options.seedFile == null ? null : new SeedLog(options.seedFile);
        if (seedLog != null) {
            seedLog.seeds().forEach(scope::addSeed);
        }
        fetcher = new Fetcher(options.fetcherOptions());
        robots = new RobotsCache(fetcher, options.productToken(), 1 + options.retries);
        schedule = HostSchedule.<Lease>builder()
                .delay(options.delay)
                .perHost(options.perHost)
                .probeFirst(options.obeyRobots)
                .backOff(BACK_OFF)
                .spill(options.spillDirectory, new LeaseCodec(), LEASES_IN_MEMORY)
                .build(startNanos + (stats.done() > 0 ? options.delay.toNanos() : 0));
        turns = new Turns(frontier, schedule, System::nanoTime, options.maxTime, options.maxPages);
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
        widenScope(parsed);
        fetcher.sendHeadersTo(parsed);
        UrlBatch batch = new UrlBatch();
        batch.add(parsed, UrlNormalizer.key(parsed));
        return push(batch) == 1;
    }

    private void widenScope(String seed) {
        if (seedLog != null) {
            seedLog.add(seed);
        }
        scope.addSeed(seed);
    }

    private int push(UrlBatch batch) {
        int isNew = frontier.pushAll(batch);
        tally.pushed(batch.size(), isNew);
        return isNew;
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
        CountDownLatch working = new CountDownLatch(options.concurrency);
        for (int i = 0; i < options.concurrency; i++) {
            new Thread(() -> work(sink, working), "sieve-worker-" + i).start();
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

    private void work(PageSink sink, CountDownLatch working) {
        try {
            for (Turns.Turn turn = turns.next(); turn != null; turn = turns.next()) {
                boolean isPage = false;
                try {
                    isPage = visit(turn, sink);
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
    private boolean visit(Turns.Turn turn, PageSink sink) throws IOException {
        Lease lease = turn.lease();
        Refused objection = fetcher.objection(lease.url());
        if (objection != null) {
            turns.skipped(turn);
            refuse(lease, objection);
            return false;
        }
        if (options.obeyRobots) {
            String origin = UrlParts.origin(lease.url());
            RobotsCache.Answer robotsOf = robots.known(origin, System.nanoTime());
            if (robotsOf == null) {
                askForRobots(turn, origin);
                return false;
            }
            if (!robotsOf.isKnown() || !robotsOf.rules().allows(lease.url())) {
                turns.skipped(turn);
                obey(lease, robotsOf, sink);
                return false;
            }
        }
        Instant fetchedAt = Instant.now();
        long start = System.nanoTime();
        FetchResult result = fetcher.fetch(lease.url());
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        tellHost(turn, result);
        if (result instanceof Failed failed && failed.reason() == Reason.STOPPED) {
            return false;
        }
        if (result instanceof Refused refused) {
            refuse(lease, refused);
            return false;
        }
        if (result.isWorthRetrying() && lease.attempt() < options.retries) {
            tally.retried();
            frontier.retry(lease, System.nanoTime() + (FIRST_PAUSE.toNanos() << Math.min(lease.attempt(), 8)));
            return false;
        }
        finish(lease, result, fetchedAt, took, sink);
        return result instanceof Page;
    }

    /** Spends this turn on the origin's robots.txt; the URL has the host's next one. */
    private void askForRobots(Turns.Turn turn, String origin) {
        RobotsCache.Answer answer = robots.ask(origin, System.nanoTime());
        if (answer.isKnown()) {
            turns.open(turn, answer.rules().crawlDelay().orElse(Duration.ZERO));
            return;
        }
        LOG.info("{} is closed, its robots.txt cannot be had: {}", origin, answer.problem());
        turns.putBack(turn, answer.pause());
    }

    /** A host that is overloaded or does not answer is left alone for a while; one page that is broken is not its fault. */
    private void tellHost(Turns.Turn turn, FetchResult result) {
        boolean isOverloaded = result.status() == 429 || result.status() == 503;
        if (isOverloaded && result instanceof Page page) {
            turns.failed(turn, retryAfter(page));
        } else if (result instanceof Failed failed && failed.isWorthRetrying()) {
            turns.failed(turn, Duration.ZERO);
        } else {
            turns.asked(turn);
        }
    }

    private static Duration retryAfter(Page page) {
        String value = page.header("retry-after");
        Duration asked = value == null
                ? Duration.ZERO
                : RetryAfter.parse(value, Instant.now()).orElse(Duration.ZERO);
        return asked.compareTo(LONGEST_PAUSE) < 0 ? asked : LONGEST_PAUSE;
    }

    /** What becomes of a URL for which its origin's robots.txt leaves no request. */
    private void obey(Lease lease, RobotsCache.Answer answer, PageSink sink) throws IOException {
        if (answer.isKnown()) {
            refuse(lease, FORBIDDEN);
        } else if (answer.refused() != null) {
            refuse(lease, answer.refused());
        } else {
            finish(lease, new Failed(0, Reason.ROBOTS, answer.problem()), Instant.now(), Duration.ZERO, sink);
        }
    }

    private void refuse(Lease lease, Refused refused) {
        if (lease.referrer() == null) {
            LOG.warn("seed {} refused: {}, {}", lease.url(), refused.error(), refused.detail());
        }
        tally.refused(refused);
        frontier.done(lease);
    }

    /** Pushes what was found, hands over the visit, and only then says that the URL is done. */
    private void finish(Lease lease, FetchResult result, Instant fetchedAt, Duration took, PageSink sink)
            throws IOException {
        String url = lease.url();
        FetchResult outcome = result;
        String title = "";
        List<String> links = List.of();
        if (result instanceof Page page && page.isHtml()) {
            LinkExtractor.Document document = read(url, page);
            title = document.title();
            links = document.links();
            tally.skipped("beyond the limit of a page", document.beyondLimit());
            if (document.isNofollow()) {
                tally.skipped("nofollow", links.size());
            } else {
                pushLinks(lease, links);
            }
        } else if (result instanceof Redirect redirect) {
            outcome = follow(lease, redirect);
        }
        Visit visit = new Visit(
                url, UrlNormalizer.key(url), lease.depth(), lease.referrer(), outcome, fetchedAt, took, title, links);
        synchronized (sinkLock) {
            if (failure.get() != null) {
                return;
            }
            deliver(visit, sink);
        }
        tally.visited(visit);
        frontier.done(lease);
    }

    /** Once a sink has failed it is given nothing more, and nothing more counts as done. */
    private void deliver(Visit visit, PageSink sink) throws IOException {
        try {
            sink.accept(visit);
        } catch (IOException | RuntimeException e) {
            failure.compareAndSet(null, e);
            throw e;
        }
    }

    private LinkExtractor.Document read(String url, Page page) {
        parsing.acquireUninterruptibly();
        try {
            return LinkExtractor.read(url, page, options.productToken());
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn("cannot read the document {}: {}", url, e.toString());
            return UNREADABLE;
        } finally {
            parsing.release();
        }
    }

    private void pushLinks(Lease lease, List<String> links) {
        int depth = lease.depth() + 1;
        UrlBatch batch = new UrlBatch(depth, 0, lease.url());
        for (String link : links) {
            Verdict verdict = scope.judge(link, depth).verdict();
            if (verdict == Verdict.IN) {
                batch.add(link, UrlNormalizer.key(link));
            } else {
                tally.skipped(verdict);
            }
        }
        push(batch);
    }

    /** Pushes the target of a redirect; answers what the redirect came to. */
    private FetchResult follow(Lease lease, Redirect redirect) {
        String target = redirect.target();
        if (target.equals(lease.url())) {
            return new Failed(redirect.status(), Reason.BAD_REDIRECT, "to itself");
        }
        if (lease.redirects() >= MAX_REDIRECTS) {
            return new Failed(redirect.status(), Reason.REDIRECT_LIMIT, "the next one would be " + target);
        }
        if (lease.depth() == 0) {
            // Where a seed has moved to is what its user meant.
            widenScope(target);
        }
        Verdict verdict = scope.judge(target, lease.depth()).verdict();
        if (verdict != Verdict.IN) {
            tally.skipped(verdict);
            return redirect;
        }
        UrlBatch batch = new UrlBatch(lease.depth(), lease.redirects() + 1, lease.url());
        String key = UrlNormalizer.key(target);
        // Another spelling of the same page was seen, by the redirect itself; it still has to be fetched once.
        batch.add(target, key.equals(UrlNormalizer.key(lease.url())) ? "redirect " + target : key);
        push(batch);
        return redirect;
    }

    /** Ends the crawl in order: what is under way gets a little time to finish, what is queued stays queued. */
    public void stop() {
        turns.end(Ending.STOPPED);
    }

    /** What was done so far. */
    public CrawlReport report() {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        return tally.report(turns.ending(), elapsed, before, frontier.stats(), turns.schedule());
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
    }
}
