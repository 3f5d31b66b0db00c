package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.SieveFullException;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.HostileServer;
import dev.sieve.fetch.HostileServer.Behaviour;
import dev.sieve.output.Link;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.polite.HostSchedule;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a step of a crawl comes to, no URL stays leased without a worker: it is done, given back, or left and counted,
 * or the crawl ends.
 */
@Tag("hostile")
@Timeout(600)
class EveryOutcomeTest {
    private final List<HostileServer> servers = new ArrayList<>();

    private HostileServer server() {
        HostileServer server = new HostileServer();
        servers.add(server);
        return server.on("/robots.txt", HostileServer.raw("HTTP/1.1 404 None\n"));
    }

    private void closeServers() throws IOException {
        for (HostileServer each : servers) {
            each.close();
        }
    }

    private static CrawlOptions options(boolean hasArchive) {
        return new CrawlOptions()
                .exchanges(hasArchive)
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .perHost(4)
                .concurrency(64)
                .retries(1)
                .maxFailures(2)
                .timeout(Duration.ofMillis(500))
                .maxTime(Duration.ofMinutes(5))
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> {
                    if (host.equals("unknown.test")) {
                        throw new UnknownHostException(host);
                    }
                    return List.of(InetAddress.getByName(host.equals("private.test") ? "10.0.0.1" : "127.0.0.1"));
                });
    }

    /** One URL for each way to treat the request of a page, on hosts of their own. */
    private List<String> pages() {
        HostileServer server = server();
        List<Behaviour> behaviours = server.catalogue();
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < behaviours.size(); i++) {
            server.on("/" + i, behaviours.get(i));
            urls.add("http://page" + i + ".test:" + server.port() + "/" + i);
        }
        urls.addAll(List.of(
                "http://unknown.test/",
                "http://private.test/",
                "http://port.test:25/",
                "http://10.0.0.1/",
                "http://127.0.0.2:" + server.port() + "/",
                server.url("/tls").replace("http:", "https:")));
        return urls;
    }

    private void assertEveryLeaseEnds(CrawlOptions options, List<String> seeds) throws IOException {
        Sieve frontier = new Sieve(10_000);
        try (Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            crawler.seedAll(seeds);

            CrawlReport report = crawler.run(visit -> {});

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(report.pending().left()).isZero();
            assertThat(frontier.inFlight()).isEqualTo(report.pending().unfinished());
            Reports.assertAddsUp(report);
        } finally {
            closeServers();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyResultOfARequestEndsTheLease(boolean hasArchive) throws IOException {
        assertEveryLeaseEnds(options(hasArchive).obeyRobots(false), pages());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyResultOfACheckEndsTheLease(boolean hasArchive) throws IOException {
        StringBuilder html = new StringBuilder();
        pages().forEach(url -> html.append("<a href='").append(url).append("'>x</a>"));
        String start = server().on("/", HostileServer.html(html.toString())).url();

        assertEveryLeaseEnds(
                options(hasArchive).scope(Scope.Kind.HOST).with(Capability.CHECK_LINKS, true), List.of(start));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyResultOfRobotsTxtEndsTheLease(boolean hasArchive) throws IOException {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < server().catalogue().size(); i++) {
            HostileServer server = server();
            server.on("/robots.txt", server.catalogue().get(i));
            urls.add("http://robots" + i + ".test:" + server.port() + "/");
        }
        // A status that closes an origin would be followed by a pause of a minute.
        assertEveryLeaseEnds(options(hasArchive).retries(0), urls);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyResultOfASitemapEndsTheLease(boolean hasArchive) throws IOException {
        List<String> urls = new ArrayList<>();
        int count = server().catalogue().size();
        for (int i = 0; i <= count; i++) {
            HostileServer server = server();
            Behaviour map = HostileServer.raw(
                    "HTTP/1.1 200 OK\n", "<urlset><url><loc>/</loc></url><url><loc>x".getBytes(US_ASCII));
            server.on("/map", i == count ? map : server.catalogue().get(i));
            String host = "http://map" + i + ".test:" + server.port();
            server.on(
                    "/robots.txt",
                    HostileServer.raw("HTTP/1.1 200 OK\n", ("Sitemap: " + host + "/map").getBytes(US_ASCII)));
            urls.add(host + "/");
        }
        assertEveryLeaseEnds(options(hasArchive).with(Capability.SITEMAPS, true), urls);
    }

    /** A start page by which every method of the sink and of the frontier is called. */
    private String start() {
        HostileServer server = server();
        server.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\n", "Disallow: /no".getBytes(US_ASCII)))
                .on("/busy", HostileServer.raw("HTTP/1.1 500 Busy\n"))
                .on(
                        "/",
                        HostileServer.html("<a href='/good'>x</a><a href='/busy'>x</a><a href='http://[/'>x</a>"
                                + "<a href='/no'>x</a><a href='http://unknown.test/'>x</a>"));
        return server.url();
    }

    private static Stream<Throwable> failures() {
        return Stream.of(
                new UncheckedIOException(new IOException("broken")),
                new IllegalStateException("broken"),
                new StackOverflowError("broken"),
                new OutOfMemoryError("broken"));
    }

    private static Stream<Arguments> failuresOfTheSink() {
        return Stream.of("accept", "skipped", "linked", "exchanged", "flush")
                .flatMap(method -> failures().map(failure -> Arguments.of(method, failure)));
    }

    /** Throws a failure when a method is called. */
    private record FailingSink(String method, Throwable failure) implements PageSink {
        private void call(String name) throws IOException {
            if (!method.equals(name)) {
                return;
            } else if (failure instanceof UncheckedIOException e) {
                throw e.getCause();
            } else if (failure instanceof RuntimeException e) {
                throw e;
            }
            throw (Error) failure;
        }

        @Override
        public void accept(Visit visit) throws IOException {
            call("accept");
        }

        @Override
        public void skipped(Skip skip) throws IOException {
            call("skipped");
        }

        @Override
        public void linked(Link link) throws IOException {
            call("linked");
        }

        @Override
        public boolean takesLinks() {
            return true;
        }

        @Override
        public void exchanged(Exchange exchange) throws IOException {
            call("exchanged");
        }

        @Override
        public void flush() throws IOException {
            call("flush");
        }
    }

    private void assertFails(Frontier frontier, PageSink sink, Throwable failure) throws IOException {
        CrawlOptions options = options(true);
        try (Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            crawler.seed(start());

            assertThatThrownBy(() -> crawler.run(sink))
                    .isSameAs(failure instanceof UncheckedIOException ? failure.getCause() : failure);

            assertThat(crawler.report().ending()).isEqualTo(Ending.FAILED);
        } finally {
            closeServers();
        }
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheSink")
    void everyFailureOfTheSinkEndsTheCrawl(String method, Throwable failure) throws IOException {
        assertFails(new Sieve(100), new FailingSink(method, failure), failure);
    }

    private static Stream<Arguments> failuresOfTheFrontier() {
        return Stream.of("take", "begin", "done", "retry", "leave", "isOver", "waitNanos")
                .flatMap(method -> failures().map(failure -> Arguments.of(method, failure)));
    }

    /** Returns a frontier of which a method throws a failure, from its given call on. */
    private static Frontier failing(Sieve frontier, String method, Throwable failure, int fromCall) {
        int[] calls = new int[1];
        return (Frontier) Proxy.newProxyInstance(
                Frontier.class.getClassLoader(), new Class<?>[] {Frontier.class}, (proxy, called, args) -> {
                    synchronized (calls) {
                        if (called.getName().equals(method) && ++calls[0] >= fromCall) {
                            throw failure;
                        }
                    }
                    try {
                        return called.invoke(frontier, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("failuresOfTheFrontier")
    void everyFailureOfTheFrontierEndsTheCrawl(String method, Throwable failure) throws IOException {
        assertFails(failing(new Sieve(100), method, failure, 1), visit -> {}, failure);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void everyFailureOfAPushEndsTheCrawl(Throwable failure) throws IOException {
        // The first one is that of the seeds.
        assertFails(failing(new Sieve(100), "pushAll", failure, 2), visit -> {}, failure);
    }

    @Test
    void aFullFrontierEndsTheCrawl() throws IOException {
        Frontier full = failing(new Sieve(100), "pushAll", new SieveFullException("full"), 2);
        try (Crawler crawler = new Crawler(options(true), full, AllStages::of)) {
            crawler.seed(start());

            assertThat(crawler.run(visit -> {}).ending()).isEqualTo(Ending.FULL);
        } finally {
            closeServers();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStopWhileTheCrawlRunsLosesNoUrl(boolean obeysRobots) throws Exception {
        CrawlOptions options = options(true).obeyRobots(obeysRobots);
        Sieve frontier = new Sieve(100);
        CrawlJob job = CrawlJob.inMemory(frontier);
        List<Stage> stages = new ArrayList<>();
        Recorder recorder = new Recorder(frontier, stages);
        LinkQueue links = new LinkQueue(options, recorder, stages, job, () -> {});
        links.seeds(List.of(server().on("/", HostileServer.reset())
                .on("/robots.txt", HostileServer.reset())
                .url()));
        try (Fetcher fetcher = new CrawlParts(options).fetcher();
                HostSchedule<Target> schedule = Politeness.schedule(options, job, false, System.nanoTime())) {
            CrawlClock clock = CrawlClock.SYSTEM;
            Dispatcher dispatcher = new Dispatcher(job, schedule, clock.nanos(), recorder, options, false);
            Politeness politeness =
                    new Politeness(options, new CrawlParts(options).origins(fetcher, List.of()), job, clock);
            UrlProcessor processor = new UrlProcessor(
                    options,
                    new CrawlParts(options).origins(fetcher, List.of()),
                    politeness,
                    dispatcher,
                    links,
                    recorder,
                    stages,
                    clock,
                    Set.of());
            fetcher.stop();

            Task task = dispatcher.next();
            UrlProcessor.Response response = processor.request(task);
            dispatcher.end(task, response.outcome());
            assertThat(response.processing().getAsBoolean()).isFalse();
            dispatcher.finished(task, false);

            assertThat(recorder.settled()).isZero();
            assertThat(dispatcher.next().lease().id()).isEqualTo(task.lease().id());
        } finally {
            closeServers();
        }
    }
}
