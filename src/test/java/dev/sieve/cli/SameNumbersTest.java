package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Site;
import dev.sieve.output.Row;
import dev.sieve.report.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The summary, the report, the metrics and the records of a crawl count the same. */
@Timeout(60)
class SameNumbersTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    @AutoClose
    private final Site other = new Site();

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** A site with all that a visit may find. */
    private void pages() {
        List<String> links = new ArrayList<>(List.of(other.url("/"), other.url("/moved"), other.url("/wall")));
        links.addAll(List.of("/a", "/big", "/file.pdf", "/missing", "/teapot", "/moved", "/wall", "/closed", "/empty"));
        site.page("/", links.toArray(String[]::new)).page("/a").redirect("/moved", "/a");
        other.page("/").redirect("/moved", "/gone");
        for (Site each : List.of(site, other)) {
            each.answer(
                    "/wall", Site.status(403).field("cf-mitigated", "challenge").field("Content-Type", "text/html"));
        }
        site.html("/big", " ".repeat(5000)).answer("/file.pdf", Site.ok("application/pdf", " ".repeat(3000)));
        site.answer("/teapot", Site.status(418)).answer("/closed", request -> null);
        site.answer("/empty", Site.status(200).field("Content-Type", "text/html"));
    }

    private double metric(String name) throws IOException {
        return Files.readAllLines(file("m.prom")).stream()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static String tile(Document report, String name) {
        return report.select("dl.tiles > div:has(dt:containsOwn(" + name + ")) > dd")
                .text();
    }

    /** Other types than documents are read only for an archive. */
    @ParameterizedTest
    @ValueSource(strings = {"a.csv", "a.warc.gz"})
    void theyAgree(String more) throws IOException {
        pages();
        String[] options = {"--delay=0", "--max-body=2048", "--retries=0", "--check-links", "--accept=418", "-o"};
        List<String> all = new ArrayList<>(List.of(site.url("/"), "--allow-private=127.0.0.0/8"));
        all.addAll(List.of(options));
        all.addAll(List.of(file("a.jsonl").toString(), "-o" + file(more), "--report=" + file("r.html")));
        all.addAll(List.of("--metrics-file=" + file("m.prom"), "--summary=" + file("s.json")));
        Run run = Run.of(Main.commandLine(), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        Document report = Jsoup.parse(file("r.html").toFile(), "UTF-8");
        JsonNode summary = JSON.readTree(file("s.json").toFile());

        Map<Counter, Map<String, Long>> counts = new TreeMap<>();
        for (String line : Files.readAllLines(file("a.jsonl"))) {
            Map<?, ?> fields = JSON.readValue(line, Map.class);
            Row row = field -> fields.get(field.text());
            for (Counter counter : Counter.OF_VISITS) {
                String part = counter.part(row, row.verdict());
                if (part != null) {
                    counts.computeIfAbsent(counter, each -> new TreeMap<>())
                            .merge(part, counter.number(row), Long::sum);
                }
            }
        }
        assertThat(counts.keySet())
                .contains(Counter.PAGES, Counter.CHECKED, Counter.REDIRECTS, Counter.FAILED, Counter.FAILURES)
                .contains(Counter.WALLS, Counter.TRUNCATED, Counter.EMPTY, Counter.BODY);
        for (Counter counter : Counter.OF_VISITS) {
            Map<String, Long> parts = counts.getOrDefault(counter, Map.of());
            long sum = parts.values().stream().mapToLong(Long::longValue).sum();
            String name = counter.key() + (counter.unit() == null ? "" : "_" + counter.unit());
            Map<String, Long> ofSummary = new TreeMap<>();
            summary.at("/parts/" + counter.key())
                    .properties()
                    .forEach(
                            each -> ofSummary.put(each.getKey(), each.getValue().asLong()));
            assertThat(summary.at("/counts/" + counter.key()).asLong()).as(name).isEqualTo(sum);
            assertThat(ofSummary).as(name).isEqualTo(parts.containsKey("") ? Map.of() : parts);
            if (counter != Counter.FAILURES) {
                // Statuses, of which a server chooses the number, have no time series.
                assertThat(metric("sieve_crawl_" + name + "_total")).as(name).isEqualTo((double) sum);
            }
            String shown = counter == Counter.BODY ? Numbers.bytes(sum) : Numbers.text("%,d", sum);
            String title = counter == Counter.BODY ? "Size of pages" : counter.key();
            String tile = tile(report, title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1));
            assertThat(tile.isEmpty() || tile.startsWith(shown))
                    .as(name + ": " + tile)
                    .isTrue();
        }
        assertThat(tile(report, "Broken links"))
                .startsWith(summary.at("/counts/failures").asText());
        double seconds = summary.at("/seconds").asDouble();
        assertThat(metric("sieve_crawl_elapsed_seconds")).isCloseTo(seconds, within(1e-3));
        assertThat(tile(report, "Time"))
                .contains(Numbers.text("%.1f pages/s", metric("sieve_crawl_pages_total") / seconds));
    }
}
