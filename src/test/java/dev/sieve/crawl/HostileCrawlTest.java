package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.DROPPED;
import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.RETRIES;
import static dev.sieve.crawl.Counter.SKIPPED;
import static dev.sieve.crawl.Counter.TRUNCATED;
import static dev.sieve.fetch.HostileServer.brotli;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.Tier;
import dev.sieve.fetch.HostileServer;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A crawl among servers that mean it ill ends, and has its good pages. */
@Tag("hostile")
@Timeout(1200)
class HostileCrawlTest {
    @AutoClose
    private final HostileServer server = new HostileServer();

    private final List<Visit> visits = new ArrayList<>();

    private static CrawlOptions fast() {
        return new CrawlOptions()
                .delay(Duration.ZERO)
                .perHost(8)
                .concurrency(8)
                .retries(0)
                .obeyRobots(false)
                .timeout(Duration.ofMinutes(2))
                .userAgent("testbot/1.0");
    }

    /** Crawls from a page of the server, whose place is opened as if somebody had typed it. */
    private CrawlReport crawl(CrawlOptions options, String path) throws IOException {
        try (Crawler crawler = new Crawler(options, new Sieve(10_000), AllStages::of)) {
            crawler.open(server.url(path));
            crawler.seed(server.url(path));
            return crawler.run(visits::add);
        }
    }

    private static String links(String... targets) {
        StringBuilder html = new StringBuilder();
        List.of(targets)
                .forEach(target -> html.append("<a href='").append(target).append("'>x</a>"));
        return html.append("<a href='" + HostileServer.GOOD + "'>good</a>").toString();
    }

    private void assertGoodPageWasFetched() {
        assertThat(server.requests(HostileServer.GOOD)).isEqualTo(1);
    }

    @Test
    void aLinkIntoThePrivateNetworkIsRefusedAndCounted() throws IOException {
        try (HostileServer secret = new HostileServer("127.0.0.2", 0)) {
            server.on("/", HostileServer.html(links(secret.url(), "http://2130706434:" + secret.port() + "/x")));

            CrawlReport report = crawl(fast().scope(Scope.Kind.ANY), "/");

            assertThat(secret.heads()).isEmpty();
            assertThat(report.by(REFUSED)).containsExactly(Map.entry("address not public", 2L));
            assertThat(report.count(LINKS, NEW)).isEqualTo(4).isEqualTo(report.count(PAGES) + report.count(REFUSED));
            assertGoodPageWasFetched();
        }
    }

    @Test
    void redirectsToPrivateAddressesAreRefusedAtOnce() throws IOException {
        try (HostileServer secret = new HostileServer("127.0.0.2", 0)) {
            server.on("/", HostileServer.html(links("/away", "/file", "/gopher")))
                    .on("/away", HostileServer.redirect(secret.url("/admin")))
                    .on("/file", HostileServer.redirect("file:///etc/passwd"))
                    .on("/gopher", HostileServer.redirect("gopher://127.0.0.1:6379/_x"));

            CrawlReport report = crawl(fast().scope(Scope.Kind.ANY).retries(2), "/");

            assertThat(secret.heads()).isEmpty();
            assertThat(report.by(REFUSED)).containsExactly(Map.entry("address not public", 1L));
            assertThat(report.by(FAILURES)).containsExactly(Map.entry("bad redirect", 2L));
            assertThat(report.count(RETRIES)).isZero();
            assertGoodPageWasFetched();
        }
    }

    @Test
    void robotsTxtInAnotherCodingIsCountedAndSaid() throws IOException {
        server.on(
                "/robots.txt",
                HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: br\nContent-Length: 1\n", new byte[1]));

        CrawlReport report = crawl(fast().obeyRobots(true), "/");

        assertThat(report.by(FAILURES)).containsEntry("robots.txt unavailable: invalid response", 1L);
        assertThat(report.by(DROPPED)).containsExactly(Map.entry("robots unreadable", 1L));
    }

    @Test
    void robotsTxtInBrIsObeyed() throws IOException {
        byte[] rules = "User-agent: *\nDisallow: /no".getBytes(UTF_8);
        server.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: br\n", brotli(rules)))
                .on("/", HostileServer.html(links("/no", "/yes")))
                .on("/yes", HostileServer.html("yes"));

        CrawlReport report = crawl(fast().obeyRobots(true), "/");

        assertThat(report.by(REFUSED)).containsExactly(Map.entry("robots.txt", 1L));
        assertThat(report.by(DROPPED)).isEmpty();
    }

    @Test
    void robotsTxtInAnotherCodingElsewhereIsSaidToo() throws IOException {
        try (HostileServer other = new HostileServer("127.0.0.3", 0)) {
            server.on("/robots.txt", HostileServer.redirect(other.url("/rules")));
            other.on("/rules", HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: zstd\n", new byte[9]))
                    .on("/robots.txt", HostileServer.raw("HTTP/1.1 404 None\n"));

            CrawlReport report = crawl(fast().obeyRobots(true).allowPrivate("127.0.0.3"), "/");

            assertThat(report.by(DROPPED)).containsExactly(Map.entry("robots unreadable", 1L));
        }
    }

    @Test
    void robotsTxtLeadsNobodyIntoThePrivateNetwork() throws IOException {
        try (HostileServer secret = new HostileServer("127.0.0.2", 0)) {
            server.on("/robots.txt", HostileServer.redirect(secret.url("/admin")));

            CrawlReport report = crawl(fast().obeyRobots(true).retries(2), "/");

            assertThat(secret.heads()).isEmpty();
            assertThat(server.heads()).hasSize(1);
            assertThat(report.by(FAILURES))
                    .containsExactly(Map.entry("robots.txt unavailable: address not public", 1L));
        }
    }

    @Test
    void privateNamesAreRefusedBeforeRobotsTxt() throws IOException {
        server.on("/", HostileServer.html(links("http://inside.test:" + server.port() + "/a", "/b")));
        CrawlOptions options = fast().obeyRobots(true)
                .scope(Scope.Kind.ANY)
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));

        CrawlReport report = crawl(options, "/");

        assertThat(server.heads()).noneMatch(head -> head.contains("inside.test"));
        assertThat(report.by(REFUSED)).containsExactly(Map.entry("address not public", 1L));
        assertGoodPageWasFetched();
    }

    @Test
    void aSeedThatNobodyTypedOpensNothing() throws IOException {
        try (Crawler crawler = new Crawler(fast(), new Sieve(100), AllStages::of)) {
            crawler.seed(server.url());

            CrawlReport report = crawler.run(visits::add);

            assertThat(server.heads()).isEmpty();
            assertThat(report.count(REFUSED)).isEqualTo(1);
            assertThat(report.isFruitless()).isTrue();
        }
    }

    @Test
    void theUsersHeadersFollowNoRedirectToAnotherOrigin() throws IOException {
        try (HostileServer other = new HostileServer()) {
            server.on("/", HostileServer.redirect(other.url("/x")));

            crawl(fast().allowPrivate("127.0.0.1").header("Authorization", "Bearer secret"), "/");

            assertThat(server.heads()).singleElement().asString().contains("Bearer secret");
            assertThat(other.heads()).isNotEmpty().noneMatch(head -> head.contains("secret"));
        }
    }

    @Test
    void redirectsInACircleEnd() throws IOException {
        server.on("/", HostileServer.html(links("/a")))
                .on("/a", HostileServer.redirect("/b"))
                .on("/b", HostileServer.redirect("/a"));

        assertThat(crawl(fast(), "/").ending()).isEqualTo(Ending.DRAINED);
        assertThat(server.requests("/a")).isEqualTo(1);
        assertThat(server.requests("/b")).isEqualTo(1);
        assertGoodPageWasFetched();
    }

    @Test
    void linksOfAPageThatAsksForItAreNotFollowedButCounted() throws IOException {
        server.on("/", HostileServer.html(links("/shy")))
                .on("/shy", HostileServer.html("<meta name=robots content=nofollow>" + links("/never")));

        CrawlReport report = crawl(fast(), "/");

        assertThat(server.requests("/never")).isZero();
        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("nofollow", 2L));
        assertGoodPageWasFetched();
    }

    @Test
    void linksBeyondTheLimitOfAPageAreCounted() throws IOException {
        StringBuilder html = new StringBuilder(links());
        for (int i = 0; i < 25_000; i++) {
            html.append("<a href='http://elsewhere.test/").append(i).append("'>x</a>");
        }
        server.on("/", HostileServer.html(html.toString()));

        CrawlReport report = crawl(fast(), "/");

        assertThat(report.by(SKIPPED))
                .containsEntry("beyond the limit of a page", 5001L)
                .containsEntry("out of scope", 19_999L);
        assertGoodPageWasFetched();
    }

    @Test
    @Tag("slow")
    void afterAPageMadeToFillTheHeapGoodOnesAreStillCrawled() throws IOException {
        StringBuilder bomb = new StringBuilder("<p>");
        for (int i = 0; i < 12; i++) {
            bomb.append("<b x").append(i).append('>');
        }
        String[] pages = new String[8];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = (i % 2 == 0 ? "/bomb" : "/page") + i;
            server.on(pages[i], HostileServer.html(i % 2 == 0 ? bomb + "<p>x".repeat(250_000) : links()));
        }
        server.on("/", HostileServer.html(links(pages)));

        CrawlReport report = crawl(fast(), "/");

        assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", pages.length + 2L));
        assertGoodPageWasFetched();
    }

    @Test
    void hostsThatHoldRequestsCostOthersNothing() throws IOException {
        int tarPits = 100;
        StringBuilder html = new StringBuilder(links());
        for (int i = 0; i < tarPits; i++) {
            html.append("<a href='http://pit").append(i).append(".test:").append(server.port());
            html.append("/pit").append(i % 4).append("'>x</a>");
        }
        for (int i = 0; i < 200; i++) {
            html.append("<a href='/page").append(i).append("'>x</a>");
        }
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n";
        server.on("/", HostileServer.html(html.toString()))
                .on("/pit0", server.stall(""))
                .on("/pit1", server.drip(head, "<a href=x>"))
                .on("/pit2", HostileServer.reset())
                .on("/pit3", server.drip("HTTP/1.1 200 OK\r\n", "X-Y: z\r\n"));
        List<String> order = new ArrayList<>();
        CrawlOptions options = fast().scope(Scope.Kind.ANY)
                .concurrency(32)
                .perHost(4)
                .timeout(Duration.ofSeconds(20))
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
        try (Crawler crawler = new Crawler(options, new Sieve(10_000), AllStages::of)) {
            crawler.seed(server.url());

            CrawlReport report = crawler.run(visit -> {
                order.add(visit.result().error());
                if (order.stream().filter(String::isEmpty).count() == 202) {
                    crawler.stop();
                    // Ends the requests in progress, for which the crawl would wait.
                    server.release();
                }
            });

            assertThat(report.count(PAGES) - report.count(TRUNCATED)).isEqualTo(202);
        }
        // All pages of the host that answers are there before the first of the others is given up.
        assertThat(order.subList(0, order.lastIndexOf("") + 1)).doesNotContain("timeout");
    }

    @Test
    void aHostThatHasAnsweredIsServedBesideManyThatNeverDo() throws IOException {
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            html.append("<a href='/page").append(i).append("'>x</a>");
        }
        server.on("/", HostileServer.html(html.toString())).on("/robots.txt", HostileServer.raw("HTTP/1.1 404 None\n"));
        CrawlOptions options = fast().obeyRobots(true)
                .concurrency(32)
                .timeout(Duration.ofSeconds(20))
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
        List<String> order = new ArrayList<>();
        try (HostileServer silent = new HostileServer();
                Crawler crawler = new Crawler(options, new Sieve(10_000), AllStages::of)) {
            silent.on("/robots.txt", silent.stall("")).otherwise(silent.stall(""));
            crawler.seed(server.url());
            for (int i = 0; i < 100; i++) {
                crawler.seed("http://silent" + i + ".test:" + silent.port() + "/");
            }

            CrawlReport report = crawler.run(visit -> {
                order.add(visit.result().error());
                if (order.stream().filter(String::isEmpty).count() == 21) {
                    crawler.stop();
                    silent.release();
                }
            });

            assertThat(report.count(PAGES)).isEqualTo(21);
        }
        assertThat(order.subList(0, order.lastIndexOf("") + 1)).containsOnly("");
    }

    @Test
    @Timeout(120)
    void aHostIsRequestedWhileAllWorkersWaitForOthers() throws IOException {
        CrawlOptions options = fast().concurrency(32)
                .timeout(Duration.ofMinutes(20))
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
        try (HostileServer silent = new HostileServer();
                Crawler crawler = new Crawler(options, new Sieve(10_000), AllStages::of)) {
            silent.otherwise(silent.stall(""));
            for (int i = 0; i < 100; i++) {
                crawler.seed("http://silent" + i + ".test:" + silent.port() + "/");
            }
            crawler.seed("http://good.test:" + server.port() + "/");

            CrawlReport report = crawler.run(visit -> {
                crawler.stop();
                silent.release();
            });

            assertThat(report.count(PAGES)).isEqualTo(1);
        }
    }

    /** Sends nearly 8 MiB that take little on the wire, and nothing more. */
    private HostileServer.Behaviour held() {
        byte[] packed = HostileServer.gzip("<p>".repeat(2_700_000).getBytes(US_ASCII));
        return client -> {
            HostileServer.write(client, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n");
            client.getOutputStream().write(packed, 0, packed.length - 100);
            server.stall("").answer(client);
        };
    }

    /** What makes a client collect bytes, for as many hosts. */
    private List<HostileServer.Behaviour> hoarders() {
        String chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
        String gzip = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
                + "\u001f\u008b\u0008\u0008\0\0\0\0\0\0";
        String a = "a".repeat(10_000);
        List<HostileServer.Behaviour> hoarders = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            hoarders.add(HostileServer.endless(chunked + "5;x=", a));
            hoarders.add(HostileServer.endless(chunked + "1\r\nx", a));
            hoarders.add(HostileServer.endless(gzip, a));
        }
        hoarders.addAll(Collections.nCopies(20, held()));
        return hoarders;
    }

    /** Many long links in a page that is small enough never to wait for memory. */
    private static HostileServer.Behaviour longLinks() {
        StringBuilder html = new StringBuilder("<base href='http://h.test/" + "x".repeat(4000) + "/'>");
        for (int i = 0; i < 9_000; i++) {
            html.append("<a href=").append(i).append('>');
        }
        return HostileServer.html(html.toString());
    }

    private static String link(int host, HostileServer server, String path) {
        return "<a href='http://host" + host + ".test:" + server.port() + path + "'>x</a>";
    }

    @Test
    @Tag("slow")
    void hostsThatFillTheHeapCostOthersNothing() throws IOException {
        int goodPages = 50;
        List<HostileServer.Behaviour> hoarders = hoarders();
        StringBuilder html = new StringBuilder();
        try (HostileServer inPages = new HostileServer();
                HostileServer inRobotsTxt = new HostileServer()) {
            HostileServer.Behaviour none = HostileServer.raw("HTTP/1.1 404 None\n");
            AtomicInteger next = new AtomicInteger();
            inPages.on("/robots.txt", none);
            inRobotsTxt
                    .on(
                            "/robots.txt",
                            client -> hoarders.get(next.getAndIncrement() % 24).answer(client))
                    .otherwise(none);
            for (int i = 0; i < hoarders.size(); i++) {
                inPages.on("/" + i, hoarders.get(i));
                html.append(link(i, inPages, "/" + i)).append(i < 24 ? link(i, inRobotsTxt, "/") : "");
            }
            inPages.on("/links", longLinks());
            for (int i = 0; i < 8; i++) {
                html.append(link(100 + i, inPages, "/links"));
            }
            for (int i = 0; i < goodPages; i++) {
                server.on("/page" + i, HostileServer.html("<p>".repeat(20_000)));
                html.append("<a href='/page").append(i).append("'>x</a>");
            }
            server.on("/", HostileServer.html(html.toString())).on("/robots.txt", none);
            CrawlOptions options = fast().obeyRobots(true)
                    .concurrency(64)
                    .timeout(Duration.ofSeconds(20))
                    .scope(Scope.Kind.ANY)
                    .allowPrivate("127.0.0.1")
                    .resolver(host -> List.of(InetAddress.getLoopbackAddress()));

            CrawlReport report = crawl(options, "/");

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", goodPages + 1L + 8));
            assertThat(report.count(FAILED)).isEqualTo(hoarders.size() + 24);
        }
    }

    /** A file of 500 KiB whose rules allow everything but one path. */
    private static byte[] largeRobotsTxt() {
        String line = "Allow: /" + "*a".repeat(8000) + "b\n";
        return ("User-agent: *\nDisallow: /forbidden\n" + line.repeat(31)).getBytes(US_ASCII);
    }

    /** With 50 hosts; 10,000 with {@code sieve.proof}. */
    @ParameterizedTest
    @ValueSource(longs = {1 << 20, 128 << 20})
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void largeRobotsTxtOfManyHostsFitInAnyMemory(long memory) throws IOException {
        int hosts = Tier.of(50, 10_000);
        int hostsPerPage = 500;
        int goodPages = Math.max(20, hosts / hostsPerPage);
        try (HostileServer evil = new HostileServer()) {
            evil.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\n", largeRobotsTxt()))
                    .otherwise(HostileServer.html("<p>"));
            StringBuilder start = new StringBuilder();
            for (int page = 0; page < goodPages; page++) {
                StringBuilder html = new StringBuilder();
                for (int i = page * hostsPerPage; i < Math.min(hosts, (page + 1) * hostsPerPage); i++) {
                    String host = "http://host" + i + ".evil.test:" + evil.port();
                    html.append("<a href='").append(host).append("/forbidden'>x</a>");
                    html.append("<a href='").append(host).append("/page'>x</a>");
                }
                server.on("/page" + page, HostileServer.html(html.toString()));
                start.append("<a href='/page").append(page).append("'>x</a>");
            }
            server.on("/", HostileServer.html(start.toString()))
                    .on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\n", "User-agent: *".getBytes(US_ASCII)));
            CrawlOptions options = fast().obeyRobots(true)
                    .memory(memory)
                    .timeout(Duration.ofSeconds(60))
                    .scope(Scope.Kind.ANY)
                    .allowPrivate("127.0.0.1")
                    .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
            try (Crawler crawler = new Crawler(options, new Sieve(100_000), AllStages::of)) {
                crawler.seed(server.url());

                CrawlReport report = crawler.run(visit -> {});

                assertThat(report.ending()).isEqualTo(Ending.DRAINED);
                assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", hosts + goodPages + 1L));
                assertThat(report.by(REFUSED)).containsExactly(Map.entry("robots.txt", (long) hosts));
                assertThat(report.count(FAILED)).isZero();
                assertThat(server.requests("/robots.txt")).isEqualTo(1);
            }
        }
    }

    @Test
    void aRedirectOutOfScopeIsNotFollowedButCounted() throws IOException {
        server.on("/", HostileServer.html(links("/away")))
                .on("/away", HostileServer.redirect("http://elsewhere.test:" + server.port() + "/"));
        CrawlOptions options =
                fast().allowPrivate("127.0.0.1").resolver(host -> List.of(InetAddress.getLoopbackAddress()));

        CrawlReport report = crawl(options, "/");

        assertThat(server.heads()).noneMatch(head -> head.contains("elsewhere.test"));
        assertThat(report.count(REDIRECTS)).isEqualTo(1);
        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("out of scope", 1L));
        assertGoodPageWasFetched();
    }

    @Test
    void aRedirectLeadsAroundNoRobotsTxt() throws IOException {
        server.on(
                        "/robots.txt",
                        HostileServer.raw("HTTP/1.1 200 OK\n", "User-agent: *\nDisallow: /no".getBytes(US_ASCII)))
                .on("/", HostileServer.html(links("/in")))
                .on("/in", HostileServer.redirect("/no"));

        CrawlReport report = crawl(fast().obeyRobots(true), "/");

        assertThat(server.requests("/no")).isZero();
        assertThat(report.by(REFUSED)).containsExactly(Map.entry("robots.txt", 1L));
        assertGoodPageWasFetched();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Location:\n", "Location: /\n", "Refresh: 0; url=/\n", "Location: #x\n"})
    void aPageThatLeadsToItselfIsAskedForOnce(String header) throws IOException {
        server.on("/", HostileServer.html(links("/self", "/refresh")))
                .on("/self", HostileServer.raw("HTTP/1.1 302 Found\n" + header))
                .on(
                        "/refresh",
                        HostileServer.html(
                                "<meta http-equiv=refresh content='0; url=/refresh'>" + links("/refresh", "")));

        CrawlReport report = crawl(fast().retries(2), "/");

        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(server.heads()).hasSize(4);
        assertThat(report.count(RETRIES)).isZero();
        assertGoodPageWasFetched();
    }

    @Test
    void aBodyThatBreaksOffIsKeptAfterItsRetries() throws IOException {
        HostileServer.Behaviour robots =
                HostileServer.raw("HTTP/1.1 200 OK\nContent-Length: 99\n", "User-agent: *\n".getBytes(ISO_8859_1));
        AtomicInteger asked = new AtomicInteger();
        server.on(
                        "/robots.txt",
                        client -> (asked.getAndIncrement() == 0 ? robots : HostileServer.raw("HTTP/1.1 204 x\n"))
                                .answer(client))
                .on(
                        "/",
                        HostileServer.raw(
                                "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 9999\n",
                                links("/zip", "").getBytes(ISO_8859_1)))
                .on(
                        "/zip",
                        HostileServer.raw(
                                "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip, br\n", new byte[9]));

        CrawlReport report = crawl(fast().obeyRobots(true).retries(1), "/");

        assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", 2L));
        assertThat(report.by(FAILURES)).containsExactly(Map.entry("invalid response", 1L));
        assertThat(report.count(TRUNCATED)).isEqualTo(1);
        assertThat(server.requests("/")).isEqualTo(2);
        assertThat(server.requests("/zip")).isEqualTo(1);
        assertGoodPageWasFetched();
    }

    @Test
    void noUrlIsLostToAServerThatIsOverloaded() throws IOException {
        String[] pages = new String[10];
        AtomicInteger refused = new AtomicInteger();
        for (int i = 0; i < pages.length; i++) {
            pages[i] = "/page" + i;
            server.on(pages[i], client -> {
                int number = refused.getAndIncrement();
                boolean isOverloaded = number < 2;
                (isOverloaded
                                ? HostileServer.raw(
                                        "HTTP/1.1 " + (number == 0 ? "429 Slow" : "503 Busy") + "\nRetry-After: -1\n")
                                : HostileServer.html(links()))
                        .answer(client);
            });
        }
        server.on("/", HostileServer.html(links(pages)));

        CrawlReport report = crawl(fast().retries(2), "/");

        assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", 12L));
        assertThat(report.count(RETRIES)).isEqualTo(2);
        assertThat(server.heads()).hasSize(14);
        assertGoodPageWasFetched();
    }

    @Test
    void aServerThatStaysOverloadedIsGivenUpAfterItsRetries() throws IOException {
        server.on("/", HostileServer.html(links("/busy")))
                .on("/busy", HostileServer.raw("HTTP/1.1 503 Busy\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\n"));

        CrawlReport report = crawl(fast().retries(1), "/");

        assertThat(server.requests("/busy")).isEqualTo(2);
        assertThat(report.by(FAILURES)).containsExactly(Map.entry("503", 1L));
        assertThat(report.count(LINKS, NEW)).isEqualTo(3).isEqualTo(report.count(PAGES));
        assertGoodPageWasFetched();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "429 Slow\nRetry-After: 99999999999",
                "503 Busy\nRetry-After: 99999999999",
                "503 Busy\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT"
            })
    void aHostThatAsksForAPauseWithoutEndHoldsUpNobodyElse(String status) throws IOException {
        server.on("/", HostileServer.html(links("http://busy.test:" + server.port() + "/busy")))
                .on("/busy", HostileServer.raw("HTTP/1.1 " + status + "\n"));
        CrawlOptions options = fast().scope(Scope.Kind.ANY)
                .retries(1)
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
        try (Crawler crawler = new Crawler(options, new Sieve(100), AllStages::of)) {
            crawler.seed(server.url());

            CrawlReport report = crawler.run(visit -> {
                if (visit.url().endsWith(HostileServer.GOOD)) {
                    crawler.stop();
                }
            });

            assertThat(report.count(PAGES)).isEqualTo(2);
            assertThat(report.pending().left()).isEqualTo(1);
        }
        assertThat(server.requests("/busy")).isLessThan(2);
        assertGoodPageWasFetched();
    }
}
