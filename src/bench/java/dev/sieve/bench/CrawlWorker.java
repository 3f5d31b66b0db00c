package dev.sieve.bench;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoWeb;
import dev.sieve.job.SharedJob;
import dev.sieve.scope.Scope;
import dev.sieve.shared.EngineAddress;
import dev.sieve.stage.AllStages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A crawler in a process of its own, one of several on one crawl. */
final class CrawlWorker {
    private CrawlWorker() {}

    /** Arguments: address of the crawl, seed, for how long slices are owned. */
    public static void main(String[] args) throws Exception {
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .delay(Duration.ofSeconds(1))
                .concurrency(8)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        CountDownLatch isClosed = new CountDownLatch(1);
        try (CrawlJob job = SharedJob.open(
                        EngineAddress.parse(args[0]),
                        options,
                        builder -> builder.capacity(1_000_000).ownership(Duration.parse(args[2])));
                Crawler crawler = new Crawler(options, job, AllStages::of)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                crawler.stop();
                try {
                    isClosed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            System.out.println("open");
            crawler.seed(args[1]);
            crawler.run(visit -> {});
        } finally {
            isClosed.countDown();
        }
    }
}
