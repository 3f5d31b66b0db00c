package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Reports.assertAddsUp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import dev.sieve.fetch.HostileServer;
import dev.sieve.fetch.Resolver;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts that do not respond, all at once or for a while, take no URL out of a job. */
@Timeout(120)
class NetworkAwayTest {
    private static final int HOSTS = 100;

    @AutoClose
    private final Site site = new Site();

    @TempDir
    private Path folder;

    private final Set<String> hosts = ConcurrentHashMap.newKeySet();

    /** What names resolve to: 127.0.0.1 is the site, at 127.0.0.2 no server listens, null is an unknown host. */
    private volatile String address = "127.0.0.1";

    private CrawlOptions fast() {
        Resolver resolver = host -> {
            hosts.add(host);
            if (address == null) {
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getByName(address));
        };
        return Site.fast().retries(0).scope(Scope.Kind.ANY).resolver(resolver);
    }

    private String url(String host, String path) {
        return site.url(path).replace("localhost", host).replace("127.0.0.1", host);
    }

    private CrawlReport resume(CrawlOptions options, PageSink sink, String... seeds) throws IOException {
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 10_000);
                Crawler crawler = new Crawler(options, frontier, AllStages::of)) {
            crawler.seedAll(List.of(seeds));
            CrawlReport report = crawler.run(sink);
            assertAddsUp(report);
            return report;
        }
    }

    /** Each host has a page, and "/" of the first one links to all. */
    private String startWithLinksToAllHosts() {
        String[] links = IntStream.range(0, HOSTS)
                .mapToObj(i -> url("h" + i + ".test", "/p" + i))
                .toArray(String[]::new);
        site.page("/", links);
        for (int i = 0; i < HOSTS; i++) {
            site.page("/p" + i);
        }
        return url("start.test", "/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown host", "no connection", "status 503"})
    void anUnreachableRobotsTxtLeavesUrlsInTheJob(String problem) throws IOException {
        String start = startWithLinksToAllHosts();
        resume(fast().maxPages(1), visit -> {}, start);

        if (problem.equals("status 503")) {
            site.answer("/robots.txt", () -> Site.status(503));
        }
        address = problem.equals("unknown host") ? null : problem.equals("no connection") ? "127.0.0.2" : address;
        CrawlReport away = resume(fast(), visit -> {});

        assertThat(away.pending().before()).isEqualTo(HOSTS);
        assertThat(away.count(PAGES)).isZero();
        assertThat(away.by(FAILURES)).containsOnlyKeys("robots.txt unavailable: " + problem);
        assertThat(away.isFruitless()).isTrue();
        assertThat(away.sieve().done()).isEqualTo(1);
        assertThat(away.pending().notDone()).isEqualTo(HOSTS);

        address = "127.0.0.1";
        site.robots("");
        CrawlReport back = resume(fast(), visit -> {});

        assertThat(back.count(PAGES, "2xx")).isEqualTo(HOSTS);
        assertThat(back.pending().notDone()).isZero();
        assertThat(site.requests()).hasSize(1 + HOSTS).doesNotHaveDuplicates();
    }

    @Test
    void aHostThatIsAwayHasOneRecordInEachRunThatContinues() throws IOException {
        site.page(
                "/",
                IntStream.range(0, 30).mapToObj(i -> url("a.test", "/p" + i)).toArray(String[]::new));
        resume(fast().maxPages(1), visit -> {}, url("a.test", "/"));
        address = "127.0.0.2";
        for (int run = 0; run < 2; run++) {
            List<Visit> visits = new CopyOnWriteArrayList<>();

            CrawlReport away = resume(fast(), visits::add);

            assertThat(visits).hasSize(1);
            assertThat(away.count(FAILED)).isEqualTo(30);
            assertThat(away.pending().unfinished()).isEqualTo(30);
        }
    }

    @Test
    void aResumedCrawlWithoutANetworkStopsEarly() throws IOException {
        resume(fast().maxPages(1), visit -> {}, startWithLinksToAllHosts());
        hosts.clear();

        address = null;
        CrawlReport away = resume(fast().concurrency(1), visit -> {});

        assertThat(away.ending()).isEqualTo(Ending.UNREACHABLE);
        assertThat(hosts).hasSize(20);
        assertThat(away.pending().unfinished()).isEqualTo(20);
        assertThat(away.pending().left()).isEqualTo(HOSTS - 20);
    }

    @Test
    void aNewCrawlTriesEveryHostAndSaysThatNoneHasResponded() throws IOException {
        address = null;
        try (Crawler crawler = new Crawler(fast(), new Sieve(1000), AllStages::of)) {
            crawler.seedAll(IntStream.range(0, HOSTS)
                    .mapToObj(i -> url("h" + i + ".test", "/"))
                    .toList());

            CrawlReport report = crawler.run(visit -> {});

            assertThat(report.ending()).isEqualTo(Ending.UNREACHABLE);
            assertThat(report.count(FAILED)).isEqualTo(HOSTS);
            assertThat(report.pending().left()).isZero();
            assertAddsUp(report);
        }
        assertThat(hosts).hasSize(HOSTS);
    }

    /** Options by which the hosts are unknown until a page of the first one was visited, and after that. */
    private CrawlOptions awayAfterTheStart(CountDownLatch visited) {
        Resolver resolver = host -> {
            if (!host.equals("start.test")) {
                try {
                    visited.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getLoopbackAddress());
        };
        return fast().obeyRobots(false).resolver(resolver);
    }

    @Test
    void pagesThatFailBecauseTheNetworkIsGoneStayInTheJob() throws IOException {
        String start = startWithLinksToAllHosts();
        CrawlOptions options = fast().obeyRobots(false);
        CountDownLatch visited = new CountDownLatch(1);

        CrawlReport away = resume(awayAfterTheStart(visited), visit -> visited.countDown(), start);

        assertThat(away.count(PAGES)).isEqualTo(1);
        assertThat(away.by(FAILURES)).containsOnlyKeys("unknown host");
        assertThat(away.sieve().done()).isEqualTo(1);

        CrawlReport back = resume(options, visit -> {});

        assertThat(back.count(PAGES, "2xx")).isEqualTo(HOSTS);
        assertThat(site.requests()).hasSize(1 + HOSTS).doesNotHaveDuplicates();
    }

    @Test
    void attemptsOfAnEarlierRunAreNotTimeOfThisOne() throws IOException {
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 10_000)) {
            frontier.pushAll(List.of(url("start.test", "/"), url("lost.test", "/")));
            frontier.take(0);
            for (int attempt = 0; attempt < 5; attempt++) {
                frontier.retry(frontier.take(0), 0);
            }
        }
        site.page("/");
        CountDownLatch visited = new CountDownLatch(1);
        CrawlOptions oneByOne = awayAfterTheStart(visited).concurrency(1);

        CrawlReport away = resume(oneByOne, visit -> visited.countDown(), url("start.test", "/"));

        assertThat(away.count(PAGES)).isEqualTo(1);
        assertThat(away.by(FAILURES)).containsOnlyKeys("unknown host");
        assertThat(away.pending().unfinished()).isEqualTo(1);
    }

    @Test
    void aPageThatFailsWhileOthersRespondIsDone() throws IOException {
        CountDownLatch other = new CountDownLatch(1);
        try (HostileServer server = new HostileServer()) {
            server.on("/broken", client -> {
                try {
                    other.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            });
            server.on("/", HostileServer.html("<a href='/broken'>x</a><a href='" + site.url("/other") + "'>x</a>"));
            site.page("/other");

            CrawlReport report = resume(
                    fast().obeyRobots(false),
                    visit -> {
                        if (visit.url().endsWith("/other")) {
                            other.countDown();
                        }
                    },
                    server.url("/"));

            assertThat(report.by(FAILURES)).containsOnlyKeys("broken off");
            assertThat(report.pending().unfinished()).isZero();
            assertThat(report.sieve().done()).isEqualTo(3);
            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        }
    }

    @Test
    void aHostWithoutRobotsTxtIsLoggedOnce() throws IOException {
        address = null;
        List<String> log = Log.of(() -> {
            try (Crawler crawler = new Crawler(fast().retries(1), new Sieve(100), AllStages::of)) {
                crawler.seedAll(List.of(url("a.test", "/1"), url("a.test", "/2"), url("a.test", "/3")));
                crawler.run(visit -> {});
            }
        });

        assertThat(log)
                .filteredOn(line -> line.contains("robots.txt unavailable"))
                .hasSize(1);
        assertThat(log).anyMatch(line -> line.contains("no network?"));
    }
}
