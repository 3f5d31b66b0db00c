package webmagic;

import dev.sieve.Frontier;
import java.util.List;
import us.codecraft.webmagic.Spider;
import us.codecraft.webmagic.downloader.Downloader;
import us.codecraft.webmagic.processor.PageProcessor;

/** How a spider gets its scheduler. */
public final class Crawl {
    private Crawl() {}

    /** Returns a spider that keeps its requests in a frontier. */
    public static Spider spider(PageProcessor pages, Downloader downloader, Frontier frontier) {
        SieveScheduler scheduler = new SieveScheduler(frontier);
        return Spider.create(pages)
                .setScheduler(scheduler)
                .setSpiderListeners(List.of(scheduler))
                .setDownloader(scheduler.watch(downloader));
    }
}
