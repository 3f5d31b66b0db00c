package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A site on loopback whose pages have scripts. It remembers what it was asked for. */
public final class ScriptedSite implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-site");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Reply> replies = new ConcurrentHashMap<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Map<String, Map<String, String>> fields = new ConcurrentHashMap<>();
    private final Queue<String> cookies = new ConcurrentLinkedQueue<>();
    private final Queue<String> secrets = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What is answered at a path; null for nothing, until the site is closed. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Reply(int status, String type, byte[] body, Map<String, String> headers) {}

    public ScriptedSite() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        requests.add(exchange.getRequestMethod() + " " + path);
        if (exchange.getRequestHeaders().containsKey("X-Secret")) {
            secrets.add(path);
        }
        cookies.add(path + " " + exchange.getRequestHeaders().getFirst("Cookie"));
        Map<String, String> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        exchange.getRequestHeaders().forEach((name, values) -> sent.put(name, String.join(", ", values)));
        fields.put(path, sent);
        Reply reply = replies.getOrDefault(path, new Reply(404, "text/plain", new byte[0], Map.of()));
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            if (reply.type == null) {
                closed.await();
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", reply.type);
            reply.headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(reply.status, reply.body.length == 0 ? -1 : reply.body.length);
            exchange.getResponseBody().write(reply.body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public ScriptedSite on(String path, String type, String body, String... header) {
        Map<String, String> headers = header.length == 0 ? Map.of() : Map.of(header[0], header[1]);
        replies.put(path, new Reply(200, type, body.getBytes(UTF_8), headers));
        return this;
    }

    /** A page without content but for what its script makes. */
    public ScriptedSite page(String path, String script) {
        return on(
                path,
                "text/html; charset=utf-8",
                "<!DOCTYPE html><title>t</title><div id=app></div><script>" + script + "</script>");
    }

    public ScriptedSite redirect(String path, String target) {
        replies.put(path, new Reply(302, "text/plain", new byte[0], Map.of("Location", target)));
        return this;
    }

    /** Bytes with any status. */
    public ScriptedSite bytes(String path, int status, String type, byte[] body, String... header) {
        Map<String, String> headers = header.length == 0 ? Map.of() : Map.of(header[0], header[1]);
        replies.put(path, new Reply(status, type, body, headers));
        return this;
    }

    /** A path where no response comes. */
    public ScriptedSite silent(String path) {
        replies.put(path, new Reply(0, null, new byte[0], Map.of()));
        return this;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    /** The paths and cookies of all requests so far. */
    public List<String> cookies() {
        return List.copyOf(cookies);
    }

    /** The paths of all requests so far with the header field X-Secret. */
    public List<String> secrets() {
        return List.copyOf(secrets);
    }

    /** The header fields of the last request for a path. */
    public Map<String, String> fields(String path) {
        return fields.get(path);
    }

    /** The methods and paths of all requests so far. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
