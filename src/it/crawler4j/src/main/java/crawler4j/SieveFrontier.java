package crawler4j;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.frontier.DocIDServer;
import edu.uci.ics.crawler4j.frontier.Frontier;
import edu.uci.ics.crawler4j.frontier.FrontierConfiguration;
import edu.uci.ics.crawler4j.url.AbstractWebURL;
import edu.uci.ics.crawler4j.url.WebURL;
import edu.uci.ics.crawler4j.url.WebURLFactory;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The frontier of crawler4j on a Sieve frontier, in memory or on disk. It replaces the Berkeley DB or HSQLDB of crawler4j.
 *
 * <p>A page is done when its links were scheduled and {@code visit} has returned; until then a frontier on disk hands it out
 * again after a crash. crawler4j also reports pages as processed whose download failed: crawlers that extend {@link
 * SieveCrawler} tell them apart. Such a page stays in flight, until the frontier is opened again or its lease expires.
 *
 * <p>URLs are handed out first in, first out. Depth, parent and priority of a URL are kept, but the priority has no effect;
 * anchor, tag and attributes are not kept. The document id of a URL is its number in the frontier, plus 1. Document ids
 * cannot be chosen, so {@code addSeed} with an id, and {@code addSeenUrl}, are refused. {@code maxPagesToFetch} limits the
 * pages that are handed out; the rest remain in the frontier. The frontier belongs to the caller: close it after the crawl.
 */
public final class SieveFrontier implements FrontierConfiguration, Frontier, DocIDServer {
    private final dev.sieve.Frontier frontier;
    private final int maxPages;
    private long handedOut;
    private boolean isFinished;

    public SieveFrontier(dev.sieve.Frontier frontier, CrawlConfig config) {
        this.frontier = frontier;
        maxPages = config.getMaxPagesToFetch();
    }

    /** A URL with its lease. */
    private static final class LeasedUrl extends AbstractWebURL {
        private static final long serialVersionUID = 1;

        private transient Lease lease;
        private boolean isFailed;
    }

    // FrontierConfiguration

    @Override
    public Frontier getFrontier() {
        return this;
    }

    @Override
    public DocIDServer getDocIDServer() {
        return this;
    }

    @Override
    public WebURLFactory getWebURLFactory() {
        return LeasedUrl::new;
    }

    // Frontier

    @Override
    public void schedule(WebURL url) {
        scheduleAll(List.of(url));
    }

    /** Schedules the links of a page, which have the same depth and parent, in one batch. */
    @Override
    public void scheduleAll(List<WebURL> urls) {
        UrlBatch batch = new UrlBatch();
        WebURL first = null;
        for (WebURL url : urls) {
            if (first == null || !isAlike(url, first)) {
                frontier.pushAll(batch);
                batch.clear(url.getDepth(), 0, url.getParentUrl(), url.getPriority() & 0xFF);
                first = url;
            }
            batch.add(url.getURL());
        }
        frontier.pushAll(batch);
        synchronized (this) {
            notifyAll();
        }
    }

    private static boolean isAlike(WebURL a, WebURL b) {
        return a.getDepth() == b.getDepth()
                && a.getPriority() == b.getPriority()
                && Objects.equals(a.getParentUrl(), b.getParentUrl());
    }

    /** Waits until there is a URL, or the crawl is finished. */
    @Override
    public synchronized void getNextURLs(int max, List<WebURL> result) {
        try {
            while (!isFinished()) {
                long now = System.nanoTime();
                for (Lease lease; result.size() < max && !isFinished() && (lease = frontier.take(now)) != null; ) {
                    result.add(url(lease));
                    handedOut++;
                }
                if (!result.isEmpty()) {
                    return;
                }
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, frontier.waitNanos(now)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static LeasedUrl url(Lease lease) {
        LeasedUrl url = new LeasedUrl();
        url.setURL(lease.url());
        url.setDocid((int) (lease.id() + 1));
        url.setDepth((short) lease.depth());
        url.setParentUrl(lease.referrer());
        url.setPriority((byte) lease.label());
        url.lease = lease;
        return url;
    }

    @Override
    public void setProcessed(WebURL url) {
        LeasedUrl leased = (LeasedUrl) url;
        if (leased.isFailed) {
            frontier.leave(leased.lease);
        } else {
            frontier.done(leased.lease);
        }
    }

    /** Notes that a URL could not be fetched. */
    static void setFailed(WebURL url) {
        ((LeasedUrl) url).isFailed = true;
    }

    /** The controller ends the crawl when this is 0. */
    @Override
    public long getQueueLength() {
        return isFinished() ? 0 : frontier.pending();
    }

    @Override
    public long getNumberOfAssignedPages() {
        return frontier.inFlight();
    }

    @Override
    public long getNumberOfProcessedPages() {
        return frontier.stats().done();
    }

    @Override
    public long getNumberOfScheduledPages() {
        return frontier.stats().accepted();
    }

    @Override
    public synchronized boolean isFinished() {
        return isFinished || maxPages > 0 && handedOut >= maxPages;
    }

    @Override
    public synchronized void finish() {
        isFinished = true;
        notifyAll();
    }

    /** Does nothing: the frontier belongs to the caller. */
    @Override
    public void close() {}

    // DocIDServer: what was seen is decided by the frontier, when a URL is scheduled

    @Override
    public int getDocId(String url) {
        return -1;
    }

    @Override
    public boolean isSeenBefore(String url) {
        return false;
    }

    @Override
    public int getNewDocID(String url) {
        return -1;
    }

    @Override
    public void addUrlAndDocId(String url, int docId) {
        throw new UnsupportedOperationException("document ids cannot be chosen: " + docId + " for " + url);
    }

    @Override
    public int getDocCount() {
        return (int) Math.min(Integer.MAX_VALUE, frontier.stats().accepted());
    }
}
