package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.ChildJvm;
import dev.sieve.job.SharedJob;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.scope.Scope;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.TestEngine;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three crawlers in processes of their own share a crawl, and are killed or ended and replaced, so that hosts move between
 * them: no host is requested within its delay, by the log of the server. The system property {@code sieve.proof} lets more
 * of them end.
 */
@Tag("process")
@Tag("engine")
@Tag("slow")
@Timeout(1200)
class SharedPolitenessIT {
    private static final int ENDS = Tier.of(3, 30);
    private static final int WORKERS = 3;
    private static final int HOSTS = 20;
    private static final long SEED = 20261122;
    private static final Duration DELAY = Duration.ofSeconds(1);
    private static final Duration CRAWL_DELAY = Duration.ofSeconds(3);

    private final List<Process> workers = new ArrayList<>();

    /** A crawler: the address of the crawl, and a seed. SIGTERM stops it. */
    public static void main(String[] args) throws IOException {
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(DELAY)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        CountDownLatch isClosed = new CountDownLatch(1);
        try (CrawlJob job = SharedJob.open(
                        EngineAddress.parse(args[0]),
                        options,
                        settings -> settings.capacity(10_000).slices(16).ownership(Duration.ofSeconds(2)));
                Crawler crawler = new Crawler(options, job, AllStages::of)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                crawler.stop();
                try {
                    isClosed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            crawler.seed(args[1]);
            crawler.run(visit -> {});
        } finally {
            isClosed.countDown();
        }
    }

    private void start(TestEngine engine, DemoWeb web) throws IOException {
        workers.add(ChildJvm.start(
                List.of("-Xmx100m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                SharedPolitenessIT.class,
                engine.address("polite").toString(),
                web.start()));
    }

    @Test
    void delaysHoldWhenAHostMovesBetweenCrawlers() throws Exception {
        Random random = new Random(SEED);
        try (TestEngine engine = TestEngine.start();
                DemoWeb web = PolitenessJudge.web(DELAY, CRAWL_DELAY)
                        .hosts(HOSTS)
                        .pages(20_000)
                        .even(true)
                        .recorded(100_000)
                        .open()) {
            int ends = 0;
            // The next crawler of a host requests its robots.txt as well. One that ends early had no hosts.
            while (ends < ENDS || robots(web) <= PolitenessIT.byHost(web).size()) {
                while (workers.size() < WORKERS) {
                    start(engine, web);
                }
                long until = web.requestCount() + 5 + random.nextInt(15);
                while (web.requestCount() < until) {
                    Process any = workers.get(random.nextInt(WORKERS));
                    assertThat(any.waitFor(2, TimeUnit.MILLISECONDS)).isFalse();
                }
                Process worker = workers.remove(random.nextInt(WORKERS));
                // SIGTERM lets it give its hosts to the others; SIGKILL lets it do nothing.
                if (ends % 2 == 0) {
                    worker.destroyForcibly();
                } else {
                    worker.destroy();
                }
                assertThat(worker.waitFor(1, TimeUnit.MINUTES)).isTrue();
                ends++;
            }
            workers.forEach(Process::destroy);
            for (Process worker : workers) {
                assertThat(worker.waitFor(1, TimeUnit.MINUTES)).isTrue();
            }
            Map<String, List<DemoRequest>> byHost = PolitenessIT.byHost(web);
            assertThat(byHost.values()).allMatch(requests -> PolitenessIT.isRobots(requests.get(0)));
            System.out.printf(
                    "%d ends of crawlers: %d requests to %d hosts, %d of them for robots.txt%n",
                    ends, web.requestCount(), byHost.size(), robots(web));
        } finally {
            for (Process worker : workers) {
                worker.destroyForcibly().waitFor();
            }
        }
    }

    private static long robots(DemoWeb web) {
        return web.requests().stream().filter(PolitenessIT::isRobots).count();
    }
}
