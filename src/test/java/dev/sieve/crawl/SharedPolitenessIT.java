package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.shared.LossyWire;
import dev.sieve.shared.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three processes share a crawl, and are killed: no host is requested too early, as the judge of the server finds. The
 * system property {@code sieve.proof} makes the web larger.
 */
@Tag("process")
@Tag("engine")
@Tag("slow")
@Timeout(3600)
class SharedPolitenessIT {
    private static final boolean IS_PROOF = Boolean.getBoolean("sieve.proof");
    private static final long SEED = 20261122;
    private static final int WORKERS = 3;
    private static final Duration DELAY = Duration.ofMillis(1500);
    private static final Duration CRAWL_DELAY = Duration.ofSeconds(2);

    private final List<Process> workers = new ArrayList<>();

    @Test
    void delaysHoldThoughOwnersOfHostsAreKilled() throws Exception {
        Random random = new Random(SEED);
        int kills = IS_PROOF ? 20 : 2;
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web(DELAY, CRAWL_DELAY)
                        .hosts(IS_PROOF ? 30 : 8)
                        .pages(IS_PROOF ? 300 : 16)
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
        }
    }

    /** It waits for the engine before each request, since a seed may be one of others, and both are at work afterwards. */
    @Test
    void aCrawlerThatWasCutOffLeavesTheHostsOfOthersAlone() throws Exception {
        try (TestEngine engine = TestEngine.start();
                LossyWire wire = new LossyWire(engine);
                DemoWeb web = PolitenessJudge.web(DELAY, CRAWL_DELAY)
                        .hosts(8)
                        .pages(400)
                        .even(true)
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
}
