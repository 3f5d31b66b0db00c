package dev.sieve.cli;

import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.bloom.ExactSet;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ordinary crawler on the demo web, of which it is known what a crawl has to find. */
@Timeout(1200)
class DemoCrawlTest {
    @Test
    void everyUrlOfTheDemoWebIsAskedForOnceAndNothingElse() throws IOException {
        try (DemoWeb web =
                PolitenessJudge.web().hosts(20).pages(600).recorded(100_000).open()) {
            CrawlOptions options = new CrawlOptions()
                    .scope(Scope.Kind.ANY)
                    .delay(Duration.ZERO)
                    .perHost(4)
                    .allowPrivate("127.0.0.0/8")
                    .resolver(host -> List.of(DemoWeb.resolve(host)));
            Sieve sieve = Sieve.builder()
                    .capacity(10_000)
                    .membership(ExactSet.create(0))
                    .build();
            CrawlReport report;
            try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
                crawler.seed(web.start());
                report = crawler.run(visit -> {});
            }

            Map<String, Integer> expected = new TreeMap<>();
            web.expected().forEach(each -> expected.put(UrlNormalizer.key(each.url()), each.status()));
            assertThat(statuses(web)).isEqualTo(expected);
            assertThat(report.by(PAGES)).containsEntry("2xx", (long) web.pages());
            assertThat(report.count(REFUSED)).isEqualTo(web.forbidden().count());
        }
    }

    /** What the server was asked for and answered, by key; two requests for one page would collide here. */
    private static Map<String, Integer> statuses(DemoWeb web) {
        return web.requests().stream()
                .filter(request -> !request.target().equals("/robots.txt"))
                .collect(Collectors.toMap(
                        request -> UrlNormalizer.key(request.url()), DemoRequest::status, (a, b) -> -1, TreeMap::new));
    }
}
