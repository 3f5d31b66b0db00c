package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Sieve;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.JobStore;
import dev.sieve.crawl.Reports;
import dev.sieve.crawl.Sharing;
import dev.sieve.crawl.Site;
import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.FakeDisk;
import dev.sieve.io.JobFiles;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Visit;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exactly the links to missing parts of pages are found, each with its page. */
@Timeout(60)
class FragmentCheckTest {
    private static final String[] BROKEN = {
        "/ /b#lost",
        "/ /b#Part",
        "/ /#gone",
        "/ /moved#lost",
        "/b /b#%C3%A9",
        "/b /b#image",
        "/b /b#inert",
        "/b /moved#lost",
        "/own /b#nowhere",
    };

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void build() {
        site.tagged("/", """
                <h1 id=here>x</h1><a href=#here></a><a href=#gone></a><a href=#></a><a href=#top></a><a href=#TOP></a>
                <a href="/b#part"></a><a href="/b#Part"></a><a href="/b#lost"></a><a href=/b></a><a href="/b#:~:text=x"></a>
                <a href="/b#part:~:text=x"></a><a href="/moved#part"></a><a href="/moved#lost"></a><a href="/own#any"></a>
                <a href="/file#page=2"></a><a href="/404#x"></a><a href="http://other.invalid/#x"></a>""");
        site.tagged("/b", """
                <h1 id=part>x</h1><a name=named></a><img name=image><p id="caf\u00e9"><p id="a b"><p id="100%25"><p id=":~:">
                <template><p id=inert></template><svg><g id=drawn></g></svg><p id=part>
                <a href="#named"></a><a href="#image"></a><a href="#caf%c3%a9"></a><a href="#caf\u00e9"></a><a href="#a b"></a>
                <a href="#a%20b"></a><a href="#100%25"></a><a href="#\u00e9"></a><a href="#inert"></a><a href="#drawn"></a>
                <a href="#%70art"></a><a href="#%54op"></a><a href="/moved#lost"></a>""");
        site.redirect("/moved", "/moved2").redirect("/moved2", "/b").redirect("/own", "/b#nowhere");
        site.answer("/file", Site.ok("application/pdf", "x"));
    }

    private static CrawlOptions options() {
        return Site.fast().with(Capability.CHECK_FRAGMENTS, true).retries(0);
    }

    private CrawlReport run(CrawlOptions options) throws IOException {
        visits.clear();
        return runOn(options);
    }

    private CrawlReport runOn(CrawlOptions options) throws IOException {
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

    private List<String> broken() {
        return visits.stream()
                .filter(visit -> visit.result().error().equals(FetchResult.Reason.FRAGMENT.text()))
                .map(visit -> path(String.valueOf(visit.referrer())) + " " + path(visit.url()))
                .toList();
    }

    private String path(String url) {
        return url.substring(site.url("").length());
    }

    @Test
    void exactlyTheMissingPartsAreFoundWithTheirPages() throws IOException {
        CrawlReport report = run(options());

        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
        assertThat(report.count(Counter.FRAGMENTS, Counter.MISSING)).isEqualTo(BROKEN.length);
        assertThat(report.count(Counter.FRAGMENTS, Counter.UNCHECKED)).isEqualTo(3);
        // Two pages have the same broken link.
        assertThat(report.by(Counter.FAILURES)).containsEntry("missing fragment", BROKEN.length - 1L);
        assertThat(visits.stream().filter(visit -> visit.url().endsWith("/b#lost")))
                .singleElement()
                .satisfies(visit -> {
                    assertThat(visit.key()).isEqualTo(visit.url());
                    assertThat(visit.depth()).isEqualTo(1);
                    assertThat(visit.isCheck()).isTrue();
                });
    }

    @Test
    void crawlWithoutAJobFindsTheSame() throws IOException {
        try (Crawler crawler = new Crawler(options(), new Sieve(1000), AllStages::of)) {
            crawler.seed(site.url("/"));
            crawler.run(visits::add);
        }

        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
    }

    @Test
    void stoppedCrawlFindsTheSameAndEachLinkOnce() throws IOException {
        int runs = 0;
        CrawlReport report;
        do {
            report = runOn(options().maxPages(1));
            runs++;
        } while (report.pending().left() > 0 && runs < 20);

        assertThat(runs).isGreaterThan(2);
        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
        assertThat(run(options()).count(Counter.FRAGMENTS, Counter.MISSING)).isEqualTo(BROKEN.length);
        assertThat(broken()).isEmpty();
    }

    @Test
    void sinkThatFailsReceivesTheRestInTheNextRun() throws IOException {
        try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options(), directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            assertThatThrownBy(() -> crawler.run(visit -> {
                        if (visit.url().endsWith("#lost")) {
                            throw new IOException("disk full");
                        }
                    }))
                    .hasMessage("disk full");
        }

        run(options());

        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
        assertThat(visits).hasSize(BROKEN.length);
    }

    @Test
    void nextRoundFindsTheSameOfPagesThatAreNotModified() throws IOException {
        run(options().with(Capability.ROUNDS, true));
        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);

        run(options().with(Capability.ROUNDS, true));

        assertThat(visits.stream().filter(visit -> visit.result().status() == 304))
                .hasSize(2);
        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
    }

    @Test
    void nextRoundFindsWhatHasChanged() throws IOException {
        run(options().with(Capability.ROUNDS, true));
        List<String> expected = new ArrayList<>(Arrays.asList(BROKEN));
        expected.removeIf(each -> each.startsWith("/b "));
        expected.remove("/ /b#Part");
        expected.add("/ /b#part");
        expected.add("/ /moved#part");
        site.tagged("/b", "<p id=Part>");

        run(options().with(Capability.ROUNDS, true));

        assertThat(broken()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void roundThatIsInterruptedFindsTheSame() throws IOException {
        run(options().with(Capability.ROUNDS, true));

        visits.clear();
        runOn(options().with(Capability.ROUNDS, true).maxPages(1));
        assertThat(broken()).isEmpty();
        runOn(options().with(Capability.ROUNDS, true));

        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
    }

    @Test
    void jobWithRoundsMayBeCheckedFromALaterRoundOn() throws IOException {
        run(options().with(Capability.ROUNDS, true).with(Capability.CHECK_FRAGMENTS, false));
        assertThat(broken()).isEmpty();

        run(options().with(Capability.ROUNDS, true));

        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
    }

    @Test
    void goneAndCutPagesAreNotChecked() throws IOException {
        run(options().with(Capability.ROUNDS, true));
        site.answer("/b", () -> Site.status(404));

        CrawlReport report = run(options().with(Capability.ROUNDS, true));

        assertThat(broken()).containsExactly("/ /#gone");
        assertThat(report.count(Counter.FRAGMENTS, Counter.UNCHECKED)).isEqualTo(9);
        site.html("/b", "<p id=x>" + " ".repeat(5000) + "<p id=y>");
        run(options().with(Capability.ROUNDS, true).bodyLimit(4096));
        assertThat(broken()).containsExactly("/ /#gone");
    }

    @ParameterizedTest
    @ValueSource(ints = {2048, 128, 64})
    void whatExceedsTheMemoryIsNotCalledBroken(int tableBytes) throws IOException {
        CrawlReport report = run(options());
        List<String> found = new ArrayList<>();
        FragmentCheck.Receiver receiver = receiver(link -> found.add(link.replace(site.url(""), "")));
        try (CrawlJob directory = CrawlDirectory.open(folder.resolve("job"), builder -> {})) {
            FragmentCheck.Result result = new FragmentCheck(
                            directory.part(Fragments.class, files -> new Fragments(files, PageKeys.ALL)),
                            receiver,
                            false,
                            () -> false,
                            tableBytes)
                    .run();

            assertThat(result.found() + result.missing() + result.unknown()).isEqualTo(report.count(Counter.FRAGMENTS));
            assertThat(BROKEN).containsAll(found);
            assertThat(result.unknown()).matches(unknown -> tableBytes > 1000 ? unknown == 3 : unknown > 3);
        }
    }

    @Test
    void routesOfProgramsAreLeftOutAndCounted() throws IOException {
        site.tagged("/", """
                <p id="/known"><a href="#/known"></a><a href="#/users"></a><a href="#!/jobs"></a><a href="#gone"></a>""");

        CrawlReport report = run(options());

        assertThat(broken()).containsExactly("/ /#gone");
        assertThat(report.by(Counter.FRAGMENTS))
                .containsEntry(Counter.ROUTES, 2L)
                .containsEntry(Counter.FOUND, 1L);
        run(options().with(Capability.CHECK_ROUTES, true));
        assertThat(broken()).containsExactlyInAnyOrder("/ /#/users", "/ /#!/jobs");
    }

    /** A page with many parts, and pages with many links to others. */
    private static Fragments linksToMissingParts(JobFiles files, int pages, int links) throws IOException {
        Fragments fragments = new Fragments(files, PageKeys.ALL);
        Fragments.Page target = fragments.page();
        IntStream.range(0, 50_000).forEach(i -> target.part("p" + i));
        fragments.add(0, "http://h/", target, true);
        for (int page = 0; page < pages; page++) {
            Fragments.Page source = fragments.page();
            IntStream.range(0, links).forEach(i -> source.link("http://h/", "missing" + i));
            fragments.add(1, "http://h/" + page, source, true);
        }
        return fragments;
    }

    private static FragmentCheck.Receiver receiver(Consumer<String> links) {
        return new FragmentCheck.Receiver() {
            @Override
            public void missing(String page, int depth, String url, boolean isFirst, boolean isRecorded) {
                if (!isRecorded) {
                    links.accept(page + " " + url);
                }
            }

            @Override
            public void flush() {}
        };
    }

    @Test
    void lineOfATargetIsReadOncePerCheck() throws IOException {
        FakeDisk disk = new FakeDisk();
        try (JobFiles files = JobFiles.open(disk, 7, CrawlDirectory.FILES, false, () -> {})) {
            Fragments fragments = linksToMissingParts(files, 4, 2000);
            fragments.flush(false);
            long size = disk.size(Fragments.KIND.name());
            long before = disk.bytesRead(Fragments.KIND.name());

            FragmentCheck.Result result = new FragmentCheck(
                            fragments, receiver(link -> {}), false, () -> false, FragmentCheck.TABLE_BYTES)
                    .run();

            assertThat(result.missing()).isEqualTo(8000);
            // Four passes, and one line.
            assertThat(disk.bytesRead(Fragments.KIND.name()) - before).isLessThan(6 * size);
        }
    }

    @Test
    void aStoppedCheckContinuesAndListsEachLinkOnce() throws IOException {
        FakeDisk disk = new FakeDisk();
        List<String> told = new ArrayList<>();
        try (JobFiles files = JobFiles.open(disk, 7, CrawlDirectory.FILES, false, () -> {})) {
            Fragments fragments = linksToMissingParts(files, 3, 700);
            int runs = 0;
            FragmentCheck.Result result;
            do {
                // One pass more in each run, and then a part of the links.
                long least = 2000L * ++runs;
                AtomicLong calls = new AtomicLong();
                result = new FragmentCheck(
                                fragments,
                                receiver(told::add),
                                false,
                                () -> calls.incrementAndGet() > least,
                                FragmentCheck.TABLE_BYTES)
                        .run();
                assertThat(result.unknown() > 0).isNotEqualTo(result.isComplete());
                assertThat(fragments.hasAllPages()).isFalse();
            } while (!result.isComplete());

            assertThat(runs).isGreaterThan(2);
            assertThat(told).hasSize(2100).doesNotHaveDuplicates();
            assertThat(result.missing()).isEqualTo(2100);
        }
    }

    @Test
    void stopEndsTheCheckAndTheSameRoundContinuesIt() throws IOException {
        visits.clear();
        Path job = folder.resolve("job");
        try (CrawlJob directory = CrawlDirectory.open(job, builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options().with(Capability.ROUNDS, true), directory, AllStages::of)) {
            crawler.seed(site.url("/"));
            CrawlReport report = crawler.run(visit -> {
                visits.add(visit);
                if (visit.url().contains("#")) {
                    crawler.stop();
                }
            });
            assertThat(report.ending()).isEqualTo(Ending.STOPPED);
            assertThat(report.count(Counter.FRAGMENTS, Counter.UNCHECKED)).isPositive();
            assertThat(broken()).hasSize(1);
        }

        CrawlReport report = runOn(options().with(Capability.ROUNDS, true));

        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(broken()).containsExactlyInAnyOrder(BROKEN);
        run(options().with(Capability.ROUNDS, true));
        assertThat(visits)
                .isNotEmpty()
                .allMatch(visit -> visit.history() == null || visit.history().visits() == 2);
    }

    @Test
    void sharedCrawlRefuses() throws IOException {
        Sharing sharing = new Sharing() {
            @Override
            public int processes() {
                return 2;
            }

            @Override
            public boolean isIdle(long waitNanos, long waiting) {
                return true;
            }

            @Override
            public void requireAlone(String work) {
                throw new IllegalArgumentException("a shared crawl cannot " + work);
            }
        };
        CrawlJob shared = new CrawlJob(new Sieve(10), folder, null, sharing, (seeds, origins) -> JobStore.NONE);
        try (shared) {
            assertThatThrownBy(() -> new Crawler(options(), shared, AllStages::of))
                    .hasMessage("a shared crawl cannot check fragments");
        }
    }
}
