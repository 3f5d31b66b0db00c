package dev.sieve.serve;

import static dev.sieve.serve.Door.START_SECONDS;
import static dev.sieve.serve.Door.discovered;
import static dev.sieve.serve.Door.info;
import static dev.sieve.serve.Door.known;
import static dev.sieve.serve.Door.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.Active;
import crawlercommons.urlfrontier.Urlfrontier.AnyCrawlID;
import crawlercommons.urlfrontier.Urlfrontier.BlockQueueParams;
import crawlercommons.urlfrontier.Urlfrontier.CountUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.CrawlLimitParams;
import crawlercommons.urlfrontier.Urlfrontier.DeleteCrawlMessage;
import crawlercommons.urlfrontier.Urlfrontier.Empty;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.ListUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.Local;
import crawlercommons.urlfrontier.Urlfrontier.LogLevelParams;
import crawlercommons.urlfrontier.Urlfrontier.Pagination;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLStatusRequest;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import dev.sieve.report.LiveServer;
import dev.sieve.report.MetricsText;
import dev.sieve.report.Promtool;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every call of the protocol, and every way in which it can fail. */
class FrontierServerTest {
    @TempDir
    Path folder;

    private Door door;

    @BeforeEach
    void open() throws Exception {
        door = new Door(folder);
    }

    @AfterEach
    void close() {
        door.close();
    }

    private static void assertStatus(ThrowingCallable call, Status.Code code, String text) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(code))
                .hasMessageContaining(text);
    }

    @Test
    void aUrlIsAcceptedOnceAndHandedOutUntilItIsKnown() throws Exception {
        assertThat(door.discover("http://a.com/1", "http://a.com/1", "http://b.com/"))
                .isEqualTo("OSO");
        assertThat(door.get()).containsExactlyInAnyOrder("http://a.com/1", "http://b.com/");
        assertThat(door.numbers()).containsExactly(2L, 2L, 2L, 0L);
        assertThat(door.get()).isEmpty();
        assertThat(door.put(known("http://a.com/1", 0))).isEqualTo("O");
        assertThat(door.numbers()).containsExactly(2L, 1L, 1L, 1L);
        door.pass(31);
        assertThat(door.numbers()).containsExactly(2L, 1L, 0L, 1L);
        assertThat(door.get()).containsExactly("http://b.com/");
        assertThat(door.discover("http://a.com/1")).isEqualTo("S");
    }

    @Test
    void aUrlThatIsKnownFromTheStartIsNotHandedOut() throws Exception {
        assertThat(door.put(known("http://a.com/", 0), known("http://a.com/", 0), discovered("http://a.com/")))
                .isEqualTo("OOS");
        assertThat(door.get()).isEmpty();
        assertThat(door.numbers()).containsExactly(1L, 0L, 0L, 1L);
        assertThat(door.list()).isEqualTo(Map.of("http://a.com/", 0L));
    }

    @Test
    void theEarlierDateComesFirst() throws Exception {
        door.put(
                known("http://a.com/later", START_SECONDS),
                known("http://a.com/sooner", START_SECONDS - 10_000),
                known("http://a.com/future", START_SECONDS + 5));
        assertThat(door.get(request(1, 5))).containsExactly("http://a.com/sooner", "http://a.com/later");
        door.pass(5);
        assertThat(door.get(request(1, 5))).containsExactly("http://a.com/future");
    }

    private static URLInfo with(String url, String name, String... values) {
        return URLInfo.newBuilder()
                .setUrl(url)
                .putMetadata(
                        name,
                        StringList.newBuilder().addAllValues(List.of(values)).build())
                .build();
    }

    private URLItem lease(String url, long end) {
        return known(with(url, "sieve.lease"), end);
    }

    @Test
    void aLeaseLastsAsLongAsTheClientSays() throws Exception {
        door.discover("http://a.com/");
        assertThat(door.put(lease("http://a.com/", START_SECONDS + 100))).isEqualTo("S");
        door.get();
        assertThat(door.put(lease("http://a.com/", START_SECONDS + 100))).isEqualTo("O");
        door.pass(99);
        assertThat(door.get()).isEmpty();
        assertThat(door.numbers()).containsExactly(1L, 1L, 1L, 0L);
        door.pass(1);
        assertThat(door.get()).containsExactly("http://a.com/");
        assertThat(door.put(lease("http://a.com/", START_SECONDS), known("http://a.com/", 0)))
                .isEqualTo("OO");
        assertThat(door.numbers()).containsExactly(1L, 0L, 0L, 1L);
    }

    @Test
    void aLeaseThatIsGivenBackIsHandedOutAtOnce() throws Exception {
        door.noDelay();
        door.discover("http://a.com/1", "http://a.com/2");
        door.get(request(1, 1));
        door.put(lease("http://a.com/1", START_SECONDS));
        assertThat(door.get(request(1, 5))).containsExactly("http://a.com/1", "http://a.com/2");
    }

    @Test
    void aUrlWithAPriorityComesBeforeAllOthersOfItsQueue() throws Exception {
        door.noDelay();
        List<URLItem> items = new ArrayList<>();
        IntStream.range(0, 5_000).forEach(i -> items.add(discovered("http://a.com/" + i)));
        items.add(discovered(with("http://a.com/first", "sieve.priority", "7")));
        items.add(discovered(with("http://a.com/zero", "sieve.priority", "0")));
        items.add(discovered(with("http://a.com/word", "sieve.priority", "high")));
        door.put(items.toArray(URLItem[]::new));
        assertThat(door.get(request(1, 2))).containsExactly("http://a.com/first", "http://a.com/0");
        door.put(discovered(with("http://a.com/second", "sieve.priority", "1")));
        assertThat(door.get(request(1, 4))).containsExactly("http://a.com/second", "http://a.com/1");
    }

    @Test
    void aDelayOfACrawlHoldsForItsQueuesWithoutOne() throws Exception {
        door.client.setDelay(QueueDelayParams.newBuilder()
                .setCrawlID("slow")
                .setDelayRequestable(50)
                .build());
        for (String crawl : List.of("slow", "DEFAULT")) {
            door.put(
                    discovered(
                            info("http://a.com/1").toBuilder().setCrawlID(crawl).build()),
                    discovered(
                            info("http://a.com/2").toBuilder().setCrawlID(crawl).build()));
            assertThat(door.get(request(1, 1).setCrawlID(crawl))).containsExactly("http://a.com/1");
        }
        door.pass(2);
        assertThat(door.get(request(1, 2))).containsExactly("http://a.com/2");
        assertThat(door.get(request(1, 2).setCrawlID("slow"))).isEmpty();
        door.pass(48);
        assertThat(door.get(request(1, 2).setCrawlID("slow"))).hasSize(2);
    }

    @Test
    void aUrlIsHandedOutAgainWhenItsDateHasCome() throws Exception {
        door.discover("http://a.com/");
        door.get();
        assertThat(door.put(known("http://a.com/", START_SECONDS + 100))).isEqualTo("O");
        assertThat(door.numbers()).containsExactly(1L, 1L, 0L, 0L);
        assertThat(door.list()).isEqualTo(Map.of("http://a.com/", START_SECONDS + 100));
        door.pass(99);
        assertThat(door.get()).isEmpty();
        door.pass(1);
        assertThat(door.get()).containsExactly("http://a.com/");
        door.put(known("http://a.com/", 0));
        assertThat(door.numbers()).containsExactly(1L, 0L, 0L, 1L);
        assertThat(door.list()).isEqualTo(Map.of("http://a.com/", 0L));
        assertThat(door.put(known("http://a.com/", START_SECONDS + 200))).isEqualTo("O");
        assertThat(door.numbers()).containsExactly(1L, 1L, 0L, 0L);
        door.pass(100);
        assertThat(door.get()).containsExactly("http://a.com/");
    }

    @Test
    void aQueuedUrlThatBecomesKnownIsNotHandedOut() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2", "http://a.com/3");
        assertThat(door.put(known("http://a.com/1", 0), known("http://a.com/2", START_SECONDS + 10)))
                .isEqualTo("OO");
        assertThat(door.get()).containsExactly("http://a.com/3");
        assertThat(door.numbers()).containsExactly(1L, 2L, 1L, 1L);
        door.pass(10);
        assertThat(door.get()).containsExactly("http://a.com/2");
    }

    @Test
    void aUrlKnownAfterItsLeaseIsNotHandedOutAgain() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2");
        door.get();
        door.pass(31);
        assertThat(door.numbers()).containsExactly(1L, 2L, 0L, 0L);
        assertThat(door.put(known("http://a.com/1", 0), known("http://a.com/1", 0)))
                .isEqualTo("OO");
        assertThat(door.get()).containsExactly("http://a.com/2");
        assertThat(door.numbers()).containsExactly(1L, 1L, 1L, 1L);
    }

    @Test
    void expiredUrlsComeFirstAndInTheirOrder() throws Exception {
        door.noDelay();
        door.discover("http://a.com/1", "http://a.com/2", "http://a.com/3");
        assertThat(door.get(request(1, 2).setDelayRequestable(5))).containsExactly("http://a.com/1", "http://a.com/2");
        assertThat(door.get(request(1, 2))).isEmpty();
        door.pass(5);
        assertThat(door.get(request(1, 3))).containsExactly("http://a.com/1", "http://a.com/2", "http://a.com/3");
    }

    @Test
    void noMoreThanTheRequestedNumberPerQueueIsInProcess() throws Exception {
        door.noDelay();
        door.discover(IntStream.range(0, 30)
                .mapToObj(i -> "http://" + i % 3 + ".com/" + i)
                .toArray(String[]::new));
        assertThat(door.get(request(2, 3))).hasSize(6);
        assertThat(door.get(request(2, 3))).hasSize(3);
        assertThat(door.get(request(0, 3))).isEmpty();
        door.put(known("http://0.com/0", 0), known("http://0.com/3", 0));
        assertThat(door.get(request(0, 3))).containsExactly("http://0.com/9", "http://0.com/12");
        door.pass(31);
        assertThat(door.get(request(0, 0))).hasSize(28);
    }

    @Test
    void metadataKeysAndCrawlsComeBack() throws Exception {
        URLInfo sent = URLInfo.newBuilder()
                .setUrl("http://www.a.com/")
                .setKey("a.com")
                .setCrawlID("a crawl/of \u00e4ll")
                .putMetadata("depth", StringList.newBuilder().addValues("1").build())
                .putMetadata(
                        "\"odd\"",
                        StringList.newBuilder()
                                .addValues("")
                                .addValues("\ud83d\ude00")
                                .build())
                .build();
        assertThat(door.put(discovered(sent), discovered(sent))).isEqualTo("OS");
        List<URLInfo> got = new ArrayList<>();
        door.client
                .getURLs(GetParams.newBuilder().setCrawlID(sent.getCrawlID()).build())
                .forEachRemaining(got::add);
        assertThat(got).containsExactly(sent);
        assertThat(door.client.listCrawls(Local.getDefaultInstance()).getValuesList())
                .containsExactly(sent.getCrawlID());
        door.put(known(
                sent.toBuilder()
                        .putMetadata("depth", StringList.getDefaultInstance())
                        .build(),
                START_SECONDS));
        URLItem status = door.client.getURLStatus(URLStatusRequest.newBuilder()
                .setUrl(sent.getUrl())
                .setKey("a.com")
                .setCrawlID(sent.getCrawlID())
                .build());
        assertThat(status.getKnown().getInfo().getMetadataOrThrow("depth").getValuesCount())
                .isZero();
        assertThat(status.getKnown().getRefetchableFromDate()).isEqualTo(START_SECONDS);
    }

    @Test
    void theSameUrlInAnotherQueueIsAnotherUrl() throws Exception {
        URLInfo other = URLInfo.newBuilder().setUrl("http://a.com/").setKey("q").build();
        assertThat(door.put(discovered("http://a.com/"), discovered(other), discovered(other)))
                .isEqualTo("OOS");
        assertThat(door.get(request(0, 0).setKey("q"))).containsExactly("http://a.com/");
        assertThat(door.put(known("http://a.com/", 0))).isEqualTo("O");
        assertThat(door.get()).isEmpty();
        assertThat(door.stats("q").getInProcess()).isEqualTo(1);
        assertThat(door.stats("a.com").getCountsOrThrow("completed")).isEqualTo(1);
    }

    @Test
    void hostsAreTheQueuesOfUrlsWithoutKey() throws Exception {
        door.discover(
                "http://gac.icann.org?language_id=9",
                "http://u:p@a.com:81/",
                "http://[::1]:80/x",
                "b.com/x",
                "c.com&x");
        assertThat(queues(0, 0, false)).containsExactly("gac.icann.org", "a.com", "[::1]", "b.com", "c.com");
    }

    private List<String> queues(int start, int size, boolean inactiveToo) {
        return door.client
                .listQueues(Pagination.newBuilder()
                        .setStart(start)
                        .setSize(size)
                        .setIncludeInactive(inactiveToo)
                        .build())
                .getValuesList();
    }

    @Test
    void queuesAreListedInPages() throws Exception {
        door.discover(
                IntStream.range(0, 250).mapToObj(i -> "http://" + i + ".com/").toArray(String[]::new));
        assertThat(queues(0, 0, false)).hasSize(100);
        List<String> all = new ArrayList<>(queues(0, 120, true));
        all.addAll(queues(120, 120, true));
        all.addAll(queues(240, 120, true));
        assertThat(all).hasSize(250).doesNotHaveDuplicates();
        door.put(known("http://0.com/", 0));
        door.get();
        block("1.com", door.seconds() + 1);
        assertThat(queues(0, 2, false)).containsExactly("2.com", "3.com");
        assertThat(queues(0, 3, true)).containsExactly("0.com", "1.com", "2.com");
    }

    private void block(String key, long until) {
        door.client.blockQueueUntil(
                BlockQueueParams.newBuilder().setKey(key).setTime(until).build());
    }

    @Test
    void aBlockedQueueWaitsForItsTimeOrItsRelease() throws Exception {
        door.noDelay();
        door.discover("http://a.com/1", "http://a.com/2", "http://b.com/");
        block("a.com", START_SECONDS + 10);
        block("unknown", 1);
        assertThat(door.get(request(0, 1))).containsExactly("http://b.com/");
        door.pass(9);
        assertThat(door.get(request(0, 1))).isEmpty();
        door.pass(1);
        assertThat(door.get(request(0, 1))).containsExactly("http://a.com/1");
        door.put(known("http://a.com/1", 0));
        block("a.com", -1);
        assertThat(door.get(request(0, 1).setKey("a.com"))).isEmpty();
        block("a.com", 0);
        assertThat(door.get(request(0, 1).setKey("a.com"))).containsExactly("http://a.com/2");
    }

    private void delay(String key, int seconds) {
        door.client.setDelay(QueueDelayParams.newBuilder()
                .setKey(key)
                .setDelayRequestable(seconds)
                .build());
    }

    @Test
    void aQueueIsServedAgainAfterItsDelay() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2", "http://a.com/3", "http://a.com/4");
        assertThat(door.get(request(1, 1))).containsExactly("http://a.com/1");
        assertThat(door.get(request(1, 2))).isEmpty();
        door.pass(1);
        delay("a.com", 100);
        assertThat(door.get(request(1, 2))).isEmpty();
        door.pass(20);
        assertThat(door.get(request(1, 2))).isEmpty();
        delay("a.com", 5);
        assertThat(door.get(request(1, 2))).containsExactly("http://a.com/2");
        delay("", 7);
        door.pass(5);
        assertThat(door.get(request(1, 3))).containsExactly("http://a.com/3");
        delay("a.com", 0);
        assertThat(door.get(request(1, 4))).containsExactly("http://a.com/4");
        assertStatus(() -> door.client.setLogLevel(LogLevelParams.getDefaultInstance()), Status.Code.UNIMPLEMENTED, "");
    }

    @Test
    void theDefaultDelayAppliesAtOnce() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2");
        delay("", 1000);
        assertThat(door.get(request(1, 1))).hasSize(1);
        door.pass(40);
        assertThat(door.get(request(1, 1))).isEmpty();
        delay("", 40);
        assertThat(door.get(request(1, 1))).hasSize(1);
    }

    @Test
    void aQueueIsNotServedBeyondItsLimit() throws Exception {
        door.noDelay();
        door.discover("http://a.com/1", "http://a.com/2", "http://a.com/3");
        limit("a.com", 1);
        assertThat(door.get(request(1, 1))).containsExactly("http://a.com/1");
        door.put(known("http://a.com/1", 0));
        assertThat(door.get(request(1, 1))).isEmpty();
        limit("a.com", 2);
        assertThat(door.get(request(1, 1))).containsExactly("http://a.com/2");
        door.put(known("http://a.com/2", 0));
        assertThat(door.get(request(1, 1))).isEmpty();
        limit("a.com", 0);
        assertThat(door.get(request(1, 1))).containsExactly("http://a.com/3");
        assertStatus(() -> limit("b.com", 1), Status.Code.NOT_FOUND, "b.com");
    }

    private void limit(String key, int urls) {
        door.client.setCrawlLimit(
                CrawlLimitParams.newBuilder().setKey(key).setLimit(urls).build());
    }

    @Test
    void nothingIsHandedOutWhileInactive() throws Exception {
        door.client.setActive(Active.newBuilder().setState(false).build());
        assertThat(door.discover("http://a.com/")).isEqualTo("O");
        assertThat(door.get()).isEmpty();
        assertThat(door.client.getActive(Local.getDefaultInstance()).getState()).isFalse();
        door.client.setActive(Active.newBuilder().setState(true).build());
        assertThat(door.get()).hasSize(1);
        assertThat(door.client.getActive(Local.getDefaultInstance()).getState()).isTrue();
    }

    @Test
    void aDeletedQueueCanBeDiscoveredAgain() throws Exception {
        door.noDelay();
        door.discover("http://a.com/1", "http://a.com/2", "http://a.com/3", "http://b.com/");
        door.put(known("http://a.com/1", 0));
        assertThat(door.get(request(0, 1))).containsExactlyInAnyOrder("http://a.com/2", "http://b.com/");
        block("a.com", -1);
        assertThat(deleteQueue("a.com")).isEqualTo(3);
        assertThat(deleteQueue("a.com")).isZero();
        assertThat(door.numbers()).containsExactly(1L, 1L, 1L, 0L);
        assertThat(door.list()).containsOnlyKeys("http://b.com/");
        assertThat(door.get(request(0, 5))).isEmpty();
        assertThat(door.discover("http://a.com/2", "http://a.com/2", "http://b.com/"))
                .isEqualTo("OSS");
        assertThat(door.get(request(0, 5))).containsExactly("http://a.com/2");
        assertThat(door.list()).containsOnlyKeys("http://a.com/2", "http://b.com/");
        assertThat(door.put(known("http://a.com/2", 0))).isEqualTo("O");
        assertThat(door.numbers()).containsExactly(2L, 1L, 1L, 1L);
    }

    private long deleteQueue(String key) {
        return door.client
                .deleteQueue(QueueWithinCrawlParams.newBuilder().setKey(key).build())
                .getValue();
    }

    @Test
    void aDeletedCrawlIsGone() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2");
        door.get();
        door.put(known("http://a.com/1", 0));
        long deleted = door.client
                .deleteCrawl(DeleteCrawlMessage.newBuilder().setValue("DEFAULT").build())
                .getValue();
        assertThat(deleted).isEqualTo(2);
        assertThat(door.client.listCrawls(Local.getDefaultInstance()).getValuesList())
                .isEmpty();
        assertThat(door.numbers()).containsExactly(0L, 0L, 0L, 0L);
        assertThat(door.discover("http://a.com/1")).isEqualTo("O");
        assertThat(folder).isDirectoryNotContaining(path -> path.toString().contains("deleted"));
    }

    private static MetricsText.Served numbers(@Nullable CrawlStats crawl) {
        return crawl == null ? null : new MetricsText.Served(crawl.frontier(), crawl.queues(), crawl.inProcess());
    }

    @Test
    void metricsAreOfTheCrawlsThatExist() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2", "http://b.com/", "http://b.com/");
        door.put(discovered(info("http://a.com/").toBuilder().setCrawlID("old").build()));
        assertThat(door.get(request(1, 2))).hasSize(2);
        try (LiveServer live = LiveServer.open("127.0.0.1", 0)) {
            live.showMetrics(
                    () -> new MetricsText(door.server.crawls(), name -> numbers(door.server.stats(name))).text());
            assertThat(door.server.crawls()).containsExactly("DEFAULT", "old");
            door.client.deleteCrawl(
                    DeleteCrawlMessage.newBuilder().setValue("old").build());
            String text;
            try (InputStream metrics =
                    URI.create(live.url() + "metrics").toURL().openStream()) {
                text = new String(metrics.readAllBytes(), UTF_8);
            }
            assertThat(text.lines())
                    .contains(
                            "sieve_urls_accepted_total{crawl=\"DEFAULT\"} 3.0",
                            "sieve_urls_seen_total{crawl=\"DEFAULT\"} 1.0",
                            "sieve_filter_capacity_urls{crawl=\"DEFAULT\"} 10000.0",
                            "sieve_serve_queues{crawl=\"DEFAULT\"} 2.0",
                            "sieve_serve_in_process_urls{crawl=\"DEFAULT\"} 2.0",
                            "sieve_serve_crawls{listed=\"true\"} 1.0",
                            "sieve_serve_crawls{listed=\"false\"} 0.0")
                    .noneMatch(line -> line.contains("\"old\""));
            Promtool.requireMetrics(text);
        }
        assertThat(door.server.stats("old")).isNull();
    }

    @Test
    void aUrlThatIsOverdueIsNotInProcess() throws Exception {
        door.discover("http://a.com/1", "http://b.com/");
        door.get(request(1, 1).setDelayRequestable(10));
        door.get(request(1, 1).setDelayRequestable(20));
        assertThat(door.server.stats("DEFAULT").inProcess()).isEqualTo(2);
        door.pass(10);
        assertThat(door.server.stats("DEFAULT").inProcess()).isEqualTo(1);
        door.pass(10);
        assertThat(door.server.stats("DEFAULT").inProcess()).isZero();
    }

    @Test
    void crawlsTakeTurns() throws Exception {
        for (String crawl : List.of("x", "y")) {
            for (int i = 0; i < 4; i++) {
                door.put(discovered(info("http://" + i + ".com/" + crawl).toBuilder()
                        .setCrawlID(crawl)
                        .build()));
            }
        }
        GetParams.Builder any = GetParams.newBuilder()
                .setAnyCrawlID(AnyCrawlID.getDefaultInstance())
                .setMaxQueues(3);
        List<String> first = door.get(any);
        List<String> second = door.get(any);
        assertThat(first).hasSize(3).allMatch(url -> url.endsWith("x"));
        assertThat(second).hasSize(3).allMatch(url -> url.endsWith("y"));
        assertThat(door.get(any)).hasSize(2);
        assertStatus(
                () -> door.get(any.clone().setKey("0.com")), Status.Code.INVALID_ARGUMENT, "a key requires a crawlID");
        assertThat(door.get(any.clone().clearItem())).isEmpty();
    }

    @Test
    void urlsAreListedAndCounted() throws Exception {
        URLItem[] items = IntStream.range(0, 130)
                .mapToObj(i -> discovered("http://" + i % 10 + ".com/Page" + i))
                .toArray(URLItem[]::new);
        door.put(items);
        ListUrlParams.Builder params = ListUrlParams.newBuilder();
        assertThat(listed(params)).hasSize(100);
        assertThat(listed(params.setStart(100))).hasSize(30);
        params.clear().setSize(1000);
        assertThat(listed(params.setKey("3.com"))).hasSize(13);
        assertThat(listed(params.setFilter("page1"))).isEmpty();
        assertThat(listed(params.setIgnoreCase(true)))
                .containsExactly(
                        "http://3.com/Page13", "http://3.com/Page103", "http://3.com/Page113", "http://3.com/Page123");
        assertThat(count(CountUrlParams.newBuilder())).isEqualTo(130);
        assertThat(count(CountUrlParams.newBuilder().setKey("3.com"))).isEqualTo(13);
        assertThat(count(CountUrlParams.newBuilder().setFilter("PAGE12").setIgnoreCase(true)))
                .isEqualTo(11);
        assertThat(count(CountUrlParams.newBuilder().setCrawlID("none"))).isZero();
    }

    private List<String> listed(ListUrlParams.Builder params) {
        List<String> urls = new ArrayList<>();
        door.client
                .listURLs(params.build())
                .forEachRemaining(item -> urls.add(item.getKnown().getInfo().getUrl()));
        return urls;
    }

    private long count(CountUrlParams.Builder params) {
        return door.client.countURLs(params.build()).getValue();
    }

    @Test
    void theStatusOfAUrlIsItsLastOne() throws Exception {
        door.discover("http://a.com/1", "http://a.com/2");
        door.get();
        door.put(known("http://a.com/1", 0));
        assertThat(date("http://a.com/1")).isZero();
        assertThat(date("http://a.com/2")).isEqualTo(START_SECONDS);
        door.put(known("http://a.com/2", START_SECONDS + 7));
        assertThat(date("http://a.com/2")).isEqualTo(START_SECONDS + 7);
        assertStatus(() -> date("http://a.com/3"), Status.Code.NOT_FOUND, "http://a.com/3");
        assertStatus(() -> date(""), Status.Code.INVALID_ARGUMENT, "not a URL");
    }

    private long date(String url) {
        return door.client
                .getURLStatus(URLStatusRequest.newBuilder().setUrl(url).build())
                .getKnown()
                .getRefetchableFromDate();
    }

    @Test
    void theOnlyNodeIsThisServer() {
        assertThat(door.client.listNodes(Empty.getDefaultInstance()).getValuesList())
                .containsExactly("127.0.0.1:" + door.server.port());
        assertThat(door.server.address()).isEqualTo("127.0.0.1:" + door.server.port());
    }

    @Test
    void badItemsAreSkippedAndTheStreamGoesOn() throws Exception {
        String status = door.put(
                URLItem.getDefaultInstance(),
                discovered(""),
                discovered("http:///path"),
                discovered("http://a.com/\0"),
                discovered("http://a.com/" + "x".repeat(PutItem.MAX_URL)),
                discovered(info("http://a.com/").toBuilder()
                        .setKey("k".repeat(256))
                        .build()),
                discovered(info("http://a.com/").toBuilder()
                        .setCrawlID("c".repeat(300))
                        .build()),
                discovered(info("http://a.com/").toBuilder()
                        .putMetadata(
                                "k",
                                StringList.newBuilder()
                                        .addValues("v".repeat(200_000))
                                        .build())
                        .build()),
                known("", 0),
                discovered("http://a.com/"));
        assertThat(status).isEqualTo("SSSSSSSSSO");
        assertThat(door.numbers()).containsExactly(1L, 1L, 0L, 0L);
    }

    @Test
    void acknowledgementsHaveTheIdOrTheUrl() throws Exception {
        Door.Collector<AckMessage> acks = new Door.Collector<>();
        StreamObserver<URLItem> stream = door.stub.putURLs(acks);
        stream.onNext(discovered("http://a.com/").toBuilder().setID("17").build());
        stream.onNext(discovered("http://b.com/"));
        stream.onCompleted();
        assertThat(acks.await()).extracting(AckMessage::getID).containsExactly("17", "http://b.com/");
    }

    @Test
    void anIdThatIsTooLongEndsTheStream() {
        assertThatThrownBy(() -> door.put(discovered("http://a.com/").toBuilder()
                        .setID("x".repeat(200_000))
                        .build()))
                .hasMessageContaining("INVALID_ARGUMENT: a message with an ID or URL of 200000 characters");
    }

    @Test
    void aFullFilterRefusesNewUrlsAndHandsOutTheOthers(@TempDir Path other) throws Exception {
        try (Door small = new Door(
                other,
                START_SECONDS,
                builder -> builder.settings(
                        FrontierSettings.DEFAULTS.withCapacity(100).withOnFull(OnFull.FAIL)))) {
            String[] urls =
                    IntStream.range(0, 400).mapToObj(i -> "http://a.com/" + i).toArray(String[]::new);
            String statuses = small.discover(urls);
            assertThat(statuses).startsWith("O".repeat(64)).contains("F".repeat(20));
            assertThat(small.discover("http://a.com/0", "http://a.com/new")).isEqualTo("SF");
            assertThat(small.put(known("http://a.com/new", 0), known("http://a.com/new", 1)))
                    .isEqualTo("FF");
            int accepted = (int) statuses.chars().filter(c -> c == 'O').count();
            assertThat(small.get()).hasSize(accepted);
            assertThat(small.stats("").getCountsOrThrow("filter_capacity")).isEqualTo(100);
        }
    }

    @Test
    void manyUrlsAreHandedOutExactlyOnce() throws Exception {
        door.noDelay();
        int count = 9_000;
        String[] urls = IntStream.range(0, count)
                .mapToObj(i -> "http://" + i % 700 + ".com/" + i)
                .toArray(String[]::new);
        assertThat(door.discover(urls)).doesNotContain("F").contains("O");
        List<String> got = new ArrayList<>();
        List<String> more = door.get(request(100, 3));
        while (!more.isEmpty()) {
            got.addAll(more);
            door.put(more.stream().map(url -> known(url, 0)).toArray(URLItem[]::new));
            more = door.get(request(100, 3));
        }
        assertThat(got).doesNotHaveDuplicates();
        assertThat((long) got.size()).isEqualTo(door.stats("").getCountsOrThrow("completed"));
        assertThat(got.size()).isGreaterThan(count - 20);
    }

    @Test
    void otherAddressesRequireTls() {
        assertThatThrownBy(() -> FrontierServer.builder(folder.resolve("x"))
                        .address(new InetSocketAddress(0))
                        .open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("requires a certificate and a key");
    }

    @Test
    void aFolderBelongsToOneServer() {
        assertThatThrownBy(() -> new Door(folder)).hasMessageContaining(folder.toString());
    }
}
