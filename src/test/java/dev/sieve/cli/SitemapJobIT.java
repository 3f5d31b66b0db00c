package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A crawl of a site that only its sitemaps lead into is killed again and again, and goes on with the same command. */
@Tag("process")
@Tag("slow")
@Timeout(1200)
class SitemapJobIT {
    private static final int SITEMAPS = 8;
    private static final int PAGES_OF_EACH = 50;

    @TempDir
    private Path folder;

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void open() {
        server.otherwise(request -> {
            String path = request.getRequestURI().getPath();
            asked.add(path);
            return Site.ok(path.endsWith(".html") ? "text/html" : "text/plain", body(path));
        });
    }

    private String site() {
        return server.url("");
    }

    private String body(String path) {
        if (path.equals("/robots.txt")) {
            return "Sitemap: " + site() + "/index.xml\n";
        } else if (path.equals("/index.xml")) {
            return IntStream.range(0, SITEMAPS)
                    .mapToObj(i -> "<sitemap><loc>" + site() + "/map" + i + ".txt</loc></sitemap>")
                    .collect(Collectors.joining("", "<sitemapindex>", "</sitemapindex>"));
        } else if (path.startsWith("/map")) {
            return pages(path.charAt("/map".length())).collect(Collectors.joining("\n"));
        }
        return "<title>" + path + "</title>";
    }

    private Stream<String> pages(char sitemap) {
        return IntStream.range(0, PAGES_OF_EACH).mapToObj(i -> site() + "/page-" + sitemap + "-" + i + ".html");
    }

    private Process start() throws IOException {
        String options = "--sitemaps --filter exact --job job --delay 5ms -o urls.txt";
        return Program.of(folder, (site() + "/start.html " + options).split(" ", -1))
                .start();
    }

    @Test
    void everyPageOfEverySitemapIsFetchedWhateverIsKilled() throws Exception {
        for (int moment : List.of(2, 4, 7, 12, 150, 300)) {
            Process crawl = start();
            while (asked.size() < moment) {
                assertThat(crawl.waitFor(1, TimeUnit.MILLISECONDS)).isFalse();
            }
            crawl.destroyForcibly().waitFor();
        }

        Process last = start();
        assertThat(Program.exitCode(last))
                .as(Files.readString(folder.resolve("err")))
                .isZero();
        Set<String> expected = IntStream.range(0, SITEMAPS)
                .boxed()
                .flatMap(i -> pages((char) ('0' + i)))
                .collect(Collectors.toSet());
        expected.add(site() + "/start.html");
        assertThat(Files.readAllLines(folder.resolve("urls.txt")).stream().collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(expected);
    }
}
