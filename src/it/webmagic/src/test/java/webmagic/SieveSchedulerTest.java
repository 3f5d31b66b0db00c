package webmagic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Request;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.Task;
import us.codecraft.webmagic.downloader.Downloader;
import us.codecraft.webmagic.downloader.HttpClientDownloader;
import us.codecraft.webmagic.model.HttpRequestBody;
import us.codecraft.webmagic.processor.PageProcessor;
import us.codecraft.webmagic.selector.PlainText;

@Timeout(60)
class SieveSchedulerTest {
    private static final String URL = "https://example.org/a b?q=ä";

    private final Sieve frontier = new Sieve(1000);
    private final SieveScheduler scheduler = new SieveScheduler(frontier);

    private static Request post(String body) {
        Request request = new Request(URL).setMethod("POST");
        request.setRequestBody(HttpRequestBody.json(body, "UTF-8"));
        return request;
    }

    @Test
    void handsOutARequestOnceAndInOrder() {
        scheduler.push(new Request(URL), null);
        scheduler.push(new Request("https://example.org/2"), null);
        scheduler.push(new Request(URL), null);
        assertEquals(2, scheduler.getLeftRequestsCount(null));

        assertEquals(URL, scheduler.poll(null).getUrl());
        assertEquals("https://example.org/2", scheduler.poll(null).getUrl());
        assertNull(scheduler.poll(null));
        assertEquals(0, scheduler.getLeftRequestsCount(null));
        assertEquals(2, scheduler.getTotalRequestsCount(null));
        assertEquals(2, frontier.inFlight());
    }

    @Test
    void keepsAllOfARequestOnDisk(@TempDir Path folder) throws IOException {
        Request request = post("{\"page\": 1}")
                .addHeader("Accept", "text/html")
                .addCookie("id", "7")
                .setCharset("GBK")
                .setPriority(5)
                .setBinaryContent(true)
                .putExtra("level", 3)
                .putExtra("tags", List.of("x", "y"));
        try (DurableSieve disk = DurableSieve.open(folder, 1000)) {
            new SieveScheduler(disk).push(request, null);
            new SieveScheduler(disk).poll(null);
        }
        try (DurableSieve disk = DurableSieve.open(folder, 1000)) {
            Request again = new SieveScheduler(disk).poll(null);

            assertEquals(request, again);
            assertArrayEquals(
                    request.getRequestBody().getBody(), again.getRequestBody().getBody());
            assertEquals(
                    request.getRequestBody().getContentType(),
                    again.getRequestBody().getContentType());
            assertEquals(Map.of("Accept", "text/html"), again.getHeaders());
            assertEquals(Map.of("id", "7"), again.getCookies());
            assertEquals("GBK", again.getCharset());
            assertEquals(5, again.getPriority());
            assertEquals(true, again.isBinaryContent());
            assertEquals((Integer) 3, again.getExtra("level"));
            assertEquals(List.of("x", "y"), again.getExtra("tags"));
        }
    }

    @Test
    void methodAndBodyMakeADifference() {
        scheduler.push(new Request(URL), null);
        scheduler.push(new Request(URL).setMethod("get"), null);
        scheduler.push(post("1"), null);
        scheduler.push(post("2"), null);
        scheduler.push(post("1"), null);

        assertEquals(3, scheduler.getTotalRequestsCount(null));
    }

    @Test
    void aRequestThatIsToBeRepeatedIsNoDuplicate() {
        scheduler.push(new Request(URL), null);
        scheduler.push(new Request(URL).putExtra(Request.CYCLE_TRIED_TIMES, 1), null);

        assertEquals(2, scheduler.getTotalRequestsCount(null));
    }

    @Test
    void aDownloaderCannotBeStored() {
        Request request = new Request(URL);
        request.setDownloader(new HttpClientDownloader());

        assertThrows(IllegalArgumentException.class, () -> scheduler.push(request, null));
    }

    /** Processes pages of a site whose downloads fail a number of times. */
    private void crawl(int failures, int cycleRetryTimes, boolean processes) {
        AtomicInteger left = new AtomicInteger(failures);
        Downloader downloader = new Downloader() {
            @Override
            public Page download(Request request, Task task) {
                if (left.getAndDecrement() > 0) {
                    return Page.fail(request);
                }
                Page page = Page.ofSuccess(request);
                page.setRawText("text").setUrl(new PlainText(request.getUrl()));
                page.setStatusCode(200);
                return page;
            }

            @Override
            public void setThread(int threads) {}
        };
        PageProcessor pages = new PageProcessor() {
            @Override
            public void process(Page page) {
                if (!processes) {
                    throw new IllegalStateException("a page that cannot be processed");
                }
                page.setSkip(true);
            }

            @Override
            public Site getSite() {
                return Site.me().setSleepTime(0).setRetrySleepTime(0).setCycleRetryTimes(cycleRetryTimes);
            }
        };
        Crawl.spider(pages, downloader, frontier)
                .addUrl(URL)
                .setEmptySleepTime(100)
                .run();
    }

    private void assertCounts(long done, long inFlight) {
        assertEquals(done, frontier.stats().done());
        assertEquals(inFlight, frontier.inFlight());
        assertEquals(0, frontier.pending());
        assertEquals(1, frontier.stats().accepted());
    }

    @Test
    void aPageThatWasProcessedIsDone() {
        crawl(0, 0, true);
        assertCounts(1, 0);
    }

    @Test
    void aPageThatCannotBeProcessedIsNotDone() {
        crawl(0, 0, false);
        assertCounts(0, 1);
    }

    @Test
    void aDownloadThatFailedIsNotDone() {
        crawl(1, 0, true);
        assertCounts(0, 1);
    }

    @Test
    void aDownloadIsRepeatedAsOftenAsTheSiteAllows() {
        crawl(2, 3, true);
        assertCounts(1, 0);
    }

    @Test
    void aDownloadIsNotRepeatedMoreOften() {
        crawl(3, 3, true);
        assertCounts(0, 1);
    }
}
