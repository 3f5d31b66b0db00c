package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.LINKS;
import static dev.sieve.crawl.Counter.NEW;
import static dev.sieve.crawl.Counter.PAGES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FilterKind;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Leases;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import dev.sieve.durable.DurableSieve;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With a limit of depth, every page within it is requested, whatever the order of responses. */
@Timeout(600)
class LevelsTest {
    private static final int GRAPHS = Tier.of(400, 20_000);

    @TempDir
    private Path folder;

    /** What a request comes to, after a number of failures. */
    private record Node(int failures, boolean isLeft, String redirect, List<String> links) {}

    private static Node page(String... links) {
        return new Node(0, false, null, List.of(links));
    }

    /** A frontier that hands out again what is not done when it is opened again, in the order of its log. */
    private static final class LogFrontier implements Frontier {
        private final List<Lease> log = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private final BitSet done = new BitSet();
        private final Map<Long, Integer> attempts = new HashMap<>();
        private Leases leases;
        private int next;

        void open() {
            leases = new Leases(Long.MAX_VALUE, attempts);
            next = 0;
        }

        @Override
        public boolean push(String url) {
            UrlBatch batch = new UrlBatch();
            batch.add(url);
            return pushAll(batch) > 0;
        }

        @Override
        public int pushAll(UrlBatch batch) {
            int isNew = 0;
            batch.clearNew();
            for (int i = 0; i < batch.size(); i++) {
                String key = new String(batch.keyBytes(i), batch.keyFrom(i), batch.keyTo(i) - batch.keyFrom(i), UTF_8);
                if (seen.add(key)) {
                    batch.setNew(0, -1);
                    log.add(new Lease(
                            log.size(),
                            batch.url(i),
                            batch.depth(),
                            batch.redirects(),
                            batch.referrer(),
                            batch.label(),
                            0));
                    isNew++;
                }
            }
            return isNew;
        }

        @Override
        public Lease take(long nowNanos) {
            OptionalLong due = leases.pollDue(nowNanos);
            next = done.nextClearBit(next);
            if (due.isEmpty() && next >= log.size()) {
                return null;
            }
            int id = due.isEmpty() ? next++ : (int) due.getAsLong();
            Lease stored = log.get(id);
            Lease lease = new Lease(
                    id,
                    stored.url(),
                    stored.depth(),
                    stored.redirects(),
                    stored.referrer(),
                    stored.label(),
                    attempts.getOrDefault((long) id, 0));
            leases.hold(lease, nowNanos);
            return lease;
        }

        @Override
        public long waitNanos(long nowNanos) {
            return done.nextClearBit(next) < log.size() ? 0 : leases.waitNanos(nowNanos);
        }

        @Override
        public boolean done(Lease lease) {
            done.set((int) lease.id());
            return leases.release(lease);
        }

        @Override
        public boolean retry(Lease lease, long readyNanos) {
            return leases.delay(lease, readyNanos);
        }

        @Override
        public long pending() {
            return log.size() - done.cardinality() - leases.held();
        }

        @Override
        public long inFlight() {
            return leases.held();
        }

        @Override
        public SieveStats stats() {
            return new SieveStats(
                    FilterKind.EXACT, log.size(), 0, pending(), inFlight(), done.cardinality(), 0, 1, 0, 0, 0);
        }

        @Override
        public void close() {}
    }

    /** A crawl of a graph without a network, by one thread: requests end in any order. */
    private final class Crawl {
        private final Map<String, Node> graph;
        private final CrawlOptions options;
        private final ToIntFunction<List<Task>> order;
        private final LogFrontier frontier = new LogFrontier();
        private final List<Task> active = new ArrayList<>();
        private final List<String> requested = new ArrayList<>();
        /** The depth by which the links of each page were followed. */
        private final Map<String, Integer> followed = new TreeMap<>();

        private long now;
        private Recorder recorder;
        private LinkQueue links;
        private Dispatcher dispatcher;
        private HostSchedule<Target> schedule;

        Crawl(Map<String, Node> graph, CrawlOptions options, ToIntFunction<List<Task>> order) {
            this.graph = graph;
            this.options = options;
            this.order = order;
        }

        void open() {
            frontier.open();
            active.clear();
            schedule = new ScheduleOptions<Target>()
                    .delay(Duration.ZERO)
                    .perHost(options.perHost)
                    .spill(folder, new Target.Codec(), 2000)
                    .build(now);
            CrawlJob job = CrawlJob.inMemory(frontier);
            recorder = new Recorder(frontier, List.of());
            links = new LinkQueue(options, recorder, List.of(), job, () -> {});
            dispatcher = new Dispatcher(job, schedule, () -> now, recorder, options, false);
        }

        void close() throws IOException {
            schedule.close();
        }

        /** Starts requests while there are some to start, and ends one; returns false when the crawl is over. */
        boolean step() {
            while (active.size() < options.concurrency) {
                // An interrupted thread does not wait.
                Thread.currentThread().interrupt();
                try {
                    Task task = dispatcher.next();
                    if (task == null) {
                        break;
                    }
                    active.add(task);
                    requested.add(task.lease().url());
                } catch (InterruptedException e) {
                    break;
                } finally {
                    Thread.interrupted();
                }
            }
            if (!active.isEmpty()) {
                end(active.remove(order.applyAsInt(active)));
            }
            now += Duration.ofSeconds(1).toNanos();
            return dispatcher.ending() == null;
        }

        private void end(Task task) {
            Lease lease = task.lease();
            Node node = graph.getOrDefault(lease.url(), page());
            dispatcher.end(task, new Outcome(Outcome.Kind.RESPONDED));
            if (lease.attempt() < node.failures) {
                recorder.retry(lease, now + Duration.ofSeconds(3).toNanos());
            } else if (node.isLeft) {
                recorder.leaveUndone(lease);
            } else {
                followed.put(lease.url(), lease.depth());
                if (node.redirect == null) {
                    links.links(lease, node.links);
                } else {
                    links.target(task.target(), new Redirect(301, node.redirect));
                }
                recorder.done(lease, () -> {});
            }
            dispatcher.finished(task, true);
        }
    }

    /** The distance of each page within a depth, where a redirect is not a link. */
    private static Map<String, Integer> distances(Map<String, Node> graph, String seed, int maxDepth) {
        Map<String, Integer> distances = new TreeMap<>();
        Deque<Map.Entry<String, Integer>> queue = new ArrayDeque<>(List.of(Map.entry(seed, 0)));
        while (!queue.isEmpty()) {
            Map.Entry<String, Integer> first = queue.remove();
            int depth = first.getValue();
            if (depth > maxDepth || distances.containsKey(first.getKey())) {
                continue;
            }
            distances.put(first.getKey(), depth);
            Node node = graph.getOrDefault(first.getKey(), page());
            if (node.redirect != null && !node.isLeft) {
                queue.addFirst(Map.entry(node.redirect, depth));
            } else if (!node.isLeft) {
                node.links.forEach(link -> queue.addLast(Map.entry(link, depth + 1)));
            }
        }
        return distances;
    }

    private static CrawlOptions options(int maxDepth) {
        return new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .maxDepth(maxDepth)
                .delay(Duration.ZERO)
                .perHost(2);
    }

    private static String url(int number) {
        return "http://h" + number % 3 + ".test/" + number;
    }

    private static Map<String, Node> randomGraph(Random random) {
        int pages = 5 + random.nextInt(60);
        Map<String, Node> graph = new TreeMap<>();
        for (int i = 0; i < pages; i++) {
            List<String> links = new ArrayList<>();
            for (int link = random.nextInt(5); link > 0; link--) {
                // Most links lead to pages that are near, so that there are long paths besides short ones.
                int target = random.nextInt(3) == 0 ? random.nextInt(pages) : i + 1 + random.nextInt(4);
                links.add(url(Math.min(pages - 1, target)));
            }
            boolean redirects = i > 0 && random.nextInt(4) == 0;
            String redirect = redirects ? url((i + 1 + random.nextInt(pages - 1)) % pages) : null;
            int failures = random.nextInt(8) == 0 ? 1 + random.nextInt(2) : 0;
            graph.put(url(i), new Node(failures, random.nextInt(30) == 0, redirect, links));
        }
        return graph;
    }

    /** Opens the crawl of a random graph, whose requests end in any order. */
    private Crawl randomCrawl(Random random) throws IOException {
        Map<String, Node> graph = randomGraph(random);
        CrawlOptions options = options(random.nextInt(7)).concurrency(1 + random.nextInt(8));
        Crawl crawl = new Crawl(graph, options, active -> random.nextInt(active.size()));
        crawl.open();
        crawl.links.seeds(List.of(url(0)));
        return crawl;
    }

    @Test
    void everyPageWithinTheLimitIsRequestedOnce() throws IOException {
        for (int seed = 0; seed < GRAPHS; seed++) {
            Random random = new Random(seed);
            Crawl crawl = randomCrawl(random);

            while (crawl.step()) {
                // Until the crawl is over.
            }

            assertComplete(crawl, seed);
            Set<String> once = new HashSet<>(crawl.requested);
            long again = crawl.requested.stream()
                    .filter(url -> crawl.graph.containsKey(url) && crawl.graph.get(url).failures > 0)
                    .count();
            assertThat(crawl.requested.size() - again)
                    .as("graph %s", seed)
                    .isEqualTo(once.stream()
                            .filter(url -> !crawl.graph.containsKey(url) || crawl.graph.get(url).failures == 0)
                            .count());
            crawl.close();
        }
    }

    @Test
    void levelsContinueAfterACrash() throws IOException {
        for (int seed = 0; seed < GRAPHS; seed++) {
            Random random = new Random(seed);
            Crawl crawl = randomCrawl(random);

            while (crawl.step()) {
                if (random.nextInt(10) == 0) {
                    crawl.close();
                    crawl.open();
                }
            }

            assertComplete(crawl, seed);
            crawl.close();
        }
    }

    private void assertComplete(Crawl crawl, int seed) {
        Map<String, Integer> expected = distances(crawl.graph, url(0), crawl.options.maxDepth);
        assertThat(new TreeSet<>(crawl.requested)).as("graph %s", seed).isEqualTo(expected.keySet());
        expected.keySet().removeIf(url -> crawl.graph.containsKey(url) && crawl.graph.get(url).isLeft);
        assertThat(crawl.followed).as("graph %s", seed).isEqualTo(expected);
        assertThat(crawl.dispatcher.ending()).isEqualTo(Ending.DRAINED);
        assertThat(crawl.frontier.pending()).isZero();
        assertThat(crawl.frontier.inFlight()).isEqualTo(crawl.recorder.leftUndone());
    }

    @Test
    void aSlowPageOnAShortPathIsWaitedFor() throws IOException {
        Map<String, Node> graph = Map.of(
                "http://h.test/", page("http://h.test/a", "http://h.test/x"),
                "http://h.test/a", page("http://h.test/y"),
                "http://h.test/x", page("http://h.test/z"),
                "http://h.test/z", page("http://h.test/y"),
                "http://h.test/y", page("http://h.test/end"));
        Crawl crawl = new Crawl(graph, options(3), active -> {
            boolean isSlow = active.get(0).lease().url().endsWith("/a");
            return isSlow && active.size() > 1 ? 1 : 0;
        });
        crawl.open();
        crawl.links.seeds(List.of("http://h.test/"));

        while (crawl.step()) {
            // Until the crawl is over.
        }

        assertThat(crawl.requested).contains("http://h.test/end");
        crawl.close();
    }

    @AutoClose
    private final Site site = new Site();

    @Test
    void theTargetOfARedirectIsAsNearAsTheRedirect() throws IOException {
        site.page("/", "/a", "/r")
                .page("/a", "/t")
                .redirect("/r", "/t")
                .page("/t", "/end")
                .page("/end", "/far");
        try (Crawler crawler =
                new Crawler(Site.fast().obeyRobots(false).concurrency(1).maxDepth(2), new Sieve(100), AllStages::of)) {
            crawler.seed(site.url("/"));
            Map<String, Integer> depths = new HashMap<>();

            CrawlReport report = crawler.run(visit -> depths.put(visit.url().replace(site.url(""), ""), visit.depth()));

            assertThat(depths).isEqualTo(Map.of("/", 0, "/a", 1, "/r", 1, "/t", 1, "/end", 2));
            assertThat(site.requests()).containsExactly("/", "/a", "/r", "/t", "/end");
            assertThat(report.pending().left()).isZero();
            assertThat(report.count(LINKS, NEW)).isEqualTo(5);
            Reports.assertAddsUp(report);
        }
    }

    /** Stops after each page, so that the notes of redirects are left to another run. */
    @Test
    void aReportOfALaterRunAddsUp() throws IOException {
        site.page("/", "/a", "/r")
                .page("/a", "/t")
                .redirect("/r", "/t")
                .page("/t", "/end")
                .page("/end", "/far");
        Set<String> visited = new TreeSet<>();
        CrawlReport report;
        do {
            try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000);
                    Crawler crawler = new Crawler(
                            Site.fast().obeyRobots(false).concurrency(1).maxDepth(2), frontier, AllStages::of)) {
                crawler.seed(site.url("/"));
                report = crawler.run(visit -> {
                    visited.add(visit.url().replace(site.url(""), ""));
                    crawler.stop();
                });
                Reports.assertAddsUp(report);
            }
        } while (report.pending().left() > 0);

        assertThat(visited).containsExactly("/", "/a", "/end", "/r", "/t");
        assertThat(site.requests()).hasSize(5);
    }

    @Test
    void withoutALimitTheNotesOfAnEarlierRunAreDropped() throws IOException {
        site.page("/", "/a", "/r").page("/a", "/t").redirect("/r", "/t").page("/t", "/end");
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000);
                Crawler crawler = new Crawler(
                        Site.fast().obeyRobots(false).concurrency(1).maxDepth(2), frontier, AllStages::of)) {
            crawler.seed(site.url("/"));
            crawler.run(visit -> {
                if (visit.url().endsWith("/r")) {
                    crawler.stop();
                }
            });
            assertThat(site.requests()).containsExactly("/", "/a", "/r");
            assertThat(frontier.pending() + frontier.inFlight()).isEqualTo(2);
        }
        try (DurableSieve frontier = DurableSieve.open(folder.resolve("job"), 1000);
                Crawler crawler = new Crawler(Site.fast().obeyRobots(false), frontier, AllStages::of)) {
            crawler.seed(site.url("/"));
            CrawlReport report = crawler.run(visit -> {});

            assertThat(report.ending()).isEqualTo(Ending.DRAINED);
            assertThat(report.count(PAGES)).isEqualTo(2);
            Reports.assertAddsUp(report);
        }
        assertThat(site.requests()).hasSize(5);
    }
}
