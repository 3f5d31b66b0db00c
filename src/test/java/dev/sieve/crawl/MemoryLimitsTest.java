package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.FRAGMENTS;
import static dev.sieve.crawl.Counter.MISSING;
import static dev.sieve.crawl.Counter.SITEMAPS;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.HostileServer;
import dev.sieve.io.LruMap;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.polite.Codec;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.robots.RobotsCache;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fills what a server can influence, and counts the bytes; the list is in the description of the package. */
@Tag("hostile")
@Timeout(120)
class MemoryLimitsTest {
    private static final int MIB = 1 << 20;
    private static final String LONG = "x".repeat(4000);
    private static final int PARTS = 5000;

    @TempDir
    private Path folder;

    @AutoClose
    private final HostileServer server = new HostileServer();

    private static CrawlOptions options() {
        return new CrawlOptions()
                .memory(4 * MIB)
                .delay(Duration.ZERO)
                .obeyRobots(false)
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
    }

    private static Target target(int id) {
        String url = "http://host" + id + ".test/" + LONG;
        return Target.of(new Lease(id, url, 1, 0, url, 0, 0));
    }

    @ParameterizedTest
    @CsvSource({"1, false", "64, false", "64, true", "1024, true", "1048576, false"})
    void whatIsSharedAddsUpToTheMemoryOfTheOptions(long mebibytes, boolean checksFragments) {
        long memory = mebibytes * MIB;
        CrawlOptions options =
                new CrawlOptions().memory(memory).concurrency(10_000).with(Capability.CHECK_FRAGMENTS, checksFragments);
        long links = new CrawlParts(options).documents() * new CrawlParts(options).documentBytes();

        long all = new CrawlParts(options).bodyMemory()
                + new CrawlParts(options).robotsMemory()
                + new CrawlParts(options).sitemapMemory()
                + new CrawlParts(options).leaseMemory()
                + (new CrawlParts(options).documents() == 1 ? memory / 16 * 3 : links);

        assertThat(all).isLessThanOrEqualTo(memory);
    }

    @Test
    void rulesOfRobotsTxt() {
        String rules = "User-agent: *\n" + ("Disallow: /" + "%61".repeat(5000) + "\n").repeat(3);
        server.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\n", rules.getBytes(US_ASCII)))
                .on("/target", HostileServer.redirect("/" + LONG));
        long limit = new CrawlParts(options()).robotsMemory();
        long largest = 0;
        try (Fetcher fetcher = new CrawlParts(options()).fetcher()) {
            RobotsCache robots = new RobotsCache(fetcher, "x", 1, InstantSource.system(), limit);
            for (int i = 0; i < 150; i++) {
                // Rules, and redirects with a long target.
                server.on("/robots.txt", i % 2 == 0 ? rules(i, rules) : HostileServer.redirect("/" + LONG + i));
                robots.request("http://host" + i + ".test:" + server.port() + "/robots.txt", 0);
                largest = Math.max(largest, robots.memoryBytes());
            }
        }
        assertThat(largest).isBetween(limit / 3, limit);
    }

    private static HostileServer.Behaviour rules(int number, String rules) {
        return HostileServer.raw("HTTP/1.1 200 OK\n", (rules + "Disallow: /" + number).getBytes(US_ASCII));
    }

    @Test
    void originsAndSitesOfSitemaps() {
        long limit = new CrawlParts(options()).sitemapMemory() / 2;
        LruMap<Boolean> origins = new LruMap<>(limit, seen -> 0);
        long largest = 0;
        for (int i = 0; i < 10_000; i++) {
            origins.put("http://" + "x".repeat(200) + i, true);
            largest = Math.max(largest, origins.bytes());
        }
        assertThat(largest).isBetween(limit - 1000, limit);
    }

    @Test
    void urlsThatWaitForTheirHost() throws IOException {
        CrawlOptions options = options();
        AtomicLong inMemory = new AtomicLong();
        Target.Codec codec = new Target.Codec();
        Codec<Target> counting = new Codec<>() {
            @Override
            public byte[] encode(Target target) {
                inMemory.addAndGet(-codec.size(target));
                return codec.encode(target);
            }

            @Override
            public Target decode(byte[] bytes) {
                return codec.decode(bytes);
            }

            @Override
            public int size(Target target) {
                return codec.size(target);
            }
        };
        try (HostSchedule<Target> schedule = new ScheduleOptions<Target>()
                .spill(folder, counting, new CrawlParts(options).leaseMemory())
                .build(0)) {
            for (int i = 0; i < 2000; i++) {
                inMemory.addAndGet(codec.size(target(i)));
                schedule.add("host" + i + ".test", target(i));
            }
            assertThat(inMemory.get())
                    .isBetween(
                            new CrawlParts(options).leaseMemory() / 2L,
                            new CrawlParts(options).leaseMemory() + 10_000L);
        }
    }

    @Test
    void linksOfAPage() {
        StringBuilder html = new StringBuilder("<base href='http://h/" + LONG.substring(100) + "/'>");
        for (int i = 0; i < 10_000; i++) {
            html.append("<a href=").append(i).append('>');
        }
        byte[] body = html.toString().getBytes(US_ASCII);
        Page page = new Page(200, Map.of(), "text/html", body, body.length, false);

        List<String> beyondLimit = new ArrayList<>();
        LinkExtractor.Document document = new LinkExtractor("x", false)
                .read("http://h/", page, List.of(), (reference, reason, isResource) -> beyondLimit.add(reference));

        assertThat(document.links().stream().mapToLong(String::length).sum())
                .isBetween(LinkExtractor.MAX_LINK_CHARS / 2L, (long) LinkExtractor.MAX_LINK_CHARS);
        assertThat(beyondLimit).isNotEmpty();
    }

    @Test
    void headersAndRedirects() {
        String field = "X-Y: " + "z".repeat(1000) + "\n";
        server.on("/fits", HostileServer.raw("HTTP/1.1 200 OK\n" + field.repeat(240)))
                .on("/tooLong", HostileServer.raw("HTTP/1.1 200 OK\n" + field.repeat(280)))
                .on("/tooMany", HostileServer.raw("HTTP/1.1 200 OK\n" + "a:\n".repeat(1001)))
                .on("/away", HostileServer.redirect("/" + LONG + LONG));
        try (Fetcher fetcher = new CrawlParts(options()).fetcher()) {
            assertThat(fetcher.fetch(server.url("/fits"))).isInstanceOf(Page.class);
            for (String path : List.of("/tooLong", "/tooMany", "/away")) {
                assertThat(fetcher.fetch(server.url(path)))
                        .isInstanceOfSatisfying(
                                Failed.class,
                                failed -> assertThat(failed.detail()).hasSizeLessThan(300));
            }
        }
    }

    @Test
    @Tag("slow")
    void failuresInTheReport() throws IOException {
        String path = LONG.substring(0, 1000);
        StringBuilder html = new StringBuilder();
        // Without those after which a host pauses.
        List<Integer> statuses = IntStream.range(400, 1000)
                .filter(status -> status != 429 && status != 503)
                .boxed()
                .toList();
        for (int status : statuses) {
            html.append("<a href=/").append(status).append(path).append('>');
            server.on("/" + status + path, HostileServer.raw("HTTP/1.1 " + status + " " + LONG + "\n"));
        }
        server.on("/", HostileServer.html(html.toString()));
        try (Crawler crawler = new Crawler(options().retries(0), new Sieve(10_000), AllStages::of)) {
            crawler.seed(server.url());

            CrawlReport report = crawler.run(visit -> {});

            assertThat(report.failures().size()).isEqualTo(10);
            assertThat(report.by(FAILURES)).hasSize(statuses.size());
            assertThat(report.by(FAILURES).keySet()).allMatch(reason -> reason.length() < 100);
        }
    }

    /** With sitemaps of many hosts, which are read together: 10 MB of URLs each. */
    @Test
    @Tag("slow")
    void allThatIsCheckedInARound() throws IOException {
        int hosts = 16;
        StringBuilder sitemap = new StringBuilder("<urlset>");
        for (int i = 0; i < 5_000; i++) {
            sitemap.append("<url><loc>http://h.test/long/")
                    .append(LONG, 0, 2000)
                    .append(i)
                    .append("</loc></url>");
        }
        String head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\n";
        byte[] packed = HostileServer.gzip(sitemap.toString().getBytes(US_ASCII));
        StringBuilder parts = new StringBuilder();
        for (int i = 0; i < PARTS; i++) {
            parts.append("<p id=")
                    .append(i)
                    .append("><a href='/parts#x")
                    .append(i)
                    .append("'>x</a>");
        }
        StringBuilder good = new StringBuilder("<a href='http://out.test/'>x</a>");
        for (int i = 0; i < 50; i++) {
            good.append("<img src=/image")
                    .append(i)
                    .append("><a href='/page")
                    .append(i)
                    .append("#none'>x</a>");
            server.on("/page" + i, HostileServer.html("<p id=a>"));
        }
        for (int i = 0; i < 4; i++) {
            good.append("<a href='/parts?").append(i).append("'>x</a>");
            server.on("/parts?" + i, HostileServer.html(parts.toString()));
        }
        server.on("/", HostileServer.html(good.toString())).on("/parts", HostileServer.html(parts.toString()));
        CrawlOptions options = options()
                .memory(Runtime.getRuntime().maxMemory() / 4)
                .obeyRobots(true)
                .timeout(Duration.ofMinutes(2))
                .concurrency(2 * hosts)
                .retries(0)
                .exclude("/long/")
                .with(Capability.SITEMAPS, true)
                .with(Capability.CHECK_LINKS, true)
                .with(Capability.CHECK_RESOURCES, true)
                .with(Capability.CHECK_FRAGMENTS, true)
                .with(Capability.ROUNDS, true);
        for (int round = 1; round <= 2; round++) {
            try (CrawlJob job = CrawlDirectory.open(folder.resolve("job"), builder -> builder.capacity(10_000));
                    Crawler crawler = new Crawler(options, job, AllStages::of)) {
                for (int i = 0; i < hosts; i++) {
                    crawler.seed("http://host" + i + ".test:" + server.port() + "/sitemap.xml?page");
                }
                crawler.seed(server.url("/"));

                CrawlReport report = crawler.run(visit -> {});

                assertThat(report.ending()).isEqualTo(Ending.DRAINED);
                assertThat(report.count(SITEMAPS)).isEqualTo(round == 1 ? 0 : hosts + 1);
                assertThat(report.count(FRAGMENTS, MISSING)).isEqualTo(5 * PARTS + 50);
                for (int i = 0; i < 50; i++) {
                    assertThat(server.requests("/page" + i)).isEqualTo(round);
                }
            }
            CountDownLatch all = new CountDownLatch(hosts + 1);
            server.on("/sitemap.xml", client -> {
                int end = packed.length - 10;
                HostileServer.raw(head, Arrays.copyOf(packed, end)).answer(client);
                all.countDown();
                all.await(20, TimeUnit.SECONDS);
                client.getOutputStream().write(packed, end, 10);
            });
        }
    }
}
