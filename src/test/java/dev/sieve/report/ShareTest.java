package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapacityEvent;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.scope.SkipReason;
import dev.sieve.stage.AllStages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_100);

    private static CrawlRecord started(String command) throws IOException {
        CrawlRecord record = new CrawlRecord();
        record.command(command);
        record.start(null, false, NOW.minusSeconds(100));
        return record;
    }

    private static void sample(CrawlRecord record, Instant now) throws IOException {
        try (Sieve sieve = new Sieve(1000);
                Crawler crawler = new Crawler(new CrawlOptions(), sieve, AllStages::of)) {
            record.sample(crawler.report(), now);
        }
    }

    private static List<Visit> visits(Random random, int number) {
        List<Visit> visits = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String url = "http://h" + random.nextInt(40) + ".test/" + i;
            String referrer = i == 0 ? null : "http://h0.test/" + random.nextInt(10);
            visits.add(
                    switch (random.nextInt(8)) {
                        case 0 -> Visits.redirect(url, "http://h1.test/" + (i + 1), referrer);
                        case 1 -> Visits.failed(url, referrer);
                        case 2 -> Visits.check(Visits.page(url, 404, referrer));
                        case 3 -> Visits.page(url, 404, referrer);
                        default ->
                            Visits.page(
                                    url,
                                    200,
                                    referrer,
                                    "text/" + random.nextInt(5),
                                    "<b>" + i,
                                    // No two are equal, since the last ones of equal pages are a matter of order.
                                    i + 1);
                    });
        }
        return visits;
    }

    private static List<String> rows(Document page, String table) {
        return page.select("#" + table + " tbody tr").stream()
                .map(Element::text)
                .sorted()
                .toList();
    }

    /** The report of what four workers have stored is that of one who has done all of it. */
    @ParameterizedTest
    @ValueSource(ints = {20, 300, 3000})
    void theSharesOfWorkersAddUp(int number) throws IOException {
        Random random = new Random(number);
        CrawlRecord all = started("all");
        List<CrawlRecord> workers = List.of(started("1"), started("2"), started("3"), started("4"));
        for (Visit visit : visits(random, number)) {
            all.accept(visit);
            workers.get(random.nextInt(4)).accept(visit);
        }
        sample(all, NOW);
        List<byte[]> shares = new ArrayList<>();
        for (CrawlRecord worker : workers) {
            sample(worker, NOW);
            shares.add(worker.share());
        }

        Document expected = Jsoup.parse(ReportPage.page(all, NOW));
        Document page = Jsoup.parse(ReportPage.page(CrawlRecord.ofShares(shares), NOW));

        assertThat(page.select("#verdict").text())
                .isEqualTo(expected.select("#verdict").text());
        assertThat(page.select(".tiles > div").eachText().subList(0, 5))
                .isEqualTo(expected.select(".tiles > div").eachText().subList(0, 5));
        for (String table :
                List.of("classes", "statuses", "depths", "types", "reasons", "host-table", "slow-pages", "skips")) {
            assertThat(rows(page, table)).as(table).isEqualTo(rows(expected, table));
        }
        assertThat(page.select("#broken > h2").text())
                .isEqualTo(expected.select("#broken > h2").text());
        if (number <= 300) {
            assertThat(page.select("#broken-links td:first-child").eachText())
                    .containsExactlyInAnyOrderElementsOf(
                            expected.select("#broken-links td:first-child").eachText());
        }
        assertThat(rows(page, "samples")).hasSize(1);
        assertThat(page.select("p.command").eachText())
                .containsExactly("Worker 1: 1", "Worker 2: 2", "Worker 3: 3", "Worker 4: 4");
        assertThat(page.select("#alike")).isEmpty();
    }

    /** Such as what somebody else has stored under this name. */
    @Test
    @Timeout(20)
    void endlessIntervalsEnd() {
        Arrivals arrivals = new Arrivals();
        arrivals.add(NOW.toEpochMilli());
        Arrivals stored = new Arrivals();
        stored.widthMillis = Long.MAX_VALUE;
        stored.pages.put(String.valueOf(Long.MIN_VALUE), 1L);
        stored.pages.put(String.valueOf(Long.MAX_VALUE), 2L);
        arrivals.merge(stored);

        assertThat(arrivals.intervals().stream()
                        .mapToLong(Arrivals.Interval::pages)
                        .sum())
                .isEqualTo(4);
    }

    /** It is written without the lock of the record. */
    @Test
    void aShareDoesNotChangeWithItsCrawl() throws IOException {
        Aggregate crawl = new Aggregate(true);
        crawl.run(1, "sieve");
        crawl.sample(new Sample(2, 1, null, null, null, null));
        crawl.skipExamples.add("rule", "http://a.test/", null, null);
        Share share = Share.of(crawl);
        byte[] before = share.bytes();

        crawl.add(Entry.of(Visits.page("http://a.test/", 404, null)));
        crawl.add(Entry.of(Visits.redirect("http://a.test/1", "http://a.test/2", null)));
        crawl.skipExamples.add("rule", "http://b.test/", null, null);
        crawl.capacity(new CapacityEvent(0.8, 80, 100, 1e-6, 0.1, 1000, OnFull.WARN), 3);
        crawl.sample(new Sample(3, 2, null, null, null, null));

        assertThat(share.bytes()).isEqualTo(before);
    }

    @Test
    void redirectsOfDifferentWorkersAreOneChain() throws IOException {
        CrawlRecord one = started("1");
        CrawlRecord other = started("2");
        one.accept(Visits.redirect("http://a.test/1", "http://b.test/2", null));
        other.accept(Visits.redirect("http://b.test/2", "http://c.test/3", "http://a.test/1"));
        sample(one, NOW);
        sample(other, NOW);

        Document page = Jsoup.parse(ReportPage.page(CrawlRecord.ofShares(List.of(other.share(), one.share())), NOW));

        assertThat(rows(page, "chains")).singleElement().asString().startsWith("2 301, 301 http://a.test/1");
    }

    @Test
    void aWorkerThatIsSilentWasCutOff() throws IOException {
        CrawlRecord dead = started("dead");
        CrawlRecord alive = started("alive");
        sample(dead, NOW.minusSeconds(60));
        sample(alive, NOW);
        Skip skip = new Skip("http://a.test/x", new SkipReason("nofollow"), null);
        alive.skipped(skip);
        alive.capacity(new CapacityEvent(0.8, 80, 100, 1e-6, 0.1, 1000, OnFull.WARN), NOW.minusSeconds(30));

        CrawlRecord crawl = CrawlRecord.ofShares(List.of(alive.share(), dead.share()));

        Document page = Jsoup.parse(ReportPage.page(crawl, NOW));
        assertThat(page.select("#links tr:last-child").text())
                .isEqualTo("Ended not yet cut off; the numbers are the last ones recorded");
        assertThat(page.select(".tiles").text()).contains("Time 0:01:40");
        assertThat(rows(page, "events")).singleElement().asString().startsWith("70.0 80");
    }

    /** What another version has written, or somebody else. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"sample\":{},\"totals\":{},\"broken\":{},\"redirects\":[],\"slowest\":[],\"largest\":[],\"skips\":{},\"capacity\":[]}",
                "{\"sample\":{},\"totals\":{\"statuses\":[1],\"depths\":[{\"name\":\"x\"}]},\"broken\":{},\"redirects\":[],"
                        + "\"slowest\":[],\"largest\":[],\"skips\":{},\"capacity\":[]}",
                "{\"sample\":{},\"crawl\":{\"totals\":null}}",
                "{\"sample\":{},\"crawl\":{\"totals\":{\"statuses\":[1.5e300]}}}",
                "{\"sample\":{},\"crawl\":{\"totals\":{\"depths\":{\"counts\":{\"x\":{\"number\":1}}}}}}",
                "{\"sample\":{},\"crawl\":{\"totals\":{\"hosts\":{\"rows\":{\"a.test\":null}}}}}",
                "{\"sample\":{},\"crawl\":{\"broken\":{\"links\":{\"1\":{\"url\":null}}}}}",
                "{\"sample\":{},\"crawl\":{\"redirectChains\":{\"steps\":{\"1\":{\"next\":null}}}}}",
                "{\"sample\":{},\"crawl\":{\"slowest\":{\"pages\":[null]}}}",
                "{\"sample\":{},\"crawl\":{\"skipExamples\":{\"examples\":{\"a\":[{}]}}}}",
                "{\"sample\":{},\"crawl\":{\"capacityEvents\":[{}]}}"
            })
    void aShareWithOtherFieldsIsRefused(String json) {
        assertThatThrownBy(() -> CrawlRecord.ofShares(List.of(share(json))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the share of a worker");
    }

    private static byte[] share(String json) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
            out.write(json.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static String host(String fields) {
        return "{\"sample\":{},\"crawl\":{\"totals\":{\"hosts\":{\"rows\":{\"a.test\":{" + fields + "}}}}}}";
    }

    @Test
    void aNumberThatNoCrawlHasIsRefusedByItsName() {
        assertThatThrownBy(() -> CrawlRecord.ofShares(List.of(share(host("\"times\":{\"counts\":[0,-3]}")))))
                .isInstanceOf(IOException.class)
                .hasMessage("not the share of a worker: counts: not from 0 to 10^15: -3.0");
        assertThatThrownBy(() -> CrawlRecord.ofShares(List.of(share(host("\"pages\":9223372036854775807")))))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("not the share of a worker: pages: not from 0 to 10^15: ");
    }

    @Test
    void countsThatNoIntegerHoldsStayTheHighest() throws IOException {
        byte[] most = share(host("\"times\":{\"counts\":[0,2147483647]},\"pages\":1"));

        Document page = Jsoup.parse(ReportPage.page(CrawlRecord.ofShares(List.of(most, most)), NOW));

        assertThat(page.text()).contains("a.test");
    }

    /** A few kilobytes when compressed. */
    @ParameterizedTest
    @ValueSource(strings = {"\"%d\":{},", "\"%d\":{\"times\":{\"counts\":[0]}},"})
    void aShareThatIsLargeInMemoryIsRefused(String row) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 300_000; i++) {
            rows.append(String.format(row, i));
        }
        String json = host("").replace("\"a.test\":{}", rows + "\"a.test\":{}");

        assertThatThrownBy(() -> CrawlRecord.ofShares(List.of(share(json))))
                .isInstanceOf(IOException.class)
                .hasMessage("not the share of a worker: too large");
    }

    @Test
    void aShareIsRecognisedAndBounded() throws IOException {
        CrawlRecord record = started("sieve");
        assertThat(record.share()).isNull();
        Random random = new Random(5);
        for (int i = 0; i < 30_000; i++) {
            String name = Long.toHexString(random.nextLong()).repeat(40) + i;
            record.accept(Visits.page("http://h" + i + ".test/" + name, 404 + i % 90, "http://a.test/" + name));
        }
        sample(record, NOW);
        byte[] share = record.share();

        assertThat(share.length).isLessThan(500_000);
        for (byte[] wrong : List.of(new byte[0], new byte[] {1, 2, 3}, share.clone())) {
            if (wrong.length > 3) {
                wrong[wrong.length / 2] ^= 4;
            }
            assertThatThrownBy(() -> CrawlRecord.ofShares(List.of(wrong)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("not the share of a worker");
        }
    }
}
