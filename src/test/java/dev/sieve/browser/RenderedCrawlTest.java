package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import dev.sieve.stage.AllStages;
import dev.sieve.stage.CookieStage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Crawls of a site whose pages are made by one script. */
@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class RenderedCrawlTest {
    private static final String SHELL =
            "<!DOCTYPE html><title>shell</title><div id=app></div><script src=/app.js></script>";
    private static final String APP = """
            const page = location.pathname;
            fetch('/secret/log').catch(e => 0);
            fetch('/data').then(r => r.text()).then(pages => {
              const links = pages.trim().split(' ').map(p => '<a href=' + p + '>' + p + '</a>').join(' ');
              document.title = 'page ' + page;
              document.getElementById('app').innerHTML = '<h1>' + page + '</h1>' + links;
            });
            """;

    private final Map<String, Visit> visits = new ConcurrentSkipListMap<>();

    private static ScriptedSite site() {
        ScriptedSite site = new ScriptedSite()
                .on("/robots.txt", "text/plain", "User-agent: *\nDisallow: /secret/")
                .on("/app.js", "text/javascript", APP, "Cache-Control", "max-age=60")
                .on("/data", "text/plain", "/ /one /two /three");
        for (String path : List.of("/", "/one", "/two", "/three")) {
            site.on(path, "text/html", SHELL);
        }
        return site;
    }

    private static boolean isRendered(Visit visit) {
        return VisitField.RENDERED.of(visit) instanceof Map<?, ?> record && !record.containsKey("error");
    }

    private CrawlReport crawl(ScriptedSite site, String rule, CrawlOptions options) throws IOException {
        return crawl(site, rule, options, "/");
    }

    private CrawlReport crawl(ScriptedSite site, String rule, CrawlOptions options, String seed) throws IOException {
        Path program = Browser.program().orElseThrow();
        options.stage(
                RenderStage.of(new RenderRule(rule), program, options::userAgent, 1 << 20, false, Rendered.SHORT));
        try (Crawler crawler = new Crawler(options, new Sieve(1000), AllStages::of)) {
            crawler.open(site.url("/"));
            crawler.seed(site.url(seed));
            return crawler.run(visit -> visits.put(visit.url().replaceFirst(".*:[0-9]+", ""), visit));
        }
    }

    @Test
    void linksThatScriptsMakeAreFollowed(Browser unused) throws IOException {
        try (ScriptedSite site = site()) {
            CrawlReport report = crawl(site, "auto", new CrawlOptions().delay(Duration.ZERO));

            assertThat(report.count(Counter.PAGES)).isEqualTo(4);
            assertThat(visits.keySet()).containsExactly("/", "/one", "/three", "/two");
            assertThat(visits.get("/two").title()).isEqualTo("page /two");
            assertThat(isRendered(visits.get("/two"))).isTrue();
            assertThat(site.requests()).noneMatch(request -> request.contains("/secret"));
            assertThat(site.requests())
                    .containsOnlyOnce("GET /robots.txt", "GET /", "GET /one", "GET /two", "GET /three");
        }
    }

    @Test
    void anExpressionSelectsThePages(Browser unused) throws IOException {
        try (ScriptedSite site = site()) {
            crawl(site, "/$|/one$", new CrawlOptions().delay(Duration.ZERO));

            Map<String, Boolean> isRendered = new TreeMap<>();
            visits.forEach((path, visit) -> isRendered.put(path, isRendered(visit)));
            assertThat(isRendered).isEqualTo(Map.of("/", true, "/one", true, "/two", false, "/three", false));
        }
    }

    /** The first page has three requests, and the others two each, since the script is in the cache. */
    @Test
    void aHostRestsForAllRequestsOfAPage(Browser unused) throws IOException {
        Duration delay = Duration.ofMillis(200);
        try (ScriptedSite site = site()) {
            CrawlReport report = crawl(site, "all", new CrawlOptions().delay(delay));

            long requests = site.requests().size();
            assertThat(requests).isGreaterThanOrEqualTo(10);
            // The rest after the last page delays no request.
            long last = 2;
            assertThat(report.elapsed()).isGreaterThanOrEqualTo(delay.multipliedBy(requests - 1 - last));
        }
    }

    /** Which is another origin on the same server. */
    @Test
    void theRobotsTxtOfAnotherHostIsRequestedAndObeyed(Browser unused) throws IOException {
        try (ScriptedSite site = site()) {
            String other = "http://localhost:" + site.port();
            site.page("/one", "fetch('" + other + "/secret/x').catch(e => 0); fetch('" + other + "/y').catch(e => 0)");
            site.on("/y", "text/plain", "y");

            crawl(site, "/one", new CrawlOptions().delay(Duration.ZERO).allowPrivate("127.0.0.0/8"), "/one");

            assertThat(site.requests())
                    .containsExactlyInAnyOrder("GET /robots.txt", "GET /one", "GET /robots.txt", "GET /y");
        }
    }

    @Test
    void scriptsDoNotEndTheSession(Browser unused) throws IOException {
        try (ScriptedSite site = new ScriptedSite()) {
            site.page("/", "fetch('/logout').catch(e => 0); fetch('/in').catch(e => 0)")
                    .on("/in", "text/plain", "in");

            crawl(site, "all", new CrawlOptions().delay(Duration.ZERO).logOut(CookieStage.LOG_OUT));

            assertThat(site.requests()).containsExactly("GET /robots.txt", "GET /", "GET /in");
            assertThat(VisitField.RENDERED.of(visits.get("/"))).asString().contains("refused=1");
        }
    }

    /** As an attacker would, so that the other site has no turn left. */
    @Test
    void aPageHasFewPartsOfAnotherSiteWithoutAWait(Browser unused) throws IOException {
        try (ScriptedSite site = new ScriptedSite()) {
            String other = "http://localhost:" + site.port() + "/n";
            site.page("/", "for (let i = 0; i < 100; i++) fetch('" + other + "' + i, {mode: 'no-cors'}).catch(e => 0)");

            CrawlOptions options =
                    new CrawlOptions().delay(Duration.ofMinutes(1)).obeyRobots(false);
            crawl(site, "all", options.allowPrivate("127.0.0.0/8"));

            assertThat(site.requests().stream().filter(each -> each.contains("/n")))
                    .hasSize(20);
            assertThat(visits).hasSize(1);
        }
    }
}
