package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.OptionalLibrary;
import dev.sieve.SieveStats;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.Origins;
import dev.sieve.output.PageSink;
import dev.sieve.polite.HostSchedule;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Crawls: requests every URL that its seeds lead to, once, and passes the pages to a sink.
 *
 * <pre>{@code
 * try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(1_000_000), AllStages::of)) {
 *     crawler.seed("https://example.org/");
 *     CrawlReport report = crawler.run(visit -> System.out.println(visit.url() + " " + visit.title()));
 * }
 * }</pre>
 *
 * <p>Each concurrent request has a worker. A redirect is a link. The links of a page are pushed in batches before the
 * page is passed to the sink, and it is done only after the sink has {@linkplain PageSink#flush stored} it: after a crash,
 * a durable frontier hands out again whatever is not done.
 *
 * <p>A crawl continues with the seeds of earlier runs, with what they have opened, and with the options of this run. A URL
 * that this run cannot request, but another one could, is counted and stays in the frontier:
 *
 * <ul>
 *   <li>Its host does not respond, or its robots.txt is unavailable.
 *   <li>Its host has used up its {@linkplain CrawlOptions#maxPerHost budget} for this run.
 *   <li>Its address is not public, and neither the seeds nor the options of this run allow it. Addresses also differ from
 *       one network to another.
 *   <li>The status is 401 or 403, earlier runs sent header fields to its origin, and this one sends none.
 * </ul>
 *
 * <p>What depends on the URL and its site alone is done: robots.txt forbids it, its port belongs to another protocol, or
 * the server responds with an error. Scope, depth and expressions apply to links when they are found: those that they
 * exclude were never queued, and what was queued is requested whatever the scope of a later run.
 *
 * <p>{@link #run} is called once; {@link #stop} and {@link #report} from any thread.
 */
public final class Crawler implements AutoCloseable {
    /** Creates the stages of a crawl, in the order in which they are called. */
    public interface StageFactory {
        /** Returns the stages. The message of an {@link IllegalArgumentException} says why the job cannot have one of them. */
        List<Stage> create(CrawlOptions options, CrawlJob job, Recorder recorder, LinkQueue links, CrawlClock clock)
                throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    /** Loaded with this class, since there may be no memory to load it when an OutOfMemoryError is handled. */
    private static final Ending FAILED = Ending.FAILED;

    /** How long the requests in progress may take when a crawl ends early. */
    private static final Duration GRACE = Duration.ofSeconds(10);
    /** The longest time for which a recorded URL is not done. */
    private static final Duration FLUSH_INTERVAL = Duration.ofSeconds(1);

    static {
        OptionalLibrary.requireOkHttp();
        OptionalLibrary.requireJsoup();
    }

    private final int workers;
    private final CrawlJob job;
    private final CrawlClock clock = CrawlClock.SYSTEM;
    private volatile long startNanos;

    /** How long the crawl took; null until it is over. */
    private volatile @Nullable Duration took;

    private final long before;
    private final List<Stage> stages = new CopyOnWriteArrayList<>();

    /** URLs that the stages of this run have queued. */
    private volatile long queuedAgain;

    private final HostSchedule<Target> schedule;
    private final Fetcher fetcher;
    private final Origins origins;
    private final Recorder recorder;
    private final LinkQueue links;
    private final Dispatcher dispatcher;
    private final Workers crew;
    /** Whether the header fields of seeds are stored as sent, see {@link CrawlJob}. */
    private final boolean hasHeaders;

    /** Origins to which header fields of the user were sent before, if this run has none. */
    private final Set<String> withoutHeaders = ConcurrentHashMap.newKeySet();

    private final String names;

    /** The first one; of two at the same time, one of them. */
    private volatile @Nullable Throwable failure;

    private final Duration mostTime;
    private volatile boolean isStopped;
    /** Why the work after the last request was cut short; null while it was not. */
    private volatile @Nullable Ending cutShort;

    /**
     * Creates a crawl without seeds that leaves no files. The caller closes the frontier, after the crawl.
     *
     * @param factory creates what the crawl may do besides; {@code AllStages::of} for all that the options name
     * @throws UncheckedIOException when the temporary file for waiting URLs cannot be created
     */
    public Crawler(CrawlOptions options, Frontier frontier, StageFactory factory) {
        this(options, CrawlJob.inMemory(frontier), factory);
    }

    /**
     * Creates a crawl that continues the one of a job, or starts it there; otherwise as for a frontier. The caller
     * closes the job.
     *
     * @throws IllegalArgumentException when the options request rounds or a check that the job cannot have; the message
     *     says why
     */
    public Crawler(CrawlOptions options, CrawlJob job, StageFactory factory) {
        this.job = job;
        workers = options.concurrency;
        mostTime = options.maxTime;
        startNanos = clock.nanoTime();
        Frontier frontier = job.frontier();
        recorder = new Recorder(frontier, stages);
        SieveStats stats = frontier.stats();
        before = stats.pending() + stats.inFlight();
        links = new LinkQueue(options, recorder, stages, job, () -> job.readAdded(stored()));
        try {
            for (Stage.Creation each : options.stages) {
                stages.add(each.of(job, links.scope(), clock));
            }
            stages.addAll(factory.create(options, job, recorder, links, clock));
            if (job.keepsFiles()) {
                recorder.continues(new JobResults(job, links.redirects::add));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // The schedule first: if it fails, no connections need closing.
        schedule = Politeness.schedule(options, job, stats.accepted() > 0, startNanos);
        CrawlParts parts = new CrawlParts(options);
        fetcher = parts.fetcher();
        origins = parts.origins(fetcher, stages);
        hasHeaders = options.hasHeaders();
        names = parts.names();
        boolean continues = before > 0 && stats.done() > 0 && toQueue() == 0;
        dispatcher = new Dispatcher(job, schedule, clock.nanos(), recorder, options, continues);
        Politeness politeness = new Politeness(options, origins, job, clock);
        UrlProcessor processor = new UrlProcessor(
                options, origins, politeness, dispatcher, links, recorder, stages, clock, withoutHeaders);
        crew = new Workers(dispatcher, processor, this::fail);
        readJob();
    }

    private void readJob() {
        try {
            job.read(stored());
        } catch (IOException e) {
            throw closed(new UncheckedIOException(e));
        } catch (RuntimeException e) {
            throw closed(e);
        }
        if (!withoutHeaders.isEmpty()) {
            LOG.warn("earlier runs sent header fields (-H), this one sends none; origins: {}", withoutHeaders.size());
        }
    }

    private RuntimeException closed(RuntimeException failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    /** Returns a receiver of what earlier runs, or other processes, have stored in the job. */
    private CrawlJob.Reader stored() {
        return new CrawlJob.Reader() {
            @Override
            public void seed(String url) {
                links.widen(url);
            }

            @Override
            public void open(String origin) {
                openRemote(origin);
            }

            @Override
            public void withHeaders(String origin) {
                fetcher.sendHeadersTo(origin);
                if (!hasHeaders) {
                    withoutHeaders.add(origin);
                }
            }
        };
    }

    /**
     * Allows requests to the host and port of a URL that the user has typed, whatever the port and its address or, if
     * it is a name, the addresses of its first lookup; see {@link Fetcher#open}. Neither seeds nor scope change. All
     * other requests go to public addresses, unless the options allow more. Later runs of a job allow the same.
     *
     * @throws IllegalArgumentException when it is not an http or https URL
     */
    public void open(String url) {
        openRemote(url);
        job.addOpen(parse(url));
    }

    private void openRemote(String url) {
        if (origins.isRemote(url)) {
            fetcher.open(url);
        }
    }

    /**
     * Adds a URL to start from, which widens the scope. The header fields of the options are sent to its origin.
     *
     * <p>Like any URL, a seed whose address is not public is refused, with a warning, unless it is {@linkplain #open
     * opened} or its address {@linkplain CrawlOptions#allowPrivate allowed}; the sink receives it as skipped, and the
     * report counts it in {@link Counter#REFUSED}.
     *
     * @return whether it was new
     * @throws IllegalArgumentException when it is not an http or https URL
     */
    public boolean seed(String url) {
        return seedAll(List.of(url)) == 1;
    }

    /**
     * Adds URLs to start from as {@link #seed} does, at less cost per URL.
     *
     * @return how many were new
     * @throws IllegalArgumentException when one is not an http or https URL; none is added then
     */
    public int seedAll(List<String> urls) {
        List<String> parsed = urls.stream().map(Crawler::parse).toList();
        parsed.forEach(fetcher::sendHeadersTo);
        if (hasHeaders) {
            parsed.forEach(job::addWithHeaders);
        }
        return links.seeds(parsed);
    }

    private static String parse(String url) {
        String parsed = UrlNormalizer.parse(url);
        if (parsed == null) {
            throw new IllegalArgumentException("not an http or https URL: " + url);
        }
        return parsed;
    }

    /**
     * Crawls until the frontier is empty, a limit is reached, {@link #stop} is called, or the thread is interrupted,
     * which stops the crawl; the thread stays interrupted.
     *
     * @param sink receives what is found; closed by the caller
     * @throws IOException when the sink or the frontier failed, which ends the crawl
     * @throws IllegalStateException when URLs were handed out that no worker processes, so that the crawl would never
     *     end: a defect of this class or of the frontier. They are not done. Also when a sink or listener interrupts
     *     its thread or throws a checked exception that it does not declare, which is the cause
     * @throws Error when a thread of the crawl threw one, such as an {@link OutOfMemoryError}, which ends the crawl;
     *     URLs in progress are not done
     */
    public CrawlReport run(PageSink sink) throws IOException {
        recorder.sink(sink);
        try {
            for (Stage stage : stages) {
                stage.open(sink);
            }
            job.forceSeeds();
            queuedAgain = EarlierVisits.of(stages)
                    .mapToLong(earlier -> earlier.queue(this::isStopped))
                    .sum();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        startNanos = clock.nanoTime();
        dispatcher.start();
        LOG.info("crawling as {}", names);
        crew.start(workers);
        awaitEnd();
        flush();
        endStages();
        took = elapsed();
        rethrow(failure);
        CrawlReport report = report();
        if (report.ending() == Ending.UNREACHABLE) {
            long left = report.pending().notDone();
            LOG.error("{}; {} not done", report.endingText(), left == 1 ? "1 URL is" : left + " URLs are");
        }
        return report;
    }

    private long toQueue() {
        return EarlierVisits.of(stages).mapToLong(EarlierVisits::toQueue).sum();
    }

    /** Lets the stages do what remains after the last request. */
    private void endStages() {
        // As much time as requests in progress have.
        Duration most = elapsed().compareTo(mostTime) < 0 ? mostTime : elapsed();
        Ending ending = dispatcher.ending();
        if (failure != null || ending == null) {
            return;
        }
        try {
            for (int i = 0; i < stages.size() && cutShort == null; i++) {
                if (!stages.get(i).end(ending, () -> hasToEnd(most))) {
                    cutShort = isStopped() ? Ending.STOPPED : Ending.MAX_TIME;
                }
            }
        } catch (IOException e) {
            fail(new UncheckedIOException(e));
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** Returns whether the work after the last request has to end, for which there is as much time as for a request in progress. */
    private boolean hasToEnd(Duration limit) {
        return failure != null || isStopped() || elapsed().minus(GRACE).compareTo(limit) > 0;
    }

    private Duration elapsed() {
        return Duration.ofNanos(clock.nanoTime() - startNanos);
    }

    /** Returns whether {@link #stop} was called. */
    public boolean isStopped() {
        return isStopped || Thread.currentThread().isInterrupted();
    }

    private @Nullable Ending ending() {
        Ending cut = cutShort;
        return cut == null ? dispatcher.ending() : cut;
    }

    /** Waits for the workers; requests that take longer than the grace period are cancelled and are not done. */
    private void awaitEnd() {
        boolean isInterrupted = false;
        for (boolean isOver = false; !isOver; ) {
            try {
                while (!dispatcher.awaitEnding(FLUSH_INTERVAL)) {
                    flush();
                    links.outdate();
                    dispatcher.frontierChanged();
                    crew.addWorker();
                }
                isOver = dispatcher.awaitWorkers(GRACE);
                if (!isOver) {
                    fetcher.stop();
                    stages.forEach(Stage::stop);
                    job.sharing().impatient();
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
                stop();
            } catch (Throwable e) {
                // The workers have to leave whatever this thread has run into.
                fail(e);
            }
        }
        if (dispatcher.ending() != Ending.DRAINED) {
            job.sharing().impatient();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void flush() {
        try {
            recorder.flush();
            job.count();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /**
     * Ends the crawl as {@link #stop} does, because something that it needs has failed, such as another thread that ran
     * out of memory. {@link #run} throws the first cause, if it is unchecked. The round does not end.
     */
    public void fail(Throwable cause) {
        // Needs no memory: there may be none left.
        failure = failure == null ? cause : failure;
        dispatcher.end(FAILED);
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof UncheckedIOException e) {
            throw e.getCause();
        } else if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        } else if (failure != null) {
            throw new IllegalStateException("the crawl has ended: " + failure, failure);
        }
    }

    /** Stops the crawl cleanly: requests in progress get a little time to finish, queued URLs stay queued. */
    public void stop() {
        isStopped = true;
        dispatcher.end(Ending.STOPPED);
    }

    /** Returns the oldest of the URLs that are being processed, which may be what a crawl waits for; null if there is none. */
    public @Nullable OpenRequest oldestRequest() {
        return dispatcher.oldestRequest();
    }

    /** Returns what a stage has found out about the crawl as a whole, by its type; null when no stage has such a result. */
    public <T> @Nullable T result(Class<T> type) {
        return EarlierVisits.of(stages)
                .map(EarlierVisits::result)
                .filter(type::isInstance)
                .map(type::cast)
                .findAny()
                .orElse(null);
    }

    /**
     * Returns the present delay of a host, named as in a URL without a port: that of the options or of its robots.txt,
     * or as it has adapted; null when the host is not known, or not any more.
     */
    public @Nullable Duration delay(String host) {
        return dispatcher.delay(host);
    }

    /** Returns what was done so far. */
    public CrawlReport report() {
        Duration all = took;
        long toQueue = toQueue();
        SieveStats stats = job.frontier().stats();
        return recorder.report(
                ending(), all == null ? elapsed() : all, before + queuedAgain, toQueue, stats, dispatcher.load());
    }

    /**
     * Stops the crawl, and closes its connections and its spill file. Ends the round, if it is complete and the crawl
     * has not {@linkplain #fail failed}: so a caller that cannot store what a round has found fails the crawl, and the
     * next run completes the same round.
     *
     * @throws IOException when the disk fails
     */
    @Override
    public void close() throws IOException {
        try (schedule;
                fetcher) {
            stop();
            stages.forEach(Stage::stop);
            if (failure == null) {
                stages.forEach(Stage::close);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
