package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.JobStore;
import dev.sieve.crawl.Journal;
import dev.sieve.crawl.OpenRequest;
import dev.sieve.crawl.Sharing;
import dev.sieve.durable.DurableFolder;
import dev.sieve.fetch.FetchResult;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.job.FolderPlace;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recorded of a crawl, in memory and in the journal of a job. */
class CrawlRecordTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    @TempDir
    private Path folder;

    private CrawlJob job() throws IOException {
        boolean exists = DurableFolder.exists(folder);
        return CrawlDirectory.open(folder, exists ? builder -> {} : builder -> builder.capacity(100));
    }

    private static CrawlRecord started(CrawlJob directory) throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(Journal.of(directory), false, NOW);
        return record;
    }

    @Test
    void aUrlThatIsRequestedAgainAfterAKillCountsOnce() throws IOException {
        Lease lease;
        for (int run = 0; run < 3; run++) {
            try (CrawlJob directory = job()) {
                directory.frontier().push("http://a.test/");
                lease = Objects.requireNonNull(directory.frontier().take(0));
                CrawlRecord record = started(directory);
                assertThat(record.<Long>read(crawl -> crawl.totals.count(Counter.PAGES)))
                        .isZero();
                record.accept(Visits.of(lease, Visits.page("http://a.test/", run < 2 ? 404 : 200, null)));
                record.flush();
                if (run == 2) {
                    directory.frontier().done(lease);
                }
            }
        }
        try (CrawlJob directory = job()) {
            CrawlRecord record = started(directory);
            assertThat(record.<Long>read(crawl -> crawl.totals.count(Counter.PAGES)))
                    .isOne();
            assertThat(record.brokenLinks()).isEmpty();
            record.findReferrers(() -> false);
            assertThat(record.<Long>read(crawl -> crawl.totals.count(Counter.PAGES)))
                    .isOne();
        }
        List<String> lines = new ArrayList<>();
        Journal.read(folder, lines::add, lines::add);
        assertThat(lines).filteredOn(line -> line.contains("a.test")).hasSize(1);
    }

    @Test
    void aUrlThatIsLeftCountsAsItWas() throws IOException {
        for (int run = 0; run < 2; run++) {
            try (CrawlJob directory = job()) {
                directory.frontier().push("http://a.test/");
                CrawlRecord record = started(directory);
                if (run == 0) {
                    Lease lease = Objects.requireNonNull(directory.frontier().take(0));
                    record.accept(Visits.of(lease, Visits.failed("http://a.test/", null)));
                    record.flush();
                }
                record.findReferrers(() -> false);
                assertThat(record.<Long>read(crawl -> crawl.totals.count(Counter.FAILED)))
                        .isOne();
                assertThat(record.brokenLinks()).hasSize(1);
            }
        }
    }

    /** Fifty pages that link to each other and to pages that are missing, and redirects. */
    private static List<Visit> site(long seed) {
        Random random = new Random(seed);
        List<Visit> visits = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String[] links = random.ints(5, 0, 20)
                    .distinct()
                    .mapToObj(each -> "http://a.test/missing/%7E" + each)
                    .toArray(String[]::new);
            visits.add(Visits.page("http://a.test/" + i, 200, "http://a.test/", links));
        }
        for (int i = 0; i < 20; i++) {
            visits.add(Visits.page("http://a.test/missing/~" + i, 404, "http://a.test/0"));
        }
        visits.add(Visits.redirect("http://a.test/old", "http://a.test/missing/~3", "http://a.test/1"));
        return visits;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theReferrersOfABrokenLinkAreComplete(boolean isJob) throws IOException {
        List<Visit> visits = site(1);
        Map<String, List<String>> expected = new TreeMap<>();
        for (Visit visit : visits) {
            visit.links()
                    .forEach(link -> expected.computeIfAbsent(link.replace("%7E", "~"), url -> new ArrayList<>())
                            .add(visit.url()));
        }
        try (CrawlJob directory = isJob ? job() : CrawlJob.inMemory(new Sieve(100))) {
            CrawlRecord record = started(directory);
            for (Visit visit : visits) {
                record.accept(visit);
            }
            record.findReferrers(() -> false);

            record.read(crawl -> {
                for (BrokenLinks.Link link : crawl.broken.list()) {
                    assertThat(link.referrerCount())
                            .as(link.url)
                            .isEqualTo(expected.get(link.url).size());
                    List<String> first = List.of("http://a.test/0");
                    assertThat(link.referrers)
                            .containsAll(expected.get(link.url).stream()
                                    .limit(BrokenLinks.REFERRERS - 1)
                                    .toList())
                            .containsAll(first);
                }
                return crawl.broken.count();
            });
        }
    }

    /** What was found is shown, as what it is. */
    @Test
    void aSearchThatIsStoppedSaysThatPagesAreMissing() throws IOException {
        try (CrawlJob directory = CrawlJob.inMemory(new Sieve(100))) {
            CrawlRecord record = started(directory);
            site(1).forEach(record::accept);
            Iterator<Boolean> stops = Stream.concat(Stream.generate(() -> false).limit(10), Stream.of(true))
                    .iterator();

            record.findReferrers(stops::next);

            assertThat(stops.hasNext()).isFalse();
            assertThat(record.<List<BrokenLinks.Link>>read(crawl -> crawl.broken.list()))
                    .isNotEmpty()
                    .noneMatch(BrokenLinks.Link::isComplete);
            assertThat(ReportPage.page(record, NOW)).contains("and pages that were not searched");
            assertThat(ReportPage.livePage(record, NOW, ""))
                    .doesNotContain("and pages that were not searched")
                    .contains("are searched when the crawl has ended");
        }
    }

    @Test
    void brokenResourceIsOnAllPagesThatNeedIt() throws IOException {
        try (CrawlJob directory = CrawlJob.inMemory(new Sieve(100))) {
            CrawlRecord record = started(directory);
            record.accept(Visits.needing("http://a.test/", null, "http://b.test/x.png"));
            record.accept(Visits.needing("http://a.test/2", "http://a.test/", "http://b.test/x.png"));
            record.accept(Visits.check(Visits.page("http://b.test/x.png", 404, "http://a.test/")));
            record.findReferrers(() -> false);
            record.read(crawl -> assertThat(crawl.broken.list())
                    .singleElement()
                    .extracting(link -> link.referrers)
                    .isEqualTo(List.of("http://a.test/", "http://a.test/2")));
        }
    }

    @Test
    void resourceOfTheWrongTypeStaysBrokenWhenItIsAlsoAPage() throws IOException {
        try (CrawlJob directory = CrawlJob.inMemory(new Sieve(100))) {
            CrawlRecord record = started(directory);
            FetchResult wrong = new FetchResult.Failed(200, FetchResult.Reason.WRONG_TYPE, "text/html");
            record.accept(Visits.check(Visits.visit("http://a.test/x.png", "http://a.test/", wrong, "", 10)));
            record.accept(Visits.page("http://a.test/x.png", 200, "http://a.test/"));
            record.read(crawl -> assertThat(crawl.broken.count()).isEqualTo(1));

            record.accept(Visits.check(Visits.page("http://a.test/x.png", 200, "http://a.test/")));
            record.read(crawl -> assertThat(crawl.broken.count()).isZero());
        }
    }

    @Test
    void linkToARedirectToABrokenUrlIsOnThePageThatHasIt() throws IOException {
        try (CrawlJob directory = CrawlJob.inMemory(new Sieve(100))) {
            CrawlRecord record = started(directory);
            record.accept(Visits.page("http://a.test/", 200, null, "http://a.test/r1"));
            record.accept(Visits.page("http://a.test/2", 200, "http://a.test/", "http://a.test/r2"));
            record.accept(Visits.redirect("http://a.test/r1", "http://a.test/r2", "http://a.test/"));
            record.accept(Visits.redirect("http://a.test/r2", "http://a.test/gone", "http://a.test/r1"));
            record.accept(Visits.page("http://a.test/gone", 404, "http://a.test/r2"));
            record.read(crawl -> assertThat(crawl.broken.list())
                    .singleElement()
                    .extracting(link -> link.referrers)
                    .isEqualTo(List.of("http://a.test/")));
            record.findReferrers(() -> false);

            record.read(crawl -> assertThat(crawl.broken.list()).singleElement().satisfies(link -> {
                assertThat(link.referrers).containsExactly("http://a.test/", "http://a.test/2");
                assertThat(link.referrerCount()).isEqualTo(2);
            }));
        }
    }

    @Test
    void aTemporaryJournalIsDeleted() throws IOException {
        try (CrawlJob job =
                new CrawlJob(new Sieve(100), folder, null, Sharing.NONE, (seeds, origins) -> JobStore.NONE)) {
            started(job);
            assertThat(journals()).isEqualTo(1);
        }
        assertThat(journals()).isZero();
    }

    private long journals() throws IOException {
        try (Stream<Path> folders = Files.list(folder)) {
            return folders.filter(each -> Files.exists(each.resolve("crawl-report")))
                    .count();
        }
    }

    @Test
    void aResumedCrawlContinuesWhereAKillHasCutTheJournal() throws IOException {
        List<Visit> visits = site(2);
        byte[] counts;
        try (CrawlJob directory = job()) {
            CrawlRecord record = started(directory);
            for (Visit visit : visits.subList(0, 60)) {
                record.accept(visit);
            }
            record.skipped(new Skip("http://b.test/", new SkipReason("out of scope", "host"), "http://a.test/"));
            record.capacity(new CapacityEvent(0.8, 80, 100, 1e-5, 0.1, 1000, OnFull.WARN), NOW);
            record.accept(visits.get(60));
            counts = Files.readAllBytes(folder.resolve("crawl-counts"));
        }
        Files.write(folder.resolve("crawl-counts"), counts); // which a kill does not bring up to date
        // The last line is that of the visit; half of it is lost.
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("crawl-report").toFile(), "rw")) {
            file.setLength(file.length() - 40);
        }
        try (CrawlJob directory = job()) {
            CrawlRecord record = started(directory);
            for (Visit visit : visits.subList(60, visits.size())) {
                record.accept(visit);
            }
            record.findReferrers(() -> false);
            CrawlRecord whole = new CrawlRecord();
            whole.start(null, false, NOW);
            for (Visit visit : visits) {
                whole.accept(visit);
            }

            for (String id : List.of("responses", "hosts", "slowest", "largest", "redirects")) {
                assertThat(section(record, id)).isEqualTo(section(whole, id));
            }
            record.read(crawl -> {
                assertThat(crawl.runs.count()).isEqualTo(2);
                assertThat(crawl.capacityEvents).hasSize(1);
                assertThat(crawl.skipExamples.urls("out of scope")).hasSize(1);
                return crawl;
            });
        }
    }

    private static String section(CrawlRecord record, String id) {
        return Jsoup.parse(ReportPage.sections(record)).getElementById(id).outerHtml();
    }

    @Test
    void whatWasFlushedSurvivesAKill(@TempDir Path other) throws IOException {
        Path copy = other.resolve("job");
        try (CrawlJob directory = job()) {
            CrawlRecord record = started(directory);
            record.accept(Visits.page("http://a.test/1", 200, null));
            record.flush();
            record.accept(Visits.page("http://a.test/2", 200, null));
            Files.createDirectory(copy);
            for (String name : List.of("settings", "crawl-report")) {
                Files.copy(folder.resolve(name), copy.resolve(name));
            }
        }
        CrawlRecord killed = ReportInput.read(List.of(copy), problem -> {});
        killed.read(crawl -> assertThat(crawl.totals.count(Counter.PAGES)).isEqualTo(1));
    }

    @Test
    void aDamagedLineIsNamedAndKeptOutByARepair() throws IOException {
        try (CrawlJob directory = job()) {
            CrawlRecord record = started(directory);
            for (Visit visit : site(3)) {
                record.accept(visit);
            }
        }
        Path journal = folder.resolve("crawl-report");
        // One letter of one URL: still JSON, but not what was written.
        Files.writeString(journal, Files.readString(journal).replaceFirst("a.test/7\"", "b.test/7\""));

        assertThat(new FolderPlace(folder).inspect().problems()).containsExactly(journal + ": line 10 is damaged");
        assertThatThrownBy(() -> {
                    try (CrawlJob directory = job()) {
                        started(directory);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 10");

        new FolderPlace(folder).repair();
        try (CrawlJob directory = job()) {
            started(directory)
                    .read(crawl -> assertThat(crawl.totals.count(Counter.PAGES)).isEqualTo(69));
        }
    }

    @Test
    void aLinkThatWorksInALaterRunIsNotBroken() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        record.accept(Visits.failed("http://a.test/x", "http://a.test/"));
        record.accept(Visits.failed("http://a.test/y", "http://a.test/"));
        record.accept(Visits.page("http://a.test/x", 200, "http://a.test/"));

        record.read(crawl ->
                assertThat(crawl.broken.list()).extracting(link -> link.url).containsExactly("http://a.test/y"));
    }

    @Test
    void whatIsMissingComesFirst() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        Counts counts = new Counts(
                Map.of("refused", 3L), Map.of("refused", Map.of("robots.txt", 1L, "address not public", 2L)));
        SieveStats full = new SieveStats(FilterKind.SPLIT_BLOCKS, 393, 0, 0, 0, 393, 393, 100, 0.5, 24.4, 320);
        record.read(crawl -> crawl.sample(new Sample(NOW.toEpochMilli(), 1000, null, counts, null, full)));

        for (String text : List.of(ReportPage.page(record, NOW), ReportPage.progress(record))) {
            Document page = Jsoup.parse(text);
            assertThat(page.select("#overview > p").eachText())
                    .startsWith(
                            "About 24 pages were missed, and the pages that only they link to: the filter is too small."
                                    + " Crawl again from the start with a capacity of 900 URLs, or with an exact filter.",
                            "No page could be fetched: address not public 2, robots.txt 1.",
                            "Not requested: 3 URLs (address not public 2, robots.txt 1), 0 links. Examples are under Skipped.");
            assertThat(page.select(".tiles .bad dt").eachText()).containsExactly("Pages missed");
        }
    }

    @Test
    void reasonsHaveOneOrder() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        for (int i = 0; i < 3; i++) {
            record.accept(Visits.failed("http://a.test/f" + i, "http://a.test/"));
            record.accept(Visits.page("http://a.test/" + i, i == 0 ? 403 : 404, "http://a.test/"));
        }

        Document page = Jsoup.parse(ReportPage.page(record, NOW));

        assertThat(page.select("#reasons td:first-child").eachText()).containsExactly("404", "403", "timeout");
        assertThat(page.select("#broken-links h3").eachText()).containsExactly("404 (2)", "403 (1)", "timeout (3)");
    }

    /** A network that fails has many broken links, behind which those of the site itself must not disappear. */
    @Test
    void brokenPagesAreListedBeforeSitesThatDoNotRespond() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        for (int i = 0; i < Bounds.BROKEN_LINKS; i++) {
            record.accept(Visits.check(Visits.failed("http://h" + i + ".test/", "http://a.test/")));
        }
        record.accept(Visits.check(Visits.page("http://b.test/x", 404, "http://a.test/")));
        record.accept(Visits.page("http://a.test/x", 404, "http://a.test/"));
        record.accept(Visits.failed("http://a.test/y", "http://a.test/"));

        Document page = Jsoup.parse(ReportPage.page(record, NOW));
        assertThat(page.select("#broken-links h3").eachText()).containsExactly("404 (2)", "timeout (9,998)");
        assertThat(page.select("#broken-links tbody tr td:first-child").eachText())
                .hasSize(Bounds.BROKEN_LINKS)
                .startsWith("http://a.test/x", "http://b.test/x", "http://a.test/y");
        assertThat(page.select("#broken > .note").text()).isEqualTo("And 3 more broken links, only counted.");
        assertThat(page.select("#verdict").text())
                .isEqualTo("2 pages and 10,001 checked URLs are broken, of 10,003 URLs requested.");
        assertThat(page.select("#verdict").hasClass("bad")).isTrue();
    }

    @Test
    void linksThatAreOnlyCheckedAreCountedByThemselves() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        record.accept(Visits.page("http://a.test/", 200, null));
        record.accept(Visits.check(Visits.page("http://b.test/", 200, "http://a.test/")));
        record.accept(Visits.check(Visits.page("http://b.test/x", 404, "http://a.test/")));
        record.accept(Visits.check(Visits.failed("http://c.test/", "http://a.test/")));
        record.accept(Visits.check(Visits.redirect("http://b.test/y", "http://b.test/z", "http://a.test/")));

        record.read(crawl -> {
            assertThat(List.of(
                            crawl.totals.count(Counter.PAGES),
                            crawl.totals.count(Counter.CHECKED),
                            crawl.totals.count(Counter.FAILED),
                            crawl.totals.count(Counter.REDIRECTS)))
                    .containsExactly(1L, 4L, 0L, 0L);
            assertThat(crawl.totals.hosts.rows()).extracting(row -> row.host).containsExactly("a.test");
            assertThat(crawl.broken.list()).hasSize(2).allMatch(BrokenLinks.Link::isCheck);
            return crawl;
        });
    }

    @Test
    @Tag("slow")
    void memoryAndPageAreBoundedWhateverIsCrawled() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        String word = "w".repeat(8000);
        for (int i = 0; i < 20_000; i++) {
            String host = "http://h" + i + ".test/";
            record.accept(Visits.page(host + word + i, 400 + i % 200, host + word, "type/" + i + word, word + i, i));
            record.accept(Visits.redirect(host, host + word, null));
            record.skipped(new Skip(host, new SkipReason("rule " + i, word), host + word));
        }
        record.read(crawl -> {
            assertThat(crawl.totals.hosts.size()).isEqualTo(Bounds.HOSTS);
            assertThat(crawl.broken.list()).hasSize(Bounds.BROKEN_LINKS);
            assertThat(crawl.broken.count()).isEqualTo(20_000);
            assertThat(crawl.totals.types.bySize()).hasSize(Bounds.NAMES);
            assertThat(crawl.totals.types.sum()).isEqualTo(20_000);
            assertThat(crawl.redirectChains.chains()).hasSizeLessThanOrEqualTo(Bounds.REDIRECTS);
            assertThat(crawl.skipExamples.urls("rule 1")).hasSize(1);
            assertThat(crawl.skipExamples.urls("rule 10000")).isEmpty();
            return crawl;
        });
        assertThat(ReportPage.page(record, NOW).getBytes(UTF_8).length).isLessThan(10_000_000);
    }

    @Test
    void samplesAreThinnedAndKeepTheirSpan() {
        Timeline timeline = new Timeline();
        for (int second = 1; second <= 100_000; second++) {
            timeline.add(new Timeline.Point(second * 1000L, second, 0, 0, 1, 0, 0));
        }
        List<Timeline.Point> points = timeline.points();
        assertThat(points).hasSizeBetween(Bounds.SAMPLES / 2, Bounds.SAMPLES + 2);
        assertThat(points.get(0).millis()).isEqualTo(1000);
        assertThat(points.get(points.size() - 1).millis()).isEqualTo(100_000_000);
    }

    @Test
    void percentilesAreExactWithinFivePercent() {
        Random random = new Random(4);
        for (int size : new int[] {1, 2, 19, 1000}) {
            HostTable.Histogram histogram = new HostTable.Histogram();
            long[] values = random.longs(size, 1, 100_000).sorted().toArray();
            for (long value : values) {
                histogram.add(value);
            }
            for (double share : new double[] {0.5, 0.95}) {
                double exact = values[(int) Math.ceil(share * size) - 1];
                assertThat((double) histogram.percentile(share)).isBetween(exact * 0.95 - 1, exact * 1.05 + 1);
            }
        }
        assertThat(new HostTable.Histogram().percentile(0.95)).isZero();
    }

    @Test
    void theNumbersOfThePageAreThoseOfTheVisits() throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.start(null, false, NOW);
        for (Visit visit : site(5)) {
            record.accept(visit);
        }
        record.accept(Visits.redirect("http://seed.test/", "http://a.test/", null));
        record.delays(host -> host.equals("a.test") ? Duration.ofMillis(1500) : null);
        record.delays(host -> null);
        Document page = Jsoup.parse(ReportPage.page(record, NOW));
        assertThat(page.select("#seed").text()).isEqualTo("From http://seed.test/");
        assertThat(column(page, "classes", 0)).containsExactly("2xx", "3xx", "4xx");
        assertThat(column(page, "classes", 1)).containsExactly("50", "2", "20");
        assertThat(page.select("#host-table tbody tr td").eachText().subList(0, 6))
                .containsExactly("a.test", "70", "1", "20", "1.50 s", "497 ms");
        assertThat(page.select("#broken-links tbody tr")).hasSize(20);
    }

    @Test
    void aRequestThatTakesLongIsNamed() {
        CrawlRecord record = new CrawlRecord();
        record.oldest(new OpenRequest("http://slow.test/<b>", Duration.ofMillis(4999)));
        assertThat(waiting(record)).isEmpty();
        record.oldest(new OpenRequest("http://slow.test/<b>", Duration.ofSeconds(5)));
        assertThat(waiting(record)).containsExactly("Waiting 5.00 s for http://slow.test/<b>");
        record.oldest(null);
        assertThat(waiting(record)).isEmpty();
    }

    private static List<String> waiting(CrawlRecord record) {
        return Jsoup.parse(ReportPage.progress(record)).select("#waiting").eachText();
    }

    private static List<String> column(Element page, String table, int column) {
        return page.select("#" + table + " tbody tr").stream()
                .map(row -> row.child(column).text())
                .toList();
    }
}
