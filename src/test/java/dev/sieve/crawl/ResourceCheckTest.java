package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sieve.Sieve;
import dev.sieve.durable.DurableFolder;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Row;
import dev.sieve.output.Visit;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What pages need is requested once each, and exactly what is broken is found, with the page or style sheet. */
@Timeout(60)
class ResourceCheckTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    @AutoClose
    private final Site other = new Site();

    private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void build() {
        site.html("/", """
                <link rel=stylesheet href=/main.css><link rel=icon href=/lost.ico><script src=/app.js></script>
                <img src=/a.png srcset="/a2.png 2x, /lost-3.png 3x"><a href=/next>next</a>""");
        site.html(
                "/next",
                "<img src=/a.png><img src=" + other.url("/lost.png") + "><script src=/lost.js></script>"
                        + "<img src=/moved.png><iframe src=/frame></iframe><object data=/inside></object>");
        site.html("/frame", "<video poster=/lost-poster.jpg></video>");
        site.html("/inside", "<a href=/deep>deep</a>");
        site.html("/deep", "<img src=/private/x.png>");
        site.robots("User-agent: *\nDisallow: /private");
        site.redirect("/moved.png", "/lost-target.png");
        site.answer(
                "/main.css",
                Site.ok("text/css", "@import 'more.css'; @import 'lost.css'; p { x: url(a.png), url(lost-bg.png) }"));
        site.answer("/more.css", Site.ok("text/css", "@import 'main.css'; p { x: url(" + other.url("/b.woff") + ") }"));
        for (String image : List.of("/a.png", "/a2.png")) {
            site.answer(image, Site.ok("image/png", "x"));
        }
        site.answer("/app.js", Site.ok("text/javascript", "x"));
        other.answer("/b.woff", Site.ok("font/woff", "x"));
    }

    private CrawlReport run(CrawlOptions options) throws IOException {
        Path job = folder.resolve("job");
        boolean exists = DurableFolder.exists(job);
        try (CrawlJob directory = CrawlDirectory.open(job, exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            CrawlReport report = crawler.run(visits::add);
            Reports.assertAddsUp(report);
            return report;
        }
    }

    private void assertFound() {
        assertBroken();
        assertThat(visits.stream().filter(visit -> !visit.isCheck()).map(Visit::url))
                .containsExactlyInAnyOrder(
                        site.url("/"), site.url("/next"), site.url("/frame"), site.url("/inside"), site.url("/deep"));
        assertThat(site.requests()).filteredOn(path -> !path.equals("/inside")).doesNotHaveDuplicates();
        assertThat(site.requests()).contains("/a.png", "/a2.png", "/app.js").doesNotContain("/private/x.png");
        assertThat(other.requests()).containsExactlyInAnyOrder("/lost.png", "/b.woff");
    }

    private void assertBroken() {
        Map<String, String> broken = visits.stream()
                .filter(visit -> Row.of(visit).verdict().isBroken())
                .collect(Collectors.toMap(Visit::url, visit -> String.valueOf(visit.referrer())));
        assertThat(broken)
                .containsOnly(
                        Map.entry(site.url("/lost.ico"), site.url("/")),
                        Map.entry(site.url("/lost-3.png"), site.url("/")),
                        Map.entry(site.url("/lost.css"), site.url("/main.css")),
                        Map.entry(site.url("/lost-bg.png"), site.url("/main.css")),
                        Map.entry(other.url("/lost.png"), site.url("/next")),
                        Map.entry(site.url("/lost.js"), site.url("/next")),
                        Map.entry(site.url("/lost-target.png"), site.url("/moved.png")),
                        Map.entry(site.url("/lost-poster.jpg"), site.url("/frame")));
    }

    @Test
    void laterRoundsFindTheSameWithTheirStyleSheets() throws IOException {
        for (int round = 1; round <= 3; round++) {
            visits.clear();
            run(Site.fast().with(Capability.CHECK_RESOURCES, true).retries(0).with(Capability.ROUNDS, true));
            assertBroken();
        }
    }

    @Test
    void exactlyTheBrokenResourcesAreFoundWithTheirPages() throws IOException {
        CrawlReport report =
                run(Site.fast().with(Capability.CHECK_RESOURCES, true).retries(0));

        assertFound();
        assertThat(report.by(Counter.REFUSED)).containsOnly(Map.entry("robots.txt", 1L));
        assertThat(visits.stream().filter(visit -> visit.url().equals(site.url("/next"))))
                .singleElement()
                .satisfies(visit -> assertThat(visit.content().resources())
                        .contains(site.url("/a.png"), site.url("/frame"))
                        .hasSize(6));
    }

    @Test
    void pageInPlaceOfAFileIsAFailureUnlessAccepted() throws IOException {
        site.html("/", "<img src=/soft><iframe src=/frame></iframe><object data=/inside></object>");
        site.html("/soft", "<a href=/deep>not found</a>");

        CrawlReport report =
                run(Site.fast().with(Capability.CHECK_RESOURCES, true).retries(0));

        assertThat(report.by(Counter.FAILURES)).containsEntry("wrong type", 1L);
        assertThat(visits.stream()
                        .filter(visit ->
                                visit.isCheck() && Row.of(visit).verdict().isBroken()))
                .extracting(Visit::url, visit -> visit.result().description())
                .contains(tuple(site.url("/soft"), "wrong type: text/html"))
                .noneMatch(visit -> visit.toList().contains(site.url("/inside")));
        assertThat(site.requests()).contains("/deep");
        visits.clear();
        try (Crawler crawler = new Crawler(
                Site.fast()
                        .with(Capability.CHECK_RESOURCES, true)
                        .acceptTypes(true)
                        .retries(0),
                new Sieve(1000),
                AllStages::of)) {
            crawler.seed(site.url("/"));
            assertThat(crawler.run(visits::add).by(Counter.FAILURES)).doesNotContainKey("wrong type");
        }
    }

    @Test
    void stoppedCheckContinues() throws IOException {
        int runs = 0;
        CrawlReport report;
        do {
            report = run(Site.fast()
                    .with(Capability.CHECK_RESOURCES, true)
                    .retries(0)
                    .maxPages(1));
            runs++;
        } while (report.pending().left() > 0 && runs < 20);

        assertThat(runs).isGreaterThan(3);
        assertFound();
    }

    @Test
    void withoutTheOptionNoResourceIsRequested() throws IOException {
        run(Site.fast().retries(0));

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/next", "/frame");
        assertThat(other.requests()).isEmpty();
    }

    @Test
    void styleSheetsThatImportOneAnotherWithoutEndAreLeft() throws IOException {
        site.html("/", "<link rel=stylesheet href=/0.css>");
        for (int i = 0; i < 100; i++) {
            int next = i + 1;
            site.answer("/" + i + ".css", Site.ok("text/css", "@import '" + next + ".css';"));
        }

        CrawlReport report = run(Site.fast().with(Capability.CHECK_RESOURCES, true));

        assertThat(site.requests()).contains("/10.css").hasSizeLessThan(14);
        assertThat(report.by(Counter.SKIPPED)).containsOnlyKeys("style sheets nested too deep");
    }

    @Test
    void namesOfADomainOutsideAreCheckedUpToALimit() throws IOException {
        String names = "http://n%d.other.test" + other.url("/").replaceFirst(".*(:\\d+)/$", "$1") + "/%s";
        String page = IntStream.range(0, 2500)
                .mapToObj(i ->
                        "<img src=" + names.formatted(i, "x.png") + "><a href=" + names.formatted(i, "") + ">x</a>")
                .collect(Collectors.joining());
        site.html("/", page);
        CrawlOptions options =
                Site.fast().obeyRobots(false).retries(0).resolver(host -> List.of(InetAddress.getLoopbackAddress()));

        for (CrawlOptions each :
                List.of(options.with(Capability.CHECK_RESOURCES, true), options.with(Capability.CHECK_LINKS, true))) {
            try (Crawler crawler = new Crawler(each, new Sieve(10_000), AllStages::of)) {
                crawler.seed(site.url("/"));
                int before = other.requests().size();

                CrawlReport report = crawler.run(visit -> {});

                assertThat(other.requests().size() - before).isBetween(1000, 2000);
                assertThat(report.by(Counter.SKIPPED).get("trap domain")).isGreaterThanOrEqualTo(1500);
                assertThat(report.count(Counter.CHECKED))
                        .isEqualTo(other.requests().size() - before);
            }
        }
    }
}
