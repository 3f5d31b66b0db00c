package dev.sieve.crawl;

import dev.sieve.Await;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.shared.LossyWire;
import dev.sieve.shared.TestEngine;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A crawler loses its connection to the engine of a shared crawl: no host is requested too early. */
@Tag("engine")
@Tag("slow")
@Timeout(3600)
class CutOffCrawlerIT {
    private static final Duration DELAY = Duration.ofMillis(1500);
    private static final Duration CRAWL_DELAY = Duration.ofSeconds(2);

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
            Await.until(() -> web.requestCount() >= 3L * web.hosts());
            wire.cut();
            other.start();
            Await.until(() -> other.visits.size() >= web.hosts());
            wire.restore();
            Await.until(() -> other.visits.size() >= 3 * web.hosts());

            one.leave();
            other.leave();
        }
    }
}
