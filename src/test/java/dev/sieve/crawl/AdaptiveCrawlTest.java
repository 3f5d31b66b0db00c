package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.sieve.Sieve;
import dev.sieve.stage.AllStages;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A crawl whose delay adapts, of a server that takes twice as long as soon as it gets more than four requests per second; for
 * five minutes.
 */
@EnabledIfSystemProperty(named = "sieve.proof", matches = "true")
class AdaptiveCrawlTest {
    private static final int PAGES = 600;
    private static final long UNLOADED_MILLIS = 80;
    private static final int PER_SECOND = 4;

    @AutoClose
    private final Site site = new Site();

    private final Deque<Long> lastSecond = new ArrayDeque<>();
    private long slow;

    @Test
    void overloadedServerIsRequestedAtItsPace() throws Exception {
        site.page("/", IntStream.range(0, PAGES).mapToObj(i -> "/" + i).toArray(String[]::new));
        IntStream.range(0, PAGES).forEach(i -> site.answer("/" + i, this::answer));

        double fixed = pagesPerSecond(new CrawlOptions().delay(Duration.ofMillis(1000 / PER_SECOND)));
        slow = 0;
        double adaptive = pagesPerSecond(new CrawlOptions().adaptiveDelay());
        double responseTime = 1 + (double) slow / PAGES;

        System.out.printf(
                "best fixed delay %.2f pages/s, adaptive %.2f, response time %.2f of the unloaded one%n",
                fixed, adaptive, responseTime);
        assertThat(adaptive).isGreaterThan(0.8 * fixed);
        assertThat(responseTime).isLessThan(2);
    }

    private Site.Reply answer(HttpExchange request) throws InterruptedException {
        Thread.sleep(UNLOADED_MILLIS * (isSlow() ? 2 : 1));
        return Site.ok("text/html", "<p>text");
    }

    private synchronized boolean isSlow() {
        long now = System.nanoTime();
        while (!lastSecond.isEmpty() && now - lastSecond.peekFirst() > TimeUnit.SECONDS.toNanos(1)) {
            lastSecond.removeFirst();
        }
        lastSecond.addLast(now);
        boolean isSlow = lastSecond.size() > PER_SECOND;
        slow += isSlow ? 1 : 0;
        return isSlow;
    }

    private double pagesPerSecond(CrawlOptions options) throws Exception {
        long start = System.nanoTime();
        try (Crawler crawler = new Crawler(options.allowPrivate("127.0.0.0/8"), new Sieve(1000), AllStages::of)) {
            crawler.seed(site.url("/"));
            crawler.run(visit -> {});
        }
        return PAGES * 1e9 / (System.nanoTime() - start);
    }
}
