package webmagic;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.serializer.PropertyFilter;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Request;
import us.codecraft.webmagic.SpiderListener;
import us.codecraft.webmagic.Task;
import us.codecraft.webmagic.downloader.Downloader;
import us.codecraft.webmagic.scheduler.MonitorableScheduler;

/**
 * A WebMagic scheduler that keeps its requests in a Sieve frontier, in memory or on disk.
 *
 * <p>WebMagic takes a request from its scheduler before it works on it, and reports the end of the work to listeners only.
 * So this class is both: a request is done when its page was processed and the links of the page were pushed. Until then
 * it is in flight, and a frontier on disk hands it out again after a crash. WebMagic reports a download that failed as a
 * success, too; {@link #watch} detects it.
 *
 * <p>A request whose download failed, or whose page could not be processed, stays in flight: it is handed out again when
 * the frontier is opened again, or when its lease expires. With {@code Site.setCycleRetryTimes} WebMagic repeats a failed
 * download at once.
 *
 * <p>Requests with the same method, URL and body are duplicates, also POST requests, which WebMagic sends as often as they
 * are found. A request with the extra {@link Request#CYCLE_TRIED_TIMES} is not a duplicate, as in WebMagic. Requests are
 * handed out first in, first out; their priority has no effect. What a request has besides its URL is stored as JSON.
 *
 * <p>WebMagic passes no page to a scheduler, so URLs have the depth 0 and no referrer. The frontier belongs to the caller:
 * close it when the spider has ended.
 */
public final class SieveScheduler implements MonitorableScheduler, SpiderListener {
    /** The extra that holds the lease. WebMagic copies it with the request to repeat a download. */
    private static final String HELD = "sieve.held";

    /** The extra of a request whose download failed. */
    private static final String FAILED = "sieve.failed";

    /** The label of URLs. */
    private static final int URL = 0;

    /** The label of requests as JSON. */
    private static final int JSON_TEXT = 1;

    private static final PropertyFilter STORED = (owner, name, value) -> !isOwn(name);

    private final Frontier frontier;

    public SieveScheduler(Frontier frontier) {
        this.frontier = Objects.requireNonNull(frontier, "frontier");
    }

    @Override
    public void push(Request request, Task task) {
        String key = key(request);
        if (request.getExtra(Request.CYCLE_TRIED_TIMES) != null) {
            Held held = request.getExtra(HELD);
            if (held != null && held.key.equals(key)) {
                frontier.retry(held.lease(), System.nanoTime());
                return;
            }
            key += " " + UUID.randomUUID();
        }
        boolean isUrl = isUrl(request);
        UrlBatch batch = new UrlBatch(0, 0, null, isUrl ? URL : JSON_TEXT);
        batch.add(isUrl ? request.getUrl() : json(request), key);
        frontier.pushAll(batch);
    }

    @Override
    public Request poll(Task task) {
        Lease lease = frontier.take(System.nanoTime());
        if (lease == null) {
            return null;
        }
        Request request =
                lease.label() == JSON_TEXT ? JSON.parseObject(lease.url(), Request.class) : new Request(lease.url());
        if (lease.attempt() > 0) {
            request.putExtra(Request.CYCLE_TRIED_TIMES, lease.attempt());
        }
        return request.putExtra(HELD, Held.of(lease, key(request)));
    }

    @Override
    public void onSuccess(Request request) {
        if (request.getExtra(FAILED) != null) {
            leave(request);
            return;
        }
        Held held = request.getExtra(HELD);
        if (held != null) {
            frontier.done(held.lease());
        }
    }

    @Override
    public void onError(Request request, Exception e) {
        leave(request);
    }

    private void leave(Request request) {
        Held held = request.getExtra(HELD);
        if (held != null) {
            frontier.leave(held.lease());
        }
    }

    /** Returns a downloader that marks requests whose download failed, so that they are not done. */
    public Downloader watch(Downloader downloader) {
        return new Downloader() {
            @Override
            public Page download(Request request, Task task) {
                Page page = downloader.download(request, task);
                if (!page.isDownloadSuccess()) {
                    request.putExtra(FAILED, true);
                }
                return page;
            }

            @Override
            public void setThread(int threads) {
                downloader.setThread(threads);
            }
        };
    }

    @Override
    public int getLeftRequestsCount(Task task) {
        return (int) Math.min(Integer.MAX_VALUE, frontier.pending());
    }

    @Override
    public int getTotalRequestsCount(Task task) {
        return (int) Math.min(Integer.MAX_VALUE, frontier.stats().accepted());
    }

    private static String key(Request request) {
        String method = request.getMethod();
        String key = method == null || method.equalsIgnoreCase("GET")
                ? request.getUrl()
                : method.toUpperCase(Locale.ROOT) + " " + request.getUrl();
        boolean hasBody =
                request.getRequestBody() != null && request.getRequestBody().getBody() != null;
        return hasBody ? key + " " + new String(request.getRequestBody().getBody(), ISO_8859_1) : key;
    }

    private static boolean isUrl(Request request) {
        Map<String, Object> extras = request.getExtras();
        return request.getMethod() == null
                && request.getRequestBody() == null
                && request.getDownloader() == null
                && request.getCharset() == null
                && request.getPriority() == 0
                && !request.isBinaryContent()
                && request.getHeaders().isEmpty()
                && request.getCookies().isEmpty()
                && (extras == null || extras.keySet().stream().allMatch(SieveScheduler::isOwn));
    }

    private static String json(Request request) {
        if (request.getDownloader() != null) {
            throw new IllegalArgumentException("the downloader of a request cannot be stored: " + request);
        }
        return JSON.toJSONString(request, STORED);
    }

    private static boolean isOwn(String extra) {
        return extra.equals(HELD) || extra.equals(FAILED);
    }

    private record Held(
            String key, long id, String url, int depth, int redirects, String referrer, int label, int attempt)
            implements Serializable {
        static Held of(Lease it, String key) {
            return new Held(
                    key, it.id(), it.url(), it.depth(), it.redirects(), it.referrer(), it.label(), it.attempt());
        }

        Lease lease() {
            return new Lease(id, url, depth, redirects, referrer, label, attempt);
        }
    }
}
