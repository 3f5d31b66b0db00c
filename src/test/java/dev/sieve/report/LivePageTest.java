package dev.sieve.report;

import static dev.sieve.crawl.Counter.FAILURES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Site;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LivePageTest {
    private static final InstantSource NOW = InstantSource.fixed(Instant.EPOCH);

    private final CrawlRecord record = new CrawlRecord();

    private static String get(LiveServer server, String path) throws IOException {
        try (InputStream in = URI.create(server.url() + path).toURL().openStream()) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static CrawlOptions options() {
        return new CrawlOptions().delay(Duration.ZERO).retries(0).allowPrivate("127.0.0.0/8");
    }

    /** Records what a crawl finds, and looks at the server once, while the crawl runs. */
    private final class Observer implements PageSink {
        private final LiveServer server;
        private final int after;
        private int visits;
        private String metrics;
        private Document page;

        Observer(LiveServer server, int after) {
            this.server = server;
            this.after = after;
        }

        @Override
        public void accept(Visit visit) throws IOException {
            record.accept(visit);
            if (++visits == after) {
                metrics = get(server, "metrics");
                page = Jsoup.parse(get(server, ""));
            }
        }

        @Override
        public void skipped(Skip skip) {
            record.skipped(skip);
        }
    }

    @Test
    void aRunningCrawlIsOnThePageAndInTheMetrics() throws Exception {
        CrawlOptions options = options().scope(Scope.Kind.ANY).resolver(host -> List.of(DemoWeb.resolve(host)));
        try (DemoWeb web = PolitenessJudge.web().hosts(10).pages(200).open();
                LiveServer server = LiveServer.open("127.0.0.1", 0);
                Crawler crawler = new Crawler(options, new Sieve(1000), AllStages::of)) {
            record.start(null, false, NOW.instant());
            crawler.seed(web.start());
            server.show(record, () -> record, crawler, NOW);
            Observer observer = new Observer(server, 50);
            crawler.run(observer);

            assertThat(observer.metrics)
                    .contains("\nsieve_crawl_running 1.0\n", "\nsieve_urls_accepted_total ", "jvm_memory_used_bytes");
            assertThat(observer.page.select("main section"))
                    .extracting(each -> each.id())
                    .contains("overview", "hosts");
            long pages =
                    Long.parseLong(observer.page.selectFirst("#overview dd").text());
            assertThat(pages).isPositive();
            // Pages that are in progress may be in one of the numbers already.
            assertThat(observer.page
                            .selectFirst("#runs tr:has(th:containsOwn(Pages)) td")
                            .text())
                    .satisfies(shown -> assertThat(Long.parseLong(shown)).isCloseTo(pages, within(32L)));
            assertThat(observer.page.select("script").last().data()).isEqualTo(ReportPage.resource("live.js"));
            assertThat(observer.page.select("meta[http-equiv]").attr("content")).contains("; connect-src 'self'");
            Promtool.requireMetrics(observer.metrics);
        }
    }

    /** A point of the charts that is only in memory would be missing in the job, and in the report of its next run. */
    @Test
    void aRequestAddsNothingToTheCharts() throws Exception {
        try (LiveServer server = LiveServer.open("127.0.0.1", 0);
                Crawler crawler = new Crawler(options(), new Sieve(10), AllStages::of)) {
            record.start(null, false, NOW.instant());
            server.show(record, () -> record, crawler, NOW);

            get(server, "");
            get(server, "update?complete");

            int points = record.read(crawl -> crawl.timeline.points().size());
            assertThat(points).isZero();
        }
    }

    /** The page is that of all processes of a crawl, the metrics are those of this one. */
    @Test
    void aSharedCrawlIsShownWhole() throws Exception {
        CrawlRecord crawl = new CrawlRecord();
        crawl.accept(Visits.page("http://other.test/", 200, null));
        try (LiveServer server = LiveServer.open("127.0.0.1", 0);
                Crawler crawler = new Crawler(options(), new Sieve(10), AllStages::of)) {
            record.start(null, false, NOW.instant());
            server.show(record, () -> crawl, crawler, NOW);

            assertThat(Jsoup.parse(get(server, "")).select("#seed").text()).isEqualTo("From http://other.test/");
            assertThat(get(server, "update?complete")).contains("other.test");
            assertThat(get(server, "metrics")).contains("\nsieve_urls_done_total 0.0\n");
        }
    }

    /** No text of a server is markup or a metric. */
    @Test
    void hostileTextsHaveNoEffect() throws Exception {
        String page = "<title>&lt;script>alert(1)&lt;/script>\r\revent: end\r\rdata: x&#13;&#10;&#10;&#8238;</title>"
                + "<a href='/\"><script>alert(1)</script>'></a><a href='/a&#13;event:end&#10;b'></a>"
                + "<a href='/" + "w".repeat(4000) + "'></a><a href='/redirect'></a>";
        Site site = new Site("127.0.0.1")
                .otherwise(request ->
                        Site.status(404).field("Content-Type", "text/html").body(page))
                .html("/", page)
                .redirect("/redirect", "/\"}\\<script>evil{}=1</script>");
        try (site;
                LiveServer server = LiveServer.open("127.0.0.1", 0);
                Crawler crawler = new Crawler(options(), new Sieve(1000), AllStages::of)) {
            record.start(null, false, NOW.instant());
            server.show(record, () -> record, crawler, NOW);
            crawler.seed(site.url("/"));
            crawler.run(record);
            record.sample(crawler.report(), NOW.instant());

            String update = ReportPage.sections(record);
            assertThat(crawler.report().by(FAILURES)).containsEntry("404", 3L);
            assertThat(update).contains("w".repeat(100));
            for (Document document : List.of(Jsoup.parseBodyFragment(update), Jsoup.parse(get(server, "")))) {
                assertThat(document.select("main script, section script, title script"))
                        .isEmpty();
                assertThat(document.getAllElements())
                        .allMatch(each -> each.attributes().asList().stream()
                                .noneMatch(attribute -> attribute.getKey().startsWith("on")));
            }
            assertThat(get(server, "metrics").lines().filter(line -> !line.startsWith("#")))
                    .allMatch(line -> line.matches(
                            "[a-z][a-z0-9_]*(\\{[a-z]+=\"[^\"\\\\]*\"(,[a-z]+=\"[^\"\\\\]*\")*})? [-0-9.E]+"))
                    .noneMatch(line -> line.contains("alert") || line.contains("evil"));
            assertThat(update).doesNotContain("\u202e");
        }
    }
}
