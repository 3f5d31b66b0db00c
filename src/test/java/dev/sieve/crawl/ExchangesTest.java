package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Sieve;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.stage.AllStages;
import dev.sieve.stage.CookieStage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sink receives each request with a response, and that of a visit before the visit. */
@Timeout(120)
class ExchangesTest {
    @AutoClose
    private final Site site = new Site();

    private final List<String> events = new ArrayList<>();

    private final PageSink sink = new PageSink() {
        @Override
        public void exchanged(Exchange exchange) {
            String status = exchange.response().substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
            events.add(status + " " + exchange.url().replace(site.url(""), ""));
        }

        @Override
        public void accept(Visit visit) {
            events.add("visit " + visit.url().replace(site.url(""), ""));
        }
    };

    private void crawl(CrawlOptions options, PageSink to) throws IOException {
        try (Crawler crawler =
                new Crawler(options, Sieve.builder().capacity(1000).build(), AllStages::of)) {
            crawler.seed(site.url("/"));
            crawler.run(to);
        }
    }

    @Test
    void everyRequestIsPassedOn() throws IOException {
        AtomicInteger tries = new AtomicInteger();
        site.page("/", "/r", "/busy", "/gone", "/private")
                .redirect("/r", "/b")
                .page("/b")
                .answer("/busy", () -> Site.status(tries.getAndIncrement() == 0 ? 500 : 200))
                .robots("User-agent: *\nDisallow: /private\nSitemap: " + site.url("/map"));
        site.html("/map", "<urlset><url><loc>" + site.url("/c") + "</loc></url></urlset>");

        crawl(Site.fast().with(Capability.SITEMAPS, true).exchanges(true), sink);

        assertThat(events)
                .containsExactlyInAnyOrder(
                        "200 /robots.txt",
                        "200 /",
                        "visit /",
                        "200 /map",
                        "302 /r",
                        "visit /r",
                        "200 /b",
                        "visit /b",
                        "500 /busy",
                        "200 /busy",
                        "visit /busy",
                        "404 /gone",
                        "visit /gone",
                        "404 /c",
                        "visit /c");
        assertThat(events.get(0)).isEqualTo("200 /robots.txt");
        for (String path : List.of("/", "/r", "/b", "/busy", "/gone", "/c")) {
            String exchange = events.stream()
                    .filter(each -> each.matches("\\d+ " + path))
                    .reduce((first, last) -> last)
                    .orElseThrow();
            assertThat(events).containsSubsequence(exchange, "visit " + path);
        }
    }

    /** As a browser does. */
    @Test
    void whatAStageMakesOfAPageIsPassedOnWithItsExchange() throws IOException {
        byte[] made = "<a href=/b>b</a>".getBytes(UTF_8);
        Stage browser = new Stage() {
            @Override
            public StageVisit visit(VisitContext visit) {
                return new StageVisit() {
                    @Override
                    public FetchResult fetch(FetchRequest request, PageFetcher next) {
                        Page page = (Page) next.fetch(request);
                        Exchange exchange = page.exchange().rendered(made, false);
                        return new Page(200, page.headers(), "text/html", made, made.length, false).with(exchange);
                    }
                };
            }
        };
        site.page("/").page("/b");
        List<String> bodies = new ArrayList<>();
        PageSink both = new PageSink() {
            @Override
            public void exchanged(Exchange exchange) {
                if (exchange.rendered() != null) {
                    bodies.add(new String(exchange.rendered().html(), UTF_8) + " of "
                            + new String(exchange.body(), UTF_8));
                }
            }

            @Override
            public void accept(Visit visit) {
                bodies.add(new String(visit.page().body(), UTF_8));
            }
        };
        CrawlOptions options = Site.fast().exchanges(true).stage((job, scope, clock) -> browser);

        crawl(options.stage(CookieStage.of(null, false)), both);

        String page = "<a href=/b>b</a>";
        assertThat(bodies).containsExactly(page + " of <title>/</title>", page, page + " of <title>/b</title>", page);
    }

    @Test
    void nothingIsPassedOnUnlessAskedFor() throws IOException {
        site.page("/");

        crawl(Site.fast(), sink);

        assertThat(events).containsExactly("visit /");
    }

    @Test
    void anArchiveThatFailsEndsTheCrawlBeforeTheVisit() {
        site.page("/", "/a");
        PageSink failing = new PageSink() {
            @Override
            public void exchanged(Exchange exchange) throws IOException {
                if (exchange.url().equals(site.url("/"))) {
                    throw new IOException("disk full");
                }
            }

            @Override
            public void accept(Visit visit) {
                throw new AssertionError(visit);
            }
        };

        assertThatThrownBy(() -> crawl(Site.fast().exchanges(true), failing))
                .isInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThat(site.requests()).containsExactly("/");
    }
}
