package dev.sieve.crawl;

import dev.sieve.job.SharedJob;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedSieve;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** One of the crawlers of a shared crawl, on a thread of its own as if it were in a process of its own. */
final class SharedWorker implements AutoCloseable {
    final CrawlJob job;
    final Crawler crawler;
    final Queue<Visit> visits = new ConcurrentLinkedQueue<>();
    final Queue<Skip> skips = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<CrawlReport> report = new CompletableFuture<>();

    SharedWorker(EngineAddress address, CrawlOptions options, Consumer<SharedSieve.Builder> settings)
            throws IOException {
        job = SharedJob.open(address, options, settings);
        crawler = new Crawler(options, job, AllStages::of);
    }

    SharedWorker seed(String... urls) {
        for (String url : urls) {
            crawler.seed(url);
        }
        return this;
    }

    SharedWorker start() {
        Thread thread = new Thread(() -> {
            try {
                report.complete(crawler.run(new PageSink() {
                    @Override
                    public void accept(Visit visit) {
                        visits.add(visit);
                    }

                    @Override
                    public void skipped(Skip skip) {
                        skips.add(skip);
                    }
                }));
            } catch (Throwable e) {
                report.completeExceptionally(e);
            }
        });
        thread.start();
        return this;
    }

    /** Waits for the end of the crawl. */
    CrawlReport end() throws InterruptedException, ExecutionException {
        return report.get();
    }

    /** Stops the crawl and leaves. */
    CrawlReport leave() throws InterruptedException, ExecutionException, IOException {
        crawler.stop();
        CrawlReport last = end();
        close();
        return last;
    }

    @Override
    public void close() throws IOException {
        try (job;
                crawler) {
            // Closes the crawler, then the job.
        }
    }
}
