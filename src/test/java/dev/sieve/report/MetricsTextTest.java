package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.stage.AllStages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTextTest {
    private static final String HISTOGRAM = "sieve_crawl_response_seconds";

    @TempDir
    private Path folder;

    private static String metrics(CrawlRecord record) throws Exception {
        try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(100), AllStages::of)) {
            return new MetricsText(record, crawler).text();
        }
    }

    @Test
    void responsesAreCountedByTheirTime() throws Exception {
        CrawlRecord record = new CrawlRecord();
        for (int millis : List.of(0, 10, 11, 100, 3000, 60_000)) {
            record.accept(Visits.page("http://h.test/" + millis, 200, null, "text/html", "", millis));
        }
        record.accept(Visits.failed("http://dead.test/", null));

        String text = metrics(record);

        assertThat(text.lines().filter(line -> line.startsWith(HISTOGRAM)))
                .contains(
                        HISTOGRAM + "_bucket{le=\"0.01\"} 2",
                        HISTOGRAM + "_bucket{le=\"0.025\"} 3",
                        HISTOGRAM + "_bucket{le=\"0.1\"} 4",
                        HISTOGRAM + "_bucket{le=\"2.5\"} 4",
                        HISTOGRAM + "_bucket{le=\"5.0\"} 5",
                        HISTOGRAM + "_bucket{le=\"30.0\"} 5",
                        HISTOGRAM + "_bucket{le=\"+Inf\"} 6",
                        HISTOGRAM + "_count 6",
                        HISTOGRAM + "_sum 63.121");
        assertThat(text).contains("# TYPE " + HISTOGRAM + " histogram");
        Promtool.requireMetrics(text);
    }

    /** The table of the documentation, as it should be. */
    @Test
    void everyMetricIsDocumented() throws Exception {
        requireTable(metrics(new CrawlRecord()), "sieve_", "operating.md");
    }

    private static String served(int crawls, Function<String, MetricsText.Served> reader) {
        List<String> names = IntStream.range(0, crawls)
                .mapToObj(i -> String.format(Locale.ROOT, "c%03d \"\\\n\r\0\u2028}", i))
                .toList();
        return new MetricsText(names, reader).text();
    }

    private static MetricsText.Served crawl() {
        try (Sieve sieve = new Sieve(100)) {
            return new MetricsText.Served(sieve.stats(), 3, 2);
        }
    }

    @Test
    void everyMetricOfServeIsDocumented() throws Exception {
        requireTable(served(1, name -> crawl()), "sieve_serve_", "urlfrontier.md");
    }

    @Test
    void atMostAHundredCrawlsAreListed() throws Exception {
        String text = served(150, name -> name.startsWith("c007") ? null : crawl());

        assertThat(List.of(text.split("\n", -1)))
                .filteredOn(line -> line.startsWith("sieve_urls_pending{"))
                .hasSize(99)
                .first()
                .isEqualTo("sieve_urls_pending{crawl=\"c000 \\\"\\\\\\n\r\0\u2028}\"} 0.0");
        assertThat(text)
                .contains("\nsieve_serve_crawls{listed=\"true\"} 99.0\n")
                .contains("\nsieve_serve_crawls{listed=\"false\"} 51.0\n")
                .contains("\nprocess_cpu_seconds_total ");
        Promtool.requireMetrics(text);
    }

    private static void requireTable(String text, String prefix, String name) throws Exception {
        Map<String, String> helps = new HashMap<>();
        Map<String, Set<String>> labels = new TreeMap<>();
        List<String> rows = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (String line : lines) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP " + prefix)) {
                helps.put(words[2], words[3]);
            } else if (line.startsWith(prefix)) {
                String metric = line.split("[{ ]", 2)[0].replaceFirst("(?<=seconds)_(bucket|count|sum|max)$", "");
                Set<String> own = labels.computeIfAbsent(metric, each -> new TreeSet<>());
                Pattern.compile("(\\w+)=\"")
                        .matcher(line)
                        .results()
                        .map(label -> label.group(1))
                        .filter(label -> !label.equals("le"))
                        .forEach(own::add);
            }
        }
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            if (line.startsWith("# TYPE " + prefix) && labels.containsKey(words[2])) {
                String names =
                        labels.get(words[2]).isEmpty() ? "" : "`" + String.join("`, `", labels.get(words[2])) + "`";
                rows.add("| `" + words[2] + "` | " + words[3] + " | " + names + " | " + helps.get(words[2]) + " |");
            }
        }
        rows.sort(null);
        String table = String.join("\n", rows) + "\n";
        Path page = Path.of("docs", name);
        Path expected = Path.of("target/metrics-of-" + name);
        Files.writeString(Files.createDirectories(expected.getParent()).resolve(expected.getFileName()), table);

        assertThat(Files.readString(page))
                .as("the table of metrics, as in " + expected)
                .contains(table);
    }

    @Test
    void buildAndProcessAreIncluded() throws Exception {
        assertThat(metrics(new CrawlRecord()))
                .contains("sieve_build_info{version=\"" + CrawlOptions.version() + "\"} 1")
                .contains("\nprocess_cpu_seconds_total ", "\nprocess_uptime_seconds ", "\njvm_memory_used_bytes{")
                .contains("\njvm_threads_live_threads ", "\nsieve_urls_accepted_total ");
    }

    @Test
    void onlyMetricsAreReplaced() throws Exception {
        Path file = folder.resolve("sieve.prom");
        MetricsText.check(file);
        assertThat(file).doesNotExist();
        try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(100), AllStages::of)) {
            MetricsText metrics = new MetricsText(new CrawlRecord(), crawler);
            metrics.write(file);
            MetricsText.check(file);
            metrics.write(file);
        }
        assertThat(file).content(UTF_8).startsWith("# HELP ").contains("\nsieve_crawl_running 1.0\n");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }

        Path other = Files.writeString(folder.resolve("notes.txt"), "notes");
        assertThatThrownBy(() -> MetricsText.check(other)).hasMessage(other + " exists, and has no metrics in it");
        assertThatThrownBy(() -> MetricsText.check(folder)).hasMessage(folder + " exists, and has no metrics in it");
        assertThatThrownBy(() -> MetricsText.check(folder.resolve("none/x.prom")))
                .hasMessageContaining("none");
    }
}
