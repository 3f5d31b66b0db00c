package loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sieve.Sieve;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LoopTest {
    static OkHttpClient client() {
        return new OkHttpClient.Builder()
                .followRedirects(false)
                .dns(host -> List.of(DemoWeb.resolve(host)))
                .build();
    }

    private static DemoWeb web() throws IOException {
        return DemoWeb.builder().pages(600).recorded(100_000).open();
    }

    /** As robots.txt of all its hosts says. */
    private static boolean isAllowed(String url) {
        return !url.contains("/private/");
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
    void requestsExactlyTheUrlsOfTheWebOnceEach() throws Exception {
        try (DemoWeb web = web();
                Sieve frontier = new Sieve(100_000)) {
            frontier.push(web.start());

            new Loop(frontier, client(), LoopTest::isAllowed, page -> {}).run(16);

            List<String> requested =
                    web.requests().stream().map(DemoRequest::url).collect(Collectors.toList());
            assertRequested(web, requested);
            assertEquals(web.expected().count(), requested.size(), "each URL once");
        }
    }

    /** A crawl, in a process of its own, that halts when it has found a number of pages. */
    static final class Halting {
        public static void main(String[] args) throws Exception {
            int left = Integer.parseInt(args[2]);
            AtomicInteger found = new AtomicInteger();
            try (DurableSieve frontier = DurableSieve.open(Path.of(args[0]), 100_000)) {
                frontier.push(args[1]);
                new Loop(frontier, client(), LoopTest::isAllowed, page -> {
                            if (found.incrementAndGet() == left) {
                                Runtime.getRuntime().halt(9);
                            }
                        })
                        .run(16);
            }
        }
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

    private static int crawl(Path folder, DemoWeb web, int halt) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Halting.class.getName(),
                        folder.toString(),
                        web.start(),
                        Integer.toString(halt))
                .inheritIO()
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void isAtMost60LinesLong() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("src/main/java/loop/Loop.java"))) {
            assertTrue(lines.count() <= 60);
        }
    }
}
