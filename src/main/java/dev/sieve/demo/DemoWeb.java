package dev.sieve.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A web of many hosts on this machine's loopback address, made up from a seed, of which it is known exactly what an
 * obedient crawl from {@link #start()} asks for: {@link #expected()}, each once, the robots.txt of each host once, and
 * never anything of {@link #forbidden()}.
 *
 * <p>Its hosts lie under {@code .test}, a domain that is never registered (RFC 6761); a crawler has to ask {@link
 * #resolve} for their addresses, or to be told that this web is its HTTP proxy. A few large hosts hold most pages. The
 * same seed, hosts, pages and port make the same web, byte for byte.
 *
 * <p>A page is a URL with status 200: HTML of 20 to 40 links, most of them to pages that are known already, in many
 * spellings; some frame sets; some plain text and PDF, which are pages like the others and hold no links. Pages are
 * found by {@code a}, {@code area}, {@code iframe}, {@code frame}, {@code link rel=next|prev} and by redirects, up to
 * nine in a row and over several hosts; some of them in one of these ways only. Links marked {@code nofollow} lead to
 * nothing that is not linked otherwise. Some pages are slow, some are in ISO-8859-1, some have a {@code base}. Besides
 * there are links to what is missing (404), to rings of redirects, and to what robots.txt disallows, some of them by a
 * redirect; one host in five has no robots.txt.
 *
 * <p>Pages are made when they are asked for: memory is taken for the names of the hosts, the access log and the pages
 * under way. Safe for use by many threads. A slow page holds no thread.
 */
public final class DemoWeb implements AutoCloseable {

    /**
     * What is known of one URL.
     *
     * @param url the URL in its one spelling; pages link to it in others
     * @param status the HTTP status that it is answered with
     */
    public record Expected(String url, int status) {}

    private final SiteMap map;
    private final RequestLog log;
    private final HttpServer server;
    private final ExecutorService workers;

    private DemoWeb(Builder options) throws IOException {
        Hosts hosts = new Hosts(options.hosts, options.pages);
        log = new RequestLog(options.recorded, options.accessLog);
        try {
            server = server(options.port);
        } catch (IOException e) {
            log.close();
            throw e;
        }
        map = new SiteMap(options.seed, hosts, server.getAddress().getPort());
        workers = Executors.newCachedThreadPool(DemoWeb::daemon);
        String rules = rules(options.crawlDelay);
        Executor later = CompletableFuture.delayedExecutor(options.slowPages.toNanos(), TimeUnit.NANOSECONDS, workers);
        server.createContext("/", new Handler(map, options.pageBytes, rules, later, log));
        server.setExecutor(workers);
        server.start();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "demo-web");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * The JDK's server reads its settings once a process, from system properties. Without the first, an answer over a
     * connection in use waits for a delayed acknowledgement; without the second, it closes all idle ones but 200.
     */
    private static HttpServer server(int port) throws IOException {
        setUnlessSet("sun.net.httpserver.nodelay", "true");
        setUnlessSet("sun.net.httpserver.maxIdleConnections", "10000");
        InetSocketAddress address = new InetSocketAddress(loopback("localhost"), port);
        try {
            return HttpServer.create(address, 1024);
        } catch (IOException e) {
            throw new IOException("cannot listen on 127.0.0.1:" + port + ": " + e.getMessage(), e);
        }
    }

    private static void setUnlessSet(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private static String rules(Duration crawlDelay) {
        BigDecimal seconds = BigDecimal.valueOf(crawlDelay.toMillis(), 3).stripTrailingZeros();
        String delay = crawlDelay.isZero() ? "" : "Crawl-delay: " + seconds.toPlainString() + "\n";
        return "User-agent: greedybot\nDisallow: /\n\nUser-agent: *\n" + delay + "Disallow: /private/\n";
    }

    /** A web of these many hosts and pages; everything else as {@link Builder} has it by default. */
    public static DemoWeb of(int hosts, int pages) throws IOException {
        return builder().hosts(hosts).pages(pages).open();
    }

    /** Options for a web. */
    public static Builder builder() {
        return new Builder();
    }

    /** The URL from which all pages can be reached. */
    public String start() {
        return map.url(map.place(0));
    }

    /** The TCP port that the web is served on; every link names it. */
    public int port() {
        return map.port();
    }

    /** How many hosts there are. */
    public int hosts() {
        return map.hosts().hosts();
    }

    /** How many URLs an obedient crawl gets with status 200, robots.txt aside. */
    public int pages() {
        return map.hosts().pages();
    }

    /** Every URL that an obedient crawl asks for, each once, robots.txt aside. Made up while the stream is read. */
    public Stream<Expected> expected() {
        return IntStream.range(0, pages())
                .boxed()
                .flatMap(map::visited)
                .map(place -> new Expected(map.url(place), map.status(place)));
    }

    /** Every URL that a crawl finds and that robots.txt disallows. Made up while the stream is read. */
    public Stream<String> forbidden() {
        return IntStream.range(0, pages()).boxed().flatMap(map::forbidden).map(map::url);
    }

    /**
     * The address of a host of any demo web, 127.0.0.1; that is, of every name under {@code .test}.
     *
     * @throws UnknownHostException when the name is another
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

    /** The latest requests, as many as {@link Builder#recorded} says, in the order in which they were over. */
    public List<DemoRequest> requests() {
        return log.latest();
    }

    /** How many requests were answered. */
    public long requestCount() {
        return log.count();
    }

    /**
     * Stops the server; the port is free afterwards.
     *
     * @throws IOException when the access log could not be written
     */
    @Override
    public void close() throws IOException {
        server.stop(0);
        workers.shutdownNow();
        log.close();
    }

    /** Options for a web; each has a default. */
    public static final class Builder {
        private long seed = 1;
        private int hosts = 20;
        private int pages = 300;
        private int port;
        private int pageBytes = 4096;
        private Duration slowPages = Duration.ofMillis(50);
        private Duration crawlDelay = Duration.ZERO;
        private int recorded;
        private Path accessLog;

        private Builder() {}

        /** What the web is made up from; 1 by default. */
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** How many hosts there are; 1 to 1,000,000, by default 20. */
        public Builder hosts(int hosts) {
            this.hosts = hosts;
            return this;
        }

        /** How many pages there are in all; as many as hosts at least, by default 300. */
        public Builder pages(int pages) {
            this.pages = pages;
            return this;
        }

        /** The TCP port; 0, the default, for one that is free. */
        public Builder port(int port) {
            this.port = checked("port", port, 0, 65535);
            return this;
        }

        /** About how many bytes an HTML page has on average, but no less than its links take; by default 4096. */
        public Builder pageBytes(int pageBytes) {
            this.pageBytes = checked("pageBytes", pageBytes, 1, 1 << 24);
            return this;
        }

        /** How long one page in 50 lets the client wait; not negative, by default 50 ms. */
        public Builder slowPages(Duration slowPages) {
            this.slowPages = checked("slowPages", slowPages);
            return this;
        }

        /** The Crawl-delay in robots.txt, exact to the millisecond; none when zero, as by default. */
        public Builder crawlDelay(Duration crawlDelay) {
            this.crawlDelay = checked("crawlDelay", crawlDelay);
            return this;
        }

        /** How many of the latest requests are kept for {@link DemoWeb#requests}; 0 by default. */
        public Builder recorded(int recorded) {
            this.recorded = checked("recorded", recorded, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * A file that is written anew with a line a request: start and end in nanoseconds, host, path and query,
         * status, with a tab between them. None by default.
         */
        public Builder accessLog(Path accessLog) {
            this.accessLog = accessLog;
            return this;
        }

        /**
         * Starts the web.
         *
         * @throws IllegalArgumentException when hosts and pages do not go together
         * @throws IOException when the port is taken or the access log cannot be written
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
