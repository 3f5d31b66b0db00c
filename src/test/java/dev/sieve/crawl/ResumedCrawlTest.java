package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SKIPPED;
import static dev.sieve.crawl.Reports.assertAddsUp;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.HostileServer;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.job.FolderPlace;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.stage.AllStages;
import dev.sieve.stage.JobParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job is resumed without its seeds being named again, or with other options. */
@Timeout(60)
class ResumedCrawlTest {
    private static final String SECRET = "Basic c2VzYW1l";

    @TempDir
    private Path folder;

    @AutoClose
    private final HostileServer server = new HostileServer();

    private static CrawlOptions options() {
        return new CrawlOptions().delay(Duration.ZERO).obeyRobots(false);
    }

    private Path job() {
        return folder.resolve("job");
    }

    private CrawlReport run(CrawlOptions options, Consumer<Crawler> start) throws IOException {
        boolean exists = DurableFolder.exists(job());
        try (CrawlJob directory =
                        CrawlDirectory.open(job(), exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            start.accept(crawler);
            CrawlReport report = crawler.run(visit -> {});
            assertAddsUp(report);
            return report;
        }
    }

    private void typed(Crawler crawler) {
        crawler.open(server.url("/"));
        crawler.seed(server.url("/"));
    }

    @Test
    void urlsThatMatchComeFirstAlsoInAResumedJob() throws IOException {
        String links = IntStream.range(0, 600)
                .mapToObj(i -> "<a href='/p" + i + "'>x</a>")
                .collect(Collectors.joining());
        server.on("/", HostileServer.html(links + "<a href='/docs/a'>x</a><a href='/docs/b'>x</a>"));
        run(options().maxPages(1), this::typed);

        run(options().first("/docs/").maxPages(3), crawler -> crawler.open(server.url("/")));

        assertThat(server.heads())
                .extracting(head -> head.split(" ", 3)[1])
                .containsExactly("/", "/docs/a", "/docs/b", "/p0");
    }

    private void siteOfThreePages() {
        server.on("/", HostileServer.html("<a href='/a'>x</a><a href='/b'>x</a>"))
                .on("/a", HostileServer.html("<a href='/c'>x</a>"));
    }

    @Test
    void whatATypedSeedHasOpenedStaysOpen() throws IOException {
        siteOfThreePages();
        run(options().maxPages(1), this::typed);

        CrawlReport resumed = run(options(), crawler -> {});

        assertThat(resumed.count(PAGES)).isEqualTo(3);
        assertThat(resumed.count(REFUSED)).isZero();
        assertThat(resumed.by(SKIPPED)).isEmpty();
    }

    @Test
    void whereASeedRedirectsToIsNotOpenedByThat() throws IOException {
        try (HostileServer other = new HostileServer()) {
            server.on("/", HostileServer.redirect(other.url("/inside")));
            run(options().header("Authorization", SECRET), this::typed);

            CrawlReport resumed = run(options().header("Authorization", SECRET), crawler -> {});

            assertThat(resumed.by(REFUSED)).containsExactly(Map.entry("address not public", 1L));
            assertThat(other.heads()).isEmpty();
            run(options().header("Authorization", SECRET).allowPrivate("127.0.0.0/8"), crawler -> {});
            assertThat(other.heads()).singleElement().asString().doesNotContain(SECRET);
        }
    }

    @Test
    void anAddressThatOnlyAnotherRunAllowsIsNotDone() throws IOException {
        siteOfThreePages();
        run(options().maxPages(1).allowPrivate("127.0.0.0/8"), crawler -> crawler.seed(server.url("/")));

        CrawlReport without = run(options(), crawler -> {});

        assertThat(without.by(REFUSED)).containsExactly(Map.entry("address not public", 2L));
        assertThat(without.pending().unfinished()).isEqualTo(2);
        CrawlReport with = run(options().allowPrivate("127.0.0.0/8"), crawler -> {});
        assertThat(with.count(PAGES)).isEqualTo(3);
        assertThat(with.pending().unfinished() + with.pending().left()).isZero();
    }

    @Test
    void aPortOfAnotherProtocolIsDone() throws IOException {
        run(options(), crawler -> crawler.seed("http://example.org:25/"));

        assertThat(run(options(), crawler -> {}).pending().before()).isZero();
    }

    @Test
    void headerFieldsGoToEarlierSeedsAndAreNotStored() throws IOException {
        siteOfThreePages();
        run(options().maxPages(1).header("Authorization", SECRET), this::typed);

        run(options().header("Authorization", SECRET), crawler -> {});

        assertThat(server.heads()).hasSize(4).allMatch(head -> head.contains("Authorization: " + SECRET));
        try (Stream<Path> files = Files.list(job())) {
            for (Path file : files.toList()) {
                assertThat(Files.readString(file, ISO_8859_1)).doesNotContain(SECRET.substring(6));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"401 Unauthorized", "403 Forbidden"})
    void aPageDeniedWithoutEarlierHeaderFieldsIsNotDone(String status) throws IOException {
        siteOfThreePages();
        run(options().maxPages(1).header("Authorization", SECRET), this::typed);
        server.on("/a", HostileServer.raw("HTTP/1.1 " + status + "\n"));

        CrawlReport without = run(options(), crawler -> {});

        assertThat(without.by(PAGES)).containsOnly(Map.entry("2xx", 1L), Map.entry("4xx", 1L));
        assertThat(without.pending().unfinished()).isEqualTo(1);
        siteOfThreePages();
        CrawlReport with = run(options().header("Authorization", SECRET), crawler -> {});
        assertThat(with.by(PAGES)).containsExactly(Map.entry("2xx", 2L));
    }

    @Test
    void aPageThatIsDeniedWithThemIsDone() throws IOException {
        server.on("/", HostileServer.raw("HTTP/1.1 401 Unauthorized\n"));
        run(options(), this::typed);
        assertThat(run(options().header("Authorization", SECRET), this::typed)
                        .pending()
                        .before())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "open", "open ftp://h", "open http://h/", "closed http://h", "open http://H"})
    void aLineThatIsNotAnOriginIsNamed(String line) throws IOException {
        run(options(), this::typed);
        Path file = job().resolve("crawl-origins");
        assertThat(Files.readString(file)).endsWith(" open " + server.url("/").replaceFirst("/$", "") + "\n");
        JobLines.replace(job(), "crawl-origins", line);
        byte[] bytes = Files.readAllBytes(file);

        assertThatThrownBy(() -> run(options(), crawler -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + ": line 2 is not an origin");
        assertThat(file).hasBinaryContent(bytes);
    }

    static Stream<Arguments> capabilities() {
        return Stream.of(
                capability("duplicates", options -> options.with(Capability.SKIP_DUPLICATES, true)),
                capability("sitemaps", options -> options.with(Capability.SITEMAPS, true)),
                capability("links", options -> options.with(Capability.CHECK_LINKS, true)),
                capability("resources", options -> options.with(Capability.CHECK_RESOURCES, true)),
                capability("fragments", options -> options.with(Capability.CHECK_FRAGMENTS, true)),
                capability("rounds", options -> options.with(Capability.ROUNDS, true)),
                capability("exchanges", options -> options.exchanges(true)),
                capability("depth", options -> options.maxDepth(20)),
                capability("delay", CrawlOptions::adaptiveDelay),
                capability(
                        "all",
                        options -> options.with(Capability.SKIP_DUPLICATES, true)
                                .with(Capability.SITEMAPS, true)
                                .with(Capability.CHECK_LINKS, true)
                                .with(Capability.CHECK_RESOURCES, true)
                                .with(Capability.CHECK_FRAGMENTS, true)
                                .with(Capability.ROUNDS, true)
                                .exchanges(true)
                                .maxDepth(20)));
    }

    private static Arguments capability(String name, Consumer<CrawlOptions> choice) {
        return Arguments.of(name, choice);
    }

    /** Crawls once; stops at a visit. */
    private CrawlReport runUntil(Site site, CrawlOptions options, String job, int stop, Set<String> pages)
            throws IOException {
        Path path = folder.resolve(job);
        boolean exists = DurableFolder.exists(path);
        AtomicInteger visits = new AtomicInteger();
        try (CrawlJob directory =
                        CrawlDirectory.open(path, exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            CrawlReport report = crawler.run(visit -> {
                if (!visit.isCheck()) {
                    pages.add(visit.url());
                }
                if (visits.incrementAndGet() == stop) {
                    crawler.stop();
                }
            });
            assertAddsUp(report);
            return report;
        }
    }

    private static Site siteOfManyKinds() {
        Site site = new Site();
        String url = site.url("/outside");
        String outside = url.contains("localhost")
                ? url.replace("localhost", "127.0.0.1")
                : url.replace("127.0.0.1", "localhost");
        site.tagged("/", "<img src=/i.png><link rel=stylesheet href=/s.css>one <a href=/1#p>x</a><a href=/2>x</a>");
        site.tagged("/1", "two <p id=p><a href=/3#none>x</a><a href=/moved#p>x</a><a href=/lost>x</a>");
        site.tagged("/2", "three <a href='" + outside + "'>x</a><a href=/1#!route>x</a><iframe src=/4></iframe>");
        site.tagged("/3", "four <a href=/#gone>x</a><img src=/lost.png>").tagged("/4", "five <a href=/2#a>x</a>");
        site.redirect("/moved", "/1").robots("Sitemap: " + site.url("/map.xml"));
        return site.answer("/map.xml", () -> map(site));
    }

    private static Site.Reply map(Site site) {
        String map = "<urlset><url><loc>" + site.url("/4") + "</loc></url></urlset>";
        return Site.status(200).body(map);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("capabilities")
    void capabilityKeepsPagesLimitsAndStops(String name, Consumer<CrawlOptions> choice) throws IOException {
        try (Site site = siteOfManyKinds()) {
            Set<String> expected = ConcurrentHashMap.newKeySet();
            runUntil(site, Site.fast().retries(0), "plain", 0, expected);
            assertThat(expected).hasSize(7);
            Set<String> pages = ConcurrentHashMap.newKeySet();
            CrawlReport report;
            do {
                CrawlOptions options = Site.fast().retries(0);
                choice.accept(options);
                report = runUntil(site, options.delay(Duration.ZERO), "stopped", 4, pages);
                assertThat(report.ending()).isIn(Ending.STOPPED, Ending.DRAINED);
            } while (report.ending() != Ending.DRAINED);
            assertThat(pages).isEqualTo(expected);
            CrawlOptions limited = Site.fast().retries(0).concurrency(1).maxPages(2);
            choice.accept(limited);
            report = runUntil(site, limited, "limited", 0, ConcurrentHashMap.newKeySet());
            assertThat(report.ending()).isEqualTo(Ending.MAX_PAGES);
            assertThat(report.count(PAGES)).isLessThanOrEqualTo(2);
        }
    }

    /** What a run is doing when it is stopped. */
    enum Phase {
        QUEUEING,
        REQUESTS,
        SITEMAP,
        FRAGMENTS,
        END_OF_ROUND
    }

    /** Runs a round of a site, or the rest of one; stops in a phase. Adds what is visited. */
    private CrawlReport runUntil(Site site, String job, @Nullable Phase stop, List<String> visits) throws IOException {
        CrawlOptions options = Site.fast()
                .retries(0)
                .with(Capability.SITEMAPS, true)
                .with(Capability.CHECK_LINKS, true)
                .with(Capability.CHECK_RESOURCES, true)
                .with(Capability.CHECK_FRAGMENTS, true)
                .with(Capability.ROUNDS, true);
        Path path = folder.resolve(job);
        boolean exists = DurableFolder.exists(path);
        try (CrawlJob directory =
                        CrawlDirectory.open(path, exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            Runnable asked = stop == Phase.SITEMAP ? crawler::stop : () -> {};
            site.answer("/map.xml", () -> {
                asked.run();
                return map(site);
            });
            if (stop == Phase.QUEUEING) {
                crawler.stop();
            }
            CrawlReport report = crawler.run(new PageSink() {
                private boolean hasFragment;

                @Override
                public synchronized void accept(Visit visit) {
                    boolean isFragment = visit.url().contains("#");
                    hasFragment |= isFragment;
                    visits.add(visit.url() + " " + visit.isCheck());
                    if (stop == Phase.REQUESTS || (stop == Phase.FRAGMENTS && isFragment)) {
                        crawler.stop();
                    }
                }

                @Override
                public synchronized void flush() {
                    // The check of fragments stores the last ones at its end.
                    if (stop == Phase.END_OF_ROUND && hasFragment) {
                        crawler.stop();
                    }
                }
            });
            assertAddsUp(report);
            assertThat(JobParts.isQueued(directory)).isEqualTo(stop != Phase.QUEUEING);
            return report;
        }
    }

    @ParameterizedTest
    @EnumSource
    void runThatIsStoppedInAPhaseContinues(Phase phase) throws IOException {
        try (Site site = siteOfManyKinds()) {
            List<String> first = new ArrayList<>();
            runUntil(site, "job", null, first);
            List<String> second = new ArrayList<>();

            assertThat(runUntil(site, "job", phase, second).ending()).isEqualTo(Ending.STOPPED);
            assertThat(new FolderPlace(folder.resolve("job")).inspect().problems())
                    .isEmpty();
            assertThat(folder.resolve("job/crawl-counts")).content().contains("crawl-pages");

            CrawlReport rest = runUntil(site, "job", null, second);
            assertThat(rest.ending()).isEqualTo(Ending.DRAINED);
            assertThat(second).containsExactlyInAnyOrderElementsOf(first);
            List<String> third = new ArrayList<>();
            runUntil(site, "job", null, third);
            assertThat(third).as("the round has ended").containsExactlyInAnyOrderElementsOf(first);
        }
    }
}
