package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.fetch.HostileServer;
import dev.sieve.scope.Scope;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        try (Crawler crawler = new Crawler(options, new Sieve(200_000))) {
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
    void aPageThatComesWithEverNewSessionsIsQueuedSoOftenAndNoMore() throws IOException {
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
}
