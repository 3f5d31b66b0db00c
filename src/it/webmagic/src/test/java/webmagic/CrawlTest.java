package webmagic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class CrawlTest {
    private static DemoWeb web() throws IOException {
        return DemoWeb.builder().pages(600).recorded(100_000).open();
    }

    @Test
    void requestsExactlyTheUrlsOfTheWebOnceEach() throws IOException {
        try (DemoWeb web = web();
                Sieve frontier = new Sieve(100_000)) {
            crawl(new DemoPages(url -> {}), web.start(), web.port(), frontier);

            Collection<String> requested =
                    web.requests().stream().map(DemoRequest::url).collect(Collectors.toList());
            assertRequested(web, requested);
            assertEquals(web.expected().count(), requested.size(), "each URL once");
            assertEquals(web.expected().count(), frontier.stats().done());
        }
    }

    private static void crawl(DemoPages pages, String start, int port, Frontier frontier) {
        Crawl.spider(pages, DemoPages.downloader(port), frontier)
                .addPipeline((items, task) -> {})
                .setEmptySleepTime(100) // a spider that misses the signal of its last page waits 30 s by default
                .addUrl(start)
                .thread(8)
                .run();
    }

    /** Compares without printing thousands of URLs. */
    private static void assertRequested(DemoWeb web, Collection<String> requested) {
        Set<String> expected = web.expected().map(DemoWeb.Expected::url).collect(Collectors.toSet());
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(requested);
        Set<String> unexpected = new TreeSet<>(requested);
        unexpected.removeAll(expected);
        assertEquals("[] and []", missing + " and " + unexpected, "missing and unexpected");
    }

    @Test
    void aCrawlThatIsKilledGoesOn(@TempDir Path folder) throws Exception {
        try (DemoWeb web = web()) {
            assertEquals(9, crawl(folder, web, 150));
            assertEquals(9, crawl(folder, web, 200));
            assertEquals(0, crawl(folder, web, Integer.MAX_VALUE));

            assertRequested(web, web.requests().stream().map(DemoRequest::url).collect(Collectors.toSet()));
        }
    }

    private static int crawl(Path folder, DemoWeb web, int pages) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        folder.toString(),
                        web.start(),
                        Integer.toString(web.port()),
                        Integer.toString(pages))
                .inheritIO()
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A crawl in a process that halts when a number of pages were processed. */
    static final class Killed {
        public static void main(String[] args) throws IOException {
            AtomicInteger left = new AtomicInteger(Integer.parseInt(args[3]));
            DemoPages pages = new DemoPages(url -> {
                if (left.decrementAndGet() == 0) {
                    Runtime.getRuntime().halt(9);
                }
            });
            try (DurableSieve frontier = DurableSieve.open(Path.of(args[0]), 100_000)) {
                crawl(pages, args[1], Integer.parseInt(args[2]), frontier);
            }
        }
    }
}
