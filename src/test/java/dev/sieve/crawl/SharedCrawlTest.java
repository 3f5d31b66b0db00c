package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.PAGES;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.ChildJvm;
import dev.sieve.job.SharedJob;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.LossyWire;
import dev.sieve.shared.SharedSieve;
import dev.sieve.shared.TestEngine;
import dev.sieve.stage.AllStages;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several crawlers on one crawl, whose frontier is on a real engine. */
@Tag("process")
@Tag("engine")
@Timeout(1200)
class SharedCrawlTest {
    private static final int SLICES = 16;
    private static final int CONCURRENCY = 8;
    private static final Duration OWNERSHIP = Duration.ofSeconds(2);
    private static final List<InetAddress> LOOPBACK = List.of(InetAddress.getLoopbackAddress());

    @AutoClose
    private final TestEngine engine = TestEngine.start();

    private static CrawlOptions options() {
        return new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ZERO)
                .concurrency(CONCURRENCY)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
    }

    private static void settings(SharedSieve.Builder builder) {
        builder.capacity(10_000).slices(SLICES).seed(1).ownership(OWNERSHIP);
    }

    private EngineAddress address() {
        return engine.address("crawl");
    }

    private SharedWorker worker(CrawlOptions options) throws IOException {
        return new SharedWorker(address(), options, SharedCrawlTest::settings);
    }

    /** A worker that does not lose a slice on a slow machine. */
    private SharedWorker lasting(CrawlOptions options) throws IOException {
        return new SharedWorker(address(), options, builder -> {
            settings(builder);
            builder.ownership(Duration.ofMinutes(5));
        });
    }

    static SharedWorker worker(EngineAddress address, Duration delay) throws IOException {
        return new SharedWorker(address, options().delay(delay), SharedCrawlTest::settings);
    }

    /** The workers that own slices. */
    private Set<String> owners() {
        return IntStream.range(0, SLICES)
                .mapToObj(i -> String.valueOf(engine.text("HGET", "{crawl}" + i + "o", "worker")))
                .collect(Collectors.toSet());
    }

    /** The workers that are alive. */
    private Set<String> workers() {
        return ((List<?>) engine.command("ZRANGE", "{crawl}w", "0", "-1"))
                .stream().map(name -> new String((byte[]) name, US_ASCII)).collect(Collectors.toSet());
    }

    private static Set<String> keys(Stream<String> urls) {
        return urls.map(UrlNormalizer::key).collect(Collectors.toSet());
    }

    private static Set<String> expected(DemoWeb web) {
        return keys(web.expected().map(DemoWeb.Expected::url));
    }

    private static List<DemoRequest> pages(DemoWeb web) {
        return web.requests().stream()
                .filter(request -> !request.target().equals("/robots.txt"))
                .toList();
    }

    private static void assertComplete(DemoWeb web) {
        assertThat(keys(pages(web).stream().map(DemoRequest::url))).isEqualTo(expected(web));
    }

    private static void assertEachOnce(DemoWeb web) {
        assertComplete(web);
        assertThat(pages(web).stream().map(request -> request.host() + request.target()))
                .doesNotHaveDuplicates();
    }

    private static DemoWeb web(int pages) throws IOException {
        return PolitenessJudge.web().pages(pages).recorded(100_000).open();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void severalCrawlersFindEachPageOnce(int count) throws Exception {
        List<SharedWorker> workers = new ArrayList<>();
        try (DemoWeb web = web(300)) {
            for (int i = 0; i < count; i++) {
                workers.add(lasting(options()));
            }
            Await.until(() -> owners().size() == count);
            workers.get(0).seed(web.start());
            workers.forEach(SharedWorker::start);

            long pages = 0;
            List<String> visited = new ArrayList<>();
            for (SharedWorker worker : workers) {
                CrawlReport report = worker.end();
                assertThat(report.ending()).isEqualTo(Ending.DRAINED);
                assertThat(report.count(PAGES)).isPositive();
                assertThat(report.pending().left()).isZero();
                assertThat(report.pending().unfinished()).isZero();
                pages += report.count(PAGES, "2xx");
                worker.visits.stream().map(Visit::url).forEach(visited::add);
            }

            assertEachOnce(web);
            assertThat(pages).isEqualTo(web.pages());
            assertThat(keys(visited.stream())).isEqualTo(expected(web));
            assertThat(visited).doesNotHaveDuplicates();
        } finally {
            for (SharedWorker worker : workers) {
                worker.close();
            }
        }
    }

    @Test
    void theHostsOfACrawlerThatIsKilledAreTakenOver() throws Exception {
        try (DemoWeb web = web(200)) {
            Process child = process(engine, web, Duration.ofMillis(20));
            try {
                Await.until(() -> web.requestCount() >= 50 || !child.isAlive());
                assertThat(child.isAlive()).isTrue();
            } finally {
                child.destroyForcibly().onExit().join();
            }
            int before = pages(web).size();
            assertThat(before).isLessThan((int) web.expected().count());

            try (SharedWorker worker = worker(options())) {
                assertThat(worker.start().end().ending()).isEqualTo(Ending.DRAINED);
            }

            assertComplete(web);
            // What was in flight, or marked as done in the last second.
            assertThat(pages(web).size() - (int) web.expected().count()).isLessThanOrEqualTo(before + CONCURRENCY);
        }
    }

    /** Returns how many pages are stored as done. */
    private long pagesDone() {
        return IntStream.range(0, SLICES)
                .mapToObj(i -> engine.text("HGET", "{crawl}" + i + "m", "pages"))
                .mapToLong(pages -> pages == null ? 0 : Long.parseLong(pages))
                .sum();
    }

    @Test
    @Tag("slow")
    void theLimitOfPagesIsThatOfAllCrawlers() throws Exception {
        int most = 60;
        List<SharedWorker> workers = new ArrayList<>();
        try (DemoWeb web = web(300)) {
            for (int i = 0; i < 4; i++) {
                workers.add(worker(options().maxPages(most)));
            }
            workers.get(0).seed(web.start());
            workers.forEach(SharedWorker::start);

            long pages = 0;
            for (SharedWorker worker : workers) {
                CrawlReport report = worker.end();
                assertThat(report.ending()).isEqualTo(Ending.MAX_PAGES);
                pages += report.count(PAGES);
            }
            assertThat(pages).isEqualTo(most);
            for (SharedWorker worker : workers) {
                worker.close();
            }
            assertThat(pagesDone()).isEqualTo(most);

            // The next run has a budget of its own.
            try (SharedWorker next = worker(options().maxPages(5))) {
                assertThat(next.start().end().ending()).isEqualTo(Ending.MAX_PAGES);
            }
            assertThat(pagesDone()).isEqualTo(most + 5);
        } finally {
            for (SharedWorker worker : workers) {
                worker.close();
            }
        }
    }

    @Test
    @Tag("slow")
    void theLimitOfPagesHoldsWhenCrawlersAreKilled() throws Exception {
        int most = 120;
        List<Process> crawlers = new ArrayList<>();
        try (DemoWeb web = web(300)) {
            for (int i = 0; i < 4; i++) {
                crawlers.add(process(
                        engine, web.start(), Duration.ofMillis(20), most, Integer.MAX_VALUE, Integer.MAX_VALUE));
            }
            Await.until(() -> owners().size() == 4 && web.requestCount() >= 30);

            crawlers.get(0).destroyForcibly();
            crawlers.get(1).destroyForcibly();
            for (Process crawler : crawlers) {
                crawler.waitFor();
            }

            assertThat(pagesDone()).isEqualTo(most);
        } finally {
            crawlers.forEach(Process::destroyForcibly);
        }
    }

    /** Returns how many URLs of a host are stored as done in this run; null for none. */
    private @Nullable String urlsDone(String host) {
        return IntStream.range(0, SLICES)
                .mapToObj(i -> engine.text("HGET", "{crawl}" + i + "h", host + ".test"))
                .filter(Objects::nonNull)
                .findAny()
                .orElse(null);
    }

    @Test
    @Tag("slow")
    void theLimitPerHostHoldsWhenCrawlersAreKilled() throws Exception {
        int most = 15;
        int hosts = 16;
        List<Process> crawlers = new ArrayList<>();
        try (Site site = new Site()) {
            List<String> links = new ArrayList<>();
            Map<String, Integer> expected = new TreeMap<>();
            for (int host = 0; host < hosts; host++) {
                int pages = host < 4 ? 6 : 25;
                expected.put("h" + host, Math.min(pages, most));
                for (int i = 0; i < pages; i++) {
                    String path = "/h" + host + "/" + i;
                    links.add(url("h" + host + ".test", site, path));
                    site.page(path);
                }
            }
            site.page("/", links.toArray(String[]::new));
            CountDownLatch haveJoined = new CountDownLatch(1);
            site.answer("/robots.txt", () -> {
                Await.until(() -> haveJoined.getCount() == 0);
                return Site.status(404);
            });
            for (int i = 0; i < 4; i++) {
                String seed = url("start.test", site, "/");
                crawlers.add(process(engine, seed, Duration.ofMillis(100), Long.MAX_VALUE, most, Integer.MAX_VALUE));
            }
            Await.until(() -> owners().size() == 4);
            haveJoined.countDown();
            Await.until(() -> expected.keySet().stream().allMatch(host -> urlsDone(host) != null));

            crawlers.get(0).destroyForcibly();
            crawlers.get(1).destroyForcibly();
            for (Process crawler : crawlers) {
                crawler.waitFor();
            }

            assertThat(crawlers.subList(2, 4)).extracting(Process::exitValue).containsOnly(0);
            Map<String, Integer> requested = new TreeMap<>();
            Set.copyOf(site.requests()).stream()
                    .filter(path -> path.length() > 1)
                    .forEach(path -> requested.merge(path.substring(1, path.lastIndexOf('/')), 1, Integer::sum));
            assertThat(requested).isEqualTo(expected);
            expected.forEach((host, urls) -> assertThat(urlsDone(host)).as(host).isEqualTo(String.valueOf(urls)));
        } finally {
            crawlers.forEach(Process::destroyForcibly);
        }
    }

    /** Makes pages of hosts, each with links to other days of one calendar; returns the URLs of the pages. */
    private static String[] calendar(Site site, int hosts, int linksPerHost) {
        String[] urls = new String[hosts];
        for (int host = 0; host < hosts; host++) {
            String path = "/h" + host;
            int first = host * linksPerHost;
            site.page(
                    path,
                    IntStream.range(first, first + linksPerHost)
                            .mapToObj(day -> url("trap.test", site, "/day/" + day))
                            .toArray(String[]::new));
            urls[host] = url("h" + host + ".test", site, path);
        }
        IntStream.range(0, hosts * linksPerHost).forEach(day -> site.page("/day/" + day));
        return urls;
    }

    private static List<String> days(Site site) {
        return site.requests().stream().filter(path -> path.startsWith("/day/")).toList();
    }

    @Test
    @Tag("slow")
    void theLimitOfAShapeIsThatOfAllCrawlersInAllRuns() throws Exception {
        int limit = 50;
        CrawlOptions options = options().trapLimit(Trap.SHAPE, limit);
        try (Site site = new Site()) {
            String[] pages = calendar(site, 20, 20);
            try (SharedWorker one = lasting(options);
                    SharedWorker other = lasting(options)) {
                Await.until(() -> owners().size() == 2);
                one.seed(pages).start();
                other.start();

                long queued = 0;
                for (CrawlReport report : List.of(one.end(), other.end())) {
                    assertThat(report.ending()).isEqualTo(Ending.DRAINED);
                    assertThat(report.pending().unfinished()).isZero();
                    queued += report.count(Counter.REFUSED, "trap shape");
                }
                assertThat(queued).as("skipped by the owner of the host").isPositive();
                assertThat(days(site)).hasSize(limit).doesNotHaveDuplicates();
                Map<String, String> skipped = new TreeMap<>();
                Stream.of(one, other)
                        .flatMap(worker -> worker.skips.stream())
                        .forEach(skip -> skipped.put(skip.url(), skip.reason().text()));
                assertThat(skipped).hasSize(pages.length * 20 - limit);
                assertThat(skipped.values()).containsOnly("trap shape: more than 50 URLs of one shape on a host");
            }

            try (SharedWorker next = lasting(options)) {
                site.page("/more", url("trap.test", site, "/day/401"));
                next.seed(url("h0.test", site, "/more"), url("trap.test", site, "/day/402"));
                CrawlReport report = next.start().end();

                assertThat(report.ending()).isEqualTo(Ending.DRAINED);
                assertThat(report.sieve().done()).isEqualTo(report.sieve().accepted());
                assertThat(next.skips).extracting(Skip::url).containsExactly(url("trap.test", site, "/day/401"));
                assertThat(days(site)).as("and a seed").hasSize(limit + 1).contains("/day/402");
            }
        }
    }

    /** They are taken from the frontier long before they are requested. */
    @Test
    void urlsThatWaitWhenTheirHostMovesAreNotCountedTwice() throws Exception {
        int days = 45;
        CrawlOptions options = options().delay(Duration.ofMillis(20)).trapLimit(Trap.SHAPE, 50);
        try (Site site = new Site()) {
            String[] page = calendar(site, 1, days);
            try (SharedWorker leaves = lasting(options)) {
                leaves.seed(page).start();
                Await.until(() -> days(site).size() >= 10);
                assertThat(leaves.leave().pending().left()).isPositive();
            }
            try (SharedWorker next = lasting(options)) {
                assertThat(next.start().end().ending()).isEqualTo(Ending.DRAINED);
                assertThat(next.skips).isEmpty();
            }
            assertThat(days(site)).hasSize(days).doesNotHaveDuplicates();
        }
    }

    @Test
    void aTrapThatIsAllowedIsNotCounted() throws Exception {
        try (Site site = new Site();
                SharedWorker worker = worker(options().allowTrap(Trap.SHAPE).trapLimit(Trap.HOST, 50))) {
            worker.seed(calendar(site, 5, 20)).start().end();
            assertThat(days(site)).hasSize(50);
            assertThat(worker.skips).extracting(skip -> skip.reason().rule()).containsOnly("trap host");
            long stored = IntStream.range(0, SLICES)
                    .mapToLong(i -> Long.parseLong(String.valueOf(engine.text("HLEN", "{crawl}" + i + "t"))))
                    .sum();
            assertThat(stored).as("hosts").isEqualTo(6);
        }
    }

    /** With such a limit, each URL is stored. */
    @Test
    @Tag("slow")
    void theLimitOfAShapeHoldsWhenTheOwnerOfTheHostIsKilled() throws Exception {
        int limit = 100;
        Map<String, Process> crawlers = new HashMap<>();
        try (Site site = new Site()) {
            site.page("/", calendar(site, 24, 25));
            CountDownLatch haveJoined = new CountDownLatch(1);
            site.answer("/robots.txt", () -> {
                Await.until(() -> haveJoined.getCount() == 0);
                return Site.status(404);
            });
            for (int i = 0; i < 3; i++) {
                Process crawler = process(
                        engine,
                        url("start.test", site, "/"),
                        Duration.ofMillis(20),
                        Long.MAX_VALUE,
                        Integer.MAX_VALUE,
                        limit);
                Await.until(() -> workers().size() > crawlers.size());
                workers().forEach(name -> crawlers.putIfAbsent(name, crawler));
            }
            Await.until(() -> owners().equals(workers()));
            haveJoined.countDown();
            Await.until(() -> days(site).size() >= limit / 2);
            int before = days(site).size();
            int slice = IntStream.range(0, SLICES)
                    .filter(i -> "1".equals(engine.text("EXISTS", "{crawl}" + i + "t")))
                    .findFirst()
                    .orElseThrow();
            Process owner =
                    Objects.requireNonNull(crawlers.get(engine.text("HGET", "{crawl}" + slice + "o", "worker")));
            owner.destroyForcibly();
            for (Process crawler : crawlers.values()) {
                crawler.waitFor();
            }

            assertThat(before).isLessThan(limit);
            crawlers.values().remove(owner);
            assertThat(crawlers.values()).extracting(Process::exitValue).containsOnly(0);
            // Each owner may have counted one that it did not request.
            assertThat(days(site)).hasSizeBetween(limit - CONCURRENCY, limit);
        } finally {
            crawlers.values().forEach(Process::destroyForcibly);
        }
    }

    @Test
    void theLimitOfTimeCountsFromTheBeginningOfTheRun() throws Exception {
        CrawlOptions options = options().maxTime(Duration.ofHours(1));
        try (DemoWeb web = web(20);
                SharedWorker first = worker(options)) {
            engine.text(
                    "HINCRBY", "{crawl}b", "start", "-" + Duration.ofHours(2).toMillis());
            try (SharedWorker second = worker(options)) {
                assertThat(second.seed(web.start()).start().end().ending()).isEqualTo(Ending.MAX_TIME);
            }
            assertThat(first.start().end().ending()).isNotEqualTo(Ending.MAX_TIME);
        }
    }

    /** Starts a crawler in a process of its own. */
    private static Process process(TestEngine engine, DemoWeb web, Duration delay) throws IOException {
        return process(engine, web.start(), delay, Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    private static Process process(
            TestEngine engine, String seed, Duration delay, long maxPages, int maxPerHost, int maxPerShape)
            throws IOException {
        return ChildJvm.start(
                List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                SharedCrawlTest.class,
                String.valueOf(engine.port()),
                seed,
                String.valueOf(delay.toMillis()),
                String.valueOf(maxPages),
                String.valueOf(maxPerHost),
                String.valueOf(maxPerShape));
    }

    /** The port of the engine, a seed, the delay of hosts in milliseconds, the limits of pages and of URLs per host and shape. */
    public static void main(String[] arguments) throws IOException {
        EngineAddress address = EngineAddress.parse("redis://127.0.0.1:" + arguments[0] + "/crawl");
        CrawlOptions options = options()
                .delay(Duration.ofMillis(Long.parseLong(arguments[2])))
                .maxPages(Long.parseLong(arguments[3]))
                .maxPerHost(Integer.parseInt(arguments[4]))
                .trapLimit(Trap.SHAPE, Integer.parseInt(arguments[5]));
        try (CrawlJob job = SharedJob.open(address, options, SharedCrawlTest::settings);
                Crawler crawler = new Crawler(options, job, AllStages::of)) {
            crawler.seed(arguments[1]);
            crawler.run(visit -> {});
        }
    }

    /** Each host leads to the next one, which is in scope only if it is a seed. */
    @Test
    void manySeedsAreReadInPartsAndEachOnce() throws Exception {
        List<String> seeds = IntStream.range(0, 3000)
                .mapToObj(i -> "http://h" + i + ".example.org/")
                .toList();
        List<String> read = new ArrayList<>();
        CrawlJob.Reader reader = new CrawlJob.Reader() {
            @Override
            public void seed(String url) {
                read.add(url);
            }

            @Override
            public void open(String origin) {}

            @Override
            public void withHeaders(String origin) {}
        };
        try (CrawlJob one = SharedJob.open(address(), options(), SharedCrawlTest::settings);
                CrawlJob two = SharedJob.open(address(), options(), SharedCrawlTest::settings)) {
            one.addSeeds(seeds.subList(0, 2999));
            two.read(reader);
            assertThat(read).isEqualTo(seeds.subList(0, 2999));
            one.addSeeds(seeds);
            two.readAdded(reader);
            two.readAdded(reader);
            assertThat(read).isEqualTo(seeds);
            // Its own are not read again.
            read.clear();
            one.readAdded(reader);
            assertThat(read).isEmpty();
            two.addSeeds(List.of("http://two.example/"));
            one.addSeeds(List.of("http://one.example/"));
            one.readAdded(reader);
            two.readAdded(reader);
            assertThat(read).containsExactly("http://two.example/", "http://one.example/", "http://one.example/");

            // As after the engine has lost the end of its log.
            engine.command("LTRIM", "{crawl}l:seeds", "0", "1499");
            engine.command("RPUSH", "{crawl}l:seeds", seeds.get(2999));
            read.clear();
            two.readAdded(reader);
            assertThat(read).hasSize(1501).endsWith(seeds.get(2999));

            engine.command("RPUSH", "{crawl}l:seeds", "no URL");
            assertThatThrownBy(() -> two.readAdded(reader))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("the seeds of the crawl on the engine contain an invalid line: no URL");
        }
    }

    @Test
    @Tag("slow")
    void seedsThatAnotherCrawlerAddsAreInTheScopeOfBoth() throws Exception {
        CrawlOptions options = options().scope(Scope.Kind.DOMAIN).resolver(host -> LOOPBACK);
        int hosts = 20;
        try (Site site = new Site();
                SharedWorker one = worker(options);
                SharedWorker other = worker(options)) {
            List<String> pages = new ArrayList<>();
            for (int i = 0; i < hosts; i++) {
                pages.add("/" + i);
                site.page("/" + i, url("h" + (i + 1) + ".b.test", site, "/" + (i + 1)));
            }
            site.page("/" + hosts);
            CountDownLatch isAdded = new CountDownLatch(1);
            site.answer("/first", () -> {
                try {
                    isAdded.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Site.status(404);
            });
            Await.until(() -> owners().size() == 2);
            one.seed(url("a.test", site, "/first"));
            one.start();
            other.start();
            Await.until(() -> site.requests().contains("/first"));
            other.seed(url("h0.b.test", site, "/0"));
            isAdded.countDown();

            assertThat(one.end().count(Counter.PAGES)).isPositive();
            assertThat(other.end().count(Counter.PAGES)).isPositive();
            pages.addAll(List.of("/" + hosts, "/first"));
            assertThat(site.requests()).containsExactlyInAnyOrderElementsOf(pages);
        }
    }

    private static String url(String host, Site site, String path) {
        return "http://" + host + ":" + URI.create(site.url("/")).getPort() + path;
    }

    /** Its owner waits for an address, as it may wait for anything else, until another crawler has requested the host. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {true, false})
    void nothingIsSentToAHostThatHasMoved(boolean obeysRobots) throws Exception {
        CountDownLatch isLookedUp = new CountDownLatch(1);
        CountDownLatch hasMoved = new CountDownLatch(1);
        try (DemoWeb web = PolitenessJudge.web().hosts(1).pages(1).recorded(100).open();
                LossyWire wire = new LossyWire(engine)) {
            CrawlOptions slow = options()
                    .obeyRobots(obeysRobots)
                    .timeout(Duration.ofMinutes(10))
                    .resolver(host -> {
                        isLookedUp.countDown();
                        Await.until(() -> hasMoved.getCount() == 0);
                        return List.of(DemoWeb.resolve(host));
                    });
            try (SharedWorker one = new SharedWorker(wire.address("crawl"), slow, SharedCrawlTest::settings)) {
                one.seed(web.start()).start();
                isLookedUp.await();
                wire.cut();
                try (SharedWorker other = worker(options().obeyRobots(obeysRobots))) {
                    assertThat(other.start().end().ending()).isEqualTo(Ending.DRAINED);
                    long requests = web.requestCount();
                    assertThat(requests).isPositive();

                    wire.restore();
                    hasMoved.countDown();

                    assertThat(one.end().ending()).isEqualTo(Ending.DRAINED);
                    assertThat(web.requestCount()).isEqualTo(requests);
                }
            } finally {
                hasMoved.countDown();
            }
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {true, false})
    void aCrawlGoesOnWhenItsEngineIsBack(boolean isKilled) throws Exception {
        try (DemoWeb web = web(300);
                SharedWorker one = worker(options().delay(Duration.ofMillis(10)));
                SharedWorker other = worker(options().delay(Duration.ofMillis(10)))) {
            one.seed(web.start());
            one.start();
            other.start();
            Await.until(() -> web.requestCount() >= 50);
            if (isKilled) {
                engine.kill();
                engine.restart();
            } else {
                engine.suspend();
                long since = System.nanoTime();
                Await.until(() -> System.nanoTime() - since > OWNERSHIP.toNanos());
                engine.resume();
            }

            assertThat(one.end().ending()).isEqualTo(Ending.DRAINED);
            assertThat(other.end().ending()).isEqualTo(Ending.DRAINED);
            assertComplete(web);
        }
    }

    @Test
    void aFullEngineEndsTheCrawlUntilThereIsRoom() throws Exception {
        try (DemoWeb web = web(2000)) {
            Set<String> visited = new HashSet<>();
            try (SharedWorker worker = worker(options())) {
                worker.seed(web.start());
                worker.start();
                Await.until(() -> web.requestCount() >= 50);
                engine.config("maxmemory", "1");

                assertThat(worker.end().ending()).isEqualTo(Ending.FULL);
                assertThat(worker.crawler.report().pending().left()).isPositive();
                worker.visits.forEach(visit -> visited.add(visit.url()));
            }
            engine.config("maxmemory", "0");

            try (SharedWorker worker = worker(options())) {
                assertThat(worker.start().end().ending()).isEqualTo(Ending.DRAINED);
                worker.visits.forEach(visit -> visited.add(visit.url()));
            }

            assertComplete(web);
            assertThat(keys(visited.stream())).isEqualTo(expected(web));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "sieve.proof", matches = "true")
    void aCrawlThatIsStoppedDoesNotWaitForItsEngine() throws Exception {
        try (DemoWeb web = web(300)) {
            SharedWorker worker = worker(options().delay(Duration.ofMillis(10)));
            worker.seed(web.start());
            worker.start();
            Await.until(() -> web.requestCount() >= 50);
            engine.kill();

            worker.crawler.stop();

            assertThat(worker.crawler.report().ending()).isEqualTo(Ending.STOPPED);
            try (worker) {
                worker.end();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(IOException.class);
            }
        }
    }
}
