package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.RETRIES;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.Fetcher;
import dev.sieve.output.Link;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(1200)
class CrawlerTest {
    @AutoClose
    private final Site site = new Site();

    private final List<Visit> visits = new ArrayList<>();
    private final Sieve sieve = Sieve.builder().capacity(10_000).seed(1).build();

    private static CrawlOptions fast() {
        return Site.fast().userAgent("testbot/1.0");
    }

    private CrawlReport crawl(CrawlOptions options, String... paths) throws IOException {
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
            for (String path : paths) {
                crawler.seed(site.url(path));
            }
            return crawler.run(visits::add);
        }
    }

    private Visit visit(String path) {
        return visits.stream()
                .filter(each -> each.url().equals(site.url(path)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyPageIsFetchedOnceAndThenTheCrawlIsOver() throws IOException {
        site.page("/", "/a", "/b", "/a#x", "./b", "/")
                .page("/a", "/c", "/")
                .page("/b", "/a", "missing")
                .page("/c");

        CrawlReport report = crawl(fast(), "/");

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/a", "/b", "/c", "/missing");
        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.by(PAGES)).containsEntry("2xx", 4L).containsEntry("4xx", 1L);
        assertThat(visit("/c").depth()).isEqualTo(2);
        assertThat(visit("/c").referrer()).isEqualTo(site.url("/a"));
        assertThat(visit("/c").title()).isEqualTo("/c");
        assertThat(report.failures())
                .containsExactly(new CrawlReport.Failure(site.url("/missing"), "404", site.url("/b")));
    }

    @Test
    void theNumbersOfTheReportAddUp() throws IOException {
        site.page("/", "/a", "/r", "/private", "/gone", "http://elsewhere.test/", "mailto:x@y", "/b")
                .page("/a", "/", "/b");
        site.redirect("/r", "/b").page("/b").robots("User-agent: *\nDisallow: /private\n");

        CrawlReport report = crawl(fast(), "/");

        Reports.assertAddsUp(report);
        assertThat(report.count(REFUSED)).isEqualTo(1);
        assertThat(report.count(REDIRECTS)).isEqualTo(1);
        assertThat(report.by(SKIPPED)).containsEntry("out of scope", 1L);
        assertThat(site.requests()).doesNotContain("/private").doesNotHaveDuplicates();
    }

    @Test
    void aRedirectIsALink() throws IOException {
        site.page("/", "/r1", "/r2", "/t")
                .redirect("/r1", "/t")
                .redirect("/r2", "/r1")
                .page("/t");

        crawl(fast(), "/");

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/r1", "/r2", "/t");
    }

    @Test
    void aRedirectToAnotherSpellingOfItselfIsFetchedOnce() throws IOException {
        site.redirect("/%7Euser", "/~user").page("/~user", "/x").page("/x");

        crawl(fast(), "/%7Euser");

        assertThat(site.requests()).containsExactlyInAnyOrder("/%7Euser", "/~user", "/x");
    }

    @Test
    void pagesWithAnEmptyBodyAreCounted() throws IOException {
        site.page("/", "/blank", "/gone").html("/blank", "").answer("/gone", () -> Site.status(404));

        CrawlReport report = crawl(fast(), "/");

        assertThat(report.count(PAGES)).isEqualTo(3);
        assertThat(report.count(Counter.EMPTY)).isEqualTo(1);
    }

    @Test
    void aChainOfRedirectsEndsAtItsLimit() throws IOException {
        for (int i = 0; i < 30; i++) {
            site.redirect("/" + i, "/" + (i + 1));
        }

        CrawlReport report = crawl(fast(), "/0");

        assertThat(site.requests()).hasSize(11);
        assertThat(report.by(FAILURES)).containsEntry("too many redirects", 1L);
    }

    @Test
    void aSeedThatHasMovedTakesTheScopeWithIt() throws IOException {
        try (Site other = new Site()) {
            site.redirect("/", other.url("/"));
            other.page("/", "/next").page("/next");

            crawl(fast(), "/");

            assertThat(other.requests()).containsExactlyInAnyOrder("/", "/next");
        }
    }

    @Test
    void aSeedThatHasMovedIsLoggedWhereItWidensTheScope() throws IOException {
        try (Site other = new Site()) {
            site.redirect("/", other.url("/")).redirect("/moved", "/here").page("/here");
            other.page("/");

            List<String> log = Log.of(() -> crawl(fast(), "/", "/moved"));

            assertThat(log)
                    .filteredOn(line -> line.contains("in scope now"))
                    .containsExactly(
                            "seed " + site.url("/") + " redirects to " + other.url("/") + ", which is in scope now");
        }
    }

    @Test
    void seedThatLeadsToAnotherSiteOpensOnePageOfIt() throws IOException {
        try (Site other = new Site()) {
            String foreign = other.url("/some").replace("localhost", "127.0.0.1");
            site.redirect("/", foreign).page("/back", "/found").page("/found");
            other.redirect("/some", "/there").page("/there", "/next", site.url("/back"));

            List<String> log = Log.of(() -> crawl(fast().with(Capability.SITEMAPS, true), "/"));

            assertThat(other.requests()).containsExactly("/some", "/there");
            assertThat(site.requests()).contains("/back", "/found");
            assertThat(log)
                    .contains("seed " + site.url("/") + " redirects to another site, of which only this page is"
                            + " crawled: " + foreign + " (to crawl that site, add it as a seed)");
        }
    }

    @Test
    void theReportTellsForHowLongAllWorkersWereBusy() throws IOException {
        site.page("/", "/a").page("/a").page("/b", "/c").page("/c");

        CrawlReport alone = crawl(fast().concurrency(1), "/");
        CrawlReport idle = crawl(fast().concurrency(8), "/b");

        assertThat(alone.load().busy()).isPositive().isLessThanOrEqualTo(alone.elapsed());
        assertThat(idle.load().busy()).isZero();
    }

    @Test
    void maxPagesIsExact() throws IOException {
        String[] links = IntStream.range(0, 200).mapToObj(i -> "/p" + i).toArray(String[]::new);
        site.page("/", links);
        for (String link : links) {
            site.page(link);
        }

        CrawlReport report = crawl(fast().maxPages(57), "/");

        assertThat(report.ending()).isEqualTo(Ending.MAX_PAGES);
        assertThat(visits).hasSize(57);
        assertThat(site.requests()).hasSize(57);
        assertThat(report.pending().left()).isEqualTo(report.count(LINKS, NEW) - 57);
    }

    @Test
    void matchingUrlsAreRequestedFirst() throws IOException {
        String[] links = IntStream.range(0, 1_000).mapToObj(i -> "/p" + i).toArray(String[]::new);
        site.page("/", links).page("/p0", "/docs/b", "/news/a", "/docs/a").page("/docs/a", "/p1", "/news/b");

        crawl(fast().concurrency(1).first("/news/").first("/docs/"), "/");

        assertThat(site.requests())
                .startsWith("/", "/p0", "/news/a", "/docs/b", "/docs/a", "/news/b", "/p1", "/p2")
                .hasSize(1_005)
                .doesNotHaveDuplicates();
    }

    @Test
    void maxTimeEndsACrawlThoughAllWorkersAreBusy() throws IOException {
        try (Crawler crawler =
                new Crawler(fast().concurrency(1).maxTime(Duration.ofMillis(50)), sieve, AllStages::of)) {
            site.page("/next").answer("/", () -> {
                Await.until(() -> crawler.report().ending() != null);
                return Site.status(200);
            });
            crawler.seedAll(List.of(site.url("/"), site.url("/next")));

            CrawlReport report = crawler.run(visits::add);

            assertThat(report.ending()).isEqualTo(Ending.MAX_TIME);
            assertThat(report.pending().left()).isPositive();
        }
    }

    @Test
    void depthCountsLinksFromASeed() throws IOException {
        site.page("/", "/1").page("/1", "/2").page("/2", "/3").page("/3");

        CrawlReport report = crawl(fast().maxDepth(2), "/");

        assertThat(site.requests()).containsExactly("/", "/1", "/2");
        assertThat(report.by(SKIPPED)).containsEntry("too deep", 1L);
    }

    @Test
    void aLinkThatLeadsEverDeeperIsATrap() throws IOException {
        site.page("/", "loop/");
        for (int i = 1; i < 5; i++) {
            site.page("/" + "loop/".repeat(i), "loop/");
        }

        CrawlReport report = crawl(fast(), "/");

        assertThat(site.requests())
                .containsExactly("/", "/loop/", "/loop/loop/", "/loop/loop/loop/", "/loop/loop/loop/loop/");
        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("trap repeated-segments", 1L));
    }

    @Test
    void noMoreRequestsThanAllowedAreUnderWayOnOneHost() throws IOException {
        site.page("/", IntStream.range(0, 40).mapToObj(i -> "/p" + i).toArray(String[]::new));

        crawl(fast().perHost(2), "/");

        assertThat(site.requests()).hasSize(41);
        assertThat(site.mostUnderWay()).isLessThanOrEqualTo(2);
    }

    @Test
    void aPageThatFailsForNowIsTriedAgain() throws IOException {
        AtomicInteger tries = new AtomicInteger();
        site.page("/", "/shaky").answer("/shaky", () -> Site.status(tries.incrementAndGet() < 2 ? 503 : 200));

        CrawlReport report = crawl(fast(), "/");

        assertThat(site.requests()).containsExactly("/", "/shaky", "/shaky");
        assertThat(visit("/shaky").result().status()).isEqualTo(200);
        assertThat(report.count(RETRIES)).isEqualTo(1);
        assertThat(visits).hasSize(2);
    }

    @Test
    void robotsOfAHostThatIsBrokenCloseIt() throws IOException {
        site.page("/").answer("/robots.txt", () -> Site.status(500));

        CrawlReport report = crawl(fast().retries(0), "/");

        assertThat(site.requests()).isEmpty();
        assertThat(report.by(FAILURES)).containsEntry("robots.txt unavailable: status 500", 1L);
        assertThat(report.isFruitless()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mybot/1.0 | true",
                "MyBot | true",
                "Mozilla/5.0 (compatible; mybot/1.0; +http://h/) | true",
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MyBot/1.0) Chrome/1 Safari/1 | true",
                "Mozilla/5.0 (X11; mybot/1.0) | false",
                "Mozilla/5.0 (incompatible; mybot/1.0) | false",
                "otherbot/1.0 (compatible; mybot/1.0) | false",
                "Mozilla/5.0 | false",
            })
    void robotsTxtIsObeyedUnderTheNameThatIsSent(String userAgent, boolean isForbidden) throws IOException {
        site.page("/").robots("User-agent: mybot\nDisallow: /\n");

        CrawlReport report = crawl(fast().userAgent(userAgent), "/");

        assertThat(report.by(REFUSED)).hasSize(isForbidden ? 1 : 0);
        assertThat(site.requests()).hasSize(isForbidden ? 0 : 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "b\u00f6t/1.0", "bot\r\nX: y", "bot\0"})
    void aUserAgentThatCannotBeSentIsRefused(String userAgent) {
        assertThatThrownBy(() -> fast().userAgent(userAgent)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theUserAgentIsNotAHeaderFieldOfSomeOrigins() {
        assertThatThrownBy(() -> fast().header("user-agent", "mybot/1.0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use userAgent()");
    }

    @Test
    void robotsAreNotAskedForWhereTheyAreIgnored() throws IOException {
        site.page("/", "/private").page("/private").robots("User-agent: *\nDisallow: /");

        crawl(fast().obeyRobots(false), "/");

        assertThat(site.requests()).containsExactly("/", "/private");
    }

    @Test
    void aSinkThatFailsEndsTheCrawlAndItsPageIsNotDone() {
        site.page("/", "/a", "/b");

        assertThatThrownBy(() -> {
                    try (Crawler crawler = new Crawler(fast(), sieve, AllStages::of)) {
                        crawler.seed(site.url("/"));
                        crawler.run(visit -> {
                            throw new IOException("disk full");
                        });
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThat(sieve.stats().done()).isZero();
        assertThat(sieve.inFlight()).isPositive();
    }

    /** A sink that throws what it does not declare, as from Kotlin, or interrupts its thread, at one of its calls. */
    private record RudeSink(String call, Exception thrown) implements PageSink {
        private void at(String present) {
            if (present.equals(call) && thrown == null) {
                Thread.currentThread().interrupt();
            } else if (present.equals(call)) {
                RudeSink.<RuntimeException>sneak(thrown);
            }
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Exception> void sneak(Exception any) throws E {
            throw (E) any;
        }

        @Override
        public void accept(Visit visit) {
            at("accept");
        }

        @Override
        public void skipped(Skip skip) {
            at("skipped");
        }

        @Override
        public boolean takesLinks() {
            return true;
        }

        @Override
        public void linked(Link link) {
            at("linked");
        }

        @Override
        public void exchanged(Exchange exchange) {
            at("exchanged");
        }

        @Override
        public void flush() {
            at("flush");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"accept", "skipped", "linked", "exchanged", "flush"})
    void whatASinkDoesThatItMustNotIsThrownByRun(String call) {
        site.page("/", "/a", "/b", "http://elsewhere.test/");
        for (Exception thrown : Arrays.asList(new TimeoutException("rude"), new InterruptedException("rude"), null)) {
            Sieve each = new Sieve(1000);
            assertThatThrownBy(() -> {
                        try (Crawler crawler = new Crawler(fast().exchanges(true), each, AllStages::of)) {
                            crawler.seed(site.url("/"));
                            crawler.run(new RudeSink(call, thrown));
                        }
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .hasRootCauseInstanceOf(thrown == null ? InterruptedException.class : thrown.getClass());
            if (thrown != null) {
                assertThat(each.pending() + each.inFlight()).isPositive();
            }
        }
    }

    @Test
    void whatAListenerThrowsThatItMustNotIsThrownByRun() {
        site.page("/", IntStream.range(0, 100).mapToObj(i -> "/p" + i).toArray(String[]::new));
        Sieve small = Sieve.builder()
                .capacity(20)
                .seed(1)
                .onCapacity(event -> RudeSink.<RuntimeException>sneak(new TimeoutException("rude")))
                .build();

        assertThatThrownBy(() -> {
                    try (Crawler crawler = new Crawler(fast(), small, AllStages::of)) {
                        crawler.seed(site.url("/"));
                        crawler.run(visit -> {});
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void anyNumberOfRetriesAppliesToRobotsTxt() {
        CrawlOptions options = fast().retries(Integer.MAX_VALUE);
        try (Fetcher fetcher = new CrawlParts(options).fetcher()) {
            assertThat(new CrawlParts(options).robots(fetcher, Instant::now).maxRequests())
                    .isPositive();
        }
    }

    @Test
    void anErrorInAWorkerEndsTheCrawlAndItsPageIsNotDone() throws IOException {
        site.page("/", IntStream.range(0, 40).mapToObj(i -> "/p" + i).toArray(String[]::new));
        OutOfMemoryError error = new OutOfMemoryError("as if");
        try (Crawler crawler = new Crawler(fast().concurrency(1), sieve, AllStages::of)) {
            crawler.seed(site.url("/"));

            assertThatThrownBy(() -> crawler.run(visit -> {
                        if (visit.depth() > 0) {
                            throw error;
                        }
                    }))
                    .isSameAs(error);
            assertThat(crawler.report().ending()).isEqualTo(Ending.FAILED);
        }
        assertThat(sieve.stats().done()).isEqualTo(1);
        assertThat(sieve.pending() + sieve.inFlight()).isEqualTo(40);
    }

    @Test
    void anErrorInANameLookupIsNotAnUnknownHost() throws IOException {
        OutOfMemoryError error = new OutOfMemoryError("as if");
        CrawlOptions options = fast().resolver(host -> {
            throw error;
        });
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
            crawler.seed("http://h.test/");

            assertThatThrownBy(() -> crawler.run(visits::add)).isSameAs(error);
        }
        assertThat(visits).isEmpty();
        assertThat(sieve.stats().done()).isZero();
    }

    @Test
    void anErrorInAThreadOfTheCallerEndsTheCrawl() throws IOException {
        OutOfMemoryError error = new OutOfMemoryError("as if");
        try (Crawler crawler = new Crawler(fast().concurrency(1), sieve, AllStages::of)) {
            site.page("/next").answer("/", () -> {
                crawler.fail(error);
                return Site.status(200);
            });
            crawler.seedAll(List.of(site.url("/"), site.url("/next")));

            assertThatThrownBy(() -> crawler.run(visits::add)).isSameAs(error);
        }
        assertThat(site.requests()).containsExactly("/");
    }

    @Test
    void stopEndsTheCrawlInOrder() throws IOException {
        site.page("/", IntStream.range(0, 100).mapToObj(i -> "/p" + i).toArray(String[]::new));
        try (Crawler crawler = new Crawler(fast().concurrency(1), sieve, AllStages::of)) {
            crawler.seed(site.url("/"));

            CrawlReport report = crawler.run(visit -> crawler.stop());

            assertThat(report.ending()).isEqualTo(Ending.STOPPED);
            assertThat(report.pending().left()).isEqualTo(100);
            assertThat(site.requests()).containsExactly("/");
        }
    }

    @Test
    void aFullSieveThatFailsEndsTheCrawl() throws IOException {
        site.page("/", IntStream.range(0, 100).mapToObj(i -> "/p" + i).toArray(String[]::new));
        for (int i = 0; i < 100; i++) {
            site.page("/p" + i, "/q" + i);
        }
        Sieve small = Sieve.builder().capacity(50).onFull(OnFull.FAIL).seed(1).build();
        try (Crawler crawler = new Crawler(fast(), small, AllStages::of)) {
            crawler.seed(site.url("/"));

            CrawlReport report = crawler.run(visits::add);

            assertThat(report.ending()).isEqualTo(Ending.FULL);
            Reports.assertAddsUp(report);
            assertThat(report.count(LINKS, NEW))
                    .isEqualTo(small.stats().accepted())
                    .isGreaterThan(1);
        }
    }

    @Test
    void whatIsNoUrlIsNoSeed() throws IOException {
        try (Crawler crawler = new Crawler(fast(), sieve, AllStages::of)) {
            assertThatThrownBy(() -> crawler.seed("ftp://x/"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ftp://x/");
        }
    }

    @Test
    void impossibleOptionsAreRefusedAndOthersWork() throws IOException {
        CrawlOptions options = fast();

        assertThatThrownBy(() -> options.perHost(32_768)).hasMessage("perHost must be at most 32767: 32768");
        assertThatThrownBy(() -> options.timeout(Duration.ofNanos(999_999))).hasMessageContaining("timeout");
        assertThatThrownBy(() -> options.timeout(Duration.ofDays(24).plusNanos(1)))
                .hasMessageContaining("timeout");
        new Crawler(options.perHost(32_767).timeout(Duration.ofDays(24)), sieve, AllStages::of).close();
        new Crawler(options.timeout(Duration.ofMillis(1)), sieve, AllStages::of).close();
    }

    @Test
    void optionsThatAreChangedLaterChangeNothing() throws IOException {
        site.page("/", "/shaky", "/other.pdf").answer("/shaky", () -> Site.status(503));
        CrawlOptions options = fast().retries(0);
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
            options.retries(1).concurrency(1).exclude("shaky").userAgent("other");
            crawler.seed(site.url("/"));
            CrawlReport report = crawler.run(visits::add);

            assertThat(report.count(RETRIES)).isZero();
            assertThat(site.requests()).containsExactlyInAnyOrder("/", "/shaky", "/other.pdf");
        }
    }

    @Test
    void aSeedOnAPrivateAddressIsRefusedWithTheRemedy() throws IOException {
        site.page("/");
        try (CapturedLog log = new CapturedLog();
                Crawler crawler = new Crawler(new CrawlOptions(), sieve, AllStages::of)) {
            crawler.seed(site.url("/").replace("localhost", "127.0.0.1"));

            CrawlReport report = crawler.run(visits::add);

            assertThat(report.by(REFUSED)).containsExactly(Map.entry("address not public", 1L));
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .endsWith("127.0.0.1 is loopback; to request it, use allowPrivate 127.0.0.1/32");
        }
    }

    @Test
    void seedsMayBeAddedTogether() throws IOException {
        site.page("/a").page("/b");
        try (Crawler crawler = new Crawler(fast(), sieve, AllStages::of)) {
            assertThatThrownBy(() -> crawler.seedAll(List.of(site.url("/c"), "ftp://x/")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ftp://x/");
            assertThat(crawler.seedAll(List.of(site.url("/a"), site.url("/b"), site.url("/a"))))
                    .isEqualTo(2);
            crawler.run(visits::add);
        }

        assertThat(site.requests()).containsExactlyInAnyOrder("/a", "/b");
    }
}
