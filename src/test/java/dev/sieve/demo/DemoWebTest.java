package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sieve.demo.PlainCrawl.Reply;
import dev.sieve.demo.SiteMap.Kind;
import dev.sieve.demo.SiteMap.Place;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoWebTest {

    @ParameterizedTest
    @CsvSource({"1, 20, 300", "2, 20, 300", "3, 1, 1", "4, 1, 200", "5, 40, 40", "6, 60, 1500"})
    void anObedientCrawlAsksForExactlyWhatIsExpected(long seed, int hosts, int pages) throws IOException {
        try (DemoWeb web = hasty().seed(seed).hosts(hosts).pages(pages).open()) {
            PlainCrawl crawl = new PlainCrawl(web);

            assertThat(crawl.statuses).isEqualTo(expected(web));
            assertThat(crawl.disallowed)
                    .containsExactlyInAnyOrderElementsOf(web.forbidden().toList());
            assertThat(crawl.statuses.values())
                    .filteredOn(status -> status == 200)
                    .hasSize(web.pages());
        }
    }

    @Test
    void requestsAreToldInTheSpellingOfTheExpectedUrls() throws IOException {
        try (DemoWeb web = hasty().recorded(10_000).open()) {
            new PlainCrawl(web);

            Map<String, Integer> asked = web.requests().stream()
                    .filter(request -> !request.target().equals("/robots.txt"))
                    .collect(Collectors.toMap(DemoRequest::url, DemoRequest::status));
            assertThat(asked).isEqualTo(expected(web));
            assertThat(web.requests()).allMatch(request -> request.endNanos() - request.startNanos() >= 0);
        }
    }

    @Test
    void aSmallWebHoldsEveryHardship() throws IOException {
        try (DemoWeb web = hasty().open()) {
            assertThat(expected(web).values()).contains(200, 301, 302, 307, 308, 404);
            assertThat(web.forbidden()).isNotEmpty();
            assertThat(web.expected().map(DemoWeb.Expected::url))
                    .anyMatch(url -> url.contains("/loop/"))
                    .anyMatch(url -> url.contains("/leak/"))
                    .anyMatch(url -> url.matches(".*/go/.*/8"))
                    .anyMatch(url -> url.contains("/~"))
                    .anyMatch(url -> url.contains("%C3%A9"))
                    .anyMatch(url -> url.contains("&id="))
                    .anyMatch(url -> url.startsWith("http://www.xn--"))
                    .anyMatch(url -> url.endsWith(".pdf"))
                    .anyMatch(url -> url.endsWith(".txt"));
        }
    }

    @Test
    void sameSeedMakesTheSameWeb() {
        List<String> once = written(map(7, 20, 300));

        assertThat(written(map(7, 20, 300))).isEqualTo(once);
        assertThat(written(map(8, 20, 300))).isNotEqualTo(once);
    }

    @Test
    void pagesHoldTwentyToFortyLinksOnAverage() {
        SiteMap map = map(1, 20, 2000);
        long links = IntStream.range(0, 2000)
                .mapToObj(page -> new String(PageWriter.of(map, page, 4096).body(), UTF_8))
                .mapToLong(html -> html.toLowerCase(Locale.ROOT).split("href").length - 1)
                .sum();

        assertThat(links / 2000).isBetween(20L, 45L);
    }

    @Test
    void pagesHaveTheMeanSizeAskedFor() {
        SiteMap map = map(1, 10, 2000);

        assertThat(meanSize(map, 4096)).isCloseTo(4096, within(800.0));
        assertThat(meanSize(map, 26_000)).isCloseTo(26_000, within(1500.0));
    }

    @Test
    void everyPlaceOfAMillionPagesIsFoundByItsUrl() {
        SiteMap map = map(9, 2000, 1_000_000);

        assertThat(IntStream.range(0, 2000).map(map.hosts()::pagesOf).sum()).isEqualTo(1_000_000);
        assertThat(map.hosts().pagesOf(0)).isGreaterThan(100_000);
        assertThat(map.hosts().pagesOf(1999)).isPositive();
        for (int page = 0; page < 1_000_000; page += 331) {
            for (Place place : map.visited(page).toList()) {
                assertThat(map.find(map.host(place), map.target(place))).isEqualTo(place);
            }
        }
    }

    @Test
    void whatIsNotOnTheWebIsNotFound() {
        SiteMap map = map(1, 3, 50);
        String page = map.target(map.place(4));

        assertThat(map.find(0, page)).isEqualTo(map.place(4));
        assertThat(map.find(1, page)).isNull();
        for (String target : List.of(
                page + "x",
                page.replace("4", "5"),
                "/go/",
                "/go/a-1/1",
                "/loop/x/99999999999999999999",
                "/x-99999.html",
                "/",
                "/private/",
                "//",
                "*")) {
            assertThat(map.find(0, target))
                    .satisfiesAnyOf(
                            place -> assertThat(place).isNull(),
                            place -> assertThat(map.target(place)).isEqualTo(target));
        }
    }

    @Test
    void documentsThatOthersHangOnHoldLinks() {
        SiteMap map = map(3, 50, 5000);

        assertThat(IntStream.range(0, 5000)
                        .filter(page -> !map.hosts().children(page).isEmpty()))
                .allMatch(page -> map.kind(page) == Kind.HTML || map.kind(page) == Kind.FRAMES);
    }

    @Test
    void slowPagesDoNotHoldUpOthers() throws IOException {
        try (DemoWeb web =
                DemoWeb.builder().pages(5000).slowPages(Duration.ofDays(1)).open()) {
            SiteMap map = new SiteMap(1, new Hosts(20, 5000, false), web.port());
            List<Socket> waiting = new ArrayList<>();
            for (int page = 0; page < 5000; page++) {
                if (map.isSlow(page)) {
                    Place place = map.place(page);
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), web.port());
                    waiting.add(socket);
                    socket.getOutputStream()
                            .write(("GET " + map.target(place) + " HTTP/1.1\r\nHost: "
                                            + map.hosts().name(map.host(place)) + "\r\n\r\n")
                                    .getBytes(US_ASCII));
                }
            }

            assertThat(PlainCrawl.get(web.start(), PlainCrawl.proxy(web)).status())
                    .isEqualTo(200);
            assertThat(waiting).hasSizeGreaterThan(50);
            for (Socket socket : waiting) {
                assertThat(socket.getInputStream().available()).isZero();
                socket.close();
            }
        }
    }

    @Test
    void closeFreesThePort() throws IOException {
        DemoWeb web = hasty().open();
        String body = PlainCrawl.get(web.start(), PlainCrawl.proxy(web)).body();
        assertThatThrownBy(() -> hasty().port(web.port()).open())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + web.port());
        web.close();

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), web.port()).close())
                .isInstanceOf(IOException.class);
        try (DemoWeb again = hasty().port(web.port()).open()) {
            assertThat(PlainCrawl.get(again.start(), PlainCrawl.proxy(again)).body())
                    .isEqualTo(body);
        }
    }

    @Test
    void onlyTheLatestRequestsAreKept() throws IOException {
        try (DemoWeb web = hasty().recorded(3).open()) {
            for (int i = 0; i < 5; i++) {
                PlainCrawl.get(web.start() + "none-" + i, PlainCrawl.proxy(web));
            }

            assertThat(web.requests()).extracting(DemoRequest::target).containsExactly("/none-2", "/none-3", "/none-4");
            assertThat(web.requestCount()).isEqualTo(5);
        }
    }

    @Test
    void allTestNamesAndNoOthersResolveToLoopback() throws UnknownHostException {
        assertThat(DemoWeb.resolve("www.h3.test").getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(DemoWeb.resolve("WWW.Other.TEST").isLoopbackAddress()).isTrue();
        assertThatThrownBy(() -> DemoWeb.resolve("example.org"))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("example.org");
        assertThatThrownBy(() -> DemoWeb.resolve("atest")).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void robotsOfMostHostsNameTheCrawlDelayAskedFor() throws IOException {
        try (DemoWeb web = hasty().crawlDelay(Duration.ofMillis(1500)).open()) {
            Reply rules = PlainCrawl.get(web.start() + "robots.txt", PlainCrawl.proxy(web));
            Reply none = PlainCrawl.get("http://www.h4.test:" + web.port() + "/robots.txt", PlainCrawl.proxy(web));

            assertThat(rules.body()).contains("User-agent: *\r\nCrawl-delay: 1.5\r\nDisallow: /private/\r\n");
            assertThat(none.status()).isEqualTo(404);
        }
        try (DemoWeb web = hasty().open()) {
            assertThat(PlainCrawl.get(web.start() + "robots.txt", PlainCrawl.proxy(web))
                            .body())
                    .doesNotContain("Crawl-delay");
        }
    }

    @Test
    void strangeRequestsAreAnswered() throws IOException {
        try (DemoWeb web = hasty().open()) {
            String elsewhere = "http://127.0.0.1:" + web.port() + "/";
            assertThat(PlainCrawl.get(elsewhere, Proxy.NO_PROXY).status()).isEqualTo(421);
            assertThat(PlainCrawl.get(elsewhere, Proxy.NO_PROXY).body()).contains("--proxy", web.start());
            assertThat(PlainCrawl.ask("POST", web.start(), PlainCrawl.proxy(web))
                            .status())
                    .isEqualTo(405);
            Reply head = PlainCrawl.ask("HEAD", web.start(), PlainCrawl.proxy(web));
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            assertThat(PlainCrawl.get(web.start() + "?", PlainCrawl.proxy(web)).status())
                    .isEqualTo(200);
            assertThat(PlainCrawl.get(web.start() + "?x", PlainCrawl.proxy(web)).status())
                    .isEqualTo(404);
        }
    }

    @Test
    void badOptionsAreRefusedWithTheirValue() {
        assertThatThrownBy(() -> hasty().hosts(0).pages(5).open())
                .hasMessageContaining("hosts")
                .hasMessageEndingWith(": 0");
        assertThatThrownBy(() -> hasty().hosts(5).pages(4).open())
                .hasMessageContaining("pages")
                .hasMessageEndingWith(": 4");
        assertThatThrownBy(() -> DemoWeb.builder().port(65536)).hasMessageEndingWith(": 65536");
        assertThatThrownBy(() -> DemoWeb.builder().pageBytes(0)).hasMessageEndingWith(": 0");
        assertThatThrownBy(() -> DemoWeb.builder().recorded(-1)).hasMessageEndingWith(": -1");
        assertThatThrownBy(() -> DemoWeb.builder().slowPages(Duration.ofMillis(-1)))
                .hasMessageEndingWith(": PT-0.001S");
        assertThatThrownBy(() -> DemoWeb.builder().crawlDelay(Duration.ofDays(2)))
                .hasMessageEndingWith(": PT48H");
    }

    private static DemoWeb.Builder hasty() {
        return DemoWeb.builder().slowPages(Duration.ofMillis(1));
    }

    private static SiteMap map(long seed, int hosts, int pages) {
        return new SiteMap(seed, new Hosts(hosts, pages, false), 8080);
    }

    private static List<String> written(SiteMap map) {
        return IntStream.range(0, map.hosts().pages())
                .mapToObj(page -> map.url(map.place(page))
                        + new String(PageWriter.of(map, page, 4096).body(), UTF_8))
                .toList();
    }

    private static double meanSize(SiteMap map, int pageBytes) {
        return IntStream.range(0, map.hosts().pages())
                .map(page -> PageWriter.of(map, page, pageBytes).body().length)
                .average()
                .orElseThrow();
    }

    private static Map<String, Integer> expected(DemoWeb web) {
        return new TreeMap<>(web.expected().collect(Collectors.toMap(DemoWeb.Expected::url, DemoWeb.Expected::status)));
    }
}
