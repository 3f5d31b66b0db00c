package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that shows a running crawl: a page at {@code /}, which requests its updates at {@code /update}, and metrics
 * at {@code /metrics} in the text format of Prometheus. Or only metrics, those of a server of frontiers.
 *
 * <p>It only reads: all methods but {@code GET} and {@code HEAD} are refused. There is no password, so everyone who can
 * reach the address can read the URLs and titles of the crawl. The {@code Host} field has to name the address that the
 * server was opened with, or the loopback interface, each with the port. Otherwise a web page in a browser on this
 * machine could read it through a host name of its own that resolves to this address (DNS rebinding).
 *
 * <p>Each response is rendered at most once per second, for all clients together, and only on request. Clients take a
 * bounded number of threads and never delay the crawl: a request that takes too long, with its response, is
 * interrupted, which closes its connection. While all threads are busy, connections are closed at once. So clients that
 * never complete a request, or do not read the response, can block others for ten seconds. The end of the crawl waits
 * two seconds at most for an open page to fetch the final state; of several pages, some may miss it.
 */
public final class LiveServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.report");

    private static final Duration UPDATE_INTERVAL = Duration.ofSeconds(1);
    private static final int MAX_REQUESTS = 32;
    /** A page that has requested no update for this number of intervals is closed. */
    private static final int PAGE_INTERVALS = 20;

    private static final int IDLE_SECONDS = 10;
    /** How long a request may take, with its response. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The header of an update that says when to request the next one; missing when the crawl has ended. */
    private static final String NEXT_UPDATE_MILLIS = "Next-Update-Millis";

    /** The page itself has a policy for what it may load. */
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-store",
            "Content-Security-Policy", "frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff");

    /** Any address: a web page cannot make another one of them lead here. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-f:.]+]");

    private final HttpServer server;
    private final String host;
    private final Duration interval;
    private final Duration patience;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("timer"));
    private final ExecutorService requests = new ThreadPoolExecutor(
            0, MAX_REQUESTS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads("request"));
    /** Opens when a page has the final state. */
    private final CountDownLatch informed = new CountDownLatch(1);

    /** The content that is shown; null before there is any. */
    private volatile @Nullable Cache cache;

    /** What is shown: only metrics, or also a page. Never called by two threads at once. */
    interface Content {
        /** Returns the page in its present state, as HTML. */
        default String page() {
            return "<!DOCTYPE html><title>Sieve</title><a href=\"/metrics\">Metrics</a>\n";
        }

        /** Returns the parts of the page that have changed, all or only those that change all the time, as HTML. */
        default String update(boolean isComplete) {
            return page();
        }

        String metrics();
    }

    /** A running crawl as its report, which is updated, and as metrics. */
    private static final class LivePage implements Content {
        private final CrawlRecord record;
        /** Returns what the page shows: the record, or that of the whole crawl if others share it. */
        private final Supplier<CrawlRecord> crawl;

        private final InstantSource clock;
        private final String script = ReportPage.resource("live.js");
        private final Crawler crawler;
        /** The metrics; null until they are requested, since they take time that most crawls can save. */
        private @Nullable MetricsText metrics;

        LivePage(CrawlRecord record, Supplier<CrawlRecord> crawl, Crawler crawler, InstantSource clock) {
            this.record = record;
            this.crawl = crawl;
            this.crawler = crawler;
            this.clock = clock;
        }

        @Override
        public String page() {
            record.show(crawler.report(), clock.instant());
            return ReportPage.livePage(crawl.get(), clock.instant(), script);
        }

        @Override
        public String update(boolean isComplete) {
            record.show(crawler.report(), clock.instant());
            return isComplete ? ReportPage.sections(crawl.get()) : ReportPage.progress(crawl.get());
        }

        @Override
        public synchronized String metrics() {
            if (metrics == null) {
                metrics = new MetricsText(record, crawler);
            }
            return metrics.text();
        }
    }

    private LiveServer(HttpServer server, String host, Duration interval, Duration patience) {
        this.server = server;
        this.host = host;
        this.interval = interval;
        this.patience = patience;
        timer.setRemoveOnCancelPolicy(true);
        server.setExecutor(request -> requests.execute(() -> runLimited(request)));
        server.createContext("/", this::respond);
    }

    private static ThreadFactory threads(String purpose) {
        return task -> {
            Thread thread = new Thread(task, "sieve-live-" + purpose);
            thread.setDaemon(true);
            // The crawl continues without the page.
            thread.setUncaughtExceptionHandler((failed, e) -> LOG.error("the live page has failed", e));
            return thread;
        };
    }

    /**
     * Opens the port; requests wait until something is {@linkplain #show(CrawlRecord, Supplier, Crawler, InstantSource)
     * shown}.
     *
     * @param host the name or address of the interface to listen on, IPv6 in brackets
     * @param port the port; 0 for a free one
     * @throws IOException when the port is in use or the address is not one of this machine; the message contains both
     */
    public static LiveServer open(String host, int port) throws IOException {
        return open(host, port, UPDATE_INTERVAL, PATIENCE);
    }

    static LiveServer open(String host, int port, Duration interval, Duration patience) throws IOException {
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), port);
            return new LiveServer(HttpServer.create(address, 0), host, interval, patience);
        } catch (IOException e) {
            String reason = e instanceof UnknownHostException ? "unknown host" : e.getMessage();
            throw new IOException("cannot listen on " + host + ":" + port + ": " + reason, e);
        }
    }

    public String url() {
        return "http://" + host + ":" + server.getAddress().getPort() + "/";
    }

    /** Returns whether only this machine can reach the server. */
    public boolean isLoopback() {
        return server.getAddress().getAddress().isLoopbackAddress();
    }

    /**
     * Shows a crawl from now on, until the server is closed; called once. The metrics are of this process and its
     * record; the page shows what is returned without waiting, which is the record of all if others share the crawl.
     */
    public void show(CrawlRecord record, Supplier<CrawlRecord> crawl, Crawler crawler, InstantSource clock) {
        show(new LivePage(record, crawl, crawler, clock));
    }

    /** Shows only metrics, by their present text, from now on, until the server is closed; called once. */
    public void showMetrics(Supplier<String> metrics) {
        show(metrics::get);
    }

    void show(Content content) {
        Cache shown = new Cache(content);
        cache = shown;
        server.start();
        ScheduledFuture<?> unused = timer.scheduleWithFixedDelay(
                shown::expire, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void runLimited(Runnable request) {
        Future<?> limit = timer.schedule(Thread.currentThread()::interrupt, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            request.run();
        } finally {
            limit.cancel(false);
        }
    }

    private void respond(HttpExchange exchange) throws IOException {
        HEADERS.forEach(exchange.getResponseHeaders()::set);
        if (!isNamed(exchange)) {
            send(exchange, 421, "text/plain", "This server has another name; request it as " + url() + "\n");
            return;
        }
        if (!exchange.getRequestMethod().equals("GET") && !isHead(exchange)) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            send(exchange, 405, "text/plain", "Only GET and HEAD are allowed.\n");
            return;
        }
        try {
            respond(exchange, Objects.requireNonNull(cache));
        } catch (RuntimeException | Error e) {
            LOG.error("the live page could not be rendered", e);
            send(exchange, 500, "text/plain", "The page could not be rendered; see the log of the crawl.\n");
        }
    }

    private void respond(HttpExchange exchange, Cache shown) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            case "/" -> send(exchange, 200, "text/html", shown.text("page", Content::page));
            case "/update" -> update(exchange, shown);
            case "/metrics" ->
                send(exchange, 200, "text/plain; version=0.0.4", shown.text("metrics", Content::metrics));
            default -> send(exchange, 404, "text/plain", "Not found.\n");
        }
    }

    private void update(HttpExchange exchange, Cache shown) throws IOException {
        boolean hasEnded = shown.seen();
        if (!hasEnded) {
            exchange.getResponseHeaders().set(NEXT_UPDATE_MILLIS, Long.toString(interval.toMillis()));
        }
        boolean isComplete =
                hasEnded || "complete".equals(exchange.getRequestURI().getRawQuery());
        String name = isComplete ? "complete" : "progress";
        send(exchange, 200, "text/html", shown.text(name, content -> content.update(isComplete)));
        if (hasEnded) {
            informed.countDown();
        }
    }

    private static boolean isHead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("HEAD");
    }

    private boolean isNamed(HttpExchange exchange) {
        List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
        if (hosts.size() != 1 || exchange.getRequestURI().getRawAuthority() != null) {
            return false;
        }
        int port = server.getAddress().getPort();
        String named = hosts.get(0).toLowerCase(Locale.ROOT);
        String suffix = ":" + port;
        String name =
                named.endsWith(suffix) ? named.substring(0, named.length() - suffix.length()) : port == 80 ? named : "";
        return List.of("localhost", "127.0.0.1", "[::1]", host.toLowerCase(Locale.ROOT))
                        .contains(name)
                || (server.getAddress().getAddress().isAnyLocalAddress()
                        && ADDRESS.matcher(name).matches());
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        try (exchange) {
            exchange.sendResponseHeaders(status, isHead(exchange) ? -1 : body.length);
            if (!isHead(exchange)) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    /** Gives the final state to a page that is open, and closes the port. */
    @Override
    public void close() {
        if (timer.isShutdown()) {
            return;
        }
        try {
            Cache shown = cache;
            if (shown == null) {
                // The JDK's server frees its port only when it was started.
                server.start();
            } else if (shown.end()) {
                boolean unused = informed.await(patience.toMillis() / 5, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.stop(0);
            timer.shutdownNow();
            requests.shutdownNow();
        }
    }

    /** The responses of the last second, so that many requests cost as much as one. Renders one thing at a time. */
    private static final class Cache {
        private final Content content;
        private final Map<String, String> texts = new HashMap<>();
        /** How many intervals have passed; a page that is open counts as closed after {@link #openUntil} of them. */
        private int intervals;

        private int openUntil;
        private boolean hasEnded;

        Cache(Content content) {
            this.content = content;
        }

        synchronized void expire() {
            texts.clear();
            intervals++;
        }

        /** Notes that a page is open; returns whether the crawl has ended. */
        synchronized boolean seen() {
            openUntil = intervals + PAGE_INTERVALS;
            return hasEnded;
        }

        /** Makes all that follows show the final state, and returns whether a page is open. */
        synchronized boolean end() {
            texts.clear();
            hasEnded = true;
            return intervals < openUntil;
        }

        /** Returns a text by a name, which is rendered unless there is one. */
        synchronized String text(String name, Function<Content, String> rendering) {
            return texts.computeIfAbsent(name, each -> rendering.apply(content));
        }
    }
}
