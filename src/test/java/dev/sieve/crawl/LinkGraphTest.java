package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.bloom.ExactSet;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.output.LinkGraphSink;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import dev.sieve.url.UrlNormalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each link is one line of the graph, and nothing else is. */
@Timeout(120)
class LinkGraphTest {
    @AutoClose
    private final Site site = new Site();

    private final StringWriter out = new StringWriter();

    /** Source, target and fate of each line. */
    private List<List<String>> edges() {
        return out.toString().lines().map(line -> List.of(line.split("\t", -1))).toList();
    }

    private CrawlReport crawl(CrawlOptions options, String seed) throws IOException {
        Sieve sieve =
                Sieve.builder().capacity(10_000).membership(ExactSet.create(0)).build();
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of);
                LinkGraphSink sink = new LinkGraphSink(out)) {
            crawler.seed(seed);
            CrawlReport report = crawler.run(sink);
            Reports.assertAddsUp(report);
            return report;
        }
    }

    private static Map<String, Long> fates(List<List<String>> edges) {
        return edges.stream().collect(Collectors.groupingBy(edge -> edge.get(2), TreeMap::new, Collectors.counting()));
    }

    @Test
    void theEdgesOfTheDemoWebAreThoseThatAnotherReaderFinds() throws Exception {
        try (DemoWeb web = PolitenessJudge.web()
                .hosts(8)
                .pages(150)
                .slowPages(Duration.ZERO)
                .open()) {
            CrawlOptions options = Site.fast().scope(Scope.Kind.ANY).resolver(host -> List.of(DemoWeb.resolve(host)));

            CrawlReport report = crawl(options, web.start());

            Set<String> expected = new TreeSet<>();
            HttpClient client = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), web.port())))
                    .build();
            for (DemoWeb.Expected each : web.expected().toList()) {
                targets(client, each.url()).forEach(target -> expected.add(key(each.url()) + " " + key(target)));
            }
            List<List<String>> edges = edges();
            assertThat(edges).allMatch(edge -> edge.size() == 3);
            List<String> fetched = edges.stream()
                    .filter(edge -> !edge.get(2).startsWith("skipped: not http"))
                    .map(edge -> key(edge.get(0)) + " " + key(edge.get(1)))
                    .toList();
            assertThat(expected)
                    .as("missing edges")
                    .filteredOn(edge -> !Set.copyOf(fetched).contains(edge))
                    .isEmpty();
            assertThat(fetched)
                    .as("other edges")
                    .filteredOn(edge -> !expected.contains(edge))
                    .isEmpty();
            Map<String, Long> fates = fates(edges);
            assertThat(fates.get("new")).as("all but the seed").isEqualTo(report.count(LINKS, NEW) - 1);
            assertThat(fates.get("seen")).isEqualTo(report.count(LINKS, SEEN));
            assertThat((long) edges.size()).isEqualTo(report.count(LINKS) - 1);
            assertThat(edges.stream().filter(edge -> edge.get(2).equals("new")).map(edge -> edge.get(1)))
                    .doesNotHaveDuplicates();
        }
    }

    private static String key(String url) {
        return UrlNormalizer.key(UrlNormalizer.parse(url));
    }

    /** The links of a page or redirect, read with the HTTP client of the JDK and as a tree of elements. */
    private static List<String> targets(HttpClient client, String url) throws Exception {
        HttpResponse<byte[]> response =
                client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofByteArray());
        String location = response.headers().firstValue("Location").orElse(null);
        if (location != null) {
            return List.of(URI.create(url).resolve(location).toString());
        }
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (!type.contains("html")) {
            return List.of();
        }
        String charset = type.contains("charset=") ? type.replaceFirst(".*charset=", "") : null;
        Document document = Jsoup.parse(new ByteArrayInputStream(response.body()), charset, url);
        List<String> targets = new ArrayList<>();
        for (Element each :
                document.select("a[href], area[href], link[rel=next], link[rel=prev], iframe[src], frame[src]")) {
            String target = each.absUrl(each.hasAttr("href") ? "href" : "src");
            if (target.startsWith("http")) {
                targets.add(target.replaceFirst("#.*", ""));
            }
        }
        return targets;
    }

    @Test
    void everyFateHasItsWords() throws IOException {
        try (Site other = new Site()) {
            site.page("/", "/a", "/never", "mailto:x@y", other.url("/"), "/", "/moved")
                    .page("/a", "/b", "/a?x=\u202e")
                    .page("/b", "/c")
                    .redirect("/moved", other.url("/b"));

            CrawlReport report = crawl(Site.fast().exclude("never").maxDepth(2), site.url("/"));

            assertThat(edges())
                    .containsExactlyInAnyOrder(
                            List.of(site.url("/"), site.url("/a"), "new"),
                            List.of(site.url("/"), site.url("/never"), "skipped: excluded"),
                            List.of(site.url("/"), "mailto:x@y", "skipped: not http or https"),
                            List.of(site.url("/"), other.url("/"), "out of scope"),
                            List.of(site.url("/"), site.url("/"), "seen"),
                            List.of(site.url("/"), site.url("/moved"), "new"),
                            List.of(site.url("/moved"), other.url("/b"), "out of scope"),
                            List.of(site.url("/a"), site.url("/b"), "new"),
                            List.of(site.url("/a"), site.url("/a?x=%E2%80%AE"), "new"),
                            List.of(site.url("/b"), site.url("/c"), "skipped: too deep"));
            assertThat(report.count(LINKS)).isEqualTo(edges().size() + 1);
        }
    }

    @Test
    void sitemapsAndTheFilesThatNameThemAreSources() throws IOException {
        String urls =
                "<urlset><url><loc>" + site.url("/a") + "</loc></url><url><loc>http://x.test/</loc></url></urlset>";
        site.page("/")
                .page("/a")
                .robots("Sitemap: " + site.url("/s.xml"))
                .answer("/s.xml", Site.status(200).body(urls));

        crawl(Site.fast().with(Capability.SITEMAPS, true), site.url("/"));

        assertThat(edges())
                .containsExactlyInAnyOrder(
                        List.of(site.url("/robots.txt"), site.url("/s.xml"), "new"),
                        List.of(site.url("/s.xml"), site.url("/a"), "new"),
                        List.of(site.url("/s.xml"), "http://x.test/", "out of scope"));
    }

    @Test
    void aGuessedSitemapIsNotALink() throws IOException {
        site.page("/");

        crawl(Site.fast().with(Capability.SITEMAPS, true), site.url("/"));

        assertThat(site.requests()).contains("/sitemap.xml");
        assertThat(edges()).isEmpty();
    }

    @Test
    void aReferenceWithControlCharactersStaysOnItsLine() throws IOException {
        site.html("/", "<a href='data:a&#9;b\\c&#10;d&#x202e;e'>x</a>");

        crawl(Site.fast(), site.url("/"));

        assertThat(out.toString())
                .isEqualTo(site.url("/") + "\tdata:a\\u0009b\\\\c\\u000ad\\u202ee\tskipped: not http or https\n");
    }
}
