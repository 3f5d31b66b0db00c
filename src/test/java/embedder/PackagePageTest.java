package embedder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.UrlBatch;
import dev.sieve.durable.DurableSieve;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in the documentation of the package {@code dev.sieve} is that of this class, which runs it. */
class PackagePageTest {
    private static final Pattern SNIPPET = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* }</pre>", Pattern.DOTALL);

    private static final String START = "https://example.org/";

    /** Pages and their links. */
    private static final Map<String, List<String>> WEB = Map.of(
            START,
            List.of(START + "a", START + "b", START + "a", START),
            START + "a",
            List.of(START + "b", START + "often-fails", START + "fails"),
            START + "b",
            List.of(START),
            START + "often-fails",
            List.of(START + "last"),
            START + "last",
            List.of());

    /** Failures that are still to come. */
    private final Map<String, Integer> failures =
            new ConcurrentHashMap<>(Map.of(START + "often-fails", 3, START + "fails", 100));

    private final List<String> requested = Collections.synchronizedList(new ArrayList<>());
    private final List<Double> thresholds = new ArrayList<>();
    private final long pauseNanos = 1000;

    @TempDir
    private Path folder;

    private List<String> linksOf(String url) throws IOException {
        requested.add(url);
        if (failures.merge(url, -1, Integer::sum) >= 0) {
            throw new IOException("no response");
        }
        return WEB.get(url);
    }

    private void alert(double threshold, double missed) {
        assertThat(missed).isNotNegative();
        thresholds.add(threshold);
    }

    void crawl(Frontier frontier) throws InterruptedException {
        while (!frontier.isOver(0)) {
            long now = System.nanoTime();
            Lease lease = frontier.take(now);
            if (lease != null) {
                visit(frontier, lease);
            } else { // other threads are at work, or a URL is due later
                TimeUnit.NANOSECONDS.sleep(Math.min(frontier.waitNanos(now), 10_000_000));
            }
        }
    }

    void visit(Frontier frontier, Lease lease) {
        if (!frontier.begin(lease)) {
            return; // it belongs to another process now
        }
        try {
            List<String> links = linksOf(lease.url());
            UrlBatch batch = new UrlBatch(lease.depth() + 1, 0, lease.url());
            links.forEach(batch::add);
            frontier.pushAll(batch);
            frontier.done(lease);
        } catch (IOException e) {
            if (lease.attempt() < 3) {
                frontier.retry(lease, System.nanoTime() + pauseNanos);
            } else {
                frontier.done(lease);
            }
        }
    }

    @Test
    void theSnippetsAreCodeOfThisClass() throws IOException {
        String page = Files.readString(Path.of("src/main/java/dev/sieve/package-info.java"));
        String code = withoutIndent(Files.readString(Path.of("src/test/java/embedder/PackagePageTest.java")));

        List<String> snippets = SNIPPET.matcher(page)
                .results()
                .map(match -> withoutIndent(match.group(1).replaceAll("(?m)^ \\*", "")))
                .toList();

        assertThat(snippets)
                .hasSize((int)
                        page.lines().filter(line -> line.contains("<pre>")).count())
                .hasSizeGreaterThan(4)
                .allSatisfy(snippet -> assertThat(code).contains(snippet));
    }

    private static String withoutIndent(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @Test
    void theLoopVisitsEachPageAndRepeatsWhatFails() throws Exception {
        Sieve frontier = new Sieve(1000);
        frontier.push(START);

        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                workers.add(threads.submit(() -> {
                    crawl(frontier);
                    return null;
                }));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        } finally {
            threads.shutdownNow();
        }

        thePagesWereRequested();
        assertThat(frontier.stats().done()).isEqualTo(6);
    }

    private void thePagesWereRequested() {
        assertThat(requested.stream().collect(Collectors.groupingBy(url -> url, Collectors.counting())))
                .isEqualTo(Map.of(
                        START,
                        1L,
                        START + "a",
                        1L,
                        START + "b",
                        1L,
                        START + "last",
                        1L,
                        START + "often-fails",
                        4L,
                        START + "fails",
                        4L));
    }

    @Test
    void aBatchHasKeys() {
        Lease lease = new Lease(0, "http://example.org/a/", 0, 0, null, 0, 0);
        List<String> references = List.of("%7eb", "~b", "mailto:someone@example.org", "../a/~b#top");
        UrlBatch batch = new UrlBatch();

        UrlNormalizer.Base page = UrlNormalizer.base(lease.url());
        for (String reference : references) {
            String url = page.resolve(reference);
            if (url != null) {
                batch.add(url, UrlNormalizer.key(url));
            }
        }

        try (Sieve frontier = new Sieve(1000)) {
            assertThat(batch.size()).isEqualTo(3);
            assertThat(frontier.pushAll(batch)).isEqualTo(1);
            assertThat(frontier.pop()).contains("http://example.org/a/%7eb");
        }
    }

    @Test
    void aCrawlContinuesAfterARestart() throws Exception {
        for (int run = 0; run < 2; run++) {
            try (DurableSieve frontier = DurableSieve.open(folder, 1_000_000)) {
                frontier.push("https://example.org/"); // new in the first run only
                crawl(frontier);
            }
        }

        thePagesWereRequested();
    }

    @Test
    void aListenerReceivesTheCapacityEvents() {
        Sieve frontier = Sieve.builder()
                .capacity(10_000_000)
                .falsePositiveRate(0.001)
                .onFull(OnFull.GROW)
                .onCapacity(event -> alert(event.threshold(), event.estimatedMissed()))
                .build();

        assertThat(frontier.stats().capacity()).isEqualTo(10_000_000);
        frontier.close();
        assertThat(thresholds).isEmpty();
    }

    @Test
    void aScheduleKeepsTheDelayOfHosts() throws IOException {
        Duration delay = Duration.ofMillis(1);
        long start = System.nanoTime();
        long now = start;
        try (Sieve frontier = new Sieve(1000);
                HostSchedule<Lease> hosts =
                        new ScheduleOptions<Lease>().delay(delay).build(now)) {
            frontier.push(START);
            for (; !frontier.isOver(0); now = System.nanoTime()) {
                for (Lease lease = frontier.take(now); lease != null; lease = frontier.take(now)) {
                    hosts.add(UrlParts.host(lease.url()), lease);
                }
                Lease lease = hosts.poll(now); // null: no host may be requested now, see waitNanos
                if (lease != null) {
                    visit(frontier, lease);
                    hosts.finished(UrlParts.host(lease.url()), System.nanoTime());
                }
            }
        }

        thePagesWereRequested();
        assertThat(now - start)
                .isGreaterThanOrEqualTo(delay.multipliedBy(requested.size() - 1).toNanos());
    }
}
