package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.Tier;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.ChangingSite;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Redirects;
import dev.sieve.crawl.Reports;
import dev.sieve.crawl.Site;
import dev.sieve.crawl.Target;
import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.FetchResult;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Change;
import dev.sieve.output.History;
import dev.sieve.output.Visit;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job is crawled in rounds: each finds what has changed since the one before. */
@Timeout(600)
class RoundsTest {
    private static final int PAGES = Tier.of(140, 5000);
    private static final int ROUNDS = 5;

    @TempDir
    private Path folder;

    private final List<Visit> visits = new ArrayList<>();

    private List<String> run(CrawlOptions options, Consumer<Crawler> start) throws IOException {
        Path job = folder.resolve("job");
        boolean exists = DurableFolder.exists(job);
        visits.clear();
        try (CrawlJob directory =
                        CrawlDirectory.open(job, exists ? builder -> {} : builder -> builder.capacity(20_000));
                Crawler crawler = new Crawler(options, directory, AllStages::of)) {
            start.accept(crawler);
            Reports.assertAddsUp(crawler.run(visits::add));
            Round round = crawler.result(Round.class);
            return round == null ? List.of() : round.orphans();
        }
    }

    private Map<String, String> changes() {
        Map<String, String> changes = new TreeMap<>();
        for (Visit visit : visits) {
            History history = Objects.requireNonNull(visit.history());
            String change = history.change().text() + (history.hasSameText() ? " text" : "");
            assertThat(changes.put(URI.create(visit.url()).getPath(), change))
                    .as("visited twice: " + visit.url())
                    .isNull();
        }
        return changes;
    }

    private static CrawlOptions options() {
        return Site.fast().with(Capability.ROUNDS, true);
    }

    @Test
    void eachRoundFindsEachChange() throws IOException {
        try (ChangingSite site = new ChangingSite(PAGES)) {
            for (int round = 1; round <= ROUNDS; round++) {
                site.round(round);
                List<String> orphans = run(options(), crawler -> crawler.seed(site.url("/")));
                assertThat(changes()).as("round " + round).isEqualTo(site.expected(round));
                assertThat(orphans).as("round " + round).containsExactlyInAnyOrderElementsOf(site.orphans(round));
                assertThat(site.counts())
                        .hasSize(visits.size())
                        .allSatisfy((path, count) -> assertThat(count).as(path).isOne());
                assertThat(site.unmodified())
                        .isEqualTo(visits.stream()
                                .filter(visit -> visit.result().status() == 304)
                                .count());
            }
        }
    }

    @Test
    void aRoundThatWasInterruptedContinues() throws IOException {
        try (ChangingSite site = new ChangingSite(PAGES)) {
            for (int round = 1; round <= 3; round++) {
                site.round(round);
                Map<String, String> all = new TreeMap<>();
                for (int run = 0; run < 5; run++) {
                    run(
                            options().maxPages(run < 4 ? PAGES / 6 : Long.MAX_VALUE),
                            crawler -> crawler.seed(site.url("/")));
                    changes()
                            .forEach((path, change) ->
                                    assertThat(all.put(path, change)).as(path).isNull());
                }
                assertThat(all).as("round " + round).isEqualTo(site.expected(round));
            }
        }
    }

    @Test
    void aJobThatWasBegunWithoutRoundsIsRefused() throws IOException {
        try (Site site = new Site().page("/")) {
            run(Site.fast(), crawler -> crawler.seed(site.url("/")));
            assertThatThrownBy(() -> run(options(), crawler -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("without rounds");
        }
    }

    @Test
    void aCrawlWithoutAFolderHasNoRounds() {
        assertThatThrownBy(() -> new Crawler(options(), new Sieve(10), AllStages::of).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a job");
    }

    /** Makes the last visit of all pages older, after which they are not due for a month. */
    private void age(Duration age) throws IOException {
        try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> {})) {
            KnownPages pages = Objects.requireNonNull(Rounds.of(directory, RevisitRuleTest.RULE, PageKeys.ALL)).pages;
            pages.all(page -> {
                KnownPage.Visits visits = page.visits();
                pages.touch(page.visited(new KnownPage.Visits(
                        visits.count(), visits.status(), visits.last() - age.toSeconds(), visits.lastChange(), (int)
                                Duration.ofDays(30).toSeconds())));
                return true;
            });
            pages.flush(true);
        }
    }

    @Test
    void aPageThatASitemapCallsModifiedIsDue() throws IOException {
        Instant now = Instant.now();
        try (Site site = new Site()
                .page("/", "/a", "/b", "/c", "/d")
                .page("/a")
                .page("/b")
                .page("/c")
                .page("/d")) {
            site.robots("Sitemap: " + site.url("/s.xml"));
            StringBuilder sitemap = new StringBuilder("<urlset>");
            Map.of(
                            "/a",
                            now.minus(Duration.ofDays(1)),
                            "/b",
                            now.minus(Duration.ofDays(3)),
                            "/c",
                            now.plus(Duration.ofDays(2)))
                    .forEach((path, time) -> sitemap.append("<url><loc>")
                            .append(site.url(path))
                            .append("</loc><lastmod>")
                            .append(time)
                            .append("</lastmod></url>"));
            site.html("/s.xml", sitemap + "<url><loc>" + site.url("/a") + "</loc><lastmod>" + now + "</lastmod></url>");
            CrawlOptions due = options().with(Capability.ONLY_DUE, true).with(Capability.SITEMAPS, true);
            run(due, crawler -> crawler.seed(site.url("/")));
            assertThat(changes()).hasSize(5);
            age(Duration.ofDays(2));

            run(due, crawler -> {});
            assertThat(changes()).isEqualTo(Map.of("/a", "unchanged"));

            run(due, crawler -> {});
            assertThat(changes()).as("in the next round").isEmpty();
        }
    }

    @Test
    void roundThatWasKilledWhileItQueuedKeepsItsKind() throws IOException {
        try (Site site = new Site().page("/", "/a").page("/a")) {
            run(options(), crawler -> crawler.seed(site.url("/")));
            try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> {})) {
                Rounds.again(directory, true, RevisitRuleTest.RULE, PageKeys.ALL);
            }

            run(Site.fast(), crawler -> {});
            assertThat(changes()).as("nothing is due").isEmpty();

            run(options(), crawler -> {});
            assertThat(changes()).hasSize(2);
        }
    }

    @Test
    void queueingThatIsCutShortContinues() throws IOException {
        try (Site site = new Site().page("/", "/a", "/b").page("/a").page("/b")) {
            run(options(), crawler -> crawler.seed(site.url("/")));
            try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> {})) {
                Rounds.again(directory, false, RevisitRuleTest.RULE, PageKeys.ALL);
                Rounds rounds = Objects.requireNonNull(Rounds.of(directory, RevisitRuleTest.RULE, PageKeys.ALL));
                Iterator<Boolean> ends = List.of(false, false, true).iterator();

                assertThat(rounds.queue(Instant.now(), page -> true, ends::next))
                        .isEqualTo(2);
                assertThat(rounds.toQueue()).isOne();
            }
            try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> {})) {
                Rounds rounds = Objects.requireNonNull(Rounds.of(directory, RevisitRuleTest.RULE, PageKeys.ALL));
                assertThat(rounds.queue(Instant.now(), page -> true, () -> false))
                        .isOne();
                assertThat(rounds.toQueue()).isZero();
            }
        }
    }

    @Test
    void roundThatFailsAtItsEndIsCompletedByTheNextRun() throws IOException {
        try (Site site = new Site().page("/", "/a").page("/a")) {
            run(options(), crawler -> crawler.seed(site.url("/")));
            Path job = folder.resolve("job");
            try (CrawlJob directory = CrawlDirectory.open(job, builder -> {});
                    Crawler crawler = new Crawler(options(), directory, AllStages::of)) {
                assertThat(crawler.run(visit -> {}).ending()).isEqualTo(Ending.DRAINED);
                crawler.fail(new IOException("no room for the report"));
            }

            for (int round = 2; round <= 3; round++) {
                visits.clear();
                try (CrawlJob directory = CrawlDirectory.open(job, builder -> {});
                        Crawler crawler = new Crawler(options(), directory, AllStages::of)) {
                    crawler.run(visits::add);
                    assertThat(crawler.result(Round.class).number()).isEqualTo(round);
                    assertThat(visits).hasSize(round == 2 ? 0 : 2);
                }
            }
        }
    }

    /** In each round, the same URL closes a ring of redirects, in whatever order they are requested. */
    @Test
    void ringOfRedirectsHasOneNameInAllRounds() throws IOException {
        Map<String, String> ring = Map.of("a", "b", "b", "c", "c", "a");
        List<String> orders = List.of("abc", "abc", "acb", "bac", "bca", "cab", "cba");
        try (CrawlJob job = CrawlDirectory.open(folder.resolve("job"), builder -> builder.capacity(100))) {
            for (String order : orders) {
                Rounds.again(job, false, RevisitRuleTest.RULE, PageKeys.ALL);
                Rounds rounds = Objects.requireNonNull(Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL));
                Redirects redirects = Redirects.of(
                        options(),
                        job,
                        (options, all, recorder, links, clock) ->
                                List.of(new RoundStage(rounds, links, recorder, clock)));
                List<String> failed = new ArrayList<>();
                for (String page : order.split("", -1)) {
                    String url = "http://h.test/" + page;
                    Target target = Target.of(new Lease(0, url, 1, 0, "http://h.test/", 0, 0));
                    FetchResult result =
                            redirects.follow(target, new FetchResult.Redirect(302, "http://h.test/" + ring.get(page)));
                    Revisit visit = rounds.revisit(
                            rounds.base(target), target, result, false, LongStream.empty(), 0, Instant.now(), null);
                    rounds.store(List.of(visit), false);
                    if (result instanceof FetchResult.Failed) {
                        failed.add(page);
                    } else if (rounds.round() > 1) {
                        assertThat(visit.history().change()).as(order).isEqualTo(Change.UNCHANGED);
                    }
                }
                assertThat(failed).as(order).containsExactly("c");
                rounds.complete(() -> false);
                rounds.end();
            }
        }
    }

    @Test
    void chainOfRedirectsEndsWhereItEnded() throws IOException {
        try (Site site = new Site().page("/", "/0")) {
            for (int i = 0; i < 40; i++) {
                site.redirect("/" + i, site.url("/" + (i + 1)));
            }
            Map<String, String> first = new TreeMap<>();
            for (int round = 1; round <= 3; round++) {
                run(options(), crawler -> crawler.seed(site.url("/")));
                assertThat(changes())
                        .as("round %d", round)
                        .hasSize(12)
                        .hasEntrySatisfying(
                                "/10", change -> assertThat(change).isEqualTo(first.isEmpty() ? "new" : "failed"));
                first.putAll(changes());
            }
        }
    }

    @Test
    void theOptionsOfARoundAreItsOwn() throws IOException {
        try (Site site = new Site().page("/", "/a", "/b").page("/a").page("/b").robots("User-agent: *\nDisallow: /b")) {
            run(options(), crawler -> crawler.seed(site.url("/")));
            assertThat(changes()).containsOnlyKeys("/", "/a");
            site.robots("");
            run(options().exclude("/a$"), crawler -> {});
            assertThat(changes()).isEqualTo(Map.of("/", "unchanged", "/b", "new"));
            run(options(), crawler -> {});
            assertThat(changes()).isEqualTo(Map.of("/", "unchanged", "/a", "unchanged", "/b", "unchanged"));
        }
    }
}
