package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.fetch.HostileServer;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A site that has always one more page keeps nobody busy for ever, and takes nothing from other sites. */
@Tag("hostile")
@Timeout(1200)
class TrapCrawlTest {
    private static final int MANY = 10_000;

    @AutoClose
    private final HostileServer server = new HostileServer();

    private final AtomicInteger linksMade = new AtomicInteger();

    private String url(String host, String path) {
        return "http://" + host + ":" + server.port() + path;
    }

    /** Makes a page at each path whose links are always new ones. */
    private void endless(IntFunction<String> link, String... paths) {
        for (String path : paths) {
            server.on(
                    path,
                    client -> HostileServer.html(IntStream.range(0, MANY)
                                    .mapToObj(i -> "<a href='" + link.apply(linksMade.getAndIncrement()) + "'>x</a>")
                                    .collect(Collectors.joining()))
                            .answer(client));
        }
    }

    private CrawlReport crawl(int maxPages, String... seeds) throws IOException {
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .concurrency(1)
                .obeyRobots(false)
                .maxPages(maxPages)
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
        try (Crawler crawler = new Crawler(options, new Sieve(200_000), AllStages::of)) {
            for (String seed : seeds) {
                crawler.seed(seed);
            }
            return crawler.run(visit -> {});
        }
    }

    private void assertGoodPageWasFetched() {
        assertThat(server.requests(HostileServer.GOOD)).isEqualTo(1);
    }

    private String[] seeds(String host, int pages) {
        String[] seeds = new String[pages + 1];
        for (int i = 0; i < pages; i++) {
            seeds[i] = url(host, "/p" + (char) ('a' + i));
        }
        seeds[pages] = url("good.test", HostileServer.GOOD);
        return seeds;
    }

    private void assertEndsAt(long limit, IntFunction<String> link) throws IOException {
        endless(link, "/pa", "/pb", "/pc", "/pd", "/pe", "/pf");

        CrawlReport report = crawl(7, seeds("trap.test", 6));

        assertThat(report.count(PAGES)).isEqualTo(7);
        assertThat(report.count(Counter.LINKS, Counter.NEW)).isBetween(limit, limit + MANY);
        assertThat(report.by(SKIPPED).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(report.count(Counter.LINKS)
                        - report.count(Counter.LINKS, Counter.NEW)
                        - report.count(Counter.LINKS, Counter.SEEN))
                .isPositive();
        assertGoodPageWasFetched();
    }

    @Test
    void aPageWithEverNewSessionsIsQueuedAFewTimes() throws IOException {
        assertEndsAt(50_000, i -> "/page?sid=" + Integer.toHexString(i * 0x9e3779b1));
    }

    @Test
    void aCalendarWithoutEndIsQueuedSoFarAndNoFurther() throws IOException {
        assertEndsAt(50_000, i -> "/calendar?d=" + i);
    }

    @Test
    void everyNameOfADomainIsQueuedSoOftenAndNoMore() throws IOException {
        endless(i -> url("name" + i + ".evil.test", "/"), "/pa", "/pb");

        CrawlReport report = crawl(3, seeds("evil.test", 2));

        assertThat(report.count(Counter.LINKS, Counter.NEW)).isBetween(10_000L, 10_100L);
        assertThat(report.by(SKIPPED).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isGreaterThan(9_000);
        assertGoodPageWasFetched();
    }

    @Test
    @Tag("slow")
    void linksThatLeadEverDeeperEnd() throws IOException {
        server.otherwise(HostileServer.html("<a href='a/b/'>x</a><a href='c/'>x</a>"));

        CrawlReport report = crawl(100_000, url("deep.test", "/"), url("good.test", HostileServer.GOOD));

        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.by(SKIPPED)).isNotEmpty();
        assertGoodPageWasFetched();
    }

    /** A page whose links say all but the title and its own path. */
    private record Page(int status, String title, List<String> links) {
        byte[] html(String path) {
            String menu = links.stream()
                    .map(link -> "<a href='" + link + "'>go</a> ")
                    .collect(Collectors.joining("", "<title>" + title + "</title><p>You are at " + path + "<p>", ""));
            return menu.getBytes(StandardCharsets.UTF_8);
        }
    }

    private record Ended(CrawlReport report, Set<String> pages) {}

    /** Crawls a site whose pages are a function of their path; a status below 400 with one link of a redirect leads there. */
    private static Ended crawlOf(Function<String, Page> site, CrawlOptions options) throws IOException {
        Set<String> pages = ConcurrentHashMap.newKeySet();
        Site server = new Site("127.0.0.1").otherwise(request -> {
            String path = request.getRequestURI().toString();
            Page page = site.apply(path);
            Site.Reply reply = Site.status(page.status).field("Content-Type", "text/html");
            return (page.status / 100 == 3 ? reply.field("Location", page.links.get(0)) : reply).body(page.html(path));
        });
        try (server;
                Crawler crawler = new Crawler(
                        options.obeyRobots(false)
                                .retries(0)
                                .delay(Duration.ZERO)
                                .allowPrivate("127.0.0.1"),
                        new Sieve(200_000),
                        AllStages::of)) {
            crawler.seed(server.url("/"));
            CrawlReport report = crawler.run(visit -> pages.add(visit.url().replaceFirst("http://[^/]*", "")));
            Reports.assertAddsUp(report);
            return new Ended(report, pages);
        }
    }

    private static List<String> menu(int size) {
        return IntStream.range(0, size).mapToObj(i -> "part" + i + "/").toList();
    }

    private static Function<String, Page> menuOnMissingPages(int status, int size) {
        return path -> path.matches("/(part\\d+/)?")
                ? new Page(200, "known", menu(size))
                : new Page(status, "unknown", menu(size));
    }

    private static Page redirectsBeforeMissingPages(String path) {
        return !path.endsWith("/")
                ? new Page(301, "", List.of(path + "/"))
                : new Page(path.equals("/") ? 200 : 404, "x", List.of("a", "b", "c"));
    }

    /** Twenty pages, each with a text of its own, with another session in each link. */
    private static Function<String, Page> sessions(String link) {
        AtomicInteger visits = new AtomicInteger();
        return path -> {
            String session = "%032x".formatted(visits.incrementAndGet() * 0x9e3779b97f4a7c15L);
            Stream<String> links = IntStream.range(0, 20).mapToObj(i -> link.formatted(i, session));
            return new Page(
                    200,
                    "x",
                    Stream.concat(links, Stream.of("'>" + path.replaceAll("\\D.*", "")))
                            .toList());
        };
    }

    private static Page escapedOnceMore(String path) {
        String query = path.replaceFirst("[^?]*[?]?", "").replace("%", "%25").replace("&", "&amp;");
        return new Page(
                200,
                "list",
                IntStream.range(0, 3)
                        .mapToObj(i -> "/list?" + query + "&amp;a%26=" + i)
                        .toList());
    }

    static Stream<Arguments> endlessSites() {
        return Stream.of(
                Arguments.of("trap error-pages", 5, menuOnMissingPages(404, 5)),
                Arguments.of("trap error-pages", 10, menuOnMissingPages(500, 10)),
                Arguments.of("trap same-text", 5, menuOnMissingPages(200, 5)),
                Arguments.of("trap same-text", 25, menuOnMissingPages(200, 25)),
                Arguments.of(
                        "trap error-pages", 1, (Function<String, Page>) TrapCrawlTest::redirectsBeforeMissingPages),
                Arguments.of("trap same-text", 1, sessions("/page%d?visit=%s")),
                Arguments.of("trap same-text", 1, (Function<String, Page>) TrapCrawlTest::escapedOnceMore));
    }

    /** More pages than a trap may have until it is noticed. */
    private static CrawlOptions limited() {
        return new CrawlOptions().maxPages(2500);
    }

    @ParameterizedTest
    @MethodSource("endlessSites")
    void siteThatRepeatsItselfEndsAndTheTrapIsNamed(String rule, int known, Function<String, Page> site)
            throws IOException {
        Ended ended = crawlOf(site, limited());

        assertThat(ended.report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(ended.pages).hasSizeLessThan(2000).hasSizeGreaterThan(known);
        Map<String, Long> skipped = new HashMap<>(ended.report.by(SKIPPED));
        skipped.putAll(ended.report.by(Counter.REFUSED));
        assertThat(skipped).containsKey(rule);
        Trap trap = Trap.named(rule.replace("trap ", ""));
        assertThat(trap.advice()).isNotEmpty();
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(ints = {404, 200})
    void siteThatRepeatsItselfDoesNotEndIfThatIsAllowed(int status) throws IOException {
        CrawlOptions options =
                limited().maxPages(2000).allowTrap(Trap.ERROR_PAGES).allowTrap(Trap.SAME_TEXT);

        assertThat(crawlOf(menuOnMissingPages(status, 5), options).report.ending())
                .isEqualTo(Ending.MAX_PAGES);
    }

    @Test
    void pagesWithASessionAreOnePage() throws IOException {
        for (String link : List.of("/page%d;jsessionid=%s", "/page%d?PHPSESSID=%s")) {
            Ended ended = crawlOf(sessions(link), limited());

            assertThat(ended.pages).hasSize(21);
            assertThat(ended.report.by(SKIPPED)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/page%d?a=b&sid=%s", "/page%d?SESSION_ID=%s", "/?p=%d&sessid=%s&x"})
    void whatMayBeASessionIsOneOnceItsPagesAreTheSame(String link) throws IOException {
        // More at a time would be requested before the first pages are known to be the same.
        Ended ended = crawlOf(sessions(link), limited().concurrency(1));

        assertThat(ended.report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(ended.pages).hasSizeBetween(21, 25);
        assertThat(ended.report.by(Counter.REFUSED)).containsOnlyKeys("session");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sid", "session_id", "sessionId"})
    void pagesThatDifferByWhatMayBeASessionAreAllCrawled(String name) throws IOException {
        List<String> talks = IntStream.range(0, 40)
                .mapToObj(i -> "/talk?%s=%032d".formatted(name, i))
                .toList();
        // Two talks of the same text, and a link to a missing one, are no sessions.
        Function<String, Page> site = path -> new Page(
                path.endsWith("39") ? 404 : 200,
                "t",
                path.equals("/") ? talks : List.of("'>" + path.replaceAll("^.*=|38$", "")));

        assertThat(crawlOf(site, limited()).pages).hasSize(41);
    }

    /** A chance is a pair: pages that are not ready yet are not sessions of one page. */
    @Test
    void twoPagesWithTheSameTextAreNoSession() throws IOException {
        List<String> talks =
                IntStream.range(1, 41).mapToObj("/talk?sid=%032d"::formatted).toList();
        Function<String, Page> site = path -> new Page(
                200, "t", path.equals("/") ? talks : List.of("'>" + (path.matches(".*=0*[12]") ? "soon" : path)));

        assertThat(crawlOf(site, limited().concurrency(1)).pages).hasSize(41);
    }

    /** Of each page there are 40 copies, as for versions, and each is found on only one page; many are missing. */
    @Test
    @Tag("slow")
    void siteWithManyCopiesLosesNoPage() throws IOException {
        int pages = 3000;
        Ended ended = crawlOf(
                path -> {
                    int page = path.equals("/") ? 0 : Integer.parseInt(path.replaceAll("\\D", ""));
                    List<String> links = Stream.of(3 * page + 1, 3 * page + 2, 3 * page + 3)
                            .filter(i -> i < pages)
                            .map(i -> "/" + i)
                            .toList();
                    Stream<String> text = Stream.of("'>text " + page % (pages / 40));
                    return new Page(
                            page % 10 == 1 ? 404 : 200,
                            "x",
                            Stream.concat(links.stream(), text).toList());
                },
                new CrawlOptions().maxPages(2L * pages));

        assertThat(ended.pages).hasSizeGreaterThanOrEqualTo(pages);
        assertThat(ended.report.by(SKIPPED)).isEmpty();
    }
}
