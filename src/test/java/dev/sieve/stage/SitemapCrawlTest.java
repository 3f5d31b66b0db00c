package dev.sieve.stage;

import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SITEMAPS;
import static dev.sieve.crawl.Counter.SITEMAPS_ABSENT;
import static dev.sieve.crawl.Counter.SITEMAP_URLS;
import static dev.sieve.crawl.Counter.SKIPPED;
import static dev.sieve.crawl.Reports.assertAddsUp;
import static dev.sieve.fetch.HostileServer.gzip;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Log;
import dev.sieve.crawl.Site;
import dev.sieve.fetch.HostileServer;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(1200)
class SitemapCrawlTest {
    @AutoClose
    private final Site site = new Site();

    private final List<Visit> visits = new ArrayList<>();

    private static CrawlOptions fast() {
        return Site.fast().timeout(Duration.ofMinutes(2)).with(Capability.SITEMAPS, true);
    }

    private CrawlReport crawl(CrawlOptions options, Frontier frontier, String... seeds) throws IOException {
        try (Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            Stream.of(seeds).forEach(crawler::seed);
            CrawlReport report = crawler.run(visits::add);
            assertAddsUp(report);
            return report;
        }
    }

    private CrawlReport crawl(CrawlOptions options) throws IOException {
        return crawl(options, Sieve.builder().capacity(10_000).seed(1).build(), site.url("/"));
    }

    private static String list(String root, String entry, Stream<String> urls) {
        return urls.map(url -> "<" + entry + "><loc>" + url + "</loc></" + entry + ">")
                .collect(Collectors.joining("", "<?xml version='1.0'?>\n<" + root + ">", "</" + root + ">"));
    }

    private static String index(String... sitemaps) {
        return list("sitemapindex", "sitemap", Stream.of(sitemaps));
    }

    private static String urlSet(String... pages) {
        return list("urlset", "url", Stream.of(pages));
    }

    private Site file(String path, byte[] content) {
        return site.answer(path, Site.status(200).body(content));
    }

    private Site file(String path, String content) {
        return file(path, content.getBytes(UTF_8));
    }

    private Visit visit(String path) {
        return visits.stream()
                .filter(each -> each.url().equals(site.url(path)))
                .findFirst()
                .orElseThrow();
    }

    /** A site of 300 pages that no page links to; its robots.txt names a packed index of two sitemaps. */
    private List<String> siteBehindAnIndex() {
        List<String> pages = IntStream.range(0, 300).mapToObj(i -> "/p" + i).toList();
        pages.forEach(site::page);
        site.page("/").robots("User-agent: *\nSitemap: " + site.url("/index.xml.gz") + "\n");
        file("/index.xml.gz", gzip(index(site.url("/a.xml.gz"), site.url("/b")).getBytes(UTF_8)));
        file(
                "/a.xml.gz",
                gzip(urlSet(pages.stream().limit(200).map(site::url).toArray(String[]::new))
                        .getBytes(UTF_8)));
        file("/b", pages.stream().skip(200).map(site::url).collect(Collectors.joining("\n")));
        return pages;
    }

    @Test
    void pagesThatOnlyASitemapListsAreCrawled() throws IOException {
        List<String> pages = siteBehindAnIndex();

        CrawlReport report = crawl(fast());

        assertThat(site.requests())
                .containsAll(pages)
                .contains("/", "/index.xml.gz", "/a.xml.gz", "/b")
                .hasSize(304);
        assertThat(report.count(PAGES)).isEqualTo(301);
        assertThat(report.count(SITEMAPS)).isEqualTo(3);
        assertThat(report.count(SITEMAPS_ABSENT)).isZero();
        assertThat(report.count(SITEMAP_URLS)).isEqualTo(302);
        assertThat(visits).hasSize(301);
        assertThat(visit("/p7").depth()).isEqualTo(1);
        assertThat(visit("/p7").referrer()).isEqualTo(site.url("/a.xml.gz"));
        assertThat(visit("/p250").referrer()).isEqualTo(site.url("/b"));
    }

    @Test
    void aSitemapIsNoPage() throws IOException {
        siteBehindAnIndex();

        CrawlReport report = crawl(fast().maxPages(50));

        assertThat(report.count(PAGES)).isEqualTo(50);
        assertThat(visits).hasSize(50).noneMatch(each -> each.url().contains("xml"));
    }

    @Test
    void sitemapsAreOnlyAskedForOnRequest() throws IOException {
        siteBehindAnIndex();

        crawl(fast().with(Capability.SITEMAPS, false));

        assertThat(site.requests()).containsExactly("/");
    }

    @Test
    void whereNoneIsNamedTheUsualPlaceIsTried() throws IOException {
        site.page("/").page("/hidden");
        file("/sitemap.xml", urlSet(site.url("/hidden"), "http://elsewhere.test/", "no url"));

        List<Skip> skips = new CopyOnWriteArrayList<>();
        CrawlReport report;
        try (Crawler crawler = new Crawler(fast(), new Sieve(1000), AllStages::of)) {
            crawler.seed(site.url("/"));
            report = crawler.run(new PageSink() {
                @Override
                public void accept(Visit visit) {}

                @Override
                public void skipped(Skip skip) {
                    skips.add(skip);
                }
            });
        }

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/sitemap.xml", "/hidden");
        assertThat(report.by(SKIPPED))
                .containsExactly(Map.entry("no URL in a sitemap", 1L), Map.entry("out of scope", 1L));
        assertThat(skips).contains(new Skip("no url", new SkipReason("no URL in a sitemap"), site.url("/sitemap.xml")));
    }

    @Test
    void aSitemapThatNobodyNamesNeedNotBeThere() throws IOException {
        site.page("/");
        CrawlReport missing = crawl(fast());
        site.html("/sitemap.xml", "<!DOCTYPE html><title>not found</title>");
        CrawlReport soft = crawl(fast().obeyRobots(false));

        for (CrawlReport report : List.of(missing, soft)) {
            assertThat(report.count(SITEMAPS)).isZero();
            assertThat(report.count(SITEMAPS_ABSENT)).isEqualTo(1);
            assertThat(report.count(SITEMAP_URLS)).isZero();
            assertThat(report.failures()).isEmpty();
        }
    }

    @Test
    void aSitemapThatIsNamedAndCannotBeHadIsAFailure() throws IOException {
        site.page("/")
                .robots("Sitemap: " + "http://[0:1:2:3:4:5:6::8]/\nSitemap: " + site.url("/gone.xml")
                        + "\nSitemap: /relative.xml");

        CrawlReport report = crawl(fast());

        assertThat(report.failures())
                .containsExactly(
                        new CrawlReport.Failure(site.url("/gone.xml"), "sitemap: 404", site.url("/robots.txt")));
        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("sitemap without a URL", 2L));
    }

    @Test
    void robotsTxtHoldsForSitemaps() throws IOException {
        site.page("/").robots("User-agent: *\nDisallow: /s\nSitemap: " + site.url("/s.xml"));

        CrawlReport report = crawl(fast());

        assertThat(site.requests()).containsExactly("/");
        assertThat(report.by(REFUSED)).containsExactly(Map.entry("robots.txt", 1L));
    }

    @Test
    void aSitemapMayBeOnAnotherHostAndMayHaveMoved() throws IOException {
        try (Site other = new Site()) {
            site.page("/").page("/hidden").robots("Sitemap: " + other.url("/old.xml"));
            other.redirect("/old.xml", other.url("/new.xml"))
                    .html("/new.xml", urlSet(site.url("/hidden"), other.url("/private")));

            CrawlReport report = crawl(fast());

            assertThat(site.requests()).containsExactlyInAnyOrder("/", "/hidden");
            assertThat(other.requests()).containsExactly("/old.xml", "/new.xml");
            assertThat(report.count(REDIRECTS)).isEqualTo(1);
            assertThat(report.by(SKIPPED)).containsExactly(Map.entry("out of scope", 1L));
        }
    }

    @Test
    void aRobotsTxtNamesFewSitemapsOfOtherSites() throws IOException {
        String own = "Sitemap: " + site.url("/s.xml") + "\n";
        site.page("/")
                .html("/s.xml", urlSet())
                .robots(IntStream.range(0, 50)
                                .mapToObj(i -> "Sitemap: http://other" + i + ".test/s.xml\n")
                                .collect(Collectors.joining())
                        + own);

        CrawlReport report = crawl(fast().retries(0).resolver(host -> {
            if (host.endsWith(".test")) {
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getAllByName(host));
        }));

        assertThat(site.requests()).containsExactly("/", "/s.xml");
        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("too many sitemaps of other sites", 30L));
        assertThat(report.failures()).hasSize(10);
    }

    @Test
    void aSitemapThatLeadsInACircleEnds() throws IOException {
        site.page("/").robots("Sitemap: " + site.url("/a") + "\nSitemap: " + site.url("/self"));
        site.redirect("/a", "/b").redirect("/b", "/a").redirect("/self", "/self");

        CrawlReport report = crawl(fast());

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/a", "/b", "/self");
        assertThat(report.by(FAILURES)).containsExactly(Map.entry("sitemap: bad redirect", 1L));
    }

    @Test
    void nestedIndexesAndForeignSitemapsAreCounted() throws IOException {
        site.page("/").robots("Sitemap: " + site.url("/outer"));
        file("/outer", index(site.url("/inner"), "http://elsewhere.test/s.xml"));
        file("/inner", index(site.url("/never"), site.url("/outer")));

        CrawlReport report = crawl(fast());

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/outer", "/inner");
        assertThat(report.by(SKIPPED))
                .containsExactly(
                        Map.entry("sitemap in an index of an index", 2L), Map.entry("sitemap of another site", 1L));
    }

    @Test
    void sitemapThatBreaksOffCountsWhatWasQueuedAndSaysSo() throws IOException {
        String listed = urlSet(site.url("/1"), site.url("/2"));
        site.page("/")
                .page("/1")
                .page("/2")
                .robots("Sitemap: " + site.url("/s.xml") + "\nSitemap: " + site.url("/none"));
        file("/none", urlSet());
        site.answer("/s.xml", Site.status(200).body(listed).without(7));
        AtomicReference<CrawlReport> report = new AtomicReference<>();

        List<String> log = Log.of(() -> report.set(crawl(fast().retries(1))));

        assertThat(report.get().count(PAGES)).isEqualTo(3);
        assertThat(report.get().count(SITEMAPS)).isEqualTo(1);
        assertThat(report.get().count(SITEMAP_URLS)).isEqualTo(2);
        assertThat(report.get().by(FAILURES)).containsOnlyKeys("sitemap: broken off");
        assertThat(log)
                .anyMatch(line -> line.startsWith("sitemap " + site.url("/s.xml") + " ended after 2 URLs"))
                .contains("sitemap " + site.url("/none") + " lists no URLs");
    }

    @Test
    void aSitemapThatFailsForNowIsTriedAgain() throws IOException {
        AtomicInteger tries = new AtomicInteger();
        site.page("/").page("/hidden").robots("Sitemap: " + site.url("/s.txt"));
        site.answer(
                "/s.txt",
                () -> tries.incrementAndGet() < 2
                        ? Site.status(503)
                        : Site.status(200).body(site.url("/hidden")));

        crawl(fast());

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/s.txt", "/s.txt", "/hidden");
    }

    @Test
    void aSitemapOutlivesTheProcess(@TempDir Path job) throws IOException {
        List<String> pages = siteBehindAnIndex();
        CrawlOptions options = fast();
        try (CrawlJob directory = CrawlDirectory.open(job, builder -> builder.capacity(10_000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            assertThatThrownBy(() -> crawler.run(visit -> {
                        throw new IOException("disk full");
                    }))
                    .hasMessage("disk full");
        }

        try (CrawlJob directory = CrawlDirectory.open(job, builder -> {});
                Crawler crawler = new Crawler(options.with(Capability.SITEMAPS, false), directory, AllStages::of)) {
            assertAddsUp(crawler.run(visits::add));
        }

        assertThat(visits.stream().map(Visit::url))
                .containsAll(pages.stream().map(site::url).toList());
    }

    @Test
    void aPageAndASitemapOfOneUrlAreBothRequested() throws IOException {
        site.page("/", "/s.txt").page("/hidden").robots("Sitemap: " + site.url("/s.txt"));
        site.answer("/s.txt", Site.status(200).body(site.url("/hidden")));

        crawl(fast());

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/s.txt", "/s.txt", "/hidden");
    }

    @Test
    void hostileSitemapsDoNoHarm() throws IOException {
        try (HostileServer server = new HostileServer()) {
            String ok = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n";
            byte[] bomb = gzip(("<urlset>" + " ".repeat(60 << 20)).getBytes(UTF_8));
            String external = "<!DOCTYPE urlset [<!ENTITY e SYSTEM '" + server.url("/stolen") + "'>]><urlset><url><loc>"
                    + server.url("/before") + "</loc></url><url><loc>&e;</loc></url></urlset>";
            List<String> sitemaps = List.of("/endless", "/bomb", "/bomb2", "/external", "/reset", "/index");
            server.on(
                            "/robots.txt",
                            HostileServer.raw(
                                    "HTTP/1.1 200 OK\n",
                                    sitemaps.stream()
                                            .map(path -> "Sitemap: " + server.url(path) + "\n")
                                            .collect(Collectors.joining())
                                            .getBytes(UTF_8)))
                    .on("/endless", HostileServer.endless(ok + "<urlset>", "<!-- x -->".repeat(100)))
                    .on("/bomb", HostileServer.raw("HTTP/1.1 200 OK\n", bomb))
                    .on("/bomb2", HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: gzip\n", gzip(bomb)))
                    .on("/external", HostileServer.raw("HTTP/1.1 200 OK\n", external.getBytes(UTF_8)))
                    .on("/reset", HostileServer.reset())
                    .on(
                            "/index",
                            HostileServer.raw(
                                    "HTTP/1.1 200 OK\n",
                                    index(
                                                    "http://169.254.169.254/latest",
                                                    server.url("/nested"),
                                                    "http://10.0.0.1/s.xml")
                                            .getBytes(UTF_8)))
                    .on(
                            "/nested",
                            HostileServer.raw(
                                    "HTTP/1.1 200 OK\n",
                                    index(server.url("/deeper")).getBytes(UTF_8)));

            CrawlReport report = crawl(
                    fast().retries(0).timeout(Duration.ofMinutes(2)), new Sieve(1000), server.url(HostileServer.GOOD));

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(visits.stream().map(Visit::url))
                    .containsExactlyInAnyOrder(server.url(HostileServer.GOOD), server.url("/before"));
            assertThat(report.count(SITEMAPS)).isEqualTo(6);
            assertThat(report.by(FAILURES)).containsExactly(Map.entry("sitemap: broken off", 1L));
            assertThat(server.requests("/stolen") + server.requests("/deeper")).isZero();
        }
    }

    @Test
    @Tag("slow")
    void aSitemapThatComesByteByByteTimesOut() throws IOException {
        try (HostileServer server = new HostileServer()) {
            String ok = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n";
            String robots = "Sitemap: " + server.url("/drip") + "\n";
            server.on("/robots.txt", HostileServer.raw("HTTP/1.1 200 OK\n", robots.getBytes(UTF_8)))
                    .on("/drip", server.drip(ok + "<urlset>", " "));

            CrawlReport report = crawl(
                    fast().retries(0).timeout(Duration.ofSeconds(5)), new Sieve(1000), server.url(HostileServer.GOOD));

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(visits.stream().map(Visit::url)).containsExactly(server.url(HostileServer.GOOD));
            assertThat(report.by(FAILURES)).containsExactly(Map.entry("sitemap: timeout", 1L));
        }
    }
}
