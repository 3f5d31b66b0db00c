package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small site on loopback: what it answers at each path is said in a line, and it remembers what it was asked for.
 * {@code HostileServer} is for responses that break the rules of HTTP.
 */
public final class Site implements AutoCloseable {
    private static final String HTML = "text/html; charset=utf-8";

    private final String host;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "site");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Handler> answers = new ConcurrentHashMap<>();
    private volatile Handler otherwise = request -> status(404);
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final PolitenessJudge judge = new PolitenessJudge(Duration.ZERO);
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();

    /** Answers a request; null closes its connection without a response. */
    @FunctionalInterface
    public interface Handler {
        @Nullable
        Reply reply(HttpExchange request) throws IOException, InterruptedException;
    }

    /** A response. With an ETag, it is 304 for who names that tag. */
    public static final class Reply {
        private final int status;
        private final Headers fields = new Headers();
        private byte[] body = {};
        private int missing;

        private Reply(int status) {
            this.status = status;
        }

        /** Adds a field; a type replaces the one before. */
        public Reply field(String name, String value) {
            if (name.equals("Content-Type")) {
                fields.remove(name);
            }
            fields.add(name, value);
            return this;
        }

        public Reply body(byte[] bytes) {
            body = bytes;
            return this;
        }

        public Reply body(String text) {
            return body(text.getBytes(UTF_8));
        }

        /** Announces more bytes than are sent. */
        public Reply without(int bytes) {
            missing = bytes;
            return this;
        }

        private void send(HttpExchange to) throws IOException {
            String tag = fields.getFirst("ETag");
            boolean isSame = tag != null && tag.equals(to.getRequestHeaders().getFirst("If-None-Match"));
            to.getResponseHeaders().putAll(fields);
            boolean hasBody =
                    !isSame && body.length > 0 && !to.getRequestMethod().equals("HEAD");
            to.sendResponseHeaders(isSame ? 304 : status, hasBody ? body.length + missing : -1);
            if (hasBody) {
                to.getResponseBody().write(body);
            }
        }
    }

    /** Starts a site without pages. */
    public Site() {
        this("localhost");
    }

    /** Starts one with a host name or an address of loopback. */
    public Site(String host) {
        this.host = host;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), 0), 200);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    private void serve(HttpExchange request) throws IOException {
        String target = request.getRequestURI().toString();
        mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        try (request) {
            judge.arrived("", System.nanoTime());
            requests.add(target);
            Reply reply;
            try {
                reply = answers.getOrDefault(target, otherwise).reply(request);
            } finally {
                underWay.decrementAndGet();
            }
            if (reply != null) {
                StringBuilder head = new StringBuilder("HTTP/1.1 " + reply.status + "\n");
                reply.fields.forEach((name, values) -> head.append(name + ": " + values.get(0) + "\n"));
                boolean isRobots = target.equals("/robots.txt");
                judge.answered("", head.toString(), isRobots ? new String(reply.body, ISO_8859_1) : "");
                reply.send(request);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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

    public static Reply status(int status) {
        return new Reply(status);
    }

    /** Content of a type. */
    public static Reply ok(String type, String text) {
        return status(200).field("Content-Type", type).body(text);
    }

    /** HTML with links. */
    public static String links(String... targets) {
        StringBuilder html = new StringBuilder();
        for (String target : targets) {
            String escaped = target.replace("&", "&amp;").replace("\"", "&quot;");
            html.append("<a href=\"").append(escaped).append("\">x</a>");
        }
        return html.toString();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url(String path) {
        return "http://" + host + ":" + port() + path;
    }

    /** Sets what is answered at a path with its query. */
    public Site answer(String path, Handler answer) {
        answers.put(path, answer);
        return this;
    }

    public Site answer(String path, Supplier<Reply> answer) {
        return answer(path, request -> answer.get());
    }

    public Site answer(String path, Reply reply) {
        return answer(path, request -> reply);
    }

    /** Sets what is answered at all other paths; 404 if this is not called. */
    public Site otherwise(Handler answer) {
        otherwise = answer;
        return this;
    }

    /** Removes what is at a path. */
    public void remove(String path) {
        answers.remove(path);
    }

    public Site html(String path, String html) {
        return answer(path, ok(HTML, html));
    }

    /** A page with an ETag, which is not modified as long as its content is the same. */
    public static Reply tagged(String html) {
        return ok(HTML, html).field("ETag", "\"" + Integer.toHexString(html.hashCode()) + "\"");
    }

    public Site tagged(String path, String html) {
        return answer(path, tagged(html));
    }

    /** A page that links to others. */
    public Site page(String path, String... links) {
        return html(path, "<title>" + path + "</title>" + links(links));
    }

    public Site redirect(String path, String target) {
        return answer(path, status(302).field("Location", target));
    }

    public Site robots(String text) {
        return answer("/robots.txt", status(200).body(text));
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
        server.stop(0);
        threads.shutdownNow();
    }
}
