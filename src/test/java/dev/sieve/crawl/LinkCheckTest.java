package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.CHECKED;
import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.FAILURES;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REDIRECTS;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sieve.Await;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.FetchResult;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Link;
import dev.sieve.output.LinkGraphSink;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Links outside of the crawl are requested once each, and nothing behind them is. */
@Timeout(60)
class LinkCheckTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    @AutoClose
    private final Site other = new Site();

    private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();

    private static CrawlOptions options() {
        return Site.fast().with(Capability.CHECK_LINKS, true).retries(0);
    }

    private CrawlReport crawl(CrawlOptions options, String... seeds) throws IOException {
        try (Crawler crawler =
                new Crawler(options, Sieve.builder().capacity(10_000).seed(1).build(), AllStages::of)) {
            crawler.seedAll(List.of(seeds));
            CrawlReport report = crawler.run(visits::add);
            Reports.assertAddsUp(report);
            return report;
        }
    }

    /** What the sink received: a check and its status, by URL. */
    private Map<String, Integer> checks() {
        return visits.stream()
                .filter(Visit::isCheck)
                .collect(Collectors.toMap(Visit::url, visit -> visit.result().status()));
    }

    @Test
    void anEarlyTargetHasTheLinkingPageAsReferrer() throws IOException {
        site.page("/", other.url("/lost"));
        other.redirect("/lost", "/nowhere");
        CompletableFuture<Void> recorded = new CompletableFuture<>();
        Stage waiting = new Stage() {
            @Override
            public StageVisit visit(VisitContext visit) {
                return new StageVisit() {
                    @Override
                    public void visited() {
                        if (visit.result() instanceof FetchResult.Redirect) {
                            recorded.orTimeout(20, TimeUnit.SECONDS).join();
                        }
                    }
                };
            }
        };
        CrawlReport report;
        try (Crawler crawler =
                new Crawler(options(), new Sieve(100), (options, job, recorder, links, clock) -> List.of(waiting))) {
            crawler.seedAll(List.of(site.url("/")));
            report = crawler.run(visit -> {
                if (visit.url().endsWith("/nowhere")) {
                    recorded.complete(null);
                }
            });
        }

        assertThat(report.failures())
                .containsExactly(new CrawlReport.Failure(other.url("/nowhere"), "404", site.url("/")));
    }

    private static String deadPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return "http://127.0.0.1:" + socket.getLocalPort() + "/dead";
        }
    }

    @Test
    void exactlyTheBrokenLinksAreFoundWithTheirReferrers() throws IOException {
        String dead = deadPort();
        site.page("/", "/a", other.url("/good"), other.url("/gone"), other.url("/moved"), dead)
                .page(
                        "/a",
                        other.url("/gone"),
                        other.url("/good"),
                        other.url("/error"),
                        other.url("/lost"),
                        "/missing");
        other.page("/good", "/behind", site.url("/only-linked-by-others"))
                .redirect("/moved", "/target")
                .page("/target", "/behind")
                .redirect("/lost", "/nowhere")
                .answer("/error", () -> Site.status(500));

        CrawlReport report = crawl(options(), site.url("/"));

        assertThat(report.failures())
                .containsExactlyInAnyOrder(
                        new CrawlReport.Failure(other.url("/gone"), "404", site.url("/")),
                        new CrawlReport.Failure(dead, "robots.txt unavailable: no connection", site.url("/")),
                        new CrawlReport.Failure(other.url("/error"), "500", site.url("/a")),
                        new CrawlReport.Failure(other.url("/nowhere"), "404", site.url("/a")),
                        new CrawlReport.Failure(site.url("/missing"), "404", site.url("/a")));
        assertThat(other.requests())
                .containsExactlyInAnyOrder("/good", "/gone", "/moved", "/target", "/lost", "/nowhere", "/error");
        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/a", "/missing");
        assertThat(report.by(PAGES)).containsOnly(entry("2xx", 2L), entry("4xx", 1L));
        assertThat(report.by(CHECKED))
                .containsOnly(
                        entry("none", 1L), entry("2xx", 2L), entry("3xx", 2L), entry("4xx", 2L), entry("5xx", 1L));
        assertThat(report.count(REDIRECTS) + report.count(FAILED)).isZero();
        assertThat(report.withoutResponse()).isEqualTo(1);
        assertThat(report.by(SKIPPED)).isEmpty();
        assertThat(checks())
                .containsOnly(
                        entry(other.url("/good"), 200),
                        entry(other.url("/gone"), 404),
                        entry(other.url("/moved"), 302),
                        entry(other.url("/target"), 200),
                        entry(other.url("/lost"), 302),
                        entry(other.url("/nowhere"), 404),
                        entry(other.url("/error"), 500),
                        entry(dead, 0));
    }

    @Test
    void acceptedStatusIsNotAFailureOfAPageOrOfACheck() throws IOException {
        site.page("/", "/wall", other.url("/wall"), other.url("/limit"), other.url("/gone"))
                .answer("/wall", () -> Site.status(403));
        other.answer("/wall", () -> Site.status(403)).answer("/limit", () -> Site.status(429));

        CrawlReport report = crawl(options().accept(403).accept(429), site.url("/"));

        assertThat(report.failures())
                .containsExactly(new CrawlReport.Failure(other.url("/gone"), "404", site.url("/")));
        assertThat(report.by(FAILURES)).containsOnly(entry("404", 1L));
        assertThat(report.by(PAGES)).containsOnly(entry("2xx", 1L), entry("4xx", 1L));
        assertThat(report.by(CHECKED)).containsOnly(entry("4xx", 3L));
        assertThat(visits.stream().filter(Visit::isAccepted))
                .extracting(Visit::url)
                .containsExactlyInAnyOrder(site.url("/wall"), other.url("/wall"), other.url("/limit"));
    }

    @Test
    void malformedLinkIsBroken() throws IOException {
        site.page("/", "/a", "http://[::1", "mailto:x@y").page("/a", "http://[::1", "http://a..b/", "http://a:99999/");

        CrawlReport report = crawl(options(), site.url("/"));

        assertThat(report.failures())
                .containsExactlyInAnyOrder(
                        new CrawlReport.Failure("http://[::1", "malformed URL", site.url("/")),
                        new CrawlReport.Failure("http://a..b/", "malformed URL", site.url("/a")),
                        new CrawlReport.Failure("http://a:99999/", "malformed URL", site.url("/a")));
        assertThat(report.by(CHECKED)).containsOnly(entry("none", 3L));
        assertThat(report.by(SKIPPED)).containsOnly(entry("not http or https", 1L));
        assertThat(checks()).hasSize(3).containsEntry("http://[::1", 0);

        assertThat(crawl(options().with(Capability.CHECK_LINKS, false), site.url("/"))
                        .failures())
                .isEmpty();
    }

    @Test
    void withoutTheOptionNothingElseIsRequested() throws IOException {
        site.page("/", other.url("/"));

        CrawlReport report = crawl(Site.fast(), site.url("/"));

        assertThat(other.requests()).isEmpty();
        assertThat(report.by(SKIPPED)).containsOnly(entry("out of scope", 1L));
        assertThat(report.count(CHECKED)).isZero();
    }

    @Test
    void rulesHoldForChecksToo() throws IOException {
        other.robots("User-agent: *\nDisallow: /private\nSitemap: " + other.url("/sitemap.xml"));
        site.page(
                "/",
                other.url("/private"),
                other.url("/never"),
                other.url("/a/a/a/a/a/a/a/a/a/a"),
                "http://192.0.2.1/");

        CrawlReport report = crawl(options().exclude("never").with(Capability.SITEMAPS, true), site.url("/"));

        assertThat(other.requests()).isEmpty();
        assertThat(report.by(REFUSED)).containsOnly(entry("robots.txt", 1L), entry("address not public", 1L));
        assertThat(report.by(SKIPPED)).containsOnly(entry("excluded", 1L), entry("trap repeated-segments", 1L));
        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/sitemap.xml");
    }

    @Test
    void linksBeyondTheDepthAreChecked() throws IOException {
        site.page("/", "/a", other.url("/")).page("/a", "/b");
        other.page("/");

        CrawlReport report = crawl(options().maxDepth(0), site.url("/"));

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/a");
        assertThat(report.by(CHECKED)).containsOnly(entry("2xx", 2L));
        assertThat(report.count(PAGES)).isEqualTo(1);
    }

    @Test
    void aCheckThatLeadsBackIntoTheCrawlIsFollowed() throws IOException {
        site.page("/", other.url("/back")).page("/hidden", "/more").page("/more");
        other.redirect("/back", site.url("/hidden"));

        CrawlReport report = crawl(options(), site.url("/"));

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/hidden", "/more");
        assertThat(report.count(PAGES)).isEqualTo(3);
        assertThat(report.by(CHECKED)).containsOnly(entry("3xx", 1L));
        assertThat(checks()).containsOnly(entry(other.url("/back"), 302));
    }

    @Test
    void aCheckThatLeadsBackIntoTheCrawlIsAsDeepAsItsLink() throws IOException {
        site.page("/", other.url("/back")).page("/hidden", "/more").page("/more", "/behind");
        other.redirect("/back", site.url("/hidden"));

        CrawlReport report = crawl(options().maxDepth(1), site.url("/"));

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/hidden", "/more");
        assertThat(report.count(PAGES)).isEqualTo(2);
        assertThat(checks()).containsOnly(entry(other.url("/back"), 302), entry(site.url("/more"), 200));
    }

    @Test
    void aSeedThatMovesToACheckedUrlIsCrawledThere() throws IOException {
        try (Site moved = new Site()) {
            site.page("/", other.url("/"));
            other.page("/", "/inside").page("/inside");
            moved.answer("/", () -> {
                awaitRequest(other);
                return Site.status(301).field("Location", other.url("/"));
            });

            crawl(options().obeyRobots(false), site.url("/"), moved.url("/"));

            assertThat(other.requests())
                    .contains("/inside")
                    .filteredOn("/"::equals)
                    .hasSizeBetween(1, 2);
        }
    }

    private static void awaitRequest(Site site) {
        Await.until(() -> !site.requests().isEmpty());
    }

    @Test
    void checksAreNoPages() throws IOException {
        site.page(
                "/",
                Stream.concat(IntStream.range(0, 20).mapToObj(i -> other.url("/" + i)), Stream.of("/a"))
                        .toArray(String[]::new));
        site.page("/a");

        CrawlReport report = crawl(options().maxPages(2), site.url("/"));

        assertThat(report.ending()).isEqualTo(Ending.MAX_PAGES);
        assertThat(report.count(PAGES)).isEqualTo(2);
    }

    @Test
    void eachUrlIsRequestedOnceAlsoByAJobThatIsContinued() throws IOException {
        for (int i = 0; i < 10; i++) {
            site.page("/" + i, "/" + (i + 1), other.url("/shared"), other.url("/" + i));
            other.page("/" + i, "/behind");
        }
        site.page("/10");
        List<Visit> all = new ArrayList<>();
        CrawlReport report;
        int runs = 0;
        do {
            report = run(all::add);
            runs++;
        } while (report.pending().left() > 0 && runs < 100);

        assertThat(runs).isGreaterThan(5);
        assertThat(other.requests())
                .containsExactlyInAnyOrder("/shared", "/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9");
        assertThat(site.requests()).doesNotHaveDuplicates().hasSize(11);
        assertThat(all.stream().filter(Visit::isCheck)).hasSize(11);
        assertThat(all.stream().filter(visit -> !visit.isCheck())).hasSize(11);
        assertThat(all.stream()
                        .filter(Visit::isCheck)
                        .filter(visit -> visit.result().status() == 404))
                .singleElement()
                .extracting(Visit::referrer)
                .isEqualTo(site.url("/0"));
    }

    @Test
    void aRingOfRedirectsIsBroken() throws IOException {
        site.page("/", other.url("/a"), "/x", "/y");
        other.redirect("/a", "/b").redirect("/b", "/c").redirect("/c", "/a");
        site.redirect("/x", "/y").redirect("/y", "/z").page("/z");

        CrawlReport report = crawl(options(), site.url("/"));

        assertThat(report.failures())
                .containsExactly(new CrawlReport.Failure(other.url("/c"), "bad redirect", site.url("/")));
        assertThat(other.requests()).containsExactly("/a", "/b", "/c");
    }

    @Test
    void redirectsThatNeedACookieSaySo() throws IOException {
        site.page("/", "/self", "/ring", "/plain");
        site.redirect("/plain", "/plain");
        site.answer("/self", () -> redirectWithCookie("/self"));
        site.answer("/ring", () -> redirectWithCookie("/ring2")).redirect("/ring2", "/ring");
        List<Visit> all = new ArrayList<>();

        try (Crawler crawler = new Crawler(options(), new Sieve(1000), AllStages::of)) {
            crawler.seed(site.url("/"));
            crawler.run(all::add);
        }

        String hint = "it needs the cookie of Set-Cookie, and cookies are not sent";
        assertThat(all)
                .extracting(visit -> visit.result().description())
                .contains(
                        "bad redirect: to itself; " + hint,
                        "bad redirect: in a ring, to " + site.url("/ring") + "; " + hint,
                        "bad redirect: to itself");
    }

    private static Site.Reply redirectWithCookie(String target) {
        return Site.status(302).field("Location", target).field("Set-Cookie", "seen=1");
    }

    /** Returns the pages of a tree that link to a target, by its number. */
    private List<String> referrers(int target) {
        return IntStream.range(0, 200)
                .filter(page -> (3 * page + target) % 8 == 0)
                .mapToObj(page -> site.url("/" + page))
                .toList();
    }

    @Test
    void brokenExternalLinksHaveAllTheirReferrers() throws IOException {
        List<String> broken = List.of(
                other.url("/missing"),
                other.url("/gone"),
                other.url("/error"),
                other.url("/loop"),
                deadPort(),
                "http://www.elsewhere.invalid/");
        List<String> targets = new ArrayList<>(broken);
        targets.addAll(List.of(other.url("/fine"), other.url("/moved"), other.url("/private")));
        other.robots("User-agent: *\nDisallow: /private")
                .page("/fine", "/never")
                .answer("/gone", () -> Site.status(410))
                .answer("/error", () -> Site.status(500))
                .redirect("/moved", "/moved-to")
                .page("/moved-to", "/never")
                .redirect("/loop", "/loop-2")
                .redirect("/loop-2", "/loop")
                .page("/private");
        for (int i = 0; i < 200; i++) {
            String page = site.url("/" + i);
            List<String> links = new ArrayList<>(List.of("/" + (2 * i + 1) % 200, "/" + (2 * i + 2) % 200));
            for (int target = 0; target < targets.size(); target++) {
                if (referrers(target).contains(page)) {
                    links.add(targets.get(target) + (i % 3 == 0 ? "#part-" + i : ""));
                }
            }
            site.page("/" + i, links.toArray(String[]::new));
        }
        StringWriter graph = new StringWriter();
        CrawlOptions options = options().resolver(host -> {
            if (host.endsWith(".invalid")) {
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getByName(host));
        });
        try (Crawler crawler = new Crawler(
                        options, Sieve.builder().capacity(10_000).seed(1).build(), AllStages::of);
                LinkGraphSink links = new LinkGraphSink(graph)) {
            crawler.seed(site.url("/0"));
            CrawlReport report = crawler.run(new PageSink() {
                @Override
                public void accept(Visit visit) {
                    visits.add(visit);
                }

                @Override
                public boolean takesLinks() {
                    return true;
                }

                @Override
                public void linked(Link link) throws IOException {
                    links.linked(link);
                }
            });
            Reports.assertAddsUp(report);
            assertThat(report.count(PAGES, "2xx")).isEqualTo(200);
        }
        Set<String> foundBroken = new TreeSet<>();
        visits.stream()
                .filter(visit ->
                        visit.isCheck() && !visit.isSuccess() && !(visit.result() instanceof FetchResult.Redirect))
                // The second URL of the ring closes it.
                .forEach(visit -> foundBroken.add(visit.url().replace("loop-2", "loop")));
        assertThat(foundBroken).containsExactlyInAnyOrderElementsOf(broken);
        for (int target = 0; target < broken.size(); target++) {
            String url = broken.get(target);
            assertThat(graph.toString().lines().filter(line -> line.contains("\t" + url + "\tout of scope")))
                    .extracting(line -> line.split("\t", 2)[0])
                    .as(url)
                    .filteredOn(source -> source.startsWith(site.url("/")))
                    .containsExactlyInAnyOrderElementsOf(referrers(target));
        }
        assertThat(other.requests()).doesNotHaveDuplicates().doesNotContain("/never", "/private");
    }

    private CrawlReport run(PageSink sink) throws IOException {
        Path job = folder.resolve("job");
        boolean exists = DurableFolder.exists(job);
        try (CrawlJob directory = CrawlDirectory.open(job, exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options().maxPages(1).scope(Scope.Kind.HOST), directory, AllStages::of)) {
            crawler.seed(site.url("/0"));
            CrawlReport report = crawler.run(sink);
            Reports.assertAddsUp(report);
            return report;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
