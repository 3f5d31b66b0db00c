package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.Tier;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.parse.SitemapReader;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A crawl with a job is killed again and again, and goes on with the same command. */
@Tag("process")
@Tag("slow")
@Timeout(1200)
class JobIT {
    private static final int HOSTS = Tier.of(20, 200);
    private static final int PAGES = Tier.of(400, 5000);
    private static final int KILLS = Tier.of(3, 20);
    private static final int CONCURRENCY = 32;
    /** Answers that a crash may take away, as the frontier on the disk promises. */
    private static final int FLUSH_WINDOW = 512;

    private static final long SEED = 20261120;

    @TempDir
    private Path folder;

    @Test
    void aCrawlKilledOftenFetchesEveryPageAndFewTwice() throws Exception {
        Random random = new Random(SEED);
        try (DemoWeb web = PolitenessJudge.web(Duration.ofMillis(5), Duration.ZERO)
                .hosts(HOSTS)
                .pages(PAGES)
                .recorded(1_000_000)
                .open()) {
            long each = web.expected().count() / (KILLS + 1);
            for (int kill = 0; kill < KILLS; kill++) {
                Process crawl = start(web);
                long until = web.requestCount() + each / 2 + random.nextInt((int) each);
                while (web.requestCount() < until && !crawl.waitFor(2, TimeUnit.MILLISECONDS)) {
                    assertThat(crawl.isAlive()).isTrue();
                }
                crawl.destroyForcibly().waitFor();
            }
            Process last = start(web);
            assertThat(Program.exitCode(last))
                    .as(Files.readString(folder.resolve("err")))
                    .isZero();

            Map<String, Long> fetched = web.requests().stream()
                    .filter(request -> !request.target().equals("/robots.txt"))
                    .map(request -> UrlNormalizer.key(request.url()))
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            assertThat(fetched.keySet())
                    .containsExactlyInAnyOrderElementsOf(web.expected()
                            .map(expected -> UrlNormalizer.key(expected.url()))
                            .collect(Collectors.toSet()));
            long again = fetched.values().stream().mapToLong(count -> count - 1).sum();
            assertThat(again).isLessThanOrEqualTo((long) KILLS * (CONCURRENCY + FLUSH_WINDOW));
            System.out.printf("%d kills, %d URLs, %d requests made again%n", KILLS, fetched.size(), again);
            theRecordHasEveryPage(web);
        }
    }

    /** A page is done only after its line is written, so the file has them all, whole, whatever was killed. */
    private void theRecordHasEveryPage(DemoWeb web) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("urls.txt"));
        assertThat(lines.stream().map(UrlNormalizer::key).collect(Collectors.toSet()))
                .hasSize(web.pages());
        List<String> listed = new ArrayList<>();
        try (InputStream sitemap = Files.newInputStream(folder.resolve("sitemap.xml"))) {
            SitemapReader.read(sitemap, (url, date) -> listed.add(url), listed::add);
        }
        Set<String> documents = new HashSet<>();
        for (String line : Files.readAllLines(folder.resolve("pages.jsonl"))) {
            JsonNode page = new ObjectMapper().readTree(line);
            if (page.get("status").intValue() == 200
                    && page.get("type").textValue().equals("text/html")) {
                documents.add(page.get("url").textValue());
            }
        }
        assertThat(listed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(documents);
        // A kill leaves pages that are recorded once more; one between the two files, in one of them only.
        assertThat(ReportFile.responses(folder.resolve("report.html"), "2xx"))
                .isBetween((long) web.pages(), web.pages() + (long) KILLS * CONCURRENCY);
    }

    private Process start(DemoWeb web) throws IOException {
        String options = "--job job --filter exact --scope any --resolve .test=127.0.0.1 --delay 5ms --concurrency "
                + CONCURRENCY + " -o urls.txt -o pages.jsonl -o sitemap.xml --report report.html";
        return Program.of(folder, (web.start() + " " + options).split(" ", -1)).start();
    }
}
