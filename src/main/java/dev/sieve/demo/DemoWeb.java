package dev.sieve.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A web of many hosts on the loopback address, generated from a seed. It is known exactly what an obedient crawl from
 * {@link #start()} requests: each URL of {@link #expected()} once, the robots.txt of each host once, and no URL of
 * {@link #forbidden()}. The same seed, hosts, pages and port generate the same web, byte for byte.
 *
 * <p>Its hosts are under {@code .test}, a domain that is never registered (RFC 6761). A crawler gets their addresses
 * from {@link #resolve}, or uses this web as its HTTP proxy. A few large hosts have most of the pages, unless all are
 * {@linkplain Builder#even even}.
 *
 * <p>A page is a URL with status 200: HTML with 20 to 40 links in many spellings, frame sets, plain text or PDF. Links
 * are {@code a}, {@code area}, {@code iframe}, {@code frame}, {@code link rel=next|prev} and redirects, up to nine in a
 * row and on several hosts; some pages are linked in only one of these ways. Some pages are slow, some are in
 * ISO-8859-1, some have a {@code base}. Other links lead to missing documents (404), rings of redirects, and documents
 * that robots.txt disallows; one host in five has no robots.txt.
 *
 * <p>Pages are generated on request: only host names, recorded requests and pages in progress take memory. Safe for use
 * by many threads. A slow page does not block a thread.
 */
public final class DemoWeb implements AutoCloseable {

    /**
     * A URL and its response.
     *
     * @param url the URL in its normal spelling; pages link to it in others as well
     * @param status the HTTP status of the response
     */
    public record Expected(String url, int status) {}

    private final SiteMap map;
    private final Handler handler;
    private final HttpServer server;
    private final ExecutorService workers;

    private DemoWeb(Builder options) throws IOException {
        Hosts hosts = new Hosts(options.hosts, options.pages, options.even);
        server = server(options.port);
        map = new SiteMap(options.seed, hosts, server.getAddress().getPort());
        workers = Executors.newCachedThreadPool(DemoWeb::daemon);
        Handler.Timing timing = new Handler.Timing(later(options.responseTime), later(options.slowPages));
        handler = new Handler(
                map, options.pageBytes, rules(options.crawlDelay), timing, options.recorded, options.onRequest);
        server.createContext("/", handler);
        server.setExecutor(workers);
        server.start();
    }

    private Executor later(Duration delay) {
        return delay.isZero()
                ? Runnable::run
                : CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, workers);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "demo-web");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * The JDK's server reads its settings once per process, from system properties. Without the first, a response on a
     * connection in use waits for a delayed acknowledgement; without the second, the server closes all idle connections
     * but 200.
     */
    private static HttpServer server(int port) throws IOException {
        System.getProperties().putIfAbsent("sun.net.httpserver.nodelay", "true");
        System.getProperties().putIfAbsent("sun.net.httpserver.maxIdleConnections", "10000");
        try {
            return HttpServer.create(new InetSocketAddress(loopback("localhost"), port), 1024);
        } catch (IOException e) {
            throw new IOException("cannot listen on 127.0.0.1:" + port + ": " + e.getMessage(), e);
        }
    }

    private static String rules(Duration crawlDelay) {
        BigDecimal seconds = BigDecimal.valueOf(crawlDelay.toMillis(), 3).stripTrailingZeros();
        String delay = crawlDelay.isZero() ? "" : "Crawl-delay: " + seconds.toPlainString() + "\n";
        return "User-agent: greedybot\nDisallow: /\n\nUser-agent: *\n" + delay + "Disallow: /private/\n";
    }

    /** Returns the options of a web, with their defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the URL from which all pages can be reached. */
    public String start() {
        return map.url(map.place(0));
    }

    /** Returns the TCP port of the web, which is part of every link. */
    public int port() {
        return map.port();
    }

    public int hosts() {
        return map.hosts().hosts();
    }

    /** Returns the number of URLs with status 200 that an obedient crawl requests, without robots.txt. */
    public int pages() {
        return map.hosts().pages();
    }

    /** Returns every URL that an obedient crawl requests, each once, without robots.txt. */
    public Stream<Expected> expected() {
        return numbers().flatMap(map::visited).map(place -> new Expected(map.url(place), map.status(place)));
    }

    /** Returns every URL that a crawl finds and robots.txt disallows. */
    public Stream<String> forbidden() {
        return numbers().flatMap(map::forbidden).map(map::url);
    }

    private Stream<Integer> numbers() {
        return IntStream.range(0, map.hosts().pages()).boxed();
    }

    /**
     * Returns the address of a host of any demo web, that is, 127.0.0.1 for every name under {@code .test}.
     *
     * @throws UnknownHostException for any other name
     */
    public static InetAddress resolve(String host) throws UnknownHostException {
        if (!host.toLowerCase(Locale.ROOT).endsWith(".test")) {
            throw new UnknownHostException(host + " is not under .test");
        }
        return loopback(host);
    }

    private static InetAddress loopback(String host) throws UnknownHostException {
        return InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1});
    }

    /** Returns the latest requests, at most {@link Builder#recorded}, in the order in which they ended. */
    public List<DemoRequest> requests() {
        return handler.latest();
    }

    public long requestCount() {
        return handler.count();
    }

    /** Stops the server and frees the port. */
    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }

    /** The options of a web. */
    public static final class Builder {
        private long seed = 1;
        private int hosts = 20;
        private int pages = 300;
        private int port;
        private int pageBytes = 4096;
        private Duration slowPages = Duration.ofMillis(50);
        private Duration responseTime = Duration.ZERO;
        private Duration crawlDelay = Duration.ZERO;
        private int recorded;
        private Consumer<DemoRequest> onRequest = request -> {};
        private boolean even;

        private Builder() {}

        /** The seed of the web. Default: 1. */
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** The number of hosts, from 1 to 1,000,000. Default: 20. */
        public Builder hosts(int hosts) {
            this.hosts = checked("hosts", hosts, 1, Hosts.MAX_HOSTS);
            return this;
        }

        /** The total number of pages, at least the number of hosts. Default: 300. */
        public Builder pages(int pages) {
            this.pages = pages;
            return this;
        }

        /** The TCP port. Default: 0, for a free one. */
        public Builder port(int port) {
            this.port = checked("port", port, 0, 65535);
            return this;
        }

        /** The mean size of an HTML page in bytes; pages are larger if their links need it. Default: 4096. */
        public Builder pageBytes(int pageBytes) {
            this.pageBytes = checked("pageBytes", pageBytes, 1, 1 << 24);
            return this;
        }

        /** The delay of one page in 50, from 0 to 1 day. Default: 50 ms. */
        public Builder slowPages(Duration slowPages) {
            this.slowPages = checked("slowPages", slowPages);
            return this;
        }

        /** The delay of every other response, from 0 to 1 day. Default: 0. */
        public Builder responseTime(Duration responseTime) {
            this.responseTime = checked("responseTime", responseTime);
            return this;
        }

        /** The Crawl-delay in robots.txt, in whole milliseconds. Default: 0, for none. */
        public Builder crawlDelay(Duration crawlDelay) {
            this.crawlDelay = checked("crawlDelay", crawlDelay);
            return this;
        }

        /** How many of the latest requests to keep for {@link DemoWeb#requests}. Default: 0. */
        public Builder recorded(int recorded) {
            this.recorded = checked("recorded", recorded, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Receives each request before its response is sent, one at a time. Default: no listener.
         */
        public Builder onRequest(Consumer<DemoRequest> listener) {
            onRequest = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** Whether all hosts have equally many pages, give or take one. Default: false. */
        public Builder even(boolean even) {
            this.even = even;
            return this;
        }

        /**
         * Starts the web.
         *
         * @throws IllegalArgumentException if there are fewer pages than hosts
         * @throws IOException if the port is in use
         */
        public DemoWeb open() throws IOException {
            return new DemoWeb(this);
        }

        private static int checked(String name, int value, int least, int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + value);
            }
            return value;
        }

        private static Duration checked(String name, Duration value) {
            if (value.isNegative() || value.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException(name + " must be 0 to 1 day: " + value);
            }
            return value;
        }
    }
}
