package dev.sieve.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hostile host of the tests of reports and outputs sends what they expect. */
@Timeout(300)
class HostileHostTest {
    @Test
    void theHostileHostIsCrawledAsExpected() throws IOException {
        List<Visit> visits = new ArrayList<>();
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .retries(0)
                .maxFailures(1)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        try (HostileHost host = new HostileHost();
                Crawler crawler = new Crawler(options, new Sieve(100_000), AllStages::of)) {
            crawler.seed(host.start());
            crawler.run(visits::add);

            assertThat(new TreeMap<>(host.requested())).isEqualTo(new TreeMap<>(host.documents()));
            assertThat(visits).filteredOn(Visit::isSuccess).hasSize((int) host.documents().values().stream()
                    .filter(status -> status == 200)
                    .count());
            assertThat(host.forbidden()).contains("hostile.test");
            assertThat(visits)
                    .extracting(Visit::title)
                    .anyMatch(title -> title.contains("<script>"))
                    .anyMatch(title -> title.contains("\u202e"))
                    .anyMatch(title -> title.contains("\u001b"))
                    .anyMatch(title -> title.startsWith("=cmd"))
                    .anyMatch(title -> title.length() == 8192);
        }
    }
}
