package dev.sieve.crawl;

import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okio.Buffer;

/** A small site on loopback: what it answers at each path is said in a line, and it remembers what it was asked for. */
public final class Site implements AutoCloseable {
    private final MockWebServer server = new MockWebServer();
    private final Map<String, Supplier<MockResponse>> answers = new ConcurrentHashMap<>();
    private final Map<String, String> tags = new ConcurrentHashMap<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final PolitenessJudge judge = new PolitenessJudge(Duration.ZERO);
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();

    /** Starts a site without pages. */
    public Site() {
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                try {
                    judge.arrived("", System.nanoTime());
                    requests.add(request.getTarget());
                    String tag = request.getHeaders().get("If-None-Match");
                    if (tag != null && tag.equals(tags.get(request.getTarget()))) {
                        return judged(request.getTarget(), status(304));
                    }
                    Supplier<MockResponse> answer = answers.get(request.getTarget());
                    return judged(request.getTarget(), answer == null ? status(404) : answer.get());
                } finally {
                    underWay.decrementAndGet();
                }
            }
        });
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private MockResponse judged(String path, MockResponse answer) {
        Buffer body = new Buffer();
        try {
            if (path.equals("/robots.txt") && answer.getBody() != null) {
                answer.getBody().writeTo(body);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        judge.answered("", answer.getStatus() + "\n" + answer.getHeaders(), body.readUtf8());
        return answer;
    }

    /** Fails the test if one of the next requests, for which a crawl has URLs from now on, comes more than 20 seconds late. */
    public Site expectsWithoutPause(int requests) {
        for (int i = 0; i < requests; i++) {
            judge.queued("", System.nanoTime(), Duration.ofSeconds(20));
        }
        return this;
    }

    /** Options for a crawl of such sites without delays. */
    public static CrawlOptions fast() {
        return new CrawlOptions().delay(Duration.ZERO).perHost(8).concurrency(8).allowPrivate("127.0.0.0/8");
    }

    public static MockResponse status(int status) {
        return new MockResponse.Builder().code(status).build();
    }

    public String url(String path) {
        return "http://" + server.getHostName() + ":" + server.getPort() + path;
    }

    public Site answer(String path, Supplier<MockResponse> answer) {
        answers.put(path, answer);
        tags.remove(path);
        return this;
    }

    public Site html(String path, String html) {
        return answer(
                path,
                () -> new MockResponse.Builder()
                        .addHeader("Content-Type", "text/html; charset=utf-8")
                        .body(html)
                        .build());
    }

    /** A page with an ETag, which is not modified as long as its content is the same. */
    public Site tagged(String path, String html) {
        String tag = "\"" + Integer.toHexString(html.hashCode()) + "\"";
        answer(
                path,
                () -> new MockResponse.Builder()
                        .addHeader("Content-Type", "text/html; charset=utf-8")
                        .addHeader("ETag", tag)
                        .body(html)
                        .build());
        tags.put(path, tag);
        return this;
    }

    /** A page that links to others. */
    public Site page(String path, String... links) {
        StringBuilder html = new StringBuilder("<title>" + path + "</title>");
        List.of(links).forEach(link -> html.append("<a href=\"").append(link).append("\">x</a>"));
        return html(path, html.toString());
    }

    public Site redirect(String path, String target) {
        return answer(
                path,
                () -> new MockResponse.Builder()
                        .code(302)
                        .addHeader("Location", target)
                        .build());
    }

    public Site robots(String text) {
        return answer("/robots.txt", () -> new MockResponse.Builder().body(text).build());
    }

    /** The paths that were asked for in their order, robots.txt aside. */
    public List<String> requests() {
        return requests.stream().filter(path -> !path.equals("/robots.txt")).toList();
    }

    public int mostUnderWay() {
        return mostUnderWay.get();
    }

    @Override
    public void close() {
        server.close();
    }
}
