package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Reports.assertAddsUp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import dev.sieve.fetch.Resolver;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a host may have of a crawl. */
@Timeout(1200)
class HostLimitsTest {
    @AutoClose
    private final Site site = new Site();

    private final List<Visit> visits = new ArrayList<>();

    @TempDir
    private Path folder;

    private static CrawlOptions fast() {
        return Site.fast()
                .retries(0)
                .scope(Scope.Kind.ANY)
                .obeyRobots(false)
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));
    }

    private static Resolver without(String dead) {
        return host -> {
            if (host.equals(dead)) {
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getLoopbackAddress());
        };
    }

    private CrawlReport crawl(CrawlOptions options, Frontier frontier) throws IOException {
        try (Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            crawler.seed(site.url("/"));
            return crawler.run(visits::add);
        }
    }

    private static String[] links(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    @Test
    void urlsBeyondTheBudgetOfAHostAreRefused() throws IOException {
        site.page("/", links("/p", 10));
        Sieve sieve = new Sieve(1000);

        CrawlReport report = crawl(fast().maxPerHost(4), sieve);

        assertThat(site.requests()).hasSize(4);
        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.by(REFUSED)).containsExactly(Map.entry("over the budget", 7L));
        assertThat(report.pending().unfinished()).isEqualTo(7);
        assertThat(sieve.stats().done()).isEqualTo(4);
        assertAddsUp(report);
    }

    @Test
    void eachRunOfAJobRequestsAsManyUrlsOfAHostAsItsBudget() throws IOException {
        site.page("/", links("/p", 10));
        for (String path : links("/p", 10)) {
            site.page(path);
        }

        for (int run = 1; run <= 3; run++) {
            try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000)) {
                CrawlReport report = crawl(fast().maxPerHost(4), frontier);

                assertThat(report.count(PAGES)).isEqualTo(run < 3 ? 4 : 3);
                assertThat(report.pending().unfinished()).isEqualTo(Math.max(0, 11 - 4 * run));
                assertThat(report.pending().left()).isZero();
                assertAddsUp(report);
            }
        }
        assertThat(site.requests()).hasSize(11).doesNotHaveDuplicates();
    }

    @Test
    void whatALimitOfPagesLeavesIsRequestedByTheNextRun() throws IOException {
        site.page("/", links("/p", 10));
        for (int run = 0; run < 3; run++) {
            try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000)) {
                crawl(fast().maxPages(4), frontier);
            }
        }

        assertThat(site.requests()).hasSize(11).doesNotHaveDuplicates();
    }

    @Test
    void aRetryTakesNothingOfTheBudget() throws IOException {
        site.page("/", "/shaky").answer("/shaky", () -> Site.status(500));

        CrawlReport report = crawl(fast().maxPerHost(2).retries(1), new Sieve(1000));

        assertThat(site.requests()).containsExactly("/", "/shaky", "/shaky");
        assertThat(report.count(REFUSED)).isZero();
    }

    @Test
    void hostIsNotLeftWaitingByErrorsOfSomePages() throws IOException {
        site.page("/", links("/p", 10)).expectsWithoutPause(11);
        IntStream.of(3, 4, 5, 7).forEach(i -> site.answer("/p" + i, () -> Site.status(500)));

        crawl(fast().retries(0).delay(Duration.ofMillis(20)), new Sieve(1000));

        assertThat(site.requests()).hasSize(11);
    }

    @Test
    void hostsOfADomainShareItsLimit() throws IOException {
        String port = site.url("/").replaceAll(".*:(\\d+)/", "$1");
        String[] links = IntStream.range(0, 40)
                .mapToObj(i -> "http://h" + i % 4 + ".site.test:" + port + "/p" + i)
                .toArray(String[]::new);
        site.page("/", links);

        crawl(fast().perDomain(1), new Sieve(1000));

        assertThat(site.requests()).hasSize(41);
        // Besides those of the domain there is the one for the seed, which is over before.
        assertThat(site.mostUnderWay()).isEqualTo(1);
    }

    @Test
    void urlsOfASilentHostCountAsFailed() throws IOException {
        site.page("/", links("http://dead.test/", 20));
        Sieve sieve = new Sieve(1000);

        CrawlReport report = crawl(fast().perHost(1).maxFailures(1).resolver(without("dead.test")), sieve);

        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.by(FAILURES)).containsExactly(Map.entry("host given up", 19L), Map.entry("unknown host", 1L));
        assertThat(visits).hasSize(21);
        assertThat(report.pending().left()).isZero();
        assertAddsUp(report);
    }

    @Test
    void aJobThatGoesOnAsksAHostAgainThatWasGivenUp() throws IOException {
        String port = site.url("/").replaceAll(".*:(\\d+)/", "$1");
        site.page("/", links("http://dead.test:" + port + "/p", 20));
        for (String path : links("/p", 20)) {
            site.page(path);
        }
        CrawlOptions options = fast().perHost(1).maxFailures(1);
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000)) {
            crawl(options.resolver(without("dead.test")), frontier);
        }
        assertThat(site.requests()).containsExactly("/");

        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000)) {
            CrawlReport report = crawl(options.resolver(without("")), frontier);

            assertThat(report.pending().before()).isEqualTo(20);
            assertThat(report.by(PAGES)).containsExactly(Map.entry("2xx", 20L));
            assertThat(report.pending().left()).isZero();
            assertAddsUp(report);
        }
        assertThat(site.requests()).hasSize(21).doesNotHaveDuplicates();
    }
}
