package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.shared.LossyWire;
import dev.sieve.shared.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three processes share a crawl, and are killed: no host is requested too early, by the log of the server. The system
 * property {@code sieve.proof} makes the web larger.
 *
 * <p>The log has the moment at which the server noticed a request, which may be late. That does not add up: between the
 * first request to a host and its n-th are n - 1 delays, less the delay of the first. Half of a delay is allowed for it.
 */
@Timeout(3600)
class SharedPolitenessIT {
    private static final boolean IS_PROOF = Boolean.getBoolean("sieve.proof");
    private static final long SEED = 20261122;
    private static final int WORKERS = 3;
    private static final Duration DELAY = Duration.ofMillis(1500);
    private static final Duration CRAWL_DELAY = Duration.ofSeconds(2);

    private final List<Process> workers = new ArrayList<>();

    @Test
    void noHostIsRequestedWithinItsDelayThoughItsOwnersAreKilled() throws Exception {
        Random random = new Random(SEED);
        int kills = IS_PROOF ? 20 : 2;
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = DemoWeb.builder()
                        .hosts(IS_PROOF ? 30 : 8)
                        .pages(IS_PROOF ? 300 : 16)
                        .crawlDelay(CRAWL_DELAY)
                        .recorded(100_000)
                        .open()) {
            try {
                for (int i = 0; i < WORKERS; i++) {
                    workers.add(SharedCrawlTest.process(engine, web, DELAY));
                }
                for (int i = 0; i < kills; i++) {
                    awaitRequests(web, web.requestCount() + 1 + random.nextInt(web.hosts()));
                    workers.remove(0).destroyForcibly().onExit().join();
                    workers.add(SharedCrawlTest.process(engine, web, DELAY));
                }
                for (Process worker : workers) {
                    assertThat(worker.waitFor(1000, TimeUnit.SECONDS)).isTrue();
                    assertThat(worker.exitValue()).isZero();
                }
            } finally {
                workers.forEach(Process::destroyForcibly);
            }

            SharedCrawlTest.assertComplete(web);
            assertPolite(web);
        }
    }

    /** It waits for the engine before each request, since a seed may be one of others, and both are at work afterwards. */
    @Test
    void aCrawlerThatWasCutOffLeavesTheHostsOfOthersAlone() throws Exception {
        try (TestEngine engine = TestEngine.start();
                LossyWire wire = new LossyWire(engine);
                DemoWeb web = DemoWeb.builder()
                        .hosts(8)
                        .pages(400)
                        .even(true)
                        .crawlDelay(CRAWL_DELAY)
                        .recorded(100_000)
                        .open();
                SharedWorker one = SharedCrawlTest.worker(wire.address("crawl"), DELAY);
                SharedWorker other = SharedCrawlTest.worker(engine.address("crawl"), DELAY)) {
            one.seed(web.expected().map(DemoWeb.Expected::url).toArray(String[]::new));
            one.start();
            awaitRequests(web, 3L * web.hosts());
            wire.cut();
            other.start();
            awaitVisits(other, web.hosts());
            wire.restore();
            awaitVisits(other, 3 * web.hosts());

            one.leave();
            other.leave();
            assertPolite(web);
        }
    }

    private static void awaitVisits(SharedWorker worker, int count) {
        while (worker.visits.size() < count) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private void awaitRequests(DemoWeb web, long count) {
        while (web.requestCount() < count && workers.stream().allMatch(Process::isAlive)) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private static void assertPolite(DemoWeb web) {
        web.requests().stream()
                .sorted(Comparator.comparingLong(DemoRequest::startNanos))
                .collect(Collectors.groupingBy(DemoRequest::host))
                .values()
                .forEach(SharedPolitenessIT::assertPolite);
    }

    private static void assertPolite(List<DemoRequest> requests) {
        DemoRequest first = requests.get(0);
        assertThat(first.target()).isEqualTo("/robots.txt");
        // A host without robots.txt sets no delay of its own.
        long apart = (first.status() == 200 ? CRAWL_DELAY : DELAY).toNanos();
        long earliestStart = first.startNanos();
        for (int i = 0; i < requests.size(); i++) {
            long start = requests.get(i).startNanos() - i * apart;
            assertThat(start).as("request %d of %s", i, requests).isGreaterThanOrEqualTo(earliestStart - apart / 2);
            earliestStart = Math.max(earliestStart, start);
        }
    }
}
