package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sieve.Await;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.HostileServer;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.polite.Trust;
import dev.sieve.scope.Scope;
import dev.sieve.shared.TestEngine;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * The delay of a host lies between its requests, as its server sees them. A server may see a request late, but never
 * early, and no request is sent before its name lookup has ended: so from the end of the lookup of one request to the
 * arrival of the next lies at least a delay, however slow the machine is.
 */
@Tag("engine")
@Timeout(1200)
class PolitenessTest {
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final Duration CRAWL_DELAY = Duration.ofMillis(400);

    private static final int MANY = 300;

    @TempDir
    private Path folder;

    @AutoClose
    private final HostileServer server = new HostileServer(DELAY);

    /** When the name lookups of each host ended, in order. There is one per request: the server keeps no connection. */
    private final Map<String, List<Long>> lookups = new ConcurrentHashMap<>();

    private CrawlOptions options() {
        return new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(DELAY)
                .concurrency(16)
                .retries(0)
                .timeout(Duration.ofMinutes(2))
                .allowPrivate("127.0.0.1")
                .resolver(host -> resolved(host));
    }

    private List<InetAddress> resolved(String host) {
        lookups.computeIfAbsent(host, key -> new CopyOnWriteArrayList<>()).add(System.nanoTime());
        return List.of(InetAddress.getLoopbackAddress());
    }

    private String url(String host, String path) {
        return "http://" + host + ":" + server.port() + path;
    }

    private static HostileServer.Behaviour robots(Duration crawlDelay) {
        return HostileServer.raw(
                "HTTP/1.1 200 OK\n",
                ("User-agent: *\nCrawl-delay: " + crawlDelay.toMillis() / 1000.0).getBytes(US_ASCII));
    }

    /** A redirect over a connection that is not kept, so that the next request begins with a lookup. */
    private static HostileServer.Behaviour redirect(String target) {
        return HostileServer.raw("HTTP/1.1 302 Found\nConnection: close\nLocation: " + target + "\n");
    }

    private static void crawl(CrawlOptions options, Frontier frontier, String... seeds) throws IOException {
        try (Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            for (String seed : seeds) {
                crawler.seed(seed);
            }
            crawler.run(visit -> {});
        }
    }

    /** Asserts that as many delays lie between two requests to a host as there are requests from one to the other. */
    private void assertApart(String host, Duration delay, int requests) {
        assertThat(lookups.get(host)).as("%s", server.heads()).hasSize(requests);
        assertApart(host, delay, requests, lookups.get(host));
    }

    private void assertApart(String host, Duration delay, int requests, List<Long> earliest) {
        List<Long> arrivals = server.arrivals("Host: " + host);
        assertThat(arrivals).hasSize(requests);
        assertThat(earliest).hasSize(requests);
        for (int i = 0; i < requests; i++) {
            for (int j = 0; j < i; j++) {
                assertThat(Duration.ofNanos(arrivals.get(i) - earliest.get(j)))
                        .as("%s, requests %d and %d of %s", host, j, i, server.heads())
                        .isGreaterThanOrEqualTo(delay.multipliedBy(i - j));
            }
        }
    }

    @Test
    void robotsTxtAndPagesAreADelayApart() throws IOException {
        crawl(options(), new Sieve(100), url("a.test", "/1"), url("a.test", "/2"), url("b.test", "/"));

        assertApart("a.test", DELAY, 3);
        assertApart("b.test", DELAY, 2);
        assertThat(server.heads().subList(0, 2)).allMatch(head -> head.startsWith("GET /robots.txt "));
    }

    @ParameterizedTest
    @CsvSource({
        "200, PAGE, RESPONDED, 70",
        "200, CHECK, RESPONDED, 70",
        "200, RESOURCE, RESPONDED, 0",
        "200, NAMED_SITEMAP, RESPONDED, 0",
        "206, PAGE, RESPONDED, 0",
        "304, PAGE, RESPONDED, 0",
        "404, PAGE, RESPONDED, 0",
        "500, PAGE, FAILED, 0",
        "408, PAGE, OVERLOADED, 0",
        "429, PAGE, OVERLOADED, 0",
        "502, PAGE, OVERLOADED, 0",
        "503, PAGE, OVERLOADED, 0",
        "504, PAGE, OVERLOADED, 0",
        "0, PAGE, NO_RESPONSE, 0"
    })
    void onlyCompletePagesAreCompared(int status, Target.Kind kind, Outcome.Kind outcome, long millis) {
        CrawlOptions options = options().obeyRobots(false);
        Politeness politeness = new Politeness(
                options,
                new CrawlParts(options).origins(null, List.of()),
                CrawlJob.inMemory(new Sieve(10)),
                CrawlClock.SYSTEM);
        Target target = new Target(new Lease(1, "http://h.test/", 0, 0, null, kind.label(), 0), kind, null, 0, false);
        Task task = new Task(target, "h.test", 0, Task.Action.REQUEST, Trust.PROVEN, Duration.ZERO);
        FetchResult result = status == 0
                ? new FetchResult.Failed(0, FetchResult.Reason.TIMEOUT, "")
                : new FetchResult.Page(status, Map.of(), "text/html", new byte[0], 0, status == 206);

        assertThat(politeness.outcome(task, result, Duration.ofMillis(70)))
                .isEqualTo(new Outcome(outcome, Duration.ofMillis(millis), null));
    }

    /** The server responds at once, so that the delay would become a quarter of the one that it asks for. */
    @Test
    @Tag("slow")
    void aDelayThatAdaptsIsNotBelowCrawlDelayAndRetryAfter() throws IOException {
        server.on("/robots.txt", robots(CRAWL_DELAY))
                .on("/busy", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 2\nConnection: close\n"));
        List<String> seeds = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            seeds.add(url("asks.test", "/" + i));
            seeds.add(url("busy.test", i == 3 ? "/busy" : "/" + i));
        }

        crawl(options().adaptiveDelay(), new Sieve(100), seeds.toArray(String[]::new));

        assertApart("asks.test", CRAWL_DELAY, 6);
        assertApart("busy.test", CRAWL_DELAY, 6);
        List<String> heads = server.heads().stream()
                .filter(head -> head.contains("Host: busy.test"))
                .toList();
        int busy = heads.indexOf(heads.stream()
                .filter(head -> head.startsWith("GET /busy"))
                .findFirst()
                .orElseThrow());
        assertThat(busy).isBetween(1, heads.size() - 2);
        assertThat(Duration.ofNanos(server.arrivals("Host: busy.test").get(busy + 1)
                        - lookups.get("busy.test").get(busy)))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void redirectsOfRobotsTxtAreADelayApart() throws IOException {
        server.on("/robots.txt", redirect("/r1"))
                .on("/r1", redirect("/r2"))
                .on("/r2", HostileServer.raw("HTTP/1.1 200 OK\n", "User-agent: *\nDisallow: /no".getBytes(US_ASCII)));

        crawl(options(), new Sieve(100), url("a.test", "/no"), url("a.test", "/yes"));

        assertApart("a.test", DELAY, 4);
        assertThat(server.requests("/yes")).isEqualTo(1);
        assertThat(server.requests("/no")).isZero();
    }

    @Test
    void aRequestOverAClosedConnectionIsRepeatedAfterADelay() throws IOException {
        server.otherwise(server.hangUp());
        List<String> pages = new ArrayList<>();
        List<Long> begun = new CopyOnWriteArrayList<>();
        try (Crawler crawler = new Crawler(options().maxFailures(1), timed(new Sieve(100), begun), AllStages::of)) {
            for (int i = 0; i < 4; i++) {
                crawler.seed(url("a.test", "/" + i));
            }
            CrawlReport report = crawler.run(visit -> pages.add(visit.url()));
            assertThat(report.failures()).isEmpty();
        }

        assertThat(pages).hasSize(4);
        int requests = server.arrivals("Host: a.test").size();
        assertThat(requests).isBetween(7, 10);
        // Without a lookup before it, a request is sent after its lease was begun for the second time.
        List<Long> earliest = IntStream.range(0, begun.size())
                .filter(i -> i % 2 == 1)
                .mapToObj(begun::get)
                .toList();
        assertApart("a.test", DELAY, requests, earliest);
    }

    /** Returns a frontier that notes when a lease is begun: before its URL may be requested, and before it is sent. */
    private static Frontier timed(Frontier frontier, List<Long> begun) {
        return (Frontier) Proxy.newProxyInstance(
                Frontier.class.getClassLoader(), new Class<?>[] {Frontier.class}, (proxy, called, args) -> {
                    if (called.getName().equals("begin")) {
                        begun.add(System.nanoTime());
                    }
                    return called.invoke(frontier, args);
                });
    }

    /** Adds hosts whose robots.txt is redirected to a URL of the host victim.test, and returns their URLs. */
    private List<String> redirectedHosts(int hosts, String path) {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < hosts; i++) {
            String host = "h" + i + ".test";
            server.on(host + "/robots.txt", redirect(url("victim.test", path + i)));
            urls.add(url(host, "/page"));
        }
        return urls;
    }

    @Test
    void aHostIsNotAskedForTheRobotsTxtOfManyOthers() throws IOException {
        server.on(
                "victim.test/robots.txt",
                HostileServer.raw("HTTP/1.1 200 OK\n", "User-agent: *\nDisallow: /expensive".getBytes(US_ASCII)));

        crawl(options(), new Sieve(1000), redirectedHosts(100, "/expensive?").toArray(String[]::new));

        assertThat(server.heads().stream().filter(head -> head.contains("Host: victim.test")))
                .singleElement()
                .asString()
                .startsWith("GET /robots.txt ");
        assertThat(server.requests("/page")).isZero();
    }

    @Test
    @Tag("slow")
    void redirectsOfRobotsTxtWaitForTheTarget() throws IOException {
        server.on("victim.test/robots.txt", robots(CRAWL_DELAY));
        for (int i = 0; i < 4; i++) {
            server.on("/expensive?" + i, robots(Duration.ZERO));
        }
        List<String> seeds = redirectedHosts(4, "/expensive?");
        seeds.add(url("victim.test", "/"));

        crawl(options(), new Sieve(100), seeds.toArray(String[]::new));

        assertApart("victim.test", CRAWL_DELAY, 6);
        assertThat(server.requests("/page")).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            assertApart("h" + i + ".test", DELAY, 2);
        }
    }

    @Test
    void redirectedRobotsTxtWaitsForRetryAfterOfItsTarget() throws IOException {
        server.on("victim.test/robots.txt", HostileServer.raw("HTTP/1.1 404 None\nConnection: close\n"))
                .on("/busy?0", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 2\nConnection: close\n"))
                .on("/busy?1", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 2\nConnection: close\n"));

        crawl(options(), new Sieve(100), redirectedHosts(2, "/busy?").toArray(String[]::new));

        List<Long> lookedUp = lookups.get("victim.test");
        List<Long> arrivals = server.arrivals("Host: victim.test");
        assertThat(arrivals).hasSize(3);
        assertThat(Duration.ofNanos(arrivals.get(2) - lookedUp.get(1))).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(server.requests("/page")).isZero();
    }

    @Test
    void ringsOfRobotsTxtRedirectsEnd() throws IOException {
        for (int i = 0; i < 3; i++) {
            server.on(
                    "h" + i + ".ring.test/robots.txt", redirect(url("h" + (i + 1) % 3 + ".ring.test", "/robots.txt")));
            server.on("k" + i + ".ring.test/robots.txt", redirect(url("k" + (i + 1) % 3 + ".ring.test", "/r")));
        }
        List<String> seeds = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            seeds.add(url("h" + i + ".ring.test", "/open"));
            seeds.add(url("k" + i + ".ring.test", "/closed"));
        }

        crawl(options().delay(Duration.ofMillis(1)).perDomain(1), new Sieve(100), seeds.toArray(String[]::new));

        assertThat(server.requests("/open")).isEqualTo(3);
        assertThat(server.requests("/closed")).isZero();
        assertThat(server.requests("/robots.txt")).isEqualTo(6);
    }

    /** A redirect that is sent once all hosts were asked. */
    private static HostileServer.Behaviour redirectTogether(CyclicBarrier barrier, String target) {
        return client -> {
            try {
                barrier.await();
            } catch (BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            redirect(target).answer(client);
        };
    }

    @Test
    void twoHostsDoNotWaitForEachOthersRobotsTxt() throws IOException {
        try (HostileServer other = new HostileServer()) {
            CyclicBarrier barrier = new CyclicBarrier(2);
            String robots = ".test:" + other.port() + "/robots.txt";
            server.on("h0.test/robots.txt", redirectTogether(barrier, "http://h1" + robots))
                    .on("h1.test/robots.txt", redirectTogether(barrier, "http://h0" + robots));
            other.otherwise(robots(Duration.ZERO));

            crawl(options().delay(Duration.ofMillis(1)), new Sieve(100), url("h0.test", "/p"), url("h1.test", "/p"));

            assertThat(server.requests("/p")).isEqualTo(2);
            assertThat(other.requests("/robots.txt")).isEqualTo(2);
        }
    }

    @Test
    void aCrawlDelayThatIsCutIsSaidAloud() throws IOException {
        server.on("/robots.txt", robots(Duration.ofDays(3)));
        Logger logger = (Logger) LoggerFactory.getLogger("dev.sieve.crawl");
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> log;
        try (Crawler crawler = new Crawler(options(), new Sieve(100), AllStages::of)) {
            log = new ListAppender<>() {
                @Override
                protected void append(ILoggingEvent event) {
                    super.append(event);
                    crawler.stop();
                }
            };
            log.start();
            logger.addAppender(log);
            logger.setLevel(Level.WARN);
            crawler.seed(url("a.test", "/"));
            crawler.run(visit -> {});
            logger.detachAppender(log);
        } finally {
            logger.setLevel(before);
        }

        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(message -> message.contains("a.test") && message.contains("Crawl-delay of a day or more"));
    }

    @Test
    @Tag("slow")
    void aCrawlDelayHoldsForAllOriginsOfAHost() throws IOException {
        try (HostileServer other = new HostileServer()) {
            server.on("/robots.txt", robots(CRAWL_DELAY));

            crawl(
                    options(),
                    new Sieve(100),
                    url("a.test", "/1"),
                    "http://a.test:" + other.port() + "/",
                    url("a.test", "/2"),
                    url("a.test", "/3"));

            List<Long> own = server.arrivals("Host: a.test");
            List<Long> all = new ArrayList<>(own);
            all.addAll(other.arrivals("Host: a.test"));
            all.sort(null);
            assertThat(lookups.get("a.test")).hasSameSizeAs(all);
            assertApart(
                    "a.test",
                    CRAWL_DELAY,
                    4,
                    own.stream()
                            .map(arrival -> lookups.get("a.test").get(all.indexOf(arrival)))
                            .toList());
            assertThat(other.heads()).hasSize(2);
        }
    }

    @Test
    @Tag("slow")
    void aCrawlDelayHoldsThoughTheHostWasForgottenInBetween() throws IOException {
        server.on("/robots.txt", robots(CRAWL_DELAY))
                .on("/first", HostileServer.html(links("first")))
                .on(
                        "/second",
                        HostileServer.html(links("second") + "<a href='" + url("a.test", "/2") + "'>x</a><a href='"
                                + url("a.test", "/3") + "'>x</a><a href='" + url("a.test", "/4") + "'>x</a>"));
        AtomicInteger firstHosts = new AtomicInteger();
        try (Crawler crawler = new Crawler(options().delay(Duration.ofMillis(1)), new Sieve(10_000), AllStages::of)) {
            crawler.seed(url("a.test", "/1"));
            crawler.seed(url("b.test", "/first"));
            crawler.run(visit -> {
                if (visit.url().startsWith("http://first") && firstHosts.incrementAndGet() == MANY) {
                    crawler.seed(url("c.test", "/second"));
                }
            });
        }

        assertThat(server.requests("/")).isEqualTo(2 * MANY);
        assertApart("a.test", CRAWL_DELAY, 5);
    }

    /** Links to more hosts than are remembered without a reason. */
    private String links(String name) {
        StringBuilder links = new StringBuilder();
        for (int i = 0; i < MANY; i++) {
            links.append("<a href='").append(url(name + i + ".test", "/")).append("'>x</a>");
        }
        return links.toString();
    }

    @Test
    void aSlowNameServerTakesNothingFromTheDelay() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        CrawlOptions slow = options().obeyRobots(false).resolver(host -> {
            try {
                never.await(started.getAndIncrement() == 0 ? 2 * DELAY.toMillis() : 0, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return resolved(host);
        });

        crawl(slow, new Sieve(100), url("a.test", "/1"), url("a.test", "/2"));

        assertApart("a.test", DELAY, 2);
    }

    private CrawlJob directory() throws IOException {
        Path job = folder.resolve("job");
        boolean exists = DurableFolder.exists(job);
        return CrawlDirectory.open(job, exists ? builder -> {} : builder -> builder.capacity(1000));
    }

    /** Crawls until so many requests were made since the beginning, and stops. */
    private void crawlUntil(int requests) throws IOException {
        try (CrawlJob directory = directory();
                Crawler crawler = new Crawler(options(), directory, AllStages::of)) {
            crawler.seed(url("a.test", "/1"));
            crawler.seed(url("a.test", "/2"));
            crawler.seed(url("a.test", "/3"));
            server.onRequest(count -> {
                if (count >= requests) {
                    crawler.stop();
                }
            });
            crawler.run(visit -> {});
        }
    }

    @Test
    void aRestartedCrawlObservesTheDelay() throws IOException {
        for (int requests : new int[] {1, 3, 5, 7}) {
            crawlUntil(requests);
        }

        assertThat(server.requests("/robots.txt")).isEqualTo(4);
        assertApart("a.test", DELAY, 7);
    }

    @Test
    void aRestartedCrawlObservesTheCrawlDelay() throws IOException {
        server.on("/robots.txt", robots(CRAWL_DELAY));
        for (int requests : new int[] {1, 3, 5}) {
            crawlUntil(requests);
        }

        assertApart("a.test", CRAWL_DELAY, 5);
    }

    @Test
    void aHostIsLeftAloneForAsLongAsItAskedUpToADay() throws IOException {
        server.on("/1", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 3600\nContent-Length: 0\n"))
                .on("/2", HostileServer.raw("HTTP/1.1 429 Slow\nRetry-After: 999999\nContent-Length: 0\n"));
        try (CrawlJob directory = directory();
                Crawler crawler = new Crawler(options().obeyRobots(false), directory, AllStages::of)) {
            crawler.seed(url("a.test", "/1"));
            crawler.seed(url("b.test", "/2"));
            crawler.run(visit -> {});
        }

        assertThat(stored()).anyMatch(line -> line.contains(" 3600000 ") && line.endsWith(" a.test"));
        assertThat(stored()).anyMatch(line -> line.contains(" 86400000 ") && line.endsWith(" b.test"));
        try (CrawlJob directory = directory()) {
            assertThat(directory.store.takePauses().get("a.test")).isGreaterThan(Duration.ofMinutes(30));
        }
    }

    private List<String> stored() throws IOException {
        return Files.readAllLines(folder.resolve("job/crawl-pauses"));
    }

    @Test
    void aRestartedCrawlObservesRetryAfter() throws IOException {
        server.on("/1", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 1\nConnection: close\n"));
        crawlUntil(2);
        crawlUntil(3);

        assertThat(server.heads().get(1)).startsWith("GET /1 ");
        assertApart("a.test", DELAY, 3);
        long busy = lookups.get("a.test").get(1);
        assertThat(Duration.ofNanos(server.arrivals("Host: a.test").get(2) - busy))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    private SharedWorker worker(TestEngine engine) throws IOException {
        return new SharedWorker(
                engine.address("polite"),
                options(),
                builder -> builder.capacity(1000).slices(4).seed(1));
    }

    /** Crawls by one worker after the other; each leaves when so many requests were made since the beginning. */
    private void crawlByWorkers(int... requests) throws Exception {
        try (TestEngine engine = TestEngine.start()) {
            SharedWorker first = worker(engine).seed(url("a.test", "/1"), url("a.test", "/2"), url("a.test", "/3"));
            SharedWorker present = first.start();
            for (int until : requests) {
                Await.until(() -> server.heads().size() >= until);
                present.leave();
                present = worker(engine).start();
            }
            assertThat(present.end().ending()).isEqualTo(Ending.DRAINED);
            present.close();
        }
    }

    @Test
    void aHostTakenOverByAWorkerKeepsItsDelay() throws Exception {
        crawlByWorkers(2, 4);

        assertThat(server.requests("/robots.txt")).isEqualTo(3);
        assertApart("a.test", DELAY, 6);
    }

    @Test
    @Tag("slow")
    void aHostTakenOverByAWorkerKeepsItsCrawlDelay() throws Exception {
        server.on("/robots.txt", robots(CRAWL_DELAY));

        crawlByWorkers(2, 4);

        assertApart("a.test", CRAWL_DELAY, 6);
    }

    @Test
    @Tag("slow")
    void aHostTakenOverByAWorkerKeepsItsRetryAfter() throws Exception {
        server.on("/1", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: 3\nConnection: close\n"));

        crawlByWorkers(2);

        assertThat(server.heads().get(1)).startsWith("GET /1 ");
        assertApart("a.test", DELAY, 5);
        long busy = lookups.get("a.test").get(1);
        assertThat(Duration.ofNanos(server.arrivals("Host: a.test").get(2) - busy))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
    }
}
