package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.fetch.ProxySettings;
import dev.sieve.fetch.SocksServer;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Limits that the hosts on one address share, by the log of its server. The addresses are public ones, to which a proxy connects
 * that leads to this server.
 */
@Timeout(600)
class AddressLimitsTest {
    private static final Duration DELAY = Duration.ofMillis(100);
    private static final String SHARED = "93.184.216.1";
    private static final String OTHER = "93.184.216.2";
    private static final String LAST = "/19";

    private final MockWebServer server = new MockWebServer();

    @AutoClose
    private SocksServer socks;

    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Map<String, MockResponse> responses = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final CountDownLatch othersAreDone = new CountDownLatch(1);
    private volatile boolean isHeld;
    private volatile long connectionsWhileHeld;
    private PolitenessJudge judge = new PolitenessJudge(Duration.ZERO);

    @BeforeEach
    void start() throws IOException {
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
                String host = request.getUrl().host();
                requests.add(host + request.getTarget());
                if (!host.startsWith("other")) {
                    judge.arrived("the server", System.nanoTime());
                    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                    if (isHeld) {
                        othersAreDone.await(60, TimeUnit.SECONDS);
                    }
                    underWay.decrementAndGet();
                    judge.answered("the server", "HTTP/1.1 200 OK", "");
                } else if (request.getTarget().equals(LAST)) {
                    connectionsWhileHeld = connections(SHARED);
                    othersAreDone.countDown();
                }
                return responses.getOrDefault(
                        host + request.getTarget(),
                        new MockResponse.Builder().code(404).build());
            }
        });
        server.start();
        socks = new SocksServer(server.getPort());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private long connections(String address) {
        return socks.targets().stream()
                .filter(each -> each.startsWith(address + ":"))
                .count();
    }

    private CrawlOptions options() {
        return new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .concurrency(8)
                .retries(0)
                .proxy(ProxySettings.of("socks5://127.0.0.1:" + socks.port()))
                .resolver(host -> List.of(InetAddress.getByName(host.startsWith("other") ? OTHER : SHARED)));
    }

    private static CrawlReport crawl(CrawlOptions options, Stream<String> seeds) throws IOException {
        try (Crawler crawler = new Crawler(options, new Sieve(1000), AllStages::of)) {
            crawler.seedAll(seeds.toList());
            return crawler.run(visit -> {});
        }
    }

    private void page(String place, String... links) {
        StringBuilder html = new StringBuilder("<title>" + place + "</title>");
        List.of(links).forEach(link -> html.append("<a href=\"").append(link).append("\">x</a>"));
        responses.put(
                place,
                new MockResponse.Builder()
                        .addHeader("Content-Type", "text/html")
                        .body(html.toString())
                        .build());
    }

    /** Hosts on the shared address, with three pages each. */
    private Stream<String> hosts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "h" + i + ".site" + i % 2 + ".test")
                .peek(host -> {
                    page(host + "/", "/1", "/2");
                    page(host + "/1");
                    page(host + "/2");
                });
    }

    private static Stream<String> urls(Stream<String> hosts) {
        return hosts.map(host -> "http://" + host + "/");
    }

    @Test
    void hostsOfAnAddressShareItsRequestsAndNoWorkerWaits() throws IOException {
        isHeld = true;
        IntStream.range(0, 20).forEach(i -> page("other.test/" + i, "/" + (i + 1)));

        CrawlReport report = crawl(
                options().perDomain(3).perAddress(2, Duration.ZERO),
                Stream.concat(urls(hosts(12)), Stream.of("http://other.test/0")));

        assertThat(mostUnderWay).hasValue(2);
        assertThat(connectionsWhileHeld).isBetween(1L, 2L);
        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(requests).hasSize(12 * 4 + 22).doesNotHaveDuplicates();
        assertThat(othersAreDone.getCount()).isZero();
    }

    @Test
    void theDelayOfAnAddressHoldsForAllItsHosts() throws IOException {
        judge = new PolitenessJudge(DELAY);

        CrawlReport report = crawl(options().perAddress(1, DELAY), urls(hosts(6)));

        assertThat(report.count(Counter.PAGES)).isEqualTo(18);
        assertThat(requests).hasSize(24).doesNotHaveDuplicates();
    }

    @Test
    void whateverBecomesOfARequestItsAddressIsFreeAgain() throws IOException {
        page("h0.test/", "/missing", "/broken", "http://other.test/", "http://unknown.test/", "http://h1.test/");
        responses.put(
                "h0.test/broken",
                new MockResponse.Builder()
                        .onResponseStart(new SocketEffect.CloseSocket())
                        .build());
        redirect("h1.test/robots.txt", "http://h2.test/robots.txt");
        redirect("h1.test/", "http://h3.test/");
        responses.put(
                "h3.test/robots.txt",
                new MockResponse.Builder().body("User-agent: *\nDisallow: /").build());
        CrawlOptions options = options().perAddress(1, Duration.ZERO).maxFailures(1);

        CrawlReport report = crawl(options, Stream.concat(Stream.of("http://h0.test/"), urls(hosts(4).skip(1))));

        assertThat(mostUnderWay).hasValue(1);
        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.count(Counter.REFUSED)).isEqualTo(1);
        assertThat(requests).contains("h2.test/robots.txt", "h3.test/robots.txt", "h0.test/broken", "other.test/");
    }

    private void redirect(String place, String target) {
        responses.put(
                place,
                new MockResponse.Builder()
                        .code(302)
                        .addHeader("Location", target)
                        .build());
    }

    @Test
    void anAddressThatIsNotPublicIsExempt() throws IOException {
        CrawlOptions options = options()
                .perAddress(1, Duration.ofDays(1))
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));

        CrawlReport report = crawl(options, urls(hosts(4)));

        assertThat(report.count(Counter.PAGES)).isEqualTo(12);
    }
}
