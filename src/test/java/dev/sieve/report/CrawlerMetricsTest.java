package dev.sieve.report;

import static dev.sieve.crawl.Counter.BODY;
import static dev.sieve.crawl.Counter.CHECKED;
import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.NONE;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipRule;
import dev.sieve.stage.AllStages;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CrawlerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void theMetersAddUpToTheReportOfACrawl() throws Exception {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (DemoWeb web = PolitenessJudge.web().hosts(10).pages(200).open();
                Crawler crawler = new Crawler(options(), new Sieve(10_000), AllStages::of)) {
            crawler.seed(web.start());
            crawler.seed("http://missing.example/");
            CrawlReport report = crawler.run(visit -> {});
            new CrawlerMetrics(crawler).bindTo(registry);
            new CrawlerMetrics(crawler).bindTo(prometheus);

            assertThat(total("sieve.crawl.pages")).isEqualTo(report.count(PAGES));
            assertThat(counter("sieve.crawl.pages", "status", "2xx")).isEqualTo(200);
            assertThat(counter("sieve.crawl.pages", "status", "4xx"))
                    .isEqualTo(report.count(PAGES, "4xx"))
                    .isPositive();
            assertThat(total("sieve.crawl.redirects"))
                    .isEqualTo(report.count(REDIRECTS))
                    .isPositive();
            assertThat(total("sieve.crawl.failures")).isEqualTo(report.count(FAILED) + report.count(CHECKED, NONE));
            assertThat(total("sieve.crawl.checked")).isEqualTo(report.count(CHECKED));
            assertThat(counter("sieve.crawl.failures", "reason", "robots.txt unavailable"))
                    .isEqualTo(1);
            assertThat(counter("sieve.crawl.failures", "reason", "other")).isZero();
            assertThat(total("sieve.crawl.refused"))
                    .isEqualTo(report.count(REFUSED))
                    .isPositive();
            assertThat(counter("sieve.crawl.refused", "rule", "robots.txt")).isEqualTo(report.count(REFUSED));
            assertThat(total("sieve.crawl.skipped")).isEqualTo(sum(report.by(SKIPPED)));
            assertThat(counter("sieve.crawl.skipped", "rule", "other")).isZero();
            for (SkipRule rule : SkipRule.values()) {
                String name = rule.isOfRequests() ? "sieve.crawl.refused" : "sieve.crawl.skipped";
                assertThat(counter(name, "rule", rule.text())).isNotNegative();
            }
            assertThat(total("sieve.crawl.links")).isEqualTo(report.count(LINKS));
            assertThat(total("sieve.crawl.body")).isEqualTo(report.count(BODY));
            assertThat(total("sieve.urls.accepted")).isEqualTo(report.count(LINKS, NEW));
            assertThat(registry.get("sieve.crawl.running").gauge().value()).isZero();
            assertThat(registry.get("sieve.crawl.left").gauge().value()).isZero();
            assertThat(registry.get("sieve.crawl.elapsed").gauge().value()).isPositive();

            assertThat(registry.getMeters())
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getDescription()).isNotBlank());
            String text = prometheus.scrape();
            assertThat(text).contains("sieve_host_backoff 0.0", "sieve_filter_fill_ratio ");
            Promtool.requireMetrics(text);
        }
    }

    private static CrawlOptions options() {
        return new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .retries(0)
                .allowPrivate("127.0.0.0/8")
                .resolver(CrawlerMetricsTest::resolve);
    }

    private static List<InetAddress> resolve(String host) throws UnknownHostException {
        if (host.endsWith(".example")) {
            throw new UnknownHostException(host);
        }
        return List.of(DemoWeb.resolve(host));
    }

    private long counter(String name, String tag, String value) {
        return (long) registry.get(name).tag(tag, value).functionCounter().count();
    }

    private long total(String name) {
        return (long) registry.find(name).functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Every value of a tag is known when the meters are registered. */
    @Test
    void theCrawlDoesNotAddMeters() throws Exception {
        try (DemoWeb web = PolitenessJudge.web().hosts(2).pages(20).open();
                Crawler crawler = new Crawler(options(), new Sieve(1000), AllStages::of)) {
            new CrawlerMetrics(crawler).bindTo(registry);
            List<Meter.Id> before =
                    registry.getMeters().stream().map(Meter::getId).toList();
            crawler.seed(web.start());
            crawler.run(visit -> {});

            assertThat(registry.getMeters()).map(Meter::getId).containsExactlyInAnyOrderElementsOf(before);
            assertThat(total("sieve.crawl.pages")).isPositive();
        }
    }
}
