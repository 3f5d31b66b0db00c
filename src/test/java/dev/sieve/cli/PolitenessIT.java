package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program is polite to many hosts, as the judge of the server finds. The system property {@code sieve.proof} makes the
 * webs larger.
 */
@Tag("process")
@Tag("slow")
@Timeout(3600)
class PolitenessIT {
    private static final long SEED = 20261121;

    @TempDir
    private Path folder;

    private Process crawl;

    @AfterEach
    void stop() {
        if (crawl != null) {
            crawl.destroyForcibly();
        }
    }

    private void start(DemoWeb web, Duration delay, String... options) throws IOException {
        String all = web.start() + " --filter exact --scope any --resolve .test=127.0.0.1 --delay " + delay.toMillis()
                + "ms";
        crawl = Program.of(
                        folder,
                        Stream.concat(Stream.of(all.split(" ", -1)), Stream.of(options))
                                .toArray(String[]::new))
                .start();
    }

    private void awaitEnd() throws Exception {
        assertThat(Program.exitCode(crawl))
                .as(Files.readString(folder.resolve("err")))
                .isZero();
    }

    static Map<String, List<DemoRequest>> byHost(DemoWeb web) {
        return web.requests().stream()
                .sorted((a, b) -> Long.compare(a.startNanos(), b.startNanos()))
                .collect(Collectors.groupingBy(DemoRequest::host));
    }

    static boolean isRobots(DemoRequest request) {
        return request.target().equals("/robots.txt");
    }

    @Test
    void everyHostOfALargeWebIsAskedAsItWants() throws Exception {
        Duration delay = Duration.ofMillis(300);
        Duration crawlDelay = Duration.ofSeconds(1);
        int hosts = Tier.of(600, 2000);
        try (DemoWeb web = PolitenessJudge.web(delay, crawlDelay)
                .hosts(hosts)
                .pages(Tier.of(700, 4000))
                .recorded(1_000_000)
                .open()) {
            start(web, delay);
            awaitEnd();

            Map<String, List<DemoRequest>> byHost = byHost(web);
            assertThat(byHost).hasSize(hosts);
            byHost.values().forEach(requests -> {
                assertThat(requests.get(0)).matches(PolitenessIT::isRobots);
                assertThat(requests.stream().filter(PolitenessIT::isRobots)).hasSize(1);
            });
            theUrlsAreThoseOfAnObedientCrawl(web);
        }
    }

    private static void theUrlsAreThoseOfAnObedientCrawl(DemoWeb web) {
        List<DemoRequest> pages =
                web.requests().stream().filter(request -> !isRobots(request)).toList();
        Set<String> asked =
                pages.stream().map(request -> UrlNormalizer.key(request.url())).collect(Collectors.toSet());
        Set<String> forbidden = web.forbidden().map(UrlNormalizer::key).collect(Collectors.toSet());
        Set<String> expected =
                web.expected().map(each -> UrlNormalizer.key(each.url())).collect(Collectors.toSet());
        assertThat(forbidden).isNotEmpty().doesNotContainAnyElementsOf(asked);
        assertThat(asked).isEqualTo(expected);
        // A redirect to another spelling of itself is followed once.
        assertThat(pages.stream().map(request -> request.host() + request.target()))
                .doesNotHaveDuplicates();
    }

    @Test
    void delaysOfHostsHoldAcrossKills() throws Exception {
        Duration delay = Duration.ofSeconds(2);
        Duration crawlDelay = Duration.ofSeconds(5);
        Random random = new Random(SEED);
        try (DemoWeb web = PolitenessJudge.web(delay, crawlDelay)
                .hosts(10)
                .pages(20)
                .recorded(10_000)
                .open()) {
            for (int end = 0; end < Tier.of(3, 10); end++) {
                start(web, delay, "--job", "job");
                // The first end is that of a crawl that has been told a delay and finished nothing.
                long until = web.requestCount() + 1 + (end == 0 ? 0 : 1 + random.nextInt(4));
                while (web.requestCount() < until && !crawl.waitFor(2, TimeUnit.MILLISECONDS)) {
                    assertThat(crawl.isAlive()).isTrue();
                }
                // SIGTERM lets the crawl finish what is under way; SIGKILL lets it do nothing.
                if (end % 2 == 0) {
                    crawl.waitFor(200, TimeUnit.MILLISECONDS);
                    crawl.destroyForcibly();
                } else {
                    crawl.destroy();
                }
                assertThat(crawl.waitFor(1000, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(byHost(web).get(web.requests().get(0).host())).hasSizeGreaterThan(2);
        }
    }
}
