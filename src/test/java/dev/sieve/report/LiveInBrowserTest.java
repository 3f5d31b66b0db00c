package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.browser.Browser;
import dev.sieve.browser.BrowserExtension;
import dev.sieve.browser.PageChecks;
import dev.sieve.browser.Tab;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoWeb;
import dev.sieve.demo.HostileHost;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The live page of a crawl of the demo web with its hostile host, open in a browser. */
@Tag("browser")
@Tag("slow")
@Timeout(300)
@ExtendWith(BrowserExtension.class)
class LiveInBrowserTest {
    private static final int FIRST_LOOK = 60;
    private static final int SECOND_LOOK = 120;
    /** At the end, a page has a fifth of it to fetch the final state, however busy the machine is. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    /** The number of pages that the page shows. */
    private static final String PAGES = "Number([...document.querySelectorAll('.tiles dt')]"
            + ".find(name => name.textContent === 'Pages').nextElementSibling.textContent.replaceAll(',', ''))";

    private static final String STATE = "document.getElementById('state').textContent";
    private static final String HOST_PAGES = "[...document.querySelectorAll('#host-table tbody tr')]"
            + ".reduce((sum, row) => sum + Number(row.cells[1].dataset.v), 0)";

    private final CrawlRecord record = new CrawlRecord();

    /** Looks at the page at two moments of the crawl, which waits meanwhile. */
    private final class Observer implements PageSink {
        private final LiveServer server;
        private final Crawler crawler;
        private final Tab tab;
        private int visits;
        private int pages;

        Observer(LiveServer server, Crawler crawler, Tab tab) {
            this.server = server;
            this.crawler = crawler;
            this.tab = tab;
        }

        @Override
        public void accept(Visit visit) throws IOException {
            record.accept(visit);
            visits++;
            if (visits % 15 == 0) {
                record.sample(crawler.report(), Instant.now());
            }
            if (visits == FIRST_LOOK) {
                open();
            } else if (visits == SECOND_LOOK) {
                lookAgain();
            }
        }

        @Override
        public void skipped(Skip skip) {
            record.skipped(skip);
        }

        private void open() {
            tab.open(server.url());
            tab.await(PAGES + " > 0");
            pages = tab.eval(PAGES).asInt();
            tab.await(STATE + ".includes('running')");
            for (String scheme : List.of("dark", "light")) {
                tab.media("screen", scheme);
                PageChecks.awaitCharts(tab);
            }
            tab.type("#search-host-table", "h");
            for (String order : List.of("descending", "ascending")) {
                tab.click("#host-table thead th:nth-child(2) button");
                tab.await("document.querySelector('#host-table thead th:nth-child(2)').ariaSort === '" + order + "'");
            }
            assertThat(PageChecks.numbers(tab, "host-table", 2)).isSorted();
        }

        private void lookAgain() {
            tab.await(PAGES + " > " + pages);
            tab.await(HOST_PAGES + " === " + PAGES);
            assertThat(PageChecks.numbers(tab, "host-table", 2)).isSorted();
            assertThat(tab.eval("document.getElementById('search-host-table').value")
                            .asText())
                    .isEqualTo("h");
            PageChecks.awaitCharts(tab);
        }
    }

    @Test
    void aCrawlIsShownUntilItEndsAndStaysOnThePage(Browser browser) throws IOException {
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        try (DemoWeb web = PolitenessJudge.web().hosts(5).pages(120).open();
                HostileHost hostile = new HostileHost();
                Tab tab = browser.tab();
                Crawler crawler = new Crawler(options, new Sieve(10_000), AllStages::of)) {
            String url;
            record.start(null, false, Instant.now());
            crawler.seedAll(List.of(web.start(), hostile.start()));
            try (LiveServer server = LiveServer.open("127.0.0.1", 0, Duration.ofMillis(100), PATIENCE)) {
                url = server.url();
                server.show(record, () -> record, crawler, InstantSource.system());
                crawler.run(new Observer(server, crawler, tab));
                record.sample(crawler.report(), Instant.now());
                record.findReferrers(() -> false);
                // Which shows that the page is open, also if it could not poll for a while.
                tab.eval("fetch('update').then(response => response.text())");
                assertThat(text(url + "metrics")).contains("sieve_").doesNotContain("injected", "hostile");
            }

            tab.await(STATE + ".includes('ended')");
            assertThat(tab.eval(PAGES).asLong()).isEqualTo(crawler.report().count(Counter.PAGES));
            assertThat(tab.eval(HOST_PAGES).asLong()).isEqualTo(crawler.report().count(Counter.PAGES));
            assertThat(tab.eval("document.body.textContent").asText()).contains("window.injected=1");
            assertThat(PageChecks.injections(tab)).isEmpty();
            assertThat(tab.problems()).isEmpty();
            assertThat(tab.requests())
                    .isNotEmpty()
                    .allMatch(request -> request.startsWith("data:") || request.startsWith(url + "update"));
            tab.size(400, 900);
            tab.await("document.documentElement.scrollWidth <= 400");
        }
    }

    private static String text(String url) throws IOException {
        try (InputStream in = URI.create(url).toURL().openStream()) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
