package crawler4j;

import crawlercommons.filters.basic.BasicURLNormalizer;
import dev.sieve.durable.DurableSieve;
import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.crawler.CrawlController;
import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;
import java.nio.file.Path;

/** Visits the pages below a URL; the folder {@code crawl} keeps what is known, so that the next start goes on. */
public final class Main extends SieveCrawler {
    private final String start;

    private Main(String start) {
        this.start = start;
    }

    @Override
    public boolean shouldVisit(Page from, WebURL url) {
        return url.getURL().startsWith(start);
    }

    @Override
    public void visit(Page page) {
        System.out.println(page.getWebURL().getURL());
    }

    public static void main(String[] args) throws Exception {
        CrawlConfig config = new CrawlConfig();
        config.setCrawlStorageFolder("crawl/crawler4j");
        BasicURLNormalizer normalizer = BasicURLNormalizer.newBuilder().build();
        try (DurableSieve frontier = DurableSieve.open(Path.of("crawl/frontier"), 1_000_000)) {
            SieveFrontier sieve = new SieveFrontier(frontier, config);
            PageFetcher fetcher = new PageFetcher(config, normalizer);
            RobotstxtServer robots = new RobotstxtServer(new RobotstxtConfig(), fetcher, sieve.getWebURLFactory());
            CrawlController controller = new CrawlController(config, normalizer, fetcher, robots, sieve);
            controller.addSeed(args[0]);
            CrawlController.WebCrawlerFactory<Main> crawlers = () -> new Main(args[0]);
            controller.start(crawlers, 4);
        }
    }
}
