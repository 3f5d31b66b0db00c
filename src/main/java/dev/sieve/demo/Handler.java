package dev.sieve.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.sieve.demo.SiteMap.Place;
import dev.sieve.demo.SiteMap.What;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.concurrent.Executor;

/**
 * Answers the requests to a demo web. A request stands in the log before its answer is sent, so that whoever has the
 * answer finds the request there. Safe for use by many threads.
 */
final class Handler implements HttpHandler {
    private final SiteMap map;
    private final int pageBytes;
    private final String rules;
    private final Executor later;
    private final RequestLog log;

    /**
     * @param rules the robots.txt of the hosts that have one
     * @param later runs a task when a slow page may be sent, and lets no thread wait until then
     */
    Handler(SiteMap map, int pageBytes, String rules, Executor later, RequestLog log) {
        this.map = map;
        this.pageBytes = pageBytes;
        this.rules = rules;
        this.later = later;
        this.log = log;
    }

    /** A request and what it is after: a place, robots.txt or neither. */
    private record Asked(long startNanos, String hostName, Integer host, String raw, String target, Place place) {}

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        Asked asked = asked(exchange);
        Place place = asked.place();
        if (place != null && place.what() == What.PAGE && map.isSlow(place.page())) {
            later.execute(() -> sendLater(exchange, asked));
        } else {
            send(exchange, asked);
        }
    }

    private Asked asked(HttpExchange exchange) {
        long startNanos = System.nanoTime();
        String path = exchange.getRequestURI().getRawPath();
        String query = exchange.getRequestURI().getRawQuery();
        String raw = query == null ? path : path + "?" + query;
        String target = oneSpelling(query == null || query.isEmpty() ? path : raw);
        String hostName = hostName(exchange.getRequestHeaders().getFirst("Host"));
        Integer host = map.hosts().find(hostName);
        return new Asked(startNanos, hostName, host, raw, target, host == null ? null : map.find(host, target));
    }

    private static String hostName(String header) {
        String host = header == null ? "" : header.toLowerCase(Locale.ROOT);
        return host.replaceFirst(":[0-9]*$", "").replaceAll("[^!-~]", "?");
    }

    /** The same spelling for equivalent targets: escapes only where they are necessary, in upper case. */
    private static String oneSpelling(String target) {
        return target.startsWith("/") ? UrlParts.pathAndQuery(UrlNormalizer.key("http://demo" + target)) : target;
    }

    private void sendLater(HttpExchange exchange, Asked asked) {
        try {
            send(exchange, asked);
        } catch (IOException e) {
            exchange.close();
        }
    }

    private void send(HttpExchange exchange, Asked asked) throws IOException {
        String method = exchange.getRequestMethod();
        boolean head = method.equals("HEAD");
        Response answer = head || method.equals("GET")
                ? answer(asked)
                : Response.text(405, "only GET and HEAD, not " + method + "\n");
        String url = "http://" + asked.hostName() + ":" + map.port() + asked.target();
        log.add(new DemoWeb.Request(
                asked.startNanos(), System.nanoTime(), asked.hostName(), asked.raw(), answer.status(), url));
        exchange.getResponseHeaders().set("Content-Type", answer.type());
        if (answer.location() != null) {
            exchange.getResponseHeaders().set("Location", answer.location());
        }
        exchange.sendResponseHeaders(answer.status(), head ? -1 : answer.body().length);
        try (OutputStream body = exchange.getResponseBody()) {
            if (!head) {
                body.write(answer.body());
            }
        }
    }

    private Response answer(Asked asked) {
        if (asked.host() == null) {
            return Response.text(421, strayed(asked.hostName()));
        }
        if (asked.target().equals("/robots.txt") && map.hasRules(asked.host())) {
            return Response.text(200, asked.host() % 3 == 0 ? rules.replace("\n", "\r\n") : rules);
        }
        Place place = asked.place();
        if (place == null) {
            return Response.html(404, "<title>Not found</title><p>There is no such page.\n");
        }
        return switch (place.what()) {
            case PAGE -> PageWriter.of(map, place.page(), pageBytes);
            case PRIVATE -> Response.html(200, "<title>Private</title><p>robots.txt disallows this.\n");
            case MISSING -> Response.html(404, "<title>Gone</title><p>This page was never here.\n");
            case HOP, LOOP, LEAK -> redirect(place);
        };
    }

    private String strayed(String hostName) {
        return "No such host: " + hostName + "\nThe hosts of this web are under .test; its first page is "
                + map.url(map.place(0))
                + "\nUse this server as HTTP proxy to see them:\n  curl --proxy http://127.0.0.1:"
                + map.port() + " " + map.url(map.place(0)) + "\n";
    }

    private Response redirect(Place place) {
        Place next = map.next(place);
        boolean near = map.host(next) == map.host(place) && place.page() % 2 == 0;
        String location = near ? map.target(next) : map.url(next);
        return Response.redirect(map.status(place), place.page() % 5 == 0 ? location + "#top" : location);
    }
}
