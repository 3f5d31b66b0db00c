package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.net.IDN;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A host whose titles, URLs, link texts, redirects and header fields are written to break whatever shows them: markup,
 * scripts, quotes, control characters, changes of direction, invisible characters, formulas of spreadsheets, words of 8 KB.
 * A script that runs sets {@code window.injected}; an element that comes into being has the class {@code injected}.
 *
 * <p>Its first page links to all of its documents. The same host has an internationalized name. Its names are under {@code .test},
 * as those of a demo web, but its port is its own.
 */
public final class HostileHost implements AutoCloseable {
    private static final String NAME = "hostile.test";
    /** The name with a Cyrillic letter at the end. */
    private static final String UNICODE_NAME = "hostil\u0435.test";

    private static final String ASCII_NAME = IDN.toASCII(UNICODE_NAME);
    private static final String RULES =
            "User-agent: *\nDisallow: /private/\nCrawl-delay: <script>window.injected=1</script>\n";

    private static final String SCRIPT = "<script>window.injected=1</script>";
    private static final String IMAGE = "<img class=injected src=x onerror=\"window.injected=1\">";
    private static final String FORMULA = "=cmd|' /C calc'!A0";
    private static final int LONG = 8192;
    private static final String HTML = "text/html; charset=UTF-8";

    /** The header fields of all responses. */
    private static final Map<String, String> FIELDS = Map.of(
            "Server",
            SCRIPT,
            "X-Powered-By",
            "\"'\\</script>" + IMAGE + "\u0001\u001b[31m\u0085",
            "Set-Cookie",
            "<b class=injected>=" + FORMULA,
            "X-Long",
            "h".repeat(LONG));

    private static final String[] TITLES = {
        SCRIPT + "<b class=injected>bold</b>",
        "</title></textarea></style></script></noscript></td></table>" + IMAGE + "--><!--",
        "\" onmouseover=\"window.injected=1\" class='injected' x='`\\` ${window.injected=1} {{7*7}} %s%n",
        "&lt;b class=injected&gt; &amp; &#60;i class=injected&#62; ]]>",
        "bell\u0007 escape\u001b[31mred\u001b[0m backspace\b return\rtab\tnul\u0000 delete\u007f c1\u009b31m",
        "line\nseparator\u2028paragraph\u2029next\u0085end",
        "\u202egnp.exe\u202c \u2066isolated\u2069 \u200fmark \u061c",
        "zero\u200bwidth\u200d\u2060\ufeff soft\u00adhyphen tag\udb40\udc41 variant\ufe0f",
        "Z" + "\u0335\u0489".repeat(200),
        "W".repeat(LONG),
        "\u0627".repeat(LONG),
        FORMULA,
        "@SUM(1+1)*cmd",
        "+1+" + FORMULA,
        "-2+3",
        "\"=1+1\",\"x\"\"",
        "\ud83d\ude00 \ud835\udd38 \ufffd\uffff",
    };

    /** References as they are in the page, and the path and query that they mean. */
    private static final String[][] REFERENCES = {
        {"/" + SCRIPT + ".html", "/%3Cscript%3Ewindow.injected=1%3C/script%3E.html"},
        {"/\"onmouseover=\"window.injected=1.html", "/%22onmouseover=%22window.injected=1.html"},
        {"/'onmouseover='window.injected=1;.html", "/'onmouseover='window.injected=1;.html"},
        {"/back\\slash.html", "/back/slash.html"},
        {"/new\nline\ttab.html", "/newlinetab.html"},
        {"/a%00b%0D%0ASet-Cookie:x=1.html", "/a%00b%0D%0ASet-Cookie:x=1.html"},
        {"/direction-\u202egnp.html", "/direction-%E2%80%AEgnp.html"},
        {"/zero\u200bwidth.html", "/zero%E2%80%8Bwidth.html"},
        {"/%ff%fe-not-utf-8.html", "/%FF%FE-not-utf-8.html"},
        {"/=cmd%7C'%20/C%20calc'!A0.html", "/=cmd%7C'%20/C%20calc'!A0.html"},
        {"/search?q=<b class=injected>&x='\"", "/search?q=%3Cb%20class=injected%3E&x=%27%22"},
        {"/" + "w".repeat(1800) + ".html", "/" + "w".repeat(1800) + ".html"},
    };

    private static final String[] TYPES = {
        "text/html; charset=\"" + SCRIPT + "\"",
        "\"><b class=injected>/" + IMAGE,
        FORMULA,
        "t/" + "t".repeat(LONG),
        "text/\u0001\u001b[31m\u0085plain; x=\"\\",
    };

    /** References that do not lead to a document, and one that is too long to be requested. */
    private static final List<String> DEAD_ENDS = List.of(
            "javascript:window.injected=1",
            "data:text/html," + SCRIPT,
            "http://" + SCRIPT + "/",
            "http://\u001b[31mred\u202e\u009b.test/",
            "http://exa mple.test/" + IMAGE,
            "http://hostile.test:99999/\"><b class=injected>",
            "http://[\"><b class=injected>]/",
            "x-cmd:" + FORMULA,
            "/" + "u".repeat(LONG));

    /**
     * A document.
     *
     * @param reference a reference to it, as it is in a page; empty if no page links to it
     * @param target its path and query in their normal spelling
     * @param title its title and the text of the link to it
     */
    private record Document(
            String host,
            String reference,
            String target,
            int status,
            String type,
            String title,
            @Nullable String location) {}

    private final HttpServer server;
    private final int port;
    private final Map<String, Document> documents = new LinkedHashMap<>();
    private final Map<String, Integer> requested = new ConcurrentHashMap<>();
    private final Document forbidden;

    /** Starts the server. */
    public HostileHost() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        port = server.getAddress().getPort();
        for (int i = 0; i < TITLES.length; i++) {
            add("/title-" + i + ".html", "/title-" + i + ".html", 200, HTML, TITLES[i], null);
        }
        for (String[] reference : REFERENCES) {
            add(reference[0], reference[1], 200, HTML, SCRIPT, null);
        }
        for (int i = 0; i < TYPES.length; i++) {
            add("/type-" + i, "/type-" + i, 200, TYPES[i], IMAGE, null);
        }
        add("/missing-<b class=injected>", "/missing-%3Cb%20class=injected%3E", 404, HTML, IMAGE, null);
        add("/moved", "/moved", 302, HTML, IMAGE, "/'\">" + SCRIPT);
        add("", "/'%22%3E%3Cscript%3Ewindow.injected=1%3C/script%3E", 404, HTML, IMAGE, null);
        add("/moved-to-script", "/moved-to-script", 302, HTML, IMAGE, "javascript:window.injected=1");
        String escaped = "http://%68ostile.test:" + port + "/escaped-host.html";
        add(escaped, "/escaped-host.html", 200, HTML, SCRIPT, null);
        String start = "http://" + UNICODE_NAME + ":" + port + "/";
        put(new Document(ASCII_NAME, start, "/", 200, HTML, SCRIPT, null));
        String secret = "/private/%22%3E%3Cb%20class=injected%3E.html";
        forbidden = new Document(NAME, "/private/\"><b class=injected>.html", secret, 200, HTML, SCRIPT, null);
        server.createContext("/", this::send);
        server.start();
    }

    private void send(HttpExchange exchange) throws IOException {
        String host = exchange.getRequestHeaders().getFirst("Host").replaceFirst(":[0-9]*$", "");
        String key = UrlNormalizer.key("http://" + host + ":" + port + exchange.getRequestURI());
        Response response = response(host, UrlParts.pathAndQuery(key));
        requested.put(key, response.status());
        FIELDS.forEach(exchange.getResponseHeaders()::set);
        exchange.getResponseHeaders().set("Content-Type", response.type());
        if (response.location() != null) {
            exchange.getResponseHeaders().set("Location", response.location());
        }
        try (exchange) {
            exchange.sendResponseHeaders(response.status(), response.body().length);
            exchange.getResponseBody().write(response.body());
        }
    }

    private void add(
            String reference, String target, int status, String type, String title, @Nullable String location) {
        put(new Document(NAME, reference, target, status, type, title, location));
    }

    private void put(Document document) {
        documents.put(document.host() + document.target(), document);
    }

    /** Returns the URL from which all documents can be reached. */
    public String start() {
        return "http://" + NAME + ":" + port + "/";
    }

    /** Returns the URLs of all that an obedient crawl requests, without robots.txt, each with its HTTP status. */
    public Map<String, Integer> documents() {
        Map<String, Integer> all = new LinkedHashMap<>();
        all.put(start(), 200);
        documents.values().forEach(each -> all.put(url(each), each.status()));
        return all;
    }

    /** Returns the URL that a crawl finds and robots.txt disallows. */
    String forbidden() {
        return url(forbidden);
    }

    /** Returns the URLs that were requested, robots.txt aside, each with the status of its latest response. */
    Map<String, Integer> requested() {
        Map<String, Integer> all = new LinkedHashMap<>(requested);
        all.remove(start() + "robots.txt");
        all.remove("http://" + ASCII_NAME + ":" + port + "/robots.txt");
        return all;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private String url(Document document) {
        return "http://" + document.host() + ":" + port + document.target();
    }

    private Response response(String host, String target) {
        if (host.equals(NAME) && target.equals("/")) {
            return index();
        }
        if (host.equals(NAME) && target.equals("/robots.txt")) {
            return Response.text(200, RULES);
        }
        Document document = documents.get(host + target);
        if (document == null) {
            return Response.html(404, "<title>Not found</title><p>This page does not exist.\n");
        }
        String html = "<!DOCTYPE html><title>" + text(document.title()) + "</title><p>" + text(document.title())
                + " <a href=\"/\">back</a>\n";
        return new Response(document.status(), document.type(), html.getBytes(UTF_8), document.location());
    }

    private Response index() {
        StringBuilder html = new StringBuilder("<!DOCTYPE html><title>" + text(SCRIPT) + "</title>\n");
        List<Document> linked = new ArrayList<>(documents.values());
        linked.add(forbidden);
        for (Document document : linked) {
            if (!document.reference().isEmpty()) {
                link(html, document.reference(), document.title());
            }
        }
        DEAD_ENDS.forEach(reference -> link(html, reference, SCRIPT));
        return Response.html(200, html.toString());
    }

    private static void link(StringBuilder html, String reference, String text) {
        html.append("<p><a href=\"")
                .append(text(reference))
                .append("\">")
                .append(text(text))
                .append("</a>\n");
    }

    private static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
