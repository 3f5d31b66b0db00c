package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.IDN;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** A crawl that shares no code with the crawler: JDK connections through the web as their proxy, and java.net.URI. */
final class PlainCrawl {
    private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})");
    private static final Pattern CHARSET = Pattern.compile("charset=([\\w-]+)");

    /** Status of every URL asked for. */
    final Map<String, Integer> statuses = new TreeMap<>();

    final Set<String> disallowed = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final ArrayDeque<String> queue = new ArrayDeque<>();
    private final Map<String, Set<String>> rules = new HashMap<>();
    private final Proxy proxy;

    PlainCrawl(DemoWeb web) throws IOException {
        proxy = proxy(web);
        found(URI.create(web.start()), web.start());
        while (!queue.isEmpty()) {
            visit(queue.remove());
        }
    }

    /** A response; the body of an error too, a char for each byte. */
    record Reply(int status, String type, String location, String body) {}

    /** The web as a proxy for its hosts. */
    static Proxy proxy(DemoWeb web) {
        return new Proxy(Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), web.port()));
    }

    static Reply get(String url, Proxy proxy) throws IOException {
        return ask("GET", url, proxy);
    }

    static Reply ask(String method, String url, Proxy proxy) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url).toURL().openConnection(proxy);
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        int status = connection.getResponseCode();
        try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            String text = body == null ? "" : new String(body.readAllBytes(), ISO_8859_1);
            return new Reply(status, connection.getContentType(), connection.getHeaderField("Location"), text);
        }
    }

    private void visit(String url) throws IOException {
        URI uri = URI.create(url);
        if (disallows(uri)) {
            disallowed.add(url);
            return;
        }
        Reply response = get(url, proxy);
        statuses.put(url, response.status());
        if (response.location() != null) {
            found(uri, response.location());
        } else if (response.status() == 200 && response.type().startsWith("text/html")) {
            links(uri, response);
        }
    }

    private boolean disallows(URI uri) throws IOException {
        String origin = "http://" + uri.getRawAuthority();
        if (!rules.containsKey(origin)) {
            Set<String> prefixes = new HashSet<>();
            Reply robots = get(origin + "/robots.txt", proxy);
            if (robots.status() == 200) {
                robots.body()
                        .replaceFirst("(?s).*User-agent: \\*", "")
                        .lines()
                        .filter(line -> line.startsWith("Disallow: "))
                        .forEach(line -> prefixes.add(line.substring(10)));
            }
            rules.put(origin, prefixes);
        }
        return rules.get(origin).stream().anyMatch(uri.getRawPath()::startsWith);
    }

    private void links(URI page, Reply response) throws IOException {
        Matcher charset = CHARSET.matcher(response.type());
        Document document = Jsoup.parse(
                new ByteArrayInputStream(response.body().getBytes(ISO_8859_1)),
                charset.find() ? charset.group(1) : null,
                "");
        Element element = document.selectFirst("base[href]");
        URI base = element == null ? page : page.resolve(element.attr("href"));
        for (Element link : document.select("a[href], area[href], link[rel=next], link[rel=prev]")) {
            found(base, link.attr("href"));
        }
        for (Element frame : document.select("iframe[src], frame[src]")) {
            found(base, frame.attr("src"));
        }
    }

    private void found(URI base, String reference) {
        if (!reference.matches("(mailto|tel|javascript):.*")) {
            String url = canonical(base, reference.strip());
            if (seen.add(url)) {
                queue.add(url);
            }
        }
    }

    private static String canonical(URI base, String reference) {
        Matcher authority = Pattern.compile("^((?i:http):)?//([^/:]+)").matcher(reference);
        String ascii = authority.find()
                ? reference.substring(0, authority.start(2))
                        + IDN.toASCII(authority.group(2))
                        + reference.substring(authority.end(2))
                : reference;
        URI uri = base.resolve(ascii).normalize();
        String query = uri.getRawQuery() == null || uri.getRawQuery().isEmpty() ? "" : "?" + uri.getRawQuery();
        String rest = URI.create(uri.getRawPath() + query).toASCIIString();
        String url = "http://" + uri.getRawAuthority().toLowerCase(Locale.ROOT) + rest;
        return ESCAPE.matcher(url).replaceAll(match -> {
            String meant = String.valueOf((char) Integer.parseInt(match.group(1), 16));
            return meant.matches("[A-Za-z0-9._~-]") ? meant : match.group().toUpperCase(Locale.ROOT);
        });
    }
}
