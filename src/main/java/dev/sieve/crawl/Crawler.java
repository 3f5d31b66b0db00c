package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.SieveFullException;
import dev.sieve.SieveStats;
import dev.sieve.fetch.Fetcher;
import dev.sieve.output.PageSink;
import dev.sieve.polite.HostSchedule;
import dev.sieve.url.OptionalLibrary;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Crawls: requests every URL that its seeds lead to, once, and passes the pages to a sink.
 *
 * <pre>{@code
 * try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(1_000_000))) {
 *     crawler.seed("https://example.org/");
 *     CrawlReport report = crawler.run(visit -> System.out.println(visit.url() + " " + visit.title()));
 * }
 * }</pre>
 *
 * <p>Each concurrent request has a worker. A redirect is a link. The links of a page are pushed as one batch before the
 * page is passed to the sink, and only then is it done: after a crash, a durable frontier hands out again whatever is
 * not done.
 *
 * <p>{@link #run} is called once; {@link #stop} and {@link #report} from any thread.
 */
public final class Crawler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    /** How long the requests in progress may take when a crawl ends early. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    static {
        OptionalLibrary.requireOkHttp();
        OptionalLibrary.require("org.jsoup.Jsoup", "org.jsoup:jsoup");
    }

    private final int workers;
    private final CrawlDirectory directory;
    private final CrawlClock clock = CrawlClock.SYSTEM;
    private final long startNanos;
    private final long before;
    private final HostSchedule<Lease> schedule;
    private final Fetcher fetcher;
    private final Recorder recorder = new Recorder();
    private final LinkQueue links;
    private final Dispatcher dispatcher;
    private final UrlProcessor processor;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * Creates a crawl without seeds that leaves no files. The caller closes the frontier, after the crawl.
     *
     * @throws UncheckedIOException when the temporary file for waiting URLs cannot be created
     */
    public Crawler(CrawlOptions options, Frontier frontier) {
        this(options, CrawlDirectory.none(frontier));
    }

    /** Creates a crawl that continues the one in a directory, or starts it there; otherwise as for a frontier. */
    public Crawler(CrawlOptions options, CrawlDirectory directory) {
        this.directory = directory;
        workers = options.concurrency;
        startNanos = clock.nanoTime();
        Frontier frontier = directory.frontier();
        SieveStats stats = frontier.stats();
        before = stats.pending() + stats.inFlight();
        // The schedule first: if it fails, no connections need closing.
        schedule = Politeness.schedule(options, directory, stats.accepted() > 0, startNanos);
        fetcher = options.newFetcher();
        links = new LinkQueue(options.newAdmission(), recorder, directory);
        dispatcher = new Dispatcher(frontier, schedule, clock.nanos(), options);
        fetcher.onSend(dispatcher::sent);
        Politeness politeness = new Politeness(options, fetcher, directory, clock);
        processor = new UrlProcessor(options, frontier, fetcher, politeness, dispatcher, links, recorder, clock);
    }

    /**
     * Allows requests to the host and port of a URL that the user has typed, whatever its addresses and the port. Neither
     * seeds nor scope change. All other requests go to public addresses, unless the options allow more.
     *
     * @throws IllegalArgumentException when it is not an http or https URL
     */
    public void open(String url) {
        fetcher.open(url);
    }

    /**
     * Adds a URL to start from, which widens the scope. The header fields of the options are sent to its origin.
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
     * Crawls until the frontier is empty, a limit is reached, {@link #stop} is called, or the thread is interrupted, which
     * stops the crawl; the thread stays interrupted.
     *
     * @param sink receives what is found; closed by the caller
     * @throws IOException when the sink or the frontier failed, which ends the crawl
     */
    public CrawlReport run(PageSink sink) throws IOException {
        recorder.sink(sink);
        try {
            directory.forceSeeds();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (int i = 0; i < workers; i++) {
            new Thread(this::work, "sieve-worker-" + i).start();
        }
        awaitEnd();
        rethrow(failure.get());
        return report();
    }

    /** Waits for the workers; requests that take longer than the grace period are cancelled and are not done. */
    private void awaitEnd() {
        boolean isInterrupted = false;
        for (boolean isOver = false; !isOver; ) {
            try {
                isOver = dispatcher.awaitWorkers(GRACE);
                if (!isOver) {
                    fetcher.cancelAll();
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
                stop();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(Throwable failure) throws IOException {
        if (failure instanceof UncheckedIOException e) {
            throw e.getCause();
        } else if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        }
    }

    private void work() {
        try {
            for (Dispatcher.Task task = dispatcher.next(); task != null; task = dispatcher.next()) {
                work(task);
            }
        } catch (SieveFullException e) {
            if (dispatcher.end(Ending.FULL)) {
                LOG.error("{}", e.getMessage());
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            dispatcher.end(Ending.FAILED);
        } finally {
            dispatcher.workerLeft();
        }
    }

    private void work(Dispatcher.Task task) {
        boolean isPage;
        try {
            UrlProcessor.Response response = processor.request(task);
            dispatcher.end(task, response.outcome());
            isPage = response.processing().getAsBoolean();
        } catch (RuntimeException | Error e) {
            dispatcher.abandoned(task);
            throw e;
        }
        dispatcher.finished(task, isPage);
    }

    /** Stops the crawl cleanly: requests in progress get a little time to finish, queued URLs stay queued. */
    public void stop() {
        dispatcher.end(Ending.STOPPED);
    }

    /** Returns what was done so far. */
    public CrawlReport report() {
        Duration elapsed = Duration.ofNanos(clock.nanoTime() - startNanos);
        SieveStats stats = directory.frontier().stats();
        return recorder.report(dispatcher.ending(), elapsed, before, stats, dispatcher.busy(), dispatcher.schedule());
    }

    /** Stops the crawl, and closes its connections and its spill file. */
    @Override
    public void close() throws IOException {
        stop();
        fetcher.close();
        schedule.close();
    }
}
