package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.fetch.HostileServer;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A crawl among servers that mean it ill ends, and has its good pages. */
@Timeout(120)
class HostileCrawlTest {
    private HostileServer server;
    private final List<Visit> visits = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        server = new HostileServer();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private static CrawlOptions fast() {
        return new CrawlOptions()
                .delay(Duration.ZERO)
                .perHost(8)
                .concurrency(8)
                .retries(0)
                .obeyRobots(false)
                .timeout(Duration.ofSeconds(2))
                .userAgent("testbot/1.0");
    }

    /** Crawls from a page of the server, whose place is opened as if somebody had typed it. */
    private CrawlReport crawl(CrawlOptions options, String path) throws IOException {
        try (Crawler crawler = new Crawler(options, new Sieve(10_000))) {
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

            CrawlReport report = crawl(fast().scope(dev.sieve.url.Scope.Kind.ANY), "/");

            assertThat(secret.heads()).isEmpty();
            assertThat(report.refusals()).containsExactly(java.util.Map.entry("address not public", 2L));
            assertThat(report.urlsNew()).isEqualTo(4).isEqualTo(report.pageCount() + report.refused());
            assertGoodPageWasFetched();
        }
    }
}
