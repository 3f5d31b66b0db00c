package crawler4j;

import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.crawler.WebCrawler;

/** A crawler that notes which pages could not be fetched or processed, so that they are not done. */
public class SieveCrawler extends WebCrawler {
    @Override
    protected void onContentFetchError(Page page, Exception e) {
        SieveFrontier.setFailed(page.getWebURL());
        super.onContentFetchError(page, e);
    }

    @Override
    protected void onUnhandledException(Page page, Throwable e) {
        SieveFrontier.setFailed(page.getWebURL());
        super.onUnhandledException(page, e);
    }
}
