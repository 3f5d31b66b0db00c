package crawler4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A site of known pages on this machine. Each page links to four others that are linked nowhere else, in different
 * spellings, and to the first page; every tenth is behind a redirect. robots.txt disallows a folder that is linked, too.
 */
final class SmallSite implements AutoCloseable {
    private static final int LINKS = 4;

    private final int pages;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final Collection<String> requested = new ConcurrentLinkedQueue<>();

    SmallSite(int pages) throws IOException {
        this.pages = pages;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::respond);
        server.setExecutor(threads);
        server.start();
    }

    String start() {
        return "http://localhost:" + server.getAddress().getPort() + path(0);
    }

    /** Returns the paths that a crawl requests, without robots.txt. */
    Set<String> expected() {
        Set<String> paths = new TreeSet<>();
        for (int page = 0; page < pages; page++) {
            paths.add(path(page));
            paths.add(entry(page));
        }
        return paths;
    }

    /** Returns the paths that were requested so far, without robots.txt. */
    Collection<String> requested() {
        return requested;
    }

    private static String path(int page) {
        return "/pages/" + page + ".html";
    }

    private static String entry(int page) {
        return page % 10 == 9 ? "/moved/" + page + ".html" : path(page);
    }

    private void respond(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        if (path.equals("/robots.txt")) {
            send(exchange, 200, "text/plain", "User-agent: *\nDisallow: /private/\n");
            return;
        }
        requested.add(path);
        if (path.startsWith("/moved/")) {
            exchange.getResponseHeaders().set("Location", path.replace("/moved/", "/pages/"));
            send(exchange, 301, "text/html", "");
        } else if (path.startsWith("/pages/")) {
            send(exchange, 200, "text/html", html(Integer.parseInt(path.replaceAll("\\D", ""))));
        } else {
            send(exchange, 404, "text/html", "");
        }
    }

    private String html(int page) {
        StringBuilder html = new StringBuilder("<!DOCTYPE html><title>" + page + "</title>");
        html.append("<a href='0.html#top'>first</a> <a href='/private/")
                .append(page)
                .append("'>private</a>");
        for (int link = LINKS * page + 1; link <= LINKS * page + LINKS && link < pages; link++) {
            String path = entry(link);
            String spelling = switch (link % LINKS) {
                case 0 -> ".." + path;
                case 1 -> path + "#part-2";
                case 2 -> start().replace(path(0), path);
                default -> path.replace("/pages/", "./").replace("/moved/", "../x/../moved/");
            };
            html.append("<p><a href='" + spelling + "'>" + link + "</a> <a href='" + path + "'>again</a></p>");
        }
        return html.toString();
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
