package dev.sieve.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.sieve.demo.SiteMap.Place;
import dev.sieve.demo.SiteMap.What;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Responds to the requests to a demo web and records them. A request is recorded before its response is sent, so a
 * client that has the response finds the request. Safe for use by many threads.
 */
final class Handler implements HttpHandler {
    private final SiteMap map;
    private final int pageBytes;
    private final String rules;
    private final Timing timing;
    private final int recorded;
    private final Consumer<DemoRequest> onRequest;
    private final ArrayDeque<DemoRequest> latest = new ArrayDeque<>();
    private long count;

    /** Creates a handler that keeps so many of the latest requests, and passes each on. */
    Handler(SiteMap map, int pageBytes, String rules, Timing timing, int recorded, Consumer<DemoRequest> onRequest) {
        this.map = map;
        this.pageBytes = pageBytes;
        this.rules = rules;
        this.timing = timing;
        this.recorded = recorded;
        this.onRequest = onRequest;
    }

    /** What runs a task when an ordinary response, or a slow page, may be sent, without blocking a thread until then. */
    record Timing(Executor ordinary, Executor slow) {}

    /** A request and the place it leads to; host and place are null if they do not exist. */
    private record Request(
            long startNanos,
            String hostName,
            @Nullable Integer host,
            String raw,
            String target,
            @Nullable Place place) {}

    @Override
    public void handle(HttpExchange exchange) {
        Request request = request(exchange);
        Place place = request.place();
        boolean isSlow = place != null && place.what() == What.PAGE && map.isSlow(place.page());
        (isSlow ? timing.slow() : timing.ordinary()).execute(() -> sendLater(exchange, request));
    }

    private Request request(HttpExchange exchange) {
        long startNanos = System.nanoTime();
        String path = exchange.getRequestURI().getRawPath();
        String query = exchange.getRequestURI().getRawQuery();
        String raw = query == null ? path : path + "?" + query;
        String target = normalized(query == null || query.isEmpty() ? path : raw);
        String header = exchange.getRequestHeaders().getFirst("Host");
        String hostName = (header == null ? "" : header.toLowerCase(Locale.ROOT))
                .replaceFirst(":[0-9]*$", "")
                .replaceAll("[^!-~]", "?");
        Integer host = map.hosts().find(hostName);
        return new Request(startNanos, hostName, host, raw, target, host == null ? null : map.find(host, target));
    }

    /** Removes unnecessary escapes and writes the others in upper case. */
    private static String normalized(String target) {
        return target.startsWith("/") ? UrlParts.pathAndQuery(UrlNormalizer.key("http://demo" + target)) : target;
    }

    private void sendLater(HttpExchange exchange, Request request) {
        try {
            send(exchange, request);
        } catch (IOException e) {
            exchange.close();
        }
    }

    private void send(HttpExchange exchange, Request request) throws IOException {
        String method = exchange.getRequestMethod();
        boolean isHead = method.equals("HEAD");
        Response response = isHead || method.equals("GET")
                ? response(request)
                : Response.text(405, "only GET and HEAD, not " + method + "\n");
        record(request, response.status());
        exchange.getResponseHeaders().set("Content-Type", response.type());
        if (response.location() != null) {
            exchange.getResponseHeaders().set("Location", response.location());
        }
        exchange.sendResponseHeaders(response.status(), isHead ? -1 : response.body().length);
        try (OutputStream body = exchange.getResponseBody()) {
            if (!isHead) {
                body.write(response.body());
            }
        }
    }

    private synchronized void record(Request request, int status) {
        String url = "http://" + request.hostName() + ":" + map.port() + request.target();
        count++;
        DemoRequest recording = new DemoRequest(
                request.startNanos(), System.nanoTime(), request.hostName(), request.raw(), status, url);
        onRequest.accept(recording);
        latest.add(recording);
        if (latest.size() > recorded) {
            latest.remove();
        }
    }

    synchronized List<DemoRequest> latest() {
        return List.copyOf(latest);
    }

    synchronized long count() {
        return count;
    }

    private Response response(Request request) {
        if (request.host() == null) {
            return Response.text(421, unknownHost(request.hostName()));
        }
        if (request.target().equals("/robots.txt") && map.hasRules(request.host())) {
            return Response.text(200, request.host() % 3 == 0 ? rules.replace("\n", "\r\n") : rules);
        }
        Place place = request.place();
        if (place == null) {
            return Response.html(404, "<title>Not found</title><p>This page does not exist.\n");
        }
        return switch (place.what()) {
            case PAGE -> PageWriter.of(map, place.page(), pageBytes);
            case PRIVATE -> Response.html(200, "<title>Private</title><p>robots.txt disallows this.\n");
            case MISSING -> Response.html(404, "<title>Gone</title><p>This page was never here.\n");
            case HOP, LOOP, LEAK -> redirect(place);
        };
    }

    private String unknownHost(String hostName) {
        String start = map.url(map.place(0));
        return "No such host: " + hostName + "\nThe hosts of this web are under .test; its first page is " + start
                + "\nUse this server as HTTP proxy to see them:\n  curl --proxy http://127.0.0.1:" + map.port() + " "
                + start + "\n";
    }

    private Response redirect(Place place) {
        Place next = Objects.requireNonNull(map.next(place));
        boolean isRelative = map.host(next) == map.host(place) && place.page() % 2 == 0;
        String location = (isRelative ? map.target(next) : map.url(next)) + (place.page() % 5 == 0 ? "#top" : "");
        String html = "<title>Moved</title><p><a href=\"" + location.replace("&", "&amp;") + "\">here</a>\n";
        return Response.redirect(map.status(place), html, location);
    }
}
