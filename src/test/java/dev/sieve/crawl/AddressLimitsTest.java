package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
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
import org.jspecify.annotations.Nullable;
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
    /** Where the connection is closed. */
    private static final String BROKEN = "h0.test/broken";

    @AutoClose
    private final Site site = new Site();

    @AutoClose
    private SocksServer socks;

    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Map<String, Site.Reply> responses = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final CountDownLatch othersAreDone = new CountDownLatch(1);
    private volatile boolean isHeld;
    private volatile long connectionsWhileHeld;
    private PolitenessJudge judge = new PolitenessJudge(Duration.ZERO);

    @BeforeEach
    void start() throws IOException {
        site.otherwise(this::reply);
        socks = new SocksServer(site.port());
    }

    private Site.@Nullable Reply reply(HttpExchange request) throws InterruptedException {
        String host = request.getRequestHeaders().getFirst("Host").replaceFirst(":.*", "");
        String place = host + request.getRequestURI();
        requests.add(place);
        if (!host.startsWith("other")) {
            judge.arrived("the server", System.nanoTime());
            mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            if (isHeld) {
                othersAreDone.await(60, TimeUnit.SECONDS);
            }
            underWay.decrementAndGet();
            judge.answered("the server", "HTTP/1.1 200 OK", "");
        } else if (place.endsWith(LAST)) {
            connectionsWhileHeld = connections(SHARED);
            othersAreDone.countDown();
        }
        return place.equals(BROKEN) ? null : responses.getOrDefault(place, Site.status(404));
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
        responses.put(place, Site.ok("text/html", "<title>" + place + "</title>" + Site.links(links)));
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
        responses.put("h1.test/robots.txt", Site.status(302).field("Location", "http://h2.test/robots.txt"));
        responses.put("h1.test/", Site.status(302).field("Location", "http://h3.test/"));
        responses.put("h3.test/robots.txt", Site.status(200).body("User-agent: *\nDisallow: /"));
        CrawlOptions options = options().perAddress(1, Duration.ZERO).maxFailures(1);

        CrawlReport report = crawl(options, Stream.concat(Stream.of("http://h0.test/"), urls(hosts(4).skip(1))));

        assertThat(mostUnderWay).hasValue(1);
        assertThat(report.ending()).isEqualTo(Ending.DRAINED);
        assertThat(report.count(Counter.REFUSED)).isEqualTo(1);
        assertThat(requests).contains("h2.test/robots.txt", "h3.test/robots.txt", BROKEN, "other.test/");
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
