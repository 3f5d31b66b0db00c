package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.Tier;
import dev.sieve.crawl.ChangingSite;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A site that changes is crawled in rounds, each of which is killed and continued with the same command: every record says
 * the right change, and all results are those of a job that was not killed. With {@code sieve.proof}, 5,000 pages.
 */
@Tag("process")
@Tag("slow")
@Timeout(1200)
class AgainKillIT {
    private static final int PAGES = Tier.of(200, 5000);
    private static final int ROUNDS = Tier.of(3, 5);
    private static final int KILLS = Tier.of(2, 3);

    @TempDir
    private Path folder;

    @Test
    void everyRecordOfARoundThatIsKilledSaysTheRightChange() throws Exception {
        int records = 0;
        int again = 0;
        try (ChangingSite site = new ChangingSite(PAGES)) {
            for (int round = 1; round <= ROUNDS; round++) {
                site.round(round);
                for (int kill = 0; kill < KILLS; kill++) {
                    Process crawl = start(site, round);
                    int until = site.requests() + PAGES / (KILLS + 1);
                    while (site.requests() < until) {
                        assertThat(crawl.waitFor(1, TimeUnit.MILLISECONDS)).isFalse();
                    }
                    crawl.destroyForcibly().waitFor();
                }
                assertThat(Program.exitCode(start(site, round)))
                        .as(Files.readString(folder.resolve("err")))
                        .isZero();
                Map<String, String> expected = site.expected(round);
                Map<String, Integer> found = new HashMap<>();
                for (String line : Files.readAllLines(folder.resolve(round + ".jsonl"))) {
                    JsonNode visit = new ObjectMapper().readTree(line);
                    String path = URI.create(visit.get("url").textValue()).getPath();
                    found.merge(path, 1, Integer::sum);
                    String change = visit.get("change").textValue() + (visit.has("same_text") ? " text" : "");
                    assertThat(change).as("round %d: %s", round, path).isEqualTo(expected.get(path));
                }
                assertThat(found.keySet()).as("round %d", round).isEqualTo(expected.keySet());
                records += records(found);
                again += records(found) - found.size();
            }
        }
        System.out.printf(
                "%d rounds, %d kills in each, %d records, all right, %d of them made again%n",
                ROUNDS, KILLS, records, again);
    }

    @Test
    void everyResultOfARoundIsThatOfTheJob() throws Exception {
        try (ChangingSite site = new ChangingSite(PAGES)) {
            for (int round = 1; round <= ROUNDS + 1; round++) {
                site.round(round);
                int exitCode = Program.exitCode(startAll(site, "whole"));
                // The other test kills a run that continues one that was killed.
                int kills = Tier.of(1, KILLS);
                for (int kill = 0; kill < kills; kill++) {
                    Process crawl = startAll(site, "killed");
                    int until = site.requests() + PAGES / (kills + 1);
                    while (site.requests() < until) {
                        assertThat(crawl.waitFor(1, TimeUnit.MILLISECONDS))
                                .as("round %d %d: %s", round, kill, Files.readString(folder.resolve("err")))
                                .isFalse();
                    }
                    crawl.destroyForcibly().waitFor();
                }
                assertThat(Program.exitCode(startAll(site, "killed")))
                        .as("round %d", round)
                        .isEqualTo(exitCode)
                        .isEqualTo(round == 1 ? 0 : 6);
                assertThat(results("killed")).as("round %d", round).isEqualTo(results("whole"));
            }
        }
    }

    private Process startAll(ChangingSite site, String name) throws IOException {
        String options =
                " --again --job %1$s-job --allow-private 127.0.0.0/8 --delay 2ms --concurrency 4 --retries 0 -q"
                        + " --fail-on broken --fail-on changed -o %1$s.jsonl -o %1$s-sitemap.xml -o %1$s.junit.xml"
                        + " -o %1$s.warc.gz --skipped %1$s.tsv --report %1$s.html";
        return Program.of(folder, (site.url("/") + options.formatted(name)).split(" "))
                .start();
    }

    /** Returns what a sitemap, test cases and a report say. */
    private Map<String, Object> results(String name) throws IOException {
        String pages = Files.readString(folder.resolve(name + "-sitemap.xml"));
        String cases =
                Files.readString(folder.resolve(name + ".junit.xml")).replaceAll("time=\"[^\"]*\"|</testsuites?>", "");
        Document report = Jsoup.parse(folder.resolve(name + ".html").toFile());
        return Map.of(
                "sitemap",
                pages.lines().collect(Collectors.toSet()),
                "junit",
                Arrays.stream(cases.split("(?=<testcase)", -1))
                        .map(String::strip)
                        .collect(Collectors.toSet()),
                "report",
                report.select("#verdict, #changed").eachText(),
                "tiles",
                report.select(".tiles div").eachText().stream()
                        .filter(tile -> tile.matches("(Pages (?!missed)|Broken links|Redirects|Failed).*"))
                        .toList());
    }

    private static int records(Map<String, Integer> found) {
        return found.values().stream().mapToInt(Integer::intValue).sum();
    }

    private Process start(ChangingSite site, int round) throws IOException {
        String options =
                " --again --job job --allow-private 127.0.0.0/8 --delay 2ms --concurrency 4 --retries 0 -q -o ";
        return Program.of(folder, (site.url("/") + options + round + ".jsonl").split(" "))
                .start();
    }
}
