package dev.sieve.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hosts that a demo web has only on request: one that is hostile, and some that are not part of it. */
@Timeout(300)
class MoreHostsTest {
    private final List<Visit> visits = new ArrayList<>();

    private void crawl(DemoWeb web, Scope.Kind scope, PageSink sink) throws IOException {
        CrawlOptions options = new CrawlOptions()
                .scope(scope)
                .delay(Duration.ZERO)
                .retries(0)
                .maxFailures(1)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        try (Crawler crawler = new Crawler(options, new Sieve(100_000))) {
            crawler.seed(web.start());
            crawler.run(sink);
        }
    }

    private static Map<String, Integer> requested(DemoWeb web) {
        return new TreeMap<>(web.requests().stream()
                .filter(request -> !request.target().equals("/robots.txt"))
                .collect(Collectors.toMap(DemoRequest::url, DemoRequest::status)));
    }

    private static Map<String, Integer> expected(DemoWeb web) {
        return new TreeMap<>(web.expected().collect(Collectors.toMap(DemoWeb.Expected::url, DemoWeb.Expected::status)));
    }

    @Test
    void theHostileHostIsCrawledAsExpected() throws IOException {
        try (DemoWeb web = DemoWeb.builder()
                .hosts(3)
                .pages(20)
                .hostile(true)
                .recorded(10_000)
                .open()) {
            crawl(web, Scope.Kind.ANY, visits::add);

            assertThat(requested(web)).isEqualTo(expected(web));
            assertThat(visits).filteredOn(Visit::isSuccess).hasSize(web.pages());
            assertThat(web.forbidden()).anyMatch(url -> url.contains("hostile.test"));
            assertThat(visits)
                    .extracting(Visit::title)
                    .anyMatch(title -> title.contains("<script>"))
                    .anyMatch(title -> title.contains("\u202e"))
                    .anyMatch(title -> title.contains("\u001b"))
                    .anyMatch(title -> title.startsWith("=cmd"))
                    .anyMatch(title -> title.length() == 8192);
        }
    }

    @Test
    void theDefaultWebHasNeither() throws IOException {
        try (DemoWeb web = DemoWeb.builder().hosts(3).pages(20).recorded(10_000).open()) {
            crawl(web, Scope.Kind.ANY, visits::add);

            assertThat(requested(web)).isEqualTo(expected(web));
            assertThat(web.external()).isEmpty();
            assertThat(visits).noneMatch(visit -> visit.url().contains("elsewhere"));
        }
    }

    @Test
    void externalLinksAreOutsideOfTheWebAndHaveTheirReferrers() throws IOException {
        try (DemoWeb web = DemoWeb.builder()
                .hosts(1)
                .pages(200)
                .external(true)
                .recorded(10_000)
                .open()) {
            crawl(web, Scope.Kind.HOST, visits::add);

            assertThat(requested(web)).isEqualTo(expected(web));
            assertThat(web.external()).hasSize(9).allSatisfy(link -> {
                List<String> referrers = visits.stream()
                        .filter(visit -> visit.links().contains(link.url()))
                        .map(Visit::key)
                        .toList();
                assertThat(referrers).containsExactlyInAnyOrderElementsOf(link.referrers());
            });
        }
    }

    @Test
    void externalLinksRespondAsTheySay() throws IOException {
        try (DemoWeb web =
                DemoWeb.builder().pages(200).external(true).recorded(10_000).open()) {
            crawl(web, Scope.Kind.ANY, visits::add);

            Map<String, Integer> statuses = visits.stream()
                    .collect(
                            Collectors.toMap(Visit::url, visit -> visit.result().status()));
            List<ExternalLink> links = new ArrayList<>(web.external().toList());
            links.removeIf(link -> link.url().contains("/private/"));
            assertThat(links.stream().filter(ExternalLink::isBroken).map(ExternalLink::status))
                    .containsExactlyInAnyOrder(0, 0, 302, 404, 410, 500);
            // Its host is given up when its robots.txt cannot be requested.
            links.removeIf(link -> link.url().endsWith(":2/"));
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), 2).close())
                    .isInstanceOf(ConnectException.class);
            assertThat(links).allSatisfy(link -> assertThat(statuses).containsEntry(link.url(), link.status()));
            assertThat(requested(web))
                    .containsKey(elsewhere(web, "/never.html"))
                    .doesNotContainKey(elsewhere(web, "/private/page.html"));
        }
    }

    private static String elsewhere(DemoWeb web, String path) {
        return "http://www.elsewhere.test:" + web.port() + path;
    }
}
