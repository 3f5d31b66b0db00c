package crawler4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import crawlercommons.filters.basic.BasicURLNormalizer;
import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.crawler.CrawlController;
import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class CrawlTest {
    private static final int PAGES = 500;

    @TempDir
    private Path folder;

    private static CrawlConfig config(Path folder) {
        CrawlConfig config = new CrawlConfig();
        config.setCrawlStorageFolder(folder.toString());
        config.setPolitenessDelay(0);
        config.setThreadMonitoringDelaySeconds(1);
        config.setThreadShutdownDelaySeconds(1);
        config.setCleanupDelaySeconds(0);
        return config;
    }

    private static void crawl(CrawlConfig config, String start, Frontier frontier, Runnable visited) throws Exception {
        BasicURLNormalizer normalizer = BasicURLNormalizer.newBuilder().build();
        SieveFrontier sieve = new SieveFrontier(frontier, config);
        PageFetcher fetcher = new PageFetcher(config, normalizer);
        RobotstxtServer robots = new RobotstxtServer(new RobotstxtConfig(), fetcher, sieve.getWebURLFactory());
        CrawlController controller = new CrawlController(config, normalizer, fetcher, robots, sieve);
        controller.addSeed(start);
        CrawlController.WebCrawlerFactory<SieveCrawler> crawlers = () -> new SieveCrawler() {
            @Override
            public void visit(Page page) {
                visited.run();
            }
        };
        controller.start(crawlers, 4);
    }

    private static void assertRequested(SmallSite site) {
        Set<String> missing = new TreeSet<>(site.expected());
        missing.removeAll(site.requested());
        Collection<String> unexpected = new TreeSet<>(site.requested());
        unexpected.removeAll(site.expected());
        assertEquals("[] and []", missing + " and " + unexpected, "missing and unexpected");
    }

    @Test
    void requestsExactlyTheUrlsOfTheSiteOnceEach() throws Exception {
        try (SmallSite site = new SmallSite(PAGES);
                Sieve frontier = new Sieve(10_000)) {
            AtomicInteger visited = new AtomicInteger();
            crawl(config(folder), site.start(), frontier, visited::incrementAndGet);

            assertRequested(site);
            assertEquals(site.expected().size(), site.requested().size(), "each URL once");
            assertEquals(site.expected().size(), frontier.stats().done());
            assertEquals(PAGES, visited.get());
        }
    }

    @Test
    void maxPagesToFetchLimitsARun() throws Exception {
        try (SmallSite site = new SmallSite(PAGES);
                Sieve frontier = new Sieve(10_000)) {
            CrawlConfig config = config(folder);
            config.setMaxPagesToFetch(20);
            crawl(config, site.start(), frontier, () -> {});

            assertEquals(20, frontier.stats().done());
            assertTrue(frontier.pending() > 0);
        }
    }

    @Test
    void aPageThatCannotBeFetchedOrProcessedIsNotDone() throws Exception {
        int freePort;
        try (ServerSocket socket = new ServerSocket(0)) {
            freePort = socket.getLocalPort();
        }
        try (SmallSite site = new SmallSite(3);
                Sieve frontier = new Sieve(100)) {
            frontier.push("http://localhost:" + freePort + "/");
            AtomicInteger visited = new AtomicInteger();
            crawl(config(folder), site.start(), frontier, () -> {
                if (visited.incrementAndGet() == 2) {
                    throw new IllegalStateException("a page that cannot be processed");
                }
            });

            assertEquals(3, visited.get());
            assertEquals(2, frontier.stats().done());
            assertEquals(2, frontier.inFlight());
        }
    }

    @Test
    void aCrawlThatIsKilledGoesOn() throws Exception {
        try (SmallSite site = new SmallSite(PAGES)) {
            assertEquals(9, run(site, 100));
            assertEquals(9, run(site, 150));
            assertEquals(0, run(site, Integer.MAX_VALUE));

            assertRequested(site);
        }
    }

    private int run(SmallSite site, int pages) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        folder.toString(),
                        site.start(),
                        Integer.toString(pages))
                .inheritIO()
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A crawl in a process that halts when a number of pages were visited. */
    static final class Killed {
        public static void main(String[] args) throws Exception {
            AtomicInteger left = new AtomicInteger(Integer.parseInt(args[2]));
            Path folder = Path.of(args[0]);
            try (DurableSieve frontier = DurableSieve.open(folder.resolve("frontier"), 10_000)) {
                crawl(config(folder.resolve("crawler4j")), args[1], frontier, () -> {
                    if (left.decrementAndGet() == 0) {
                        Runtime.getRuntime().halt(9);
                    }
                });
            }
        }
    }
}
